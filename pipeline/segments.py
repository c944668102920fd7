"""Sentences in, segments out: what is synthesized next, by how much sound the listener has in hand.

Knows no clock, no voice and no audio; the lead is handed in. Pure, and so without any lock: one owner at a
time, the event loop. Unlike sentences, segments may differ from run to run, since leads do.

The first segment ends at the first clause that has a few words, so that sound begins early. While the lead is
small the next ones stay within `SMALL_REACH`; then every segment is a sentence, which is what voices read
best. Sentences are never joined: the pause between two of them would then be the voice's own, not the one
`PAUSE_MS` sets.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.splitter import Boundary, Sentence
from pipeline.text.cuts import clause_ends, link_starts, preposition_starts, word_count

PAUSE_MS = {Boundary.NONE: 0, Boundary.CLAUSE: 120, Boundary.SENTENCE: 300, Boundary.PARAGRAPH: 500}
"""Silence after a segment that ends so, in milliseconds, when another follows."""

SMALL_LEAD_MS = 1000.0
"""With less in hand a segment is kept short: the listener would hear it come late."""

SMALL_REACH = 120
"""Code points a segment should have at most while the lead is small: about 8 s of speech."""

CLAUSE_WORDS = 3
"""Words a piece that ends with a clause must have; a shorter one sounds clipped."""

PLAIN_WORDS = 5
"""Words a piece that ends without punctuation must have."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Text to synthesize in one piece: exactly the input's `[offset, offset + len(text))`.

    At most `LONGEST_SEGMENT` code points, as its sentence is; no white space at either end. `boundary` is
    what follows it, `first` marks the first segment of the utterance.
    """

    text: str
    offset: int
    boundary: Boundary
    first: bool


class Segments:
    """The sentences that wait for synthesis. Holds no more than is pushed: the limit is the utterance's."""

    def __init__(self) -> None:
        self._waiting: deque[Sentence] = deque()
        self._first = True

    @property
    def pending(self) -> bool:
        """True while there is a segment to take."""
        return bool(self._waiting)

    def push(self, sentence: Sentence) -> None:
        """Add a sentence behind those that wait."""
        self._waiting.append(sentence)

    def next(self, lead_ms: float) -> Segment | None:
        """Take the next segment, given the milliseconds of sound not yet played; None when nothing waits."""
        if not self._waiting:
            return None
        sentence = self._waiting.popleft()
        if self._first or lead_ms < SMALL_LEAD_MS:
            sentence, rest = _parted(sentence, earliest=self._first)
            if rest:
                self._waiting.appendleft(rest)
        segment = Segment(sentence.text, sentence.offset, sentence.end, first=self._first)
        self._first = False
        return segment


def _parted(sentence: Sentence, *, earliest: bool) -> tuple[Sentence, Sentence | None]:
    """Cut a short piece off a sentence where that does no harm; the rest is None when it stays whole."""
    text = sentence.text
    place = _clause_place(text, earliest=earliest) if earliest or len(text) > SMALL_REACH else None
    boundary = Boundary.CLAUSE
    if len(text) > SMALL_REACH and (place is None or place > SMALL_REACH):
        plain = _plain_place(text)
        if plain is not None:
            place, boundary = plain, Boundary.NONE
    if place is None:
        return sentence, None
    head, tail = text[:place].rstrip(), text[place:].lstrip()
    rest = Sentence(tail, sentence.offset + len(text) - len(tail), sentence.end)
    return Sentence(head, sentence.offset, boundary), rest


def _clause_place(text: str, *, earliest: bool) -> int | None:
    """Return the earliest end of a clause with enough words, or the latest one within reach."""
    places = list(clause_ends(text))
    places = places[bisect_left(places, CLAUSE_WORDS, key=lambda at: word_count(text[:at])) :]
    within = [at for at in places if at <= SMALL_REACH]
    if earliest or not within:
        return places[0] if places else None
    return within[-1]


def _plain_place(text: str) -> int | None:
    """Return the first place within reach, after enough words, before a linking word or a preposition."""
    return _first_plain(text, link_starts(text)) or _first_plain(text, preposition_starts(text))


def _first_plain(text: str, places: Iterator[int]) -> int | None:
    return next((at for at in places if at <= SMALL_REACH and word_count(text[:at]) >= PLAIN_WORDS), None)
