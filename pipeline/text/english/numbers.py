"""The words of numbers, American: cardinals, ordinals, years, digit strings, decimals, common fractions.

Words are in lower case, without hyphens and without "and". Knows nothing of the text around a number. Pure;
any thread may call it.
"""

from __future__ import annotations

import re
from functools import lru_cache

_SMALL = str.split(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = str.split("twenty thirty forty fifty sixty seventy eighty ninety")
_SCALES = str.split(
    "thousand million billion trillion quadrillion quintillion sextillion septillion octillion nonillion "
    "decillion undecillion duodecillion tredecillion quattuordecillion quindecillion sexdecillion "
    "septendecillion octodecillion novemdecillion vigintillion"
)
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}

LONGEST_CARDINAL = 3 * (len(_SCALES) + 1)
"""Digits of the largest number that has a name; longer ones are read digit by digit."""

LONGEST_PLAIN = 15
"""Digits of the longest number that is read as a number although no commas group it."""

_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}")
_SEPARATORS = str.maketrans("", "", ", \u00a0\u2009\u202f")


def cardinal(number: int) -> str:
    """Return the words of a number from 0 up: "one thousand two hundred thirty four"."""
    assert number >= 0
    return _cardinal(number) if number < 10**LONGEST_CARDINAL else digits(str(number))


@lru_cache(maxsize=4096)
def _cardinal(number: int) -> str:
    if number < 1000:
        return _below_thousand(number)
    words: list[str] = []
    for scale in ("", *_SCALES):
        number, group = divmod(number, 1000)
        if group:
            words.insert(0, f"{_below_thousand(group)} {scale}".rstrip())
    return " ".join(words)


def _below_thousand(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    words = [f"{_SMALL[hundreds]} hundred"] if hundreds else []
    if rest >= len(_SMALL):
        words.append(_TENS[rest // 10 - 2])
        rest %= 10
    if rest or not (hundreds or words):
        words.append(_SMALL[rest])
    return " ".join(words)


def ordinal(number: int) -> str:
    """Return "twenty first" for 21."""
    head, _, last = cardinal(number).rpartition(" ")
    regular = last[:-1] + "ieth" if last.endswith("y") else last + "th"
    return f"{head} {_ORDINALS.get(last, regular)}".lstrip()


def plural(words: str) -> str:
    """Return the words with the last one in the plural: "nineteen eighties", "twenty sixes"."""
    if words.endswith("y"):
        return words[:-1] + "ies"
    return words + ("es" if words.endswith(("x", "s")) else "s")


def digits(text: str) -> str:
    """Name each digit of a text in order; everything else in it is passed over."""
    return " ".join(_SMALL[int(character)] for character in text if character.isdecimal())


def year(number: int) -> str:
    """Return how a year is said, below 10,000: "nineteen oh five", "two thousand five"."""
    hundreds, rest = divmod(number, 100)
    if number % 1000 == 0 or (hundreds == 20 and rest < 10) or hundreds == 0:
        return cardinal(number)
    return f"{cardinal(hundreds)} {two_digits(rest) if rest else 'hundred'}"


def two_digits(number: int) -> str:
    """Return the words of a number below 100 that follows another: "oh five", "thirty"."""
    return f"oh {_SMALL[number]}" if number < 10 else cardinal(number)


def serial(text: str) -> str:
    """Return how the digits of a name are said: "three twenty" of "A320", "ten eighty" of "1080p"."""
    number = int(text) if len(text) <= 4 else 0
    if text.startswith("0") or len(text) > 4:
        return number_words(text) if len(text) < 7 and text.endswith("000") else digits(text)
    if len(text) < 3 or number % 1000 == 0:
        return cardinal(number)
    return year(number)


@lru_cache(maxsize=4096)
def number_words(text: str) -> str:
    """Return the words of an unsigned number as it is written: "1,234.50", "007", ".5", "22 000".

    Digits after the point, leading zeros and numbers too long to be grasped are read digit by digit.
    """
    whole, point, decimals = text.partition(".")
    words = _whole(whole)
    return f"{words} point {digits(decimals)}".lstrip() if point else words


def _whole(text: str) -> str:
    plain = text.translate(_SEPARATORS)
    longest = LONGEST_PLAIN if plain == text else LONGEST_CARDINAL
    if len(plain) > longest or (len(plain) > 1 and plain[0] == "0"):
        return digits(plain)
    return cardinal(int(plain)) if plain else ""


def is_grouped(text: str) -> bool:
    """Tell whether the commas of a number group it: "1,234,567" or, in India, "12,34,567"."""
    return _GROUPED.fullmatch(text) is not None


@lru_cache(maxsize=1024)
def fraction(top: int, bottom: int) -> str:
    """Return the words of a common fraction: "one half", "five sixteenths", "seven over thirty".

    Halves to twentieths and what else is commonly divided by have names; the others are read with "over".
    """
    if bottom == 2:
        part, parts = "half", "halves"
    elif bottom == 4:
        part, parts = "quarter", "quarters"
    elif 3 <= bottom <= 20 or bottom in (32, 64, 100, 1000, 10_000, 1_000_000):
        part = ordinal(bottom)
        parts = plural(part)
    else:
        return f"{cardinal(top)} over {cardinal(bottom)}"
    if bottom >= 100:
        part, parts = part.removeprefix("one "), parts.removeprefix("one ")
    return f"{cardinal(top)} {part if top == 1 else parts}"
