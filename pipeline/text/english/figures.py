"""The shapes a figure is written in, alone or as a range, and how it is read: "−5", "1,234.5", "10–12".

A figure is what stands before a unit or behind a currency sign. The patterns begin with a set of characters
and look back from there, as that is how the `re` module finds them fast. Knows nothing of units. Pure; any
thread may call it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

from pipeline.text.english.numbers import fraction, is_grouped, number_words
from pipeline.text.rules import Said

VULGAR = "¼½¾⅐-⅞↉"
"""Fractions that are one character, for the inside of square brackets."""

SIGNS = {
    "-": "minus",
    "−": "minus",
    "‑": "minus",
    "+": "plus",
    "~": "about",
    "≈": "about",
    "∼": "about",
    "±": "plus or minus",
    "<": "less than",
    ">": "more than",
    "≤": "at most",
    "≥": "at least",
}
"""What a sign that touches a figure from the left is read as."""

_SIGN = "".join(map(re.escape, SIGNS))
NOT_INSIDE = r"(?<![\w.)\]%°].)(?<![A-Za-z0-9][-−–/].)(?<![0-9][,:].)(?<![\\/_=#@&$€£¥₹^].)"
"""After the first character of a figure: it is no part of a longer token."""
_SPACED = r"(?:[\u00a0\u2009\u202f][0-9]{3})++(?![0-9])|(?: [0-9]{3}){0,5} (?:000|[0-9]{3} [0-9]{3})(?![0-9])"
"""Thousands set apart by spaces: thin or unbreakable ones, or ones that can hardly be anything else."""
_FRACTION = (
    rf"\s?[{VULGAR}]|[ -](?=[0-9]{{1,2}}[/⁄])[0-9]++[/⁄][0-9]{{1,3}}(?![0-9])|[/⁄][0-9]{{1,4}}+(?![kKMB])"
)
_TAIL = rf"[0-9]{{0,400}}+(?:{_SPACED}|(?:[.,][0-9]++)*+(?:{_FRACTION})?+)"
UNSIGNED = rf"(?:[.]?[0-9]{_TAIL}|[{VULGAR}])"
"""A figure without a sign."""
FIGURE = (
    rf"(?P<low>[{_SIGN}.0-9{VULGAR}]{NOT_INSIDE}"
    rf"(?:(?<=[{_SIGN}])[-−]?{UNSIGNED}|(?<=[.])[0-9]{_TAIL}|(?<=[0-9]){_TAIL}|(?<=[{VULGAR}])))"
    rf"(?:(?P<dash>\s?[-‑–—]\s?|~)(?P<high>[-−]?{UNSIGNED}))?+"
)
"""A figure or a range of two, in the groups `low`, `dash` and `high`."""

_PARTS = re.compile(
    rf"(?P<sign>[{_SIGN}]?)(?P<minus>[-−]?)(?P<whole>[0-9., \u00a0\u2009\u202f]*?)"
    rf"[\s-]?(?:(?P<vulgar>[{VULGAR}])|(?P<top>[0-9]+)[/⁄](?P<bottom>[0-9]+))?"
)
_POINT = re.compile(r"(?P<whole>[0-9,]*)(?P<decimals>\.[0-9]+)?")
_EUROPEAN = re.compile(r"(?P<whole>[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+),(?P<decimals>[0-9]{1,2})")
_DOTTED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3}){2,}")
_SPACES = re.compile(r"[0-9]{1,3}(?:[ \u00a0\u2009\u202f][0-9]{3})+")


@dataclass(frozen=True, slots=True)
class Figure:
    """How one figure is read: `words`; a `mixed` number says "and a half" apart, in `part`.

    `is_one`: what is counted is in the singular, as for "1" and "3/4". `value` compares two figures.
    """

    words: str
    is_one: bool
    value: float
    sign: str = ""
    part: str = ""


@lru_cache(maxsize=4096)
def read_figure(text: str, *, comma: bool = True) -> Figure | None:
    """Read one figure as `FIGURE` finds it; None if its digits are grouped as in no number.

    `comma`: "22,1" is a decimal and not two numbers.
    """
    match = _PARTS.fullmatch(text)
    if match is None:
        return None
    sign = SIGNS.get(match["sign"], "")
    if match["minus"]:
        sign = f"{sign} minus".lstrip()
    top, bottom = _fraction_of(match)
    whole = _plain(match["whole"], comma=comma)
    if whole is None or (not whole and not bottom) or (bottom and "." in whole):
        return None
    words = number_words(whole) if whole else ""
    value = _value(whole) + (top / bottom if bottom else 0)
    if "minus" in sign:
        value = -value
    if not bottom:
        return Figure(words, whole == "1", value, sign)
    if not whole:
        return Figure(fraction(top, bottom), top < bottom, value, sign)
    return Figure(words, False, value, sign, f"and {_after_and(top, bottom)}")


def _plain(text: str, *, comma: bool) -> str | None:
    """Return a number with a point and with commas only where they group; None if it is none."""
    if not text or _SPACES.fullmatch(text):
        return text
    point = _POINT.fullmatch(text)
    if point is not None and ("," not in point["whole"] or is_grouped(point["whole"])):
        return text
    if _DOTTED.fullmatch(text):
        return text.replace(".", "")
    european = _EUROPEAN.fullmatch(text) if comma else None
    if european is None:
        return None
    return f"{european['whole'].replace('.', '')}.{european['decimals']}"


def _value(plain: str) -> float:
    digits = "".join(character for character in plain if character in "0123456789.")
    return float(digits) if digits not in ("", ".") else 0.0


def _fraction_of(match: re.Match[str]) -> tuple[int, int]:
    if match["vulgar"]:
        top, _, bottom = normalize("NFKC", match["vulgar"]).partition("⁄")
        return int(top or 1), int(bottom or 1)
    return (int(match["top"]), int(match["bottom"])) if match["bottom"] else (0, 0)


def _after_and(top: int, bottom: int) -> str:
    words = fraction(top, bottom)
    if top != 1 or not words.startswith("one "):
        return words
    article = "an" if words.startswith("one e") else "a"
    return words.replace("one", article, 1)


def figures(match: re.Match[str], *, comma: bool = True) -> tuple[list[Said], Figure] | None:
    """Return what is said for the groups of `FIGURE`, one part for each token, and the figure that counts.

    Of what looks like a range but falls, only the second figure is read. None: no figure.
    """
    text = match["low"]
    low = read_figure(text, comma=comma)
    if match["high"] is None:
        return None if low is None else (_said(low, text, match.start("low")), low)
    high = read_figure(match["high"], comma=comma)
    if high is None:
        return None
    parts = _said(high, match["high"], match.start("high"))
    if low is not None and (low.value < high.value or len(match["dash"]) == 1):
        parts = [*_said(low, text, match.start("low")), *_dash(match), *parts]
    return parts, high


def _dash(match: re.Match[str]) -> list[Said]:
    begin, end = trimmed(match.string, *match.span("dash"))
    return [Said("to", begin, end)]


def trimmed(text: str, begin: int, end: int) -> tuple[int, int]:
    """Return `[begin, end)` less the white space at both ends."""
    piece = text[begin:end]
    return begin + len(piece) - len(piece.lstrip()), begin + len(piece.rstrip())


def _said(figure: Figure, text: str, at: int) -> list[Said]:
    """A mixed number with a space is two tokens: "2 1/2"."""
    words = f"{figure.sign} {figure.words}".lstrip()
    if not figure.part:
        return [Said(words, at, at + len(text))]
    cut = max(text.rfind(" "), text.rfind("\u00a0"), text.rfind("\u2009"), text.rfind("\u202f"))
    if cut < 0:
        return [Said(f"{words} {figure.part}", at, at + len(text))]
    return [Said(words, at, at + cut), Said(figure.part, at + cut + 1, at + len(text))]


def spread(text: str, parts: Iterable[Said]) -> list[Said]:
    """Give parts with no white space between them one span: captions light up whole tokens.

    The parts are in order of speech and of text. What lies between two of them in one token is claimed, too.
    """
    groups: list[list[Said]] = []
    for part in parts:
        if groups and not any(map(str.isspace, text[groups[-1][-1].end : part.begin])):
            groups[-1].append(part)
        else:
            groups.append([part])
    return [joined for group in groups for joined in _joined(group)]


def _joined(group: list[Said]) -> list[Said]:
    begin, end = group[0].begin, group[-1].end
    joined: list[Said] = []
    for part in group:
        if joined and not part.spelled and not joined[-1].spelled:
            joined[-1] = Said(f"{joined[-1].words} {part.words}".strip(), begin, end)
        else:
            joined.append(Said(part.words, begin, end, part.spelled))
    return joined
