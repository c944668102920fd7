"""A listener on a free loopback port in front of an engine that speaks noise, and a client of it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from pipeline.engine import Engine, EngineLimits
from pipeline.metrics import Metrics
from pipeline.speech import Voice
from server.listener import Listener, ServerSettings
from server.protocol import (
    PATH,
    AudioMessage,
    ClientMessage,
    ServerMessage,
    parse_server,
    serialize_client,
    unpack_audio,
)
from server.session import Session
from tests.fakes import FAKE_VOICE, FakeSynthesizer

OTHER_VOICE = Voice("other", "en", "The same noise under another name.", "Apache-2.0", "tests")

PATIENCE_S = 20.0
"""How long a test waits for what must happen before it says that it did not."""

M = TypeVar("M", bound="ServerMessage | AudioMessage")


@dataclass(frozen=True, slots=True)
class Loopback:
    """A running server and its parts."""

    synthesizer: FakeSynthesizer
    engine: Engine
    listener: Listener
    metrics: Metrics

    def url(self, path: str = PATH) -> str:
        """Address of the socket."""
        return f"ws://127.0.0.1:{self.listener.port}{path}"

    @property
    def sessions(self) -> tuple[Session, ...]:
        """Every session there is."""
        return tuple(self.listener._sessions._tasks)

    def metrics_value(self, name: str) -> float:
        """Return the value of a metric without labels."""
        value: float | None = self.metrics._registry.get_sample_value(name)
        assert value is not None, name
        return value

    @contextlib.asynccontextmanager
    async def client(self, **options: Any) -> AsyncIterator[Client]:
        """Connect; the socket is closed on leaving."""
        async with connect(self.url(), compression=None, **options) as socket:
            yield Client(socket)


class Client:
    """One client's end of the wire."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def send(self, *messages: ClientMessage) -> None:
        """Send messages, one after the other."""
        for message in messages:
            await self.socket.send(serialize_client(message))

    async def next(self) -> ServerMessage | AudioMessage:
        """Return the next message."""
        data = await asyncio.wait_for(self.socket.recv(), PATIENCE_S)
        return unpack_audio(data) if isinstance(data, bytes) else parse_server(data)

    async def until(self, kind: type[M]) -> tuple[M, list[ServerMessage | AudioMessage]]:
        """Return the next message of a kind, and all that came before it."""
        before = []
        while not isinstance(message := await self.next(), kind):
            before.append(message)
        return message, before

    async def closed(self) -> tuple[int | None, str | None]:
        """Read on until the server has closed, and return its code and reason."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                await asyncio.wait_for(self.socket.recv(), PATIENCE_S)
        return self.socket.close_code, self.socket.close_reason


@contextlib.asynccontextmanager
async def serving(
    *,
    synthesizer: FakeSynthesizer | None = None,
    settings: ServerSettings | None = None,
    limits: EngineLimits | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[Loopback]:
    """Serve on a free port until left; `clock` is the sessions', whose pacers go by it."""
    synthesizer = synthesizer or FakeSynthesizer()
    metrics = Metrics()
    voices = [FAKE_VOICE, OTHER_VOICE]
    speaks = {voice.name: synthesizer for voice in voices}
    engine = Engine(speaks, voices, limits=limits or EngineLimits(), metrics=metrics)
    async with (
        engine,
        Listener(engine, settings or ServerSettings(port=0), metrics=metrics, clock=clock) as listener,
    ):
        yield Loopback(synthesizer, engine, listener, metrics)
