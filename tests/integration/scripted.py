"""A server whose every word a test puts into its mouth, for what a real one says only at rare moments.

Knows JSON and WebSockets and nothing of Utter but `start` and `ready`. One event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed


@dataclass
class Scripted:
    """A server that says only what a test tells it to, and keeps all that it hears: a test is short."""

    url: str = ""
    heard: asyncio.Queue[dict[str, Any]] = field(default_factory=asyncio.Queue)
    line: ServerConnection | None = None

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[Scripted]:
        """Listen on a free port."""
        async with serve(self._join, "127.0.0.1", 0) as listener:
            self.url = f"ws://127.0.0.1:{next(iter(listener.sockets)).getsockname()[1]}"
            yield self

    async def hears(self, kind: str) -> dict[str, Any]:
        """Return the next message, which is of this type."""
        message = await self.heard.get()
        assert message["type"] == kind
        return message

    async def hears_at_last(self, kind: str) -> dict[str, Any]:
        """Return the next message of this type, whatever comes before it."""
        while (message := await self.heard.get())["type"] != kind:
            pass
        return message

    async def play(self, data: bytes) -> None:
        """Send an audio message."""
        assert self.line is not None
        await self.line.send(data)

    async def say(self, **message: object) -> None:
        """Send a message over the newest line."""
        assert self.line is not None
        await self.line.send(json.dumps(message))

    async def greet(self, *utterances: dict[str, object], resumed: bool = False) -> dict[str, Any]:
        """Answer a `start`, and return it."""
        start = await self.hears("start")
        await self.say(type="ready", session="token", resumed=resumed, utterances=utterances)
        return start

    def cut(self) -> None:
        """Break the line."""
        assert self.line is not None
        self.line.transport.abort()

    async def _join(self, line: ServerConnection) -> None:
        self.line = line
        with contextlib.suppress(ConnectionClosed):
            async for data in line:
                self.heard.put_nowait(json.loads(data))
