"""Sentences in, segments out: what is synthesized next, by how much sound the listener has in hand.

Knows no clock, no voice and no audio; the lead is handed in. Pure, and so without any lock: one owner at a
time. Unlike sentences, segments may differ from run to run, since leads do.

The deadline of a segment is the end of the sound in hand. Until it is near, waiting is free and makes for
better segments: so a whole sentence is taken as soon as it is there, and of a sentence still being written no
more than is needed, as late as it may be.

- The first segment ends at the first clause that has a few words, so that sound begins early, whether its
  sentence is whole or not. Only after `PATIENCE_MS` of silence does it end without punctuation.
- Later, of an unfinished sentence nothing is taken while the lead is `LOW_LEAD_MS` or more, ample time for
  synthesis. Below that all its clauses that have come go together: text comes faster than speech, so pieces
  grow, and do not come in a row of small ones. Below `SHORTAGE_MS` a cut before a linking word or a
  preposition is better than silence.
- Of whole sentences, while the lead is small, segments stay within `SMALL_REACH`; then every segment is a
  sentence, which is what voices read best. Sentences are never joined: the pause between two of them would
  then be the voice's own, not the one `PAUSE_MS` sets.

The splitter is not told what was taken: sentences stay those of the whole text, and what of one was spoken
before it came out is cut off its beginning here.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pipeline.speech import LONGEST_SEGMENT
from pipeline.splitter import Boundary, Sentence, Unfinished
from pipeline.text.characters import is_speakable
from pipeline.text.cuts import clause_ends, link_starts, preposition_starts, sure_clause_ends, word_count
from pipeline.text.passage import Mark, Passage
from pipeline.text.weight import reach

PAUSE_MS = {
    Boundary.NONE: 0,
    Boundary.PHRASE: 60,
    Boundary.CLAUSE: 120,
    Boundary.SENTENCE: 300,
    Boundary.PARAGRAPH: 500,
}
"""Silence after a segment that ends so, in milliseconds, when another follows. A voice reads the end of a
phrase much like that of a clause, whatever it is told, and running on without a breath sounds wrong then."""

SMALL_LEAD_MS = 1000.0
"""With less in hand a segment is kept short: the listener would hear it come late."""

LOW_LEAD_MS = 500.0
"""With less in hand the clauses of an unfinished sentence are taken."""

SHORTAGE_MS = 250.0
"""With less in hand an unfinished sentence is cut even where no punctuation stands."""

PATIENCE_MS = 600.0
"""So long, past the moment it was due, the first sound waits for punctuation."""

SMALL_REACH = 120
"""Code points a segment should have at most while the lead is small: about 8 s of speech."""

CLAUSE_WORDS = 3
"""Words a piece that ends with a clause must have; a shorter one sounds clipped."""

PLAIN_WORDS = 5
"""Words a piece that ends without punctuation must have."""


@dataclass(frozen=True, slots=True)
class Segment:
    """What is synthesized in one piece: a sentence, or part of one, as `Sentence` has it.

    `boundary` is what follows it, `first` marks the first segment of the utterance.
    """

    passage: Passage
    offset: int
    boundary: Boundary
    first: bool

    @property
    def text(self) -> str:
        """What is to be read, without the way back to the input."""
        return self.passage.text

    @property
    def before_ms(self) -> int:
        """Silence that its text asks for before it, in milliseconds."""
        text = self.text
        return _longest_ms(mark for mark in self.passage.breaks if not _speaks(text[: mark.begin]))

    @property
    def pause_ms(self) -> int:
        """Silence after it when another follows: what its text asks for, and what its end makes usual."""
        text = self.text
        asked = (mark for mark in self.passage.breaks if not _speaks(text[mark.begin :]))
        return max(PAUSE_MS[self.boundary], _longest_ms(asked))


def _speaks(text: str) -> bool:
    """Tell whether there is anything to speak in a text."""
    return any(map(is_speakable, text))


def _longest_ms(breaks: Iterable[Mark]) -> int:
    return max((int(mark.value) for mark in breaks), default=0)


class Segments:
    """The sentences that wait for synthesis, and the one being written.

    Holds no more than is pushed: the limit is the utterance's. A lead is milliseconds of sound not yet
    played; below 0, it is how long the listener has been waiting.
    """

    def __init__(self, *, cuts_plain: bool = True) -> None:
        """Begin with nothing. Unless it `cuts_plain`, a sentence being written is only cut at its clauses."""
        self._cuts_plain = cuts_plain
        self._waiting: deque[Sentence] = deque()
        self._unfinished: Unfinished | None = None
        self._taken = 0  # offset of the first code point that was not taken out of an unfinished sentence
        self._clauses: list[int] | None = None  # in what was not taken of it; None until somebody asks
        self._first = True

    def push(self, sentences: Iterable[Sentence], unfinished: Unfinished | None = None) -> None:
        """Add sentences behind those that wait, and replace the one being written."""
        for sentence in sentences:
            rest = _from(sentence.passage, sentence.offset, self._taken)
            if _speaks(rest.passage.text):
                self._waiting.append(Sentence(rest.passage, rest.offset, sentence.end))
        self._unfinished = unfinished
        self._clauses = None

    def ready(self, lead_ms: float) -> bool:
        """Tell whether there is a segment to take."""
        return bool(self._waiting) or self._opening(lead_ms) is not None

    def next(self, lead_ms: float) -> Segment | None:
        """Take the next segment; None when nothing is ready."""
        sentence = self._take_whole(lead_ms) if self._waiting else self._take_opening(lead_ms)
        if sentence is None:
            return None
        segment = Segment(sentence.passage, sentence.offset, sentence.end, first=self._first)
        self._first = False
        return segment

    @property
    def writing(self) -> bool:
        """True while a sentence is being written of which something is still to be taken."""
        return self._unfinished is not None and _speaks(self._rest(self._unfinished).passage.text)

    def look_below(self, lead_ms: float) -> float:
        """Return the lead below which more may be ready though no text comes; minus infinity for none."""
        if not self.writing:
            return -math.inf
        plain = (-PATIENCE_MS if self._first else SHORTAGE_MS,) if self._cuts_plain else ()
        steps = plain if self._first else (LOW_LEAD_MS, *plain)
        return next((step for step in steps if lead_ms >= step), -math.inf)

    def _take_whole(self, lead_ms: float) -> Sentence:
        sentence = self._up_to_break(self._waiting.popleft())
        if self._first or lead_ms < SMALL_LEAD_MS:
            sentence, rest = _parted(sentence, earliest=self._first)
            if rest:
                self._waiting.appendleft(rest)
        return sentence

    def _up_to_break(self, sentence: Sentence) -> Sentence:
        """Return what stands before the first silence asked for within a sentence; the rest waits."""
        place = _break_within(sentence.passage)
        if place is None:
            return sentence
        head, rest = _cut(sentence, place, Boundary.PHRASE)
        self._waiting.appendleft(rest)
        return head

    def _take_opening(self, lead_ms: float) -> Sentence | None:
        opening = self._opening(lead_ms)
        if opening:
            self._taken = opening.offset + len(opening.text)
            self._clauses = None
        return opening

    def _opening(self, lead_ms: float) -> Sentence | None:
        """Return what is to be taken of the sentence being written; None while that is nothing."""
        if self._unfinished is None or (not self._first and lead_ms >= LOW_LEAD_MS):
            return None
        rest = self._rest(self._unfinished)
        text = rest.passage.text
        sure = max(0, self._unfinished.offset + self._unfinished.sure - rest.offset)
        pause = _break_within(rest.passage)
        if pause is not None and pause <= sure:
            text, sure = text[:pause], pause
        sure = min(sure, reach(text, LONGEST_SEGMENT))
        if self._clauses is None:
            clauses = sure_clause_ends(text, quiet=self._unfinished.quiet)
            self._clauses = [at for at in clauses if at <= sure]
        place, boundary = _choose_clause(text, self._clauses, earliest=self._first), Boundary.CLAUSE
        short = lead_ms < (-PATIENCE_MS if self._first else SHORTAGE_MS)
        if place is None and pause == sure:
            place, boundary = pause, Boundary.PHRASE
        if place is None and short and self._cuts_plain:
            place, boundary = _last_plain(text[:sure]), Boundary.PHRASE
        return None if place is None else Sentence(rest.passage.stripped(place), rest.offset, boundary)

    def _rest(self, unfinished: Unfinished) -> _Slice:
        """Return what was not taken yet of the sentence being written."""
        return _from(unfinished.passage, unfinished.offset, self._taken)


@dataclass(frozen=True, slots=True)
class _Slice:
    """A passage and where in all of the text it begins, without white space before it."""

    passage: Passage
    offset: int


def _from(passage: Passage, offset: int, least: int) -> _Slice:
    """Return what of the passage at `offset` stands at `least` or later."""
    begin = max(0, least - offset)
    rest = passage.behind(begin)
    rest = rest.behind(len(rest) - len(rest.text.lstrip()))
    return _Slice(rest, offset + len(passage) - len(rest))


def _cut(sentence: Sentence, place: int, boundary: Boundary) -> tuple[Sentence, Sentence]:
    """Cut a sentence in two; `boundary` is what follows the first part."""
    rest = _from(sentence.passage, sentence.offset, sentence.offset + place)
    head = Sentence(sentence.passage.stripped(place), sentence.offset, boundary)
    return head, Sentence(rest.passage, rest.offset, sentence.end)


def _break_within(passage: Passage) -> int | None:
    """Return the first place, with something to speak on both sides, where silence is asked for."""
    for mark in passage.breaks:
        before, after = passage.text[: mark.begin], passage.text[mark.begin :]
        if _speaks(before) and _speaks(after):
            return mark.begin
    return None


def _parted(sentence: Sentence, *, earliest: bool) -> tuple[Sentence, Sentence | None]:
    """Cut a short piece off a sentence where that does no harm; the rest is None when it stays whole."""
    text = sentence.text
    wanted = earliest or len(text) > SMALL_REACH
    place = _choose_clause(text, list(clause_ends(text)), earliest=earliest) if wanted else None
    boundary = Boundary.CLAUSE
    if len(text) > SMALL_REACH and (place is None or place > SMALL_REACH):
        plain = _first_plain(text)
        if plain is not None:
            place, boundary = plain, Boundary.PHRASE
    return (sentence, None) if place is None else _cut(sentence, place, boundary)


def _choose_clause(text: str, places: list[int], *, earliest: bool) -> int | None:
    """Of the ends of clauses return the earliest after enough words, or the latest within reach."""
    places = places[bisect_left(places, CLAUSE_WORDS, key=lambda at: word_count(text[:at])) :]
    within = [at for at in places if at <= SMALL_REACH]
    if earliest or not within:
        return places[0] if places else None
    return within[-1]


def _first_plain(text: str) -> int | None:
    """Return the first place within reach, after enough words, before a linking word or a preposition."""
    return next(iter(_plain_places(text)), None)


def _last_plain(text: str) -> int | None:
    """Return the last such place."""
    return next(reversed(_plain_places(text)), None)


def _plain_places(text: str) -> list[int]:
    """Return those places before linking words or, if there are none, before prepositions."""
    return _enough_before(text, link_starts(text)) or _enough_before(text, preposition_starts(text))


def _enough_before(text: str, places: Iterator[int]) -> list[int]:
    return [at for at in places if at <= SMALL_REACH and word_count(text[:at]) >= PLAIN_WORDS]
