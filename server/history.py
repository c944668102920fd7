"""What a client was told of its utterances and which audio it was sent, for the case that it did not hear it.

Knows no socket and no connection; the clock is passed in. Pure; one session's, event loop only.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from pipeline.audio import CONTENT_RATE_HZ, FRAME_CONTENT_SAMPLES
from server.protocol import AudioFlags, AudioMessage

KEPT_MS = 30_000.0
"""Sent audio that is kept; beyond it the oldest goes."""

UNNOTICED_MS = 10_000.0
"""Sent audio that is kept beyond the lead where that is more: what leaves before a loss is noticed."""

TOLD_AGAIN_S = 60.0
"""How long after its end an utterance that was heard, cancelled or failed is told of again."""

MAX_ENDED = 64
"""Such utterances at most; beyond it the oldest are not told of again."""


@dataclass(slots=True)
class _Told:
    """The messages about one utterance, as JSON, and when the last end among them was."""

    messages: list[str] = field(default_factory=list)
    ended_at: float | None = None


@dataclass(frozen=True, slots=True)
class _Sent:
    utterance: str
    audio: AudioMessage

    @property
    def end(self) -> int:
        return self.audio.sequence + len(self.audio.packets)


class History:
    """What can be told again. `unheard` returns the utterances that are not fully heard, ended or not.

    Sequence numbers are taken not to wrap: that would take 2.7 years.
    """

    def __init__(self, clock: Callable[[], float], unheard: Callable[[], Collection[str]]) -> None:
        self._clock = clock
        self._unheard = unheard
        self._told: dict[str, _Told] = {}
        self._sent: deque[_Sent] = deque()
        self._packets = 0
        self._most = _packets(KEPT_MS)
        self._lost_before = 0  # Packets below this sequence number are kept no more.
        self._next = 0

    @property
    def packets(self) -> int:
        """How many packets are kept."""
        return self._packets

    def keep(self, lead_ms: float) -> None:
        """Keep what a client can lack that has a lead of so much."""
        self._most = _packets(max(KEPT_MS, lead_ms + UNNOTICED_MS))

    def tell(self, utterance: str, message: str, *, ends: bool) -> None:
        """Keep a control message, `started`, `segment` or an end, for `messages`."""
        told = self._told.setdefault(utterance, _Told())
        told.messages.append(message)
        if ends:
            told.ended_at = self._clock()
            self._forget_ended()

    def messages(self) -> Iterator[str]:
        """Iterate over what was told of everything unheard, and of what ended within `TOLD_AGAIN_S`."""
        self._forget_ended()
        return itertools.chain.from_iterable(told.messages for told in self._told.values())

    def send(self, utterance: str, audio: AudioMessage) -> None:
        """Keep audio that was sent."""
        sent = _Sent(utterance, audio)
        self._sent.append(sent)
        self._next = sent.end
        self._packets += len(audio.packets)
        while self._packets > self._most:
            oldest = self._sent.popleft()
            self._packets -= len(oldest.audio.packets)
            self._lost_before = oldest.end

    def take_back(self, utterance: str) -> None:
        """Forget the audio of an utterance: none of it is wanted any more."""
        self._sent = deque(sent for sent in self._sent if sent.utterance != utterance)
        self._packets = sum(len(sent.audio.packets) for sent in self._sent)

    def has_all_from(self, sequence: int) -> bool:
        """Tell whether everything from this packet on can be sent again, but for what was taken back."""
        return self._lost_before <= sequence <= self._next

    def audio_from(self, sequence: int, pre_roll: int) -> list[AudioMessage]:
        """Return what was sent from packet `sequence` on, the first `pre_roll` packets flagged as such.

        Pre-roll that belongs to another utterance than what follows it is left out.
        """
        first = sequence + pre_roll
        wanted = [sent for sent in self._sent if sent.end > sequence]
        if not wanted:
            return []
        follows = next((sent for sent in wanted if sent.end > first), wanted[-1]).utterance
        pieces: list[AudioMessage] = []
        for sent in wanted:
            before, after = _split(_from(sent.audio, sequence), first)
            if before is not None and sent.utterance == follows:
                pieces.append(dataclasses.replace(before, flags=before.flags | AudioFlags.PRE_ROLL))
            pieces += [after] if after is not None else []
        if pre_roll and pieces:
            pieces[0] = dataclasses.replace(pieces[0], flags=pieces[0].flags | AudioFlags.DECODER_RESET)
        return pieces

    def _forget_ended(self) -> None:
        unheard = self._unheard()
        ended = [
            name for name, told in self._told.items() if told.ended_at is not None and name not in unheard
        ]
        long_ago = self._clock() - TOLD_AGAIN_S
        for at, name in enumerate(ended):
            ended_at = self._told[name].ended_at
            if at < len(ended) - MAX_ENDED or (ended_at is not None and ended_at < long_ago):
                del self._told[name]


def _packets(ms: float) -> int:
    return round(ms * CONTENT_RATE_HZ / 1000 / FRAME_CONTENT_SAMPLES)


def _from(audio: AudioMessage, sequence: int) -> AudioMessage:
    """Return `audio` without the packets before `sequence`; at least one is left."""
    _, rest = _split(audio, sequence)
    assert rest is not None
    return rest


def _split(audio: AudioMessage, sequence: int) -> tuple[AudioMessage | None, AudioMessage | None]:
    """Cut a message before packet `sequence`; a part without packets is None."""
    count = sequence - audio.sequence
    if count <= 0:
        return None, audio
    if count >= len(audio.packets):
        return audio, None
    head = dataclasses.replace(audio, packets=audio.packets[:count], flags=audio.flags & ~AudioFlags.LAST)
    tail = dataclasses.replace(
        audio,
        packets=audio.packets[count:],
        flags=audio.flags & ~AudioFlags.FIRST,
        sequence=sequence,
        timestamp=audio.timestamp + count * FRAME_CONTENT_SAMPLES,
    )
    return head, tail
