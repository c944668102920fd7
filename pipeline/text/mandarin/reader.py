"""Mandarin text in, its spoken form out: the rules' readings, and between them each character as it stands.

Knows no voice, and no text before or after its own. Letters it is given are named one by one: words of other
languages have readers of their own. Pure; any thread may call it. Time is linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from unicodedata import numeric

from pipeline.speech import Spoken
from pipeline.text.characters import CJK
from pipeline.text.emoji import emoji_rules
from pipeline.text.mandarin import calendar, codes, counts, quantities, scores, symbols
from pipeline.text.mandarin.fold import folded
from pipeline.text.mandarin.numbers import fraction, number
from pipeline.text.mandarin.script import simplified, traditional
from pipeline.text.rules import Rule, Said, claims

_NUMBERS = (
    *codes.RULES,
    *scores.RULES,
    *calendar.RULES,
    *quantities.RULES,
    symbols.POWERS,
    *counts.RULES,
    *symbols.RULES,
)
_SILENT_EMOJI: tuple[Rule, ...] = (symbols.CIRCLES, *emoji_rules(), *_NUMBERS)
_NAMED_EMOJI: tuple[Rule, ...] = (symbols.CIRCLES, *emoji_rules("zh"), *_NUMBERS)

_UNUSUAL = re.compile(rf"〇|—(?=[周星])|[^{CJK}\s，。、！？；：“”,.!?;:()（）《》「」…—]")
"""What a rule may have something to say about; without it there is nothing to ask."""

_PART = re.compile(rf"(?P<han>[{CJK}]+)|(?P<word>[^\W_{CJK}]+)|(?P<marks>[^\w\s]+)|[\s_]+")

_MARKS = {
    mark: known
    for known, marks in {
        ",": ",，、﹐､/|",
        ".": ".。｡",
        "!": "!！",
        "?": "?？",
        ";": ";；",
        ":": ":：",
        "…": "…‥⋯",
        "—": "—",
        "“": "“「『《〈〝",
        "”": "”」』》〉〞",
        "(": "(（【〔[{",
        ")": ")）】〕]}",
        '"': '"',
    }.items()
    for mark in marks
}
"""Punctuation, and the mark that voices know for it."""

_KNOWN = frozenset(_MARKS.values())
_OPENERS = frozenset("“(")
_REPEATED = re.compile(r"([,.;:…—“”()\"])\1+")
_EXCITED = re.compile(r"[!?]{2,}")
_NUMERALS = frozenset("零一二三四五六七八九十百千万")
_DOTS = re.compile(r"\.{2,}|…[.…]+")

_MOST_MARKS = 3
"""Marks that may gather at either end of a word."""


LONGEST_LEAD = 24
"""Characters before a text that are looked at, at most."""


def read_mandarin(text: str, *, lead: str = "", names_emoji: bool = False) -> list[Spoken]:
    """Return the words `text` is read as, in order of speech, with offsets in `text` that never fall.

    A word is a character, or what is said for a number, a unit or a symbol. Every letter and digit is covered
    by the span of some word, but for those of an emoticon. `lead` stands before the text and is not read; its
    last `LONGEST_LEAD` characters help to judge what is. `names_emoji`: emoji are named, not silent.
    """
    plain = folded(text)
    reading = _Reading(plain)
    at = 0
    for part in _claims(plain, folded(lead[-LONGEST_LEAD:]), _NAMED_EMOJI if names_emoji else _SILENT_EMOJI):
        reading.add_text(at, part.begin)
        reading.add_claim(part)
        at = part.end
    reading.add_text(at, len(plain))
    return reading.finish()


def _claims(text: str, lead: str, rules: tuple[Rule, ...]) -> list[Said]:
    """Return what the rules claim of the text, in the characters of its own script."""
    if not _UNUSUAL.search(text):
        return []
    simple = simplified(text)
    found = claims(simplified(lead) + simple, rules)
    if lead:
        found = [
            replace(part, begin=max(part.begin, len(lead)) - len(lead), end=part.end - len(lead))
            for part in found
            if part.end > len(lead)
        ]
    return found if simple == text else [replace(part, words=traditional(part.words)) for part in found]


class _Reading:
    """The words so far, and the opening punctuation that waits for the next one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words: list[Spoken] = []
        self._opening = ""
        self._opening_at = 0
        self._quoted = False
        self._claimed = False
        """Whether the last word is a claim's: its span is not to be widened."""

    def add_text(self, begin: int, end: int) -> None:
        """Read the characters `[begin, end)`, which no rule claims, as they stand."""
        for match in _PART.finditer(self._text, begin, end):
            kind = match.lastgroup
            if kind == "han":
                self._add_han(match[0], match.start())
            elif kind == "word":
                self._add_letters(match[0], match.start())
            elif kind == "marks":
                self._add_marks(match[0], match.start())

    def add_claim(self, part: Said) -> None:
        """Add what is said for the characters of a claim; nothing said leaves them silent.

        A comma keeps a number apart from one in Han characters before it: "周五 18:30" has no 58 in it.
        """
        if self._words and not self._claimed and part.words[:1] in _NUMERALS:
            last = self._words[-1]
            if last.text in _NUMERALS and last.offset + last.length < part.begin:
                self._append(",", part.begin)
        for word in part.words.split():
            text, self._opening = self._opening + word, ""
            self._words.append(_spoken(text, part.begin, part.end - part.begin, spelled=part.spelled))
            self._claimed = True

    def finish(self) -> list[Spoken]:
        """Return the words; punctuation that met none is a word by itself."""
        if self._opening and not self._words:
            self._words.append(
                Spoken(self._opening, self._opening_at, len(self._text) - self._opening_at, "zh")
            )
        return self._words

    def _add(self, word: str, at: int, length: int, *, spelled: bool = False) -> None:
        if self._opening:
            length += at - self._opening_at
            word, at, self._opening = self._opening + word, self._opening_at, ""
        self._words.append(_spoken(word, at, length, spelled=spelled))
        self._claimed = False

    def _add_han(self, characters: str, at: int) -> None:
        """Read each character as it stands."""
        if self._opening:
            self._add(characters[0], at, 1)
            characters, at = characters[1:], at + 1
        self._words += [Spoken(character, here, 1, "zh") for here, character in enumerate(characters, at)]
        self._claimed = False

    def _add_letters(self, letters: str, at: int) -> None:
        """Name letters and say what numeric characters stand for; words of other scripts stay whole."""
        for is_single, group in groupby(letters, _is_single):
            characters = "".join(group)
            if not is_single:
                self._add(characters, at, len(characters))
                at += len(characters)
                continue
            for character in characters:
                is_letter = character.isalpha()
                word = character.upper() if is_letter else _value(character)
                self._add(word, at, 1, spelled=is_letter)
                at += 1

    def _add_marks(self, marks: str, at: int) -> None:
        """Closing punctuation goes to the word before, opening punctuation to the one after."""
        for index, character in enumerate(marks, at):
            mark = _MARKS.get(character)
            if mark is None:
                continue
            if mark == '"':
                self._quoted = not self._quoted
            if mark in _OPENERS or (mark == '"' and self._quoted) or not self._words:
                self._opening_at = self._opening_at if self._opening else index
                self._opening = _tidied(self._opening + mark) if _has_room(self._opening) else self._opening
            else:
                self._append(mark, index + 1)

    def _append(self, mark: str, end: int) -> None:
        """Put a mark behind the last word, which then reaches to `end` if it touches it and is no claim's."""
        last = self._words[-1]
        touches = last.offset + last.length == end - 1 and not self._claimed
        text = _tidied(last.text + mark) if _has_room(last.text) else last.text
        self._words[-1] = Spoken(text, last.offset, last.length + touches, last.language, last.spelled)


def _spoken(word: str, offset: int, length: int, *, spelled: bool) -> Spoken:
    """A letter is named in English: that is how Chinese says it."""
    return Spoken(word, offset, length, "en" if spelled else "zh", spelled)


def _is_single(character: str) -> bool:
    """Tell whether a character is named by itself: an ASCII letter or a number of any script."""
    return character.isascii() or not character.isalpha()


def _value(character: str) -> str:
    """Say the number that one character stands for: "①" is "一", "½" "二分之一"."""
    value = abs(Fraction(numeric(character, 0)).limit_denominator(1000))
    if value.denominator == 1:
        return number(str(value.numerator))
    return fraction(str(value.numerator), str(value.denominator))


def _has_room(text: str) -> bool:
    """Tell whether another mark may gather behind a text."""
    return len(text) < _MOST_MARKS or any(map(str.isalnum, text[-_MOST_MARKS:]))


def _tidied(text: str) -> str:
    """Leave one of the same mark in a row: "……" is one "…", "！！！" one "!"."""
    if len(text) < 2 or text[-2] not in _KNOWN:
        return text
    text = _DOTS.sub("…", text)
    text = _EXCITED.sub(_excited, text)
    return _REPEATED.sub(r"\1", text)


def _excited(match: re.Match[str]) -> str:
    return "?!" if "?" in match[0] and "!" in match[0] else match[0][0]
