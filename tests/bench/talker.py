"""A client of a whole server that talks, interrupts and loses its line, and notes when everything came.

Knows the wire, nothing of the server's insides. Runs on the event loop of the measuring process; every time
is in seconds on its monotonic clock.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from websockets.asyncio.client import ClientConnection, connect

from pipeline.audio import FRAME_CONTENT_SAMPLES
from pipeline.pacer import DEFAULT_LEAD_MS
from server import protocol
from server.protocol import AudioFlags, AudioMessage, ClientMessage, Resume


@dataclass(slots=True)
class Heard:
    """What came of one utterance: `arrivals` holds, for each packet, when, its sequence and its timestamp."""

    text: str = ""
    ended: bool = False
    sent_at: float = 0.0
    ordinal: int | None = None
    arrivals: list[tuple[float, int, int]] = field(default_factory=list)
    complete: bool = False
    done: protocol.Done | None = None
    cancelled: protocol.Cancelled | None = None
    cancelled_at: float | None = None

    @property
    def first_ms(self) -> float:
        """From sending its first text to its first packet."""
        return (self.arrivals[0][0] - self.sent_at) * 1000

    @property
    def timings(self) -> protocol.StationTimings:
        """What the server says of its own times."""
        assert self.done is not None, "it is not done"
        return self.done.timings

    @property
    def ttfb_ms(self) -> float:
        """From its first text received to its first audio sent, on the server's clock."""
        assert self.timings.ttfb is not None, "it has no sound"
        return self.timings.ttfb

    @property
    def is_whole(self) -> bool:
        """Whether it is done and all its packets are there."""
        return self.done is not None and (self.complete or not self.done.samples)

    @property
    def is_over(self) -> bool:
        """Whether nothing more of it is to come."""
        return self.is_whole or self.cancelled is not None


class Talker:
    """One session, over as many connections as it takes.

    An async context manager; leaving it ends the session. An error that the server reports, or a socket that
    it closes, ends the block with a RuntimeError in an exception group.
    """

    def __init__(self, address: str, *, lead_ms: float | None = DEFAULT_LEAD_MS) -> None:
        self.heard: dict[str, Heard] = {}
        self.ready: protocol.Ready | None = None
        self.next = 0
        """The first sequence number that has not come."""

        self._address = address
        self._lead_ms = lead_ms
        self._changed = asyncio.Event()
        self._lost: list[ClientConnection] = []
        self._tasks = asyncio.TaskGroup()

    async def __aenter__(self) -> Self:
        """Connect and begin a session."""
        await self._tasks.__aenter__()
        await self._connect(None)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the session."""
        self._reader.cancel()
        await self._socket.close()
        for socket in self._lost:
            socket.transport.abort()
        await self._tasks.__aexit__(kind, error, trace)

    async def send(self, *messages: ClientMessage) -> None:
        """Send messages, one after the other."""
        for message in messages:
            if isinstance(message, protocol.Text):
                heard = self.heard.setdefault(message.utterance, Heard(sent_at=time.monotonic()))
                heard.text += message.text
            elif isinstance(message, protocol.End):
                self.heard[message.utterance].ended = True
            await self._socket.send(protocol.serialize_client(message))

    async def say(self, name: str, text: str) -> None:
        """Say a whole text."""
        await self.send(protocol.Text(name, text), protocol.End(name))

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until what came has brought about a condition."""
        while not condition():
            self._changed.clear()
            await self._changed.wait()

    async def first_packet(self, name: str) -> Heard:
        """Wait for the first packet of an utterance."""
        await self.until(lambda: bool(self.heard[name].arrivals))
        return self.heard[name]

    async def done(self, name: str) -> Heard:
        """Wait until an utterance is done and all of it has come."""
        await self.until(lambda: self.heard[name].is_whole)
        return self.heard[name]

    async def over(self, name: str) -> Heard:
        """Wait until nothing more of an utterance is to come."""
        await self.until(lambda: self.heard[name].is_over)
        return self.heard[name]

    async def cancelled(self, name: str) -> Heard:
        """Wait until an utterance is told to be cancelled."""
        await self.until(lambda: self.heard[name].cancelled is not None)
        return self.heard[name]

    def lose(self, *, reset: bool) -> None:
        """Lose the connection: by a `reset`, or silently, with a socket that nobody reads any more."""
        self._reader.cancel()
        self._lost.append(self._socket)
        if reset:
            self._socket.transport.abort()

    async def resume(self, *cancelled: str) -> protocol.Ready:
        """Connect again and go on with the session: packets from the first that has not come, and every text
        from where the server has it.
        """
        assert self.ready is not None
        await self._connect(Resume(self.ready.session, self.next, cancelled))
        known = {one.utterance: one for one in self.ready.utterances or ()}
        for name, heard in self.heard.items():
            if name in cancelled or heard.done or heard.cancelled:
                continue
            has = known.get(name)
            if rest := heard.text[has.received if has else 0 :]:
                await self._socket.send(protocol.serialize_client(protocol.Text(name, rest)))
            if heard.ended and not (has and has.ended):
                await self._socket.send(protocol.serialize_client(protocol.End(name)))
        return self.ready

    async def _connect(self, resume: Resume | None) -> None:
        self.ready = None
        self._socket = await connect(self._address, compression=None, max_size=None)
        self._reader = self._tasks.create_task(self._read())
        await self.send(protocol.Start(lead_ms=self._lead_ms, resume=resume))
        await self.until(lambda: self.ready is not None)

    async def _read(self) -> None:
        async for data in self._socket:
            now = time.monotonic()
            if isinstance(data, bytes):
                self._hear(protocol.unpack_audio(data), now)
            else:
                self._note(protocol.parse_server(data), now)
            self._changed.set()
        raise RuntimeError("the server closed the socket")

    def _hear(self, audio: AudioMessage, now: float) -> None:
        heard = next(one for one in self.heard.values() if one.ordinal == audio.ordinal)
        for k in range(len(audio.packets)):
            heard.arrivals.append((now, audio.sequence + k, audio.timestamp + k * FRAME_CONTENT_SAMPLES))
        heard.complete = heard.complete or AudioFlags.LAST in audio.flags
        self.next = max(self.next, audio.sequence + len(audio.packets))

    def _note(self, message: protocol.ServerMessage, now: float) -> None:
        match message:
            case protocol.Ready():
                self.ready = message
            case protocol.Started(utterance=name, ordinal=ordinal):
                self.heard[name].ordinal = ordinal
            case protocol.Done(utterance=name):
                self.heard[name].done = message
            case protocol.Cancelled(utterance=name):
                self.heard[name].cancelled = message
                self.heard[name].cancelled_at = now
            case protocol.ErrorMessage(message=told):
                raise RuntimeError(told)
