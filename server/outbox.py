"""What waits for a client's socket: control messages, and at most one piece of audio.

Knows neither the wire nor the socket. Event loop only.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

from pipeline.messages import AudioPackets
from server.protocol import CloseCode, ProtocolError, ServerMessage
from server.turns import Turn

MAX_MESSAGES = 4096
"""A client that asks for more answers than this without reading them is cut off."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message and the utterance it is about. Audio gets its numbers only when it leaves."""

    message: ServerMessage | AudioPackets
    turn: Turn | None = None


class Outbox:
    """First in, first out, but for what an ended utterance takes back.

    Holds at most `MAX_MESSAGES`; putting one more raises, and the connection closes.
    """

    def __init__(self) -> None:
        self._waiting: deque[Outgoing] = deque()
        self._filled = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, message: ServerMessage | AudioPackets, turn: Turn | None = None) -> None:
        """Put a message behind all others.

        Raises:
            ProtocolError: The outbox is full; closes with 1008.
        """
        if len(self._waiting) >= MAX_MESSAGES:
            raise ProtocolError("too-slow", "answers are not being read", close=CloseCode.FLOOD)
        self._waiting.append(Outgoing(message, turn))
        self._filled.set()

    async def get(self) -> Outgoing:
        """Wait for the next message and take it out. Cancelling loses nothing."""
        while not self._waiting:
            self._filled.clear()
            await self._filled.wait()
        return self._waiting.popleft()

    def holds_audio(self, turn: Turn) -> bool:
        """Tell whether audio of `turn` waits here."""
        return any(
            waiting.turn is turn and isinstance(waiting.message, AudioPackets) for waiting in self._waiting
        )

    def take_back(self, turn: Turn) -> None:
        """Drop everything about `turn`."""
        self._waiting = deque(waiting for waiting in self._waiting if waiting.turn is not turn)

    def clear(self) -> None:
        """Drop everything."""
        self._waiting.clear()
