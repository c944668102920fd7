"""Does this stop end a sentence?

Judges one stop in a window of text. Knows nothing of buffers, offsets or of what was released before. Pure;
any thread may call it.

Every verdict but `UNKNOWN` holds whatever text is appended to the window: that is what makes sentences the
same however their text was cut. With `whole` the window is all there is, and the verdict is never `UNKNOWN`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from pipeline.text.abbreviations import (
    AFTER_EXCLAIMED,
    BEFORE_LETTERS,
    DAYS_AND_ZONES,
    EXCLAIMED,
    NOT_AFTER_EXCLAIMED,
    STARTERS,
    Abbreviation,
    abbreviation,
)
from pipeline.text.characters import (
    CJK,
    CLOSERS,
    DOTS,
    FULL_STOPS,
    OPENERS,
    STOPS,
    after_space,
    is_cjk,
    is_foreign_symbol,
    line_ends,
)

LONGEST_WORD = 24
"""Longest word, in code points, that is looked up before a dot."""

LONGEST_LIST_NUMBER = 2
"""Digits a list number has at most; "1984." is a year at the end of a sentence."""


class Verdict(Enum):
    """What a stop or a line end was found to be."""

    ENDS = auto()
    GOES_ON = auto()
    UNKNOWN = auto()
    """The text that will decide has not arrived."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A run of stops and what closes after it: `[at, end)` of a window that begins with its sentence."""

    text: str
    at: int
    end: int
    marks: str
    closers: str
    word: str
    """The word that touches the stop, at most its last `LONGEST_WORD` code points; may be empty."""

    @property
    def is_dot(self) -> bool:
        """True for a single dot, the only mark that abbreviations and numbers use."""
        return len(self.marks) == 1 and self.marks in ".．"

    @property
    def trails_off(self) -> bool:
        """True for an ellipsis, in dots or in one character."""
        return not self.is_dot and all(mark in DOTS for mark in self.marks)

    @property
    def is_full(self) -> bool:
        """True when the last mark is a Chinese or Japanese stop."""
        return self.marks[-1] in FULL_STOPS


_STOP = re.compile(rf"([{STOPS}]+)([{CLOSERS}]*)")
_WORD = re.compile(rf"(?:[^\W_{CJK}]|[.'’-])*")
_NEXT_WORD = re.compile(rf"[{OPENERS}]*([A-Za-z]*)")
_ROMAN = re.compile(r"(?=[IVXL])X{0,3}(?:IX|IV|V?I{0,3}|L?X{0,3})")
_LABELLED = re.compile(r"\(?\d|&|[B-Z](?![A-Za-z'’])|A(?=[\d.,:;)-])")
_LETTER_OF = re.compile(r"[+/&=#]\Z|\b([A-Za-z]+) \Z")
_INCHES = re.compile(r"\d\s?in\Z")
_CLAUSE_MARK = re.compile(r"[,;:，、；：—–-]")
_NO_SPACE = re.compile(r"\S*")
_ADDRESS_MARKS = re.compile(r"@|www\.|[/\\]")
_ADDRESS_AFTER = re.compile(r"[\w.%+-]*")
_ADDRESS_REACH = 80
_LIST_MARK_AFTER = re.compile(r"(?:\A[^\w]*|[:：]\s+)\Z")


def stop_at(text: str, at: int) -> Stop:
    """Read the stop that begins at `at`, which must be a stop character."""
    match = _STOP.match(text, at)
    assert match is not None, "no stop here"
    word = _before(_WORD, text, at, LONGEST_WORD).lstrip("'’-.")
    return Stop(text, at, match.end(), match[1], match[2], word)


def judge_stop(stop: Stop, *, whole: bool) -> Verdict:
    """Decide whether a stop ends the sentence that begins at 0 of its window."""
    unknown = Verdict.GOES_ON if whole else Verdict.UNKNOWN
    text = stop.text
    if stop.end == len(text):
        return unknown
    after = after_space(text, stop.end)
    if after == stop.end:
        return _judge_glued(stop, whole=whole)
    if line_ends(text[stop.end : after]) > 1:
        return Verdict.ENDS
    if after == len(text):
        return Verdict.ENDS if whole else Verdict.UNKNOWN
    return _judge_spaced(stop, after, whole=whole)


def stands_alone(stop: Stop) -> bool:
    """Tell whether a stop with nothing after it, for now, may be taken for the end of a sentence.

    False for what a number, an address, an abbreviation or a pause for thought would look like: "3.", "Dr.",
    "So...".
    """
    if not stop.is_dot:
        return not stop.trails_off
    word = stop.word
    return not word or (not word[-1].isdigit() and abbreviation(word) is Abbreviation.NONE)


def _before(pattern: re.Pattern[str], text: str, at: int, reach: int) -> str:
    """Return what the pattern, read backwards, matches before `at`, at most `reach` code points."""
    match = pattern.match(text[max(0, at - reach) : at][::-1])
    return match.group()[::-1] if match else ""


def _judge_spaced(stop: Stop, after: int, *, whole: bool) -> Verdict:
    """White space follows the stop, then the character at `after`."""
    follower = stop.text[after]
    goes_on = follower.islower()
    if _STOP.match(stop.text, after):
        return Verdict.GOES_ON
    if stop.is_full:
        return Verdict.ENDS
    if stop.trails_off:
        goes_on = goes_on or follower.isdigit() or is_cjk(follower)
    elif stop.is_dot and stop.word:
        return _judge_word(stop, after, whole=whole)
    elif stop.marks == "!" and stop.word in EXCLAIMED and not stop.closers:
        return _judge_exclaimed(stop, after, whole=whole)
    elif not stop.is_dot and not stop.closers:
        goes_on = False
    return Verdict.GOES_ON if goes_on else Verdict.ENDS


def _judge_exclaimed(stop: Stop, after: int, *, whole: bool) -> Verdict:
    """A name such as "Yahoo!" stands before white space."""
    match = _NEXT_WORD.match(stop.text, after)
    assert match is not None, "the pattern matches anywhere"
    if match.end() == len(stop.text) and not whole:
        return Verdict.UNKNOWN
    is_small = stop.text[after].islower() and match[1] not in NOT_AFTER_EXCLAIMED
    goes_on = is_small or match[1].lower() in AFTER_EXCLAIMED
    return Verdict.GOES_ON if goes_on else Verdict.ENDS


def _judge_word(stop: Stop, after: int, *, whole: bool) -> Verdict:
    """A word, one dot and white space: the dot may be an abbreviation's or a list number's."""
    follower = stop.text[after]
    word = stop.word
    if _is_list_mark(stop):
        return Verdict.GOES_ON
    if word.isdigit():
        return Verdict.ENDS
    kind = _kind(stop)
    if kind is Abbreviation.NONE:
        goes_on = follower.islower() and (stop.closers or _INCHES.search(stop.text[: stop.at][-8:]))
        return Verdict.GOES_ON if goes_on else Verdict.ENDS
    if kind is Abbreviation.JOINED:
        return Verdict.GOES_ON
    if kind is Abbreviation.NUMBERED:
        return Verdict.GOES_ON if follower.isdigit() else Verdict.ENDS
    return _judge_by_next_word(stop, after, kind, whole=whole)


def _kind(stop: Stop) -> Abbreviation:
    """Look up the word; a letter is no initial in "Ctrl+C" and "vitamin C"."""
    if len(stop.word) == 1:
        begin = stop.at - 1
        before = _LETTER_OF.search(stop.text, max(0, begin - LONGEST_WORD), begin)
        if before and (before[1] is None or before[1].lower() in BEFORE_LETTERS):
            return Abbreviation.NONE
    return abbreviation(stop.word)


def _judge_by_next_word(stop: Stop, after: int, kind: Abbreviation, *, whole: bool) -> Verdict:
    """The abbreviation may end its sentence; the word after it shows whether it did."""
    follower = stop.text[after]
    match = _NEXT_WORD.match(stop.text, after)
    assert match is not None, "the pattern matches anywhere"
    if match.end() == len(stop.text) and not whole:
        return Verdict.UNKNOWN
    word = match[1]
    if kind is Abbreviation.LABEL:
        goes_on = follower.islower() or _LABELLED.match(stop.text, after) or _ROMAN.fullmatch(word)
        return Verdict.GOES_ON if goes_on else Verdict.ENDS
    if not word[:1].isupper():
        return Verdict.GOES_ON
    if kind is Abbreviation.LIST_END:
        return Verdict.ENDS
    if kind is Abbreviation.HOUR:
        return Verdict.GOES_ON if word.lower() in DAYS_AND_ZONES else Verdict.ENDS
    is_initial = len(word) == 1 and stop.text[match.end() : match.end() + 1] == "."
    return Verdict.ENDS if word.lower() in STARTERS and not is_initial else Verdict.GOES_ON


def _judge_glued(stop: Stop, *, whole: bool) -> Verdict:
    """No white space follows: an address, a number or a missing space."""
    follower = stop.text[stop.end]
    if stop.is_full:
        return Verdict.GOES_ON if _CLAUSE_MARK.match(follower) else Verdict.ENDS
    if is_cjk(follower) or is_foreign_symbol(follower) or follower in "“‘«「『《【（":
        return Verdict.ENDS if not stop.trails_off and _is_plain(stop) else Verdict.GOES_ON
    if not follower.isupper() or _is_in_address(stop):
        return Verdict.GOES_ON
    match = _ADDRESS_AFTER.match(stop.text, stop.end)
    assert match is not None, "the pattern matches anywhere"
    if match.end() == len(stop.text) and not whole:
        return Verdict.UNKNOWN
    if stop.text[match.end() : match.end() + 1] in ("@", "/", "\\", "("):
        return Verdict.GOES_ON
    second = stop.text[stop.end + 1 : stop.end + 2]
    is_name = stop.is_dot and (second.isupper() or second == "." or not _is_plain(stop))
    return Verdict.GOES_ON if is_name and not _begins_anew(stop) else Verdict.ENDS


def _is_in_address(stop: Stop) -> bool:
    """Tell whether what touches the stop is part of an address or a path."""
    return _ADDRESS_MARKS.search(_before(_NO_SPACE, stop.text, stop.at, _ADDRESS_REACH)) is not None


def _begins_anew(stop: Stop) -> bool:
    """Tell by the word that touches the dot that a sentence begins with it: "etc.The", "OK.So"."""
    match = _NEXT_WORD.match(stop.text, stop.end)
    assert match is not None, "the pattern matches anywhere"
    word, kind = match[1], abbreviation(stop.word)
    if len(word) < 2 or not word[1:].islower() or _is_list_mark(stop):
        return False
    if kind in (Abbreviation.LIST_END, Abbreviation.HOUR):
        return True
    return len(stop.word) > 1 and kind is not Abbreviation.JOINED and word.lower() in STARTERS


def _is_plain(stop: Stop) -> bool:
    """Tell whether an ordinary word or a year stands before a glued stop, and so no part of a name."""
    if not stop.is_dot:
        return True
    word = stop.word
    if not word:
        return stop.at > 0 and not stop.text[stop.at - 1].isspace()
    if _is_list_mark(stop):
        return False
    if word.isdigit():
        return True
    return not word.isascii() or (
        len(word) > 1
        and not word[-1].isupper()
        and "." not in word
        and abbreviation(word) is Abbreviation.NONE
    )


def _is_list_mark(stop: Stop) -> bool:
    """Tell whether the word before a dot marks a list item: "1.", "A." that begin a sentence, any "2.)"."""
    word = stop.word
    if len(word) > 1 and _ROMAN.fullmatch(word):
        return _LIST_MARK_AFTER.search(stop.text, 0, stop.at - len(word)) is not None
    if len(word) > LONGEST_LIST_NUMBER or not (word.isdigit() or (len(word) == 1 and word.isupper())):
        return False
    begin = stop.at - len(word)
    if word.isdigit() and stop.closers.startswith(")") and "(" not in stop.text[:begin]:
        return True
    return _LIST_MARK_AFTER.search(stop.text, max(0, begin - LONGEST_WORD), begin) is not None
