"""Digits beside letters, and every digit that nothing else has read: "A320", "1080p", "mp3", "d93f51b", "①".

Capitals beside digits are left to the rules for capitals. After these rules no digit is left in any script.
Pure; any thread may call it.
"""

from __future__ import annotations

import re
from fractions import Fraction
from unicodedata import normalize, numeric

from pipeline.text.english.figures import spread
from pipeline.text.english.numbers import cardinal, fraction, number_words, serial
from pipeline.text.rules import Rule, Said

_SWITCHES = 4
"""Changes between letters and digits from which on a token is spelled character by character."""

_PART = re.compile(r"[A-Za-z]+|[0-9]+")
_VOWEL = re.compile(r"[aeiouy]")
_RAISED = "₀-₉⁰¹²³⁴-⁹"
NUMERIC = (
    "²³¹¼-¾৴-৹୲-୷௰-௲౸-౾൘-൞൰-൸༪-༳፩-፼៰-៹᧚⁰⁴-⁹₀-₉⅐-⅟"
    "↉①-⒛⓪-⓿❶-➓⳽㆒-㆕㈠-㈩㉈-㉏㉑-㉟㊀-㊉㊱-㋋㍘-㍰㍸㍹㎟-㎦㎨㎯㏠-㏾꠰-꠵"
    "\U00010107-\U00010133\U00010175-\U00010178\U0001018a\U0001018b"
    "\U000102e1-\U000102fb\U00010320-\U00010323"
    "\U00010858-\U0001085f\U00010879-\U0001087f\U000108a7-\U000108af\U000108fb-\U000108ff\U00010916-\U0001091b"
    "\U000109bc-\U000109ff\U00010a40-\U00010a48\U00010a7d\U00010a7e\U00010a9d-\U00010a9f\U00010aeb-\U00010aef"
    "\U00010b58-\U00010b5f\U00010b78-\U00010b7f\U00010ba9-\U00010baf\U00010cfa-\U00010cff\U00010e60-\U00010e7e"
    "\U00010f1d-\U00010f26\U00010f51-\U00010f54\U00010fc5-\U00010fcb\U00011052-\U00011065\U000111e1-\U000111f4"
    "\U0001173a\U0001173b\U000118ea-\U000118f2\U00011c5a-\U00011c6c\U00011fc0-\U00011fd4\U00016b5b-\U00016b61"
    "\U00016e80-\U00016e96\U0001d2e0-\U0001d2f3\U0001d360-\U0001d378\U0001e8c7-\U0001e8cf\U0001ec71-\U0001ecb4"
    "\U0001ed01-\U0001ed3d\U0001f100-\U0001f10c"
)
"""Characters that are numbers, or whose compatible spelling has digits, beside the decimal digits."""


def _say_code(match: re.Match[str]) -> list[Said] | None:
    """Spell what mixes letters and digits without a pattern: "d93f51b"."""
    parts = _PART.findall(match.group())
    if len(parts) <= _SWITCHES:
        return None
    begin, end = match.span()
    return [
        Said(number_words(character), begin, end)
        if character.isdigit()
        else Said(character.upper(), begin, end, spelled=True)
        for character in match.group()
    ]


def _say_formula(match: re.Match[str]) -> list[Said]:
    """Spell "H2SO4"."""
    begin, end = match.span()
    return [
        Said(cardinal(int(part)), begin, end)
        if part.isdigit()
        else Said(" ".join(part.upper()), begin, end, spelled=True)
        for part in _PART.findall(match.group())
    ]


def _say_span(match: re.Match[str]) -> list[Said]:
    """Read "Q1–Q3"."""
    begin, end = match.span()
    letter = match["letter"]
    return [
        Said(letter, begin, end, spelled=True),
        Said(f"{serial(match['first'])} to", begin, end),
        Said(letter, begin, end, spelled=True),
        Said(serial(match["last"]), begin, end),
    ]


def _say_small_head(match: re.Match[str]) -> list[Said] | None:
    """Spell the letters of "mp3", "x86", "h264"."""
    letters = match.group()
    if len(letters) > 1 and _VOWEL.search(letters):
        return None
    return [Said(" ".join(letters.upper()), *match.span(), spelled=True)]


def _say_digits(match: re.Match[str]) -> list[Said]:
    """Read digits as part of a name beside a letter, else as a number; spell a letter or two behind them."""
    digits, tail = _ascii(match["digits"]), match["tail"]
    text, begin = match.string, match.start()
    before = text[max(0, begin - 2) : begin]
    in_name = (
        bool(tail)
        or before[-1:].isalpha()
        or before[-1:] == "_"
        or (before[-1:] == "-" and before[0].isalpha())
    )
    in_name = in_name or (before[-1:] == "." and before[:1].isupper())
    in_name = in_name or text[match.end() : match.end() + 1].isalpha()
    words = number_words(digits) if "." in digits or not in_name else serial(digits)
    parts = [Said(words, *match.span("digits"))]
    if tail and not (len(tail) > 1 and _VOWEL.search(tail)):
        parts.append(Said(" ".join(tail.upper()), *match.span("tail"), spelled=True))
    return spread(text, parts)


def _say_nothing(match: re.Match[str]) -> list[Said]:
    """Pass over the dot of "H.264"."""
    return [Said("", *match.span())]


def _ascii(digits: str) -> str:
    return "".join(str(int(digit)) if digit.isdecimal() else digit for digit in digits)


def _say_numeric(match: re.Match[str]) -> list[Said]:
    """Read a number that is one character, such as "①" or "⅒", and subscripts."""
    text = match.group()
    value = Fraction(numeric(text, -1)).limit_denominator(1000) if len(text) == 1 else Fraction(-1)
    if value < 0:
        digits = re.findall(r"[0-9]+", normalize("NFKC", text))
        words = " ".join(map(number_words, digits))
    elif value.denominator > 1:
        words = fraction(value.numerator, value.denominator)
    else:
        words = cardinal(int(value))
    return [Said(words, *match.span())]


RULES: tuple[Rule, ...] = (
    Rule(re.compile(r"[A-Z](?<!\w.)[a-z]?[0-9]{1,2}(?:[A-Z][a-z]?[0-9]{0,2}){1,6}(?!\w)"), _say_formula),
    Rule(
        re.compile(
            r"[0-9A-Za-z](?<!\w.)(?=[A-Za-z]{0,8}[0-9]{1,8}[A-Za-z]{1,8}[0-9])[0-9A-Za-z]{5,63}+(?!\w)"
        ),
        _say_code,
    ),
    Rule(
        re.compile(
            r"(?P<letter>[A-Z])(?<!\w.)(?P<first>[0-9]{1,3})\s?[-–]\s?(?P=letter)(?P<last>[0-9]{1,3})(?!\w)"
        ),
        _say_span,
    ),
    Rule(re.compile(r"[a-z](?<![^\W0-9].)(?<!['’].)[a-z]{0,2}(?=[0-9₀-₉])"), _say_small_head),
    Rule(re.compile(r"\.(?<=(?<!\w)[A-Z].)(?=[0-9]{2,4}(?!\w))"), _say_nothing),
    Rule(
        re.compile(r"(?P<digits>[0-9]+(?:\.[0-9]+(?!\.?[0-9]))?)(?P<tail>[a-z]{1,2}(?![^\W_]))?"), _say_digits
    ),
    Rule(re.compile(r"(?P<digits>(?:[^\0-\x7f](?<=\d))+)(?P<tail>(?!))?"), _say_digits),
    Rule(re.compile(rf"[^\0-\xb1](?<=[{NUMERIC}])(?:(?<=[{_RAISED}])[{_RAISED}]++)?"), _say_numeric),
)
