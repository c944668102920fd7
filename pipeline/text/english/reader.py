"""English text in, its spoken form out: the rules' readings, and between them the words as they stand.

What no rule claims is read word by word; its punctuation is put into the marks a voice knows and stays with
the word it touches. Knows no voice, and no text before or after its own. Pure; any thread may call it. Time
is linear in the text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from unicodedata import category, digit, normalize

from pipeline.speech import Spoken
from pipeline.text.characters import CLOSERS, STOPS
from pipeline.text.emoji import EMOTICONS, emoji_rules
from pipeline.text.english import (
    abbreviations,
    addresses,
    calendar,
    capitals,
    identifiers,
    quantities,
    roman,
    stretched,
    symbols,
    versions,
)
from pipeline.text.english.numbers import cardinal
from pipeline.text.rules import Rule, Said, claims
from pipeline.text.stops import Verdict, judge_stop, stop_at

_MACHINE_MADE: tuple[Rule, ...] = (*addresses.RULES, *versions.RULES, *identifiers.RULES)
"""Put to a text only where `_MACHINE_MARK` is found: without it none of them finds anything."""
_MACHINE_MARK = re.compile(
    r"[./@:#\\~_(A-Z0-9](?:(?<=[./@:#\\~_])(?=[\w/\\])|(?<=\()(?=\))|(?<=[a-z][A-Z])|(?<=[vV][0-9]))"
)
_FIGURES: tuple[Rule, ...] = (*calendar.RULES, *quantities.RULES)
_WORDS: tuple[Rule, ...] = (
    *symbols.NAMES,
    *abbreviations.RULES,
    *roman.RULES,
    *stretched.RULES,
    *capitals.RULES,
    *symbols.RULES,
)

_KNOWN_MARKS = frozenset(';:,.!?—…"()“”')
"""The punctuation that voices read."""

_MOST_MARKS = 3
"""Marks that may gather at either end of a word from places apart."""

_FOLDED = {
    character: mark
    for mark, characters in {
        "'": "’‘‛＇´′",
        "-": "‐‑‒−",
        "—": "–―",
        '"': "‟″〝〞＂",
        "“": "«‹「『《〈„",
        "”": "»›」』》〉",
        "(": "[{【〔（［｛",
        ")": "]}】〕）］｝",
        ",": "，、،",
        ".": "。｡．।॥۔",
        "!": "！‼",
        "?": "？؟⁇⁈⁉",
        "…": "‥",
        ":": "：",
        ";": "；؛",
    }.items()
    for character in characters
}

_TOKEN = re.compile(r"(?P<plain>[A-Za-z]++(?:['-][A-Za-z]++)*+[.,!?;:]?(?!\S))|\S++")
_PART = re.compile(
    r"(?P<word>(?:(?<!\w)')?[^\W_]++(?:['-][^\W_]++)*+(?:'(?!\w))?)|(?P<marks>[^\w\s]++)|[\s_]++"
)
"""A word of a folded token, or what stands between two."""
_POSSESSIVE = re.compile(r"'[sS](?!\w)")
_DASHES_ONLY = re.compile(r"[-—]+")
_DASHES = re.compile(r"-{2,}|—[-—]+")
_DOTS = re.compile(r"(?:\.{2,}|…)[.…]*")
_EXCITED = re.compile(r"[!?]{2,}")
_REPEATED = re.compile(r"([;:,—\"“”()])\1+")
_OPENER_TOUCHING = re.compile(r"[(“]")
_OPENER = re.compile(r"[(“\"]")
_STYLE = re.compile("[\ufe00-\ufe0f\u20e3\U000e0100-\U000e01ef]")
"""Marks that choose how a character is drawn."""
_ONLY_CLOSERS = re.compile(rf"[{CLOSERS}\s]*")
_STOP = re.compile(rf"[{STOPS}]")


def read_english(text: str, *, names_emoji: bool = False) -> list[Spoken]:
    """Return the words `text` is read as, in order of speech, with offsets in `text` that never fall.

    Every letter and digit is covered by the span of some word, but for those of an emoticon. `names_emoji`:
    emoji are named, not silent.
    """
    reading = _Reading(text)
    at = 0
    for (begin, end), group in groupby(claims(text, _rules(text, names_emoji=names_emoji)), _span):
        reading.add_text(at, begin)
        reading.add_claim(list(group), begin, end)
        at = end
    reading.add_text(at, len(text))
    return reading.finish()


def _rules(text: str, *, names_emoji: bool) -> tuple[Rule, ...]:
    """Return the rules that may find something in the text, in the order they are put to it."""
    emoji = (EMOTICONS,) if text.isascii() else emoji_rules("en" if names_emoji else None)
    machine_made = _MACHINE_MADE if _MACHINE_MARK.search(text) else ()
    figures = _FIGURES if quantities.has_figures(text) else ()
    return (*emoji, *machine_made, *figures, *_WORDS)


def _span(part: Said) -> tuple[int, int]:
    return part.begin, part.end


class _Reading:
    """The words so far, and the opening punctuation that waits for the next one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words: list[Spoken] = []
        self._opening = ""
        self._opening_at = self._opening_end = 0
        self._edge = -1
        """Where the word before ends, if nothing but its punctuation came since."""
        self._claim: int | None = None
        """Where the words of the claim before begin, if it was one: punctuation does not widen their span."""

    def add_text(self, begin: int, end: int) -> None:
        """Read the characters `[begin, end)`, which no rule claims, as they stand."""
        for match in _TOKEN.finditer(self._text, begin, end):
            token, at = match.group(), match.start()
            if match["plain"] and at != self._edge and not self._opening:
                self._words.append(Spoken(token, at, len(token)))
                self._edge, self._claim = match.end(), None
            else:
                self._add_token(token, at)

    def add_claim(self, parts: list[Said], begin: int, end: int) -> None:
        """Add what is said for the characters `[begin, end)`; nothing said leaves them silent."""
        words = [(word, part.spelled) for part in parts for word in part.words.split()]
        if not words:
            self._edge = end if self._edge == begin else self._edge
            return
        words[0] = self._opening + words[0][0], words[0][1]
        self._opening = ""
        if self._text[end - 1] == "." and self._ends_sentence(end):
            words[-1] = words[-1][0] + ".", words[-1][1]
        self._edge, self._claim = end, len(self._words)
        self._words += [Spoken(word, begin, end - begin, spelled=spelled) for word, spelled in words]

    def finish(self) -> list[Spoken]:
        """Return the words; punctuation that met none is a word by itself."""
        if self._opening and not self._words:
            self._words.append(Spoken(self._opening, self._opening_at, self._opening_end - self._opening_at))
        return self._words

    def _add_token(self, token: str, at: int) -> None:
        folded = "".join(map(_folded, token))
        if _DASHES_ONLY.fullmatch(folded) and at != self._edge:
            self._add_dash(at, len(token))
            return
        for part in _PART.finditer(folded):
            begin, end = at + part.start(), at + part.end()
            if part["marks"]:
                self._add_marks(part["marks"], begin, end)
            elif part["word"]:
                self._add_word(part["word"], begin, end)

    def _add_word(self, word: str, begin: int, end: int) -> None:
        if (
            begin == self._edge
            and self._claim is not None
            and _POSSESSIVE.fullmatch(word)
            and not self._words[-1].text.endswith(("'s", "'S"))
        ):
            self._append(word, end)
            self._widen(self._claim, end)
            return
        if not word.isascii():
            word = normalize("NFKC", self._text[begin:end].translate(_APOSTROPHES)).replace(" ", "")
        first = self._opening_at if self._opening and self._opening_end == begin else begin
        words = _without_digits(word) if any(map(str.isdigit, word)) else [word]
        words[0] = self._opening + words[0]
        self._words += [Spoken(each, first, end - first) for each in words]
        self._opening = ""
        self._edge, self._claim = end, None

    def _add_dash(self, at: int, length: int) -> None:
        """A dash between words parts them; before the first there is nothing to part."""
        if self._words and not self._words[-1].text.endswith("—"):
            self._words.append(Spoken("—", at, length))
            self._edge, self._claim = at + length, None

    def _add_marks(self, marks: str, begin: int, end: int) -> None:
        """Closing punctuation goes to the word before, opening punctuation to the one after."""
        touching = begin == self._edge
        marks = _known(marks)
        opener = (_OPENER_TOUCHING if touching else _OPENER).search(marks)
        cut = opener.start() if opener else len(marks)
        closing, opening = marks[:cut], marks[cut:]
        if closing and self._words:
            if self._has_room(closing):
                self._append(closing, end if touching else None)
        else:
            opening = marks
        if touching:
            self._edge = end
        if opening and len(self._opening) < _MOST_MARKS:
            if begin != self._opening_end or not self._opening:
                self._opening_at = begin if opening == marks else end - len(opening)
            self._opening_end = end
            self._opening += opening

    def _has_room(self, closing: str) -> bool:
        """Tell whether the last word does not end in these marks, or in several, already: "so ! ! !"."""
        text = self._words[-1].text
        return not text.endswith(closing) and any(map(str.isalnum, text[-_MOST_MARKS:]))

    def _append(self, tail: str, end: int | None) -> None:
        """Put `tail` behind the last word, which then reaches to `end` unless a rule claimed it."""
        last = self._words[-1]
        length = last.length if self._claim is not None or end is None else end - last.offset
        self._words[-1] = Spoken(last.text + tail, last.offset, length, spelled=last.spelled)
        self._edge = self._edge if end is None else end

    def _widen(self, first: int, end: int) -> None:
        """Let the words from `first` on, which have one span, reach to `end`."""
        self._words[first:] = [
            Spoken(word.text, word.offset, end - word.offset, spelled=word.spelled)
            for word in self._words[first:]
        ]

    def _ends_sentence(self, end: int) -> bool:
        """Tell whether the dot of an abbreviation before `end` is a full stop as well."""
        text = self._text
        closers = _ONLY_CLOSERS.match(text, end)
        assert closers is not None, "the pattern matches anywhere"
        if closers.end() == len(text):
            return True
        follower = text[closers.end()]
        if _STOP.match(text, end) or _STOP.match(follower) or follower.islower():
            return False
        return judge_stop(stop_at(text, end - 1), whole=True) is Verdict.ENDS


_APOSTROPHES = str.maketrans(dict.fromkeys("’‘‛ʼ＇´′", "'") | dict.fromkeys("‐‑‒−", "-"))


@lru_cache(maxsize=4096)
def _folded(character: str) -> str:
    """Return the character that stands for this one among the marks and letters of the patterns."""
    if character.isascii():
        return {"[": "(", "{": "(", "]": ")", "}": ")", "`": " "}.get(character, character)
    if character in _FOLDED:
        return _FOLDED[character]
    if category(character)[0] == "M" and not _STYLE.match(character):
        return "ˑ"  # a letter to the patterns: it belongs to the one before
    return character if character.isalnum() or character in _KNOWN_MARKS else " "


def _without_digits(word: str) -> list[str]:
    """Return what is said for a word in which rules left digits: each digit by its name."""
    return "".join(f" {cardinal(digit(each))} " if each.isdigit() else each for each in word).split()


def _known(marks: str) -> str:
    """Return the marks of a run that a voice reads, each once."""
    if marks in _KNOWN_MARKS:
        return marks
    marks = _DASHES.sub("—", marks)
    marks = "".join(mark for mark in marks if mark in _KNOWN_MARKS)
    marks = _DOTS.sub("…", marks).replace("()", "")
    marks = _EXCITED.sub(_excited, marks)
    return _REPEATED.sub(r"\1", marks)


def _excited(match: re.Match[str]) -> str:
    marks = match.group()
    return "?!" if "?" in marks and "!" in marks else marks[0]
