"""A client on loopback that keeps all it is told, sorted by utterance, and what a cut must be by that.

Knows the wire only: what was sent is what arrived, as everything sent before an answer arrives before it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from pipeline.audio import FRAME_CONTENT_SAMPLES
from server.protocol import (
    AudioMessage,
    Cancelled,
    ClientMessage,
    Done,
    ErrorMessage,
    Ping,
    Pong,
    Segment,
    ServerMessage,
    Started,
    WarningMessage,
    Word,
)
from tests.server.loopback import Client

AWKWARD_TEXTS: tuple[str, ...] = tuple(
    json.loads((Path(__file__).parents[1] / "data" / "awkward_texts.json").read_text("utf-8"))
)
"""Numbers, dates, money, markup, emoji, several scripts, halves of surrogate pairs."""

Message = ServerMessage | AudioMessage
M = TypeVar("M", Started, Segment, Done, Cancelled, WarningMessage, ErrorMessage)


class Hearing:
    """What one client was told so far, in `messages`, in order."""

    def __init__(self, client: Client) -> None:
        self.messages: list[Message] = []
        self._client = client

    async def send(self, *messages: ClientMessage) -> None:
        """Send messages, one after the other."""
        await self._client.send(*messages)

    async def next(self) -> Message:
        """Take in the next message and return it."""
        self.messages.append(await self._client.next())
        return self.messages[-1]

    async def hear(self, kind: type[M], utterance: str | None = None) -> M:
        """Take in messages up to one of a kind, about `utterance` where it is given."""
        while not isinstance(message := await self.next(), kind) or (
            utterance is not None and message.utterance != utterance
        ):
            pass
        return message

    async def hear_audio(self, utterance: str, packets: int = 1) -> None:
        """Take in messages until so many packets of an utterance have come in all."""
        while self.packets(utterance) < packets:
            await self.next()

    async def settle(self) -> None:
        """Take in all that the server had to answer by now."""
        await self.send(Ping())
        while not isinstance(await self.next(), Pong):
            pass

    def all(self, kind: type[M], utterance: str | None = None) -> list[M]:
        """Return every message of a kind, about `utterance` where it is given."""
        return [
            message
            for message in self.messages
            if isinstance(message, kind) and utterance in (None, message.utterance)
        ]

    def after(self, message: Message) -> list[Message]:
        """Return what came after a message."""
        return self.messages[self.messages.index(message) + 1 :]

    def ordinal(self, utterance: str) -> int | None:
        """Return the number of an utterance in audio messages; None before its `started`."""
        started = self.all(Started, utterance)
        return started[0].ordinal if started else None

    def packets(self, utterance: str) -> int:
        """Return how many packets of an utterance have come."""
        ordinal = self.ordinal(utterance)
        audio = (message for message in self.messages if isinstance(message, AudioMessage))
        return sum(len(message.packets) for message in audio if message.ordinal == ordinal)

    def sent(self, utterance: str) -> int:
        """Return the content samples of an utterance in these packets, without padding once it is done."""
        samples = self.packets(utterance) * FRAME_CONTENT_SAMPLES
        return min([samples, *(done.samples for done in self.all(Done, utterance))])

    def words(self, utterance: str) -> list[Word]:
        """Return the words of an utterance told of so far."""
        return [word for segment in self.all(Segment, utterance) for word in segment.words]

    def assert_cut(self, cancelled: Cancelled, text: str, played: int) -> None:
        """Check both parts of a text cut where `played` content samples of it had been heard, or all sent."""
        name, spoken = cancelled.utterance, len(cancelled.text_spoken)
        assert cancelled.text_spoken + cancelled.text_remaining == text
        heard = min(played, self.sent(name))
        for word in self.words(name):
            if word.end > heard:
                assert spoken <= word.offset
            elif word.start < word.end:
                assert word.offset + word.length <= spoken
        if any(heard >= done.samples for done in self.all(Done, name)):
            assert cancelled.text_remaining == ""


def about(message: Message, utterance: str, ordinal: int | None) -> bool:
    """Tell whether a message says or carries anything of an utterance."""
    if isinstance(message, AudioMessage):
        return message.ordinal == ordinal
    return getattr(message, "utterance", None) == utterance and not isinstance(message, WarningMessage)


def joined(text: str) -> str:
    """Return a text with the halves of every surrogate pair that stand together as one character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
