"""What waits for one connection's socket: control messages, and at most one piece of new audio.

Knows neither the meaning of a message nor the socket. Event loop only.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.messages import AudioPackets
from server.protocol import AudioMessage, CloseCode, ProtocolError
from server.turns import Turn

MAX_MESSAGES = 4096
"""A client that asks for more answers than this without reading them is cut off."""

Message = str | AudioMessage | AudioPackets
"""A control message as JSON, audio that has its numbers, or new audio, which gets them when it leaves."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message and the utterance it is about."""

    message: Message
    turn: Turn | None = None


class Outbox:
    """First in, first out, but for what an ended utterance takes back. Belongs to one connection.

    Holds at most `MAX_MESSAGES` beside what it begins with; putting one more raises, and the connection
    closes.
    """

    def __init__(self, first: Iterable[Outgoing] = ()) -> None:
        self._waiting = deque(first)
        self._room = MAX_MESSAGES + len(self._waiting)
        self._changed = asyncio.Event()
        self._ended = asyncio.Event()
        self._closed: ProtocolError | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_open(self) -> bool:
        """Whether its connection is still the session's."""
        return self._closed is None

    def put(self, message: Message, turn: Turn | None = None) -> None:
        """Put a message behind all others.

        Raises:
            ProtocolError: The outbox is full; closes with 1008.
        """
        if len(self._waiting) >= self._room:
            raise ProtocolError("too-slow", "answers are not being read", close=CloseCode.FLOOD)
        self._waiting.append(Outgoing(message, turn))
        self._changed.set()

    async def get(self) -> Outgoing:
        """Wait for the next message and take it out. Cancelling loses nothing.

        Raises:
            ProtocolError: The outbox was closed; why.
        """
        while self._closed is None and not self._waiting:
            self._changed.clear()
            await self._changed.wait()
        if self._closed is not None:
            raise self._closed
        return self._waiting.popleft()

    async def wait_closed(self) -> None:
        """Wait until it is closed, and raise why."""
        await self._ended.wait()
        assert self._closed is not None
        raise self._closed

    def holds_audio(self, turn: Turn) -> bool:
        """Tell whether new audio of `turn` waits here."""
        return any(
            waiting.turn is turn and isinstance(waiting.message, AudioPackets) for waiting in self._waiting
        )

    def take_back(self, turn: Turn) -> None:
        """Drop everything about `turn`."""
        self._waiting = deque(waiting for waiting in self._waiting if waiting.turn is not turn)

    def close(self, why: ProtocolError) -> None:
        """Let nothing more out: its connection must end. What waits can still be taken back."""
        self._closed = self._closed or why
        self._changed.set()
        self._ended.set()
