"""Text in, sentences out: the same sentences however the text was cut on its way here.

Knows no clock and no voice; what markup and what a sentence end look like is `pipeline.text`'s to say. Pure,
and so without any lock: one owner at a time, the event loop. A call takes time linear in its text.

It reads the text through a window that begins at the sentence being read and is never longer than `WINDOW`. A
judgement on part of a window is given only where more text cannot change it, and a full window is judged as
it stands; both depend on the text alone, not on its pieces.

What has come of a sentence that is still being written can be looked at, and spoken by whoever cannot wait:
the sentence comes out whole in the end all the same, and its offset tells what of it was taken before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from pipeline.speech import LONGEST_SEGMENT
from pipeline.text.characters import CLAUSE_MARKS, CLOSERS, LINE_ENDS, STOPS, is_speakable, line_ends
from pipeline.text.cuts import best_cut
from pipeline.text.lines import judge_line, line_stands_alone
from pipeline.text.markup import Markup
from pipeline.text.passage import Passage
from pipeline.text.stops import Verdict, judge_stop, stands_alone, stop_at
from pipeline.text.surrogates import SurrogateJoiner
from pipeline.text.weight import NEVER_HEAVY, reach

WINDOW = LONGEST_SEGMENT + 64
"""Code points seen at once: the longest sentence and what must be read after a stop to judge it."""

LONGEST_LEAD_IN = 16
"""Opening punctuation a sentence may begin with, in code points; more of it is dropped."""

_STRIDE = 4096
"""Code points cleaned at once: what a passage holds is sought through for every part of it."""


class Boundary(Enum):
    """What follows a piece of text. It decides the pause."""

    NONE = "none"
    """The text ends, or breaks off, without punctuation."""
    PHRASE = "phrase"
    """Cut where no punctuation stands: the sentence goes on."""
    CLAUSE = "clause"
    SENTENCE = "sentence"
    PARAGRAPH = "paragraph"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or part of a long one: what cleanup leaves of the input, from `offset` on.

    Offsets are code points of all that cleanup left. 1 to `LONGEST_SEGMENT` code points that weigh at most
    `HEAVIEST_SEGMENT`, no white space at either end, at least one letter, digit or symbol.
    """

    passage: Passage
    offset: int
    end: Boundary

    @property
    def text(self) -> str:
        """What is to be read, without the way back to the input."""
        return self.passage.text


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What has come of a sentence whose end is not known, as `Sentence` has it.

    Its first `sure` code points belong to this sentence, unless it grows too long; the rest may be the next
    one's. `quiet` tells that no text has come for a while. At most `WINDOW` code points.
    """

    passage: Passage
    offset: int
    sure: int
    quiet: bool

    @property
    def text(self) -> str:
        """What is to be read, without the way back to the input."""
        return self.passage.text


_LINE_END = re.compile(f"[{LINE_ENDS}]")
_CANDIDATE = re.compile(rf"\.(?![a-z0-9])|[{STOPS.replace('.', '', 1)}{LINE_ENDS}]")
"""Where a sentence may end. A dot before a small letter or a digit never ends one: "example.com", "3.14"."""

_STOP_LAST = re.compile(rf"[{STOPS}]+[{CLOSERS}]*\Z")
_CLAUSE_LAST = re.compile(rf"[{CLAUSE_MARKS}][{CLOSERS}]*\Z")


class Splitter:
    """Holds text back until it is known where its sentence ends. Holds at most `WINDOW` code points of it.

    Beyond that, what is still open of the markup is held back: what is not read, at most. Punctuation that
    touches no word is dropped.
    """

    def __init__(self, *, plain: bool = False) -> None:
        """Begin with nothing; in `plain` text nothing is markup."""
        self._joiner = SurrogateJoiner()
        self._markup = Markup(plain=plain)
        self._held = Passage.plain("")
        self._offset = 0  # of _held in what cleanup left
        self._column = 0  # of _held in its line
        self._content = -1  # index in _held of the first thing to speak; -1 while there is none
        self._scanned = 0  # where in _held to look on for the sentence's end; valid while there is content

    @property
    def pending(self) -> str:
        """The text that is held back."""
        return self._held.text + self.pending_markup + self._joiner.pending

    @property
    def pending_markup(self) -> str:
        """What of it is held back because it is, or may become, something that is not read as it stands."""
        return self._markup.pending

    def unfinished(self, *, quiet: bool = False) -> Unfinished | None:
        """Return what has come of the sentence being written; None while there is nothing to speak in it."""
        if self._content < 0:
            return None
        return Unfinished(self._held, self._offset, self._scanned, quiet)

    def push(self, text: str) -> list[Sentence]:
        """Take the next piece of the text and return the sentences that are complete."""
        text = self._joiner.push(text)
        sentences: list[Sentence] = []
        for at in range(0, len(text), _STRIDE) or (0,):
            sentences += self._take(self._markup.push(text[at : at + _STRIDE]))
        return sentences

    def drop_half(self) -> None:
        """Forget half a surrogate pair at the very end of the text so far."""
        self._joiner.drop()

    def flush(self) -> list[Sentence]:
        """Return everything held back as if the text ended here. More may be pushed afterwards.

        Markup that is still open is text then.
        """
        rest = self._markup.push(self._joiner.flush()) + self._markup.flush()
        return self._take(rest) + self._release_all()

    def rest(self) -> list[Sentence]:
        """Return what is held back, though no text has come for long, but not what waits to be skipped.

        A link that is still open is text then; a block of code stays closed to the ear.
        """
        rest = self._markup.push(self._joiner.flush()) + self._markup.rest()
        return self._take(rest) + self._release_all()

    def settle(self) -> list[Sentence]:
        """Return a sentence whose end stands at the very end of the text so far, else nothing.

        To be called once no text has come for a while: "Hello there." is complete then, though "Hello
        there.com" was still possible. A dot after a number or an abbreviation stays held back.
        """
        if self._content < 0 or self._joiner.pending:
            return []
        text = self._held.text.rstrip()
        last = _STOP_LAST.search(text, self._content)
        is_end = (
            stands_alone(stop_at(text, last.start()))
            if last
            else line_stands_alone(self._held.text, self._column)
        )
        return self._release_all() if is_end else []

    def _take(self, passage: Passage) -> list[Sentence]:
        """Take in what cleanup left and return the sentences that are complete."""
        sentences: list[Sentence] = []
        for at in range(0, len(passage), WINDOW) or (0,):
            piece = passage if len(passage) <= WINDOW else passage.slice(at, at + WINDOW)
            self._held += piece
            sentences += self._release(whole=False)
        return sentences

    def _release_all(self) -> list[Sentence]:
        """Return everything held back of what cleanup left, as if it ended here."""
        sentences = self._release(whole=True)
        self._advance(self._held.behind(len(self._held)))
        return sentences

    def _release(self, *, whole: bool) -> list[Sentence]:
        """Take every sentence off the held text whose end is known; all of it when `whole`."""
        sentences: list[Sentence] = []
        while self._find_content() and (found := self._find_end(whole=whole)):
            end, boundary = found
            sentences.append(Sentence(self._held.slice(0, end), self._offset, boundary))
            self._advance(self._held.slice(end, len(self._held)))
        return sentences

    def _find_content(self) -> bool:
        """Make the held text begin with the sentence to be read: its first word and what touches that."""
        if self._content >= 0:
            return True
        held = self._held.text
        content = next((at for at, character in enumerate(held) if is_speakable(character)), -1)
        lead_in = held if content < 0 else held[:content]
        touching = lead_in.split()[-1:] if lead_in and not lead_in[-1].isspace() else []
        dropped = len(lead_in) - min(LONGEST_LEAD_IN, sum(map(len, touching)))
        self._advance(self._held.behind(dropped))
        if content >= 0:
            self._content = self._scanned = content - dropped
        return content >= 0

    def _find_end(self, *, whole: bool) -> tuple[int, Boundary] | None:
        """Return where the sentence that begins the held text ends, or None while that is not known."""
        window = self._held.text[:WINDOW]
        whole = whole or len(window) == WINDOW
        longest = 0  # what the sentence may hold; 0 while nobody has asked
        while match := _CANDIDATE.search(window, self._scanned):
            if whole and match.start() >= NEVER_HEAVY:
                longest = longest or reach(window, LONGEST_SEGMENT)
                if match.start() >= longest:
                    break
            verdict, end, resume = self._judge(window, match.start(), whole=whole)
            if verdict is Verdict.UNKNOWN:
                self._scanned = match.start()
                return None
            if verdict is Verdict.ENDS:
                if end > NEVER_HEAVY:
                    longest = longest or reach(window, LONGEST_SEGMENT)
                if end <= (longest or NEVER_HEAVY):
                    return end, _boundary(window, end)
            self._scanned = resume
        self._scanned = len(window)
        return _forced_end(window) if whole else None

    def _judge(self, window: str, at: int, *, whole: bool) -> tuple[Verdict, int, int]:
        """Judge one candidate; return the verdict, where its sentence would end, and where to look on."""
        if _LINE_END.match(window, at):
            verdict = judge_line(window, at, self._column, whole=whole)
            return verdict, len(window[:at].rstrip()), at + 1
        stop = stop_at(window, at)
        return judge_stop(stop, whole=whole), stop.end, stop.end

    def _advance(self, rest: Passage) -> None:
        """Let go of all that is held but `rest`, which ends it."""
        length = len(self._held) - len(rest)
        gone = self._held.text[:length]
        lines = list(_LINE_END.finditer(gone))
        self._column = length - lines[-1].end() if lines else self._column + length
        self._offset += length
        self._held = rest
        self._content = -1


def _forced_end(window: str) -> tuple[int, Boundary]:
    """End a sentence that nothing ends: where the text does, or at the best place when that is too far."""
    text = window.rstrip()
    longest = reach(text, LONGEST_SEGMENT)
    if len(text) <= longest:
        return len(text), _boundary(window, len(text))
    cut = best_cut(text, longest)
    return len(text[: cut.at].rstrip()), Boundary.CLAUSE if cut.clause else Boundary.PHRASE


def _boundary(window: str, end: int) -> Boundary:
    """Say what follows the sentence `window[:end]`."""
    after = window[end:]
    ends = line_ends(after[: len(after) - len(after.lstrip())])
    if ends > 1:
        return Boundary.PARAGRAPH
    if _CLAUSE_LAST.search(window[:end][-LONGEST_LEAD_IN:]):
        return Boundary.CLAUSE
    if ends or _STOP_LAST.search(window[:end][-LONGEST_LEAD_IN:]):
        return Boundary.SENTENCE
    return Boundary.NONE
