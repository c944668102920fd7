"""Fractions, marks out of ten and other figures with a slash: "3/4", "2 1/2", "½", "9/10", "120/80".

Knows no dates; "1/2 cup" is read here, but "1/2 lb" with the units. Pure; any thread may call it.
"""

from __future__ import annotations

import re

from pipeline.text.english.around import last_word
from pipeline.text.english.figures import VULGAR, read_figure, spread, trimmed
from pipeline.text.english.numbers import cardinal, fraction, number_words
from pipeline.text.english.tables import words
from pipeline.text.rules import Rule, Said

_RATED = words("rated rating score scored scores gave give it got grade mark solid stars")
_PARTS = words(
    """page part step chapter slide episode week day lesson module section batch round phase test tests lap
    hole level track"""
)

_BESIDE = {*range(11, 51)} - {12, 16, 20, 32, 50}
"""Where the slash joins a number and the one after it, no fraction: "Windows 10/11", "the 24/25 season"."""

_VULGARS = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞↉"
_OPEN = r"(?<![\w.,:/$€£\\].)"
_BOUND = r"(?![\w/=+*^]|[.,][0-9])"


def _say_mixed(match: re.Match[str]) -> list[Said] | None:
    """Read "2 1/2" and "2½": "two and a half"."""
    whole = read_figure(match.group())
    if whole is None or not whole.part or int(match["top"] or 0) > int(match["bottom"] or 1):
        return None
    begin, end = match.span()
    cut = match.end("whole")
    return spread(match.string, [Said(whole.words, begin, cut), Said(whole.part, match.start("part"), end)])


def _say_vulgar(match: re.Match[str]) -> list[Said] | None:
    figure = read_figure(match.group())
    return [Said(figure.words, *match.span())] if figure else None


def _say_fraction(match: re.Match[str]) -> list[Said] | None:
    top, bottom = int(match["top"]), int(match["bottom"])
    text, begin, end = match.string, match.start(), match.end()
    after = text[end : end + 10]
    if re.match(r"[-\s]time\b", after) and bottom in (2, 4, 8):
        return [Said(f"{cardinal(top)} {cardinal(bottom)}", begin, end)]
    if last_word(text, begin) in _PARTS:
        return [Said(f"{cardinal(top)} of {cardinal(bottom)}", begin, end)]
    if bottom == top + 1 and bottom in _BESIDE and not re.match(r"\s(?:of|in|inch)\b", after):
        return [Said(f"{cardinal(top)} {cardinal(bottom)}", begin, end)]
    if _is_rating(match, top, bottom, after):
        return [Said(f"{cardinal(top)} out of {cardinal(bottom)}", begin, end)]
    if bottom < 2 or top > bottom or top == 0:
        return [Said(f"{cardinal(top)} over {cardinal(bottom)}", begin, end)]
    return [Said(fraction(top, bottom), begin, end)]


def _is_rating(match: re.Match[str], top: int, bottom: int, after: str) -> bool:
    if match["suffix"] or re.match(r"\s(?:of|in|inch|cup|mile)\b|-", after):
        return False
    if bottom in (10, 100) and top > 1:
        return True
    rated = last_word(match.string, match.start()) in _RATED or re.match(r"\s(?:stars|rating)\b", after)
    return top <= bottom and (top == bottom or (bottom in (5, 10, 20, 50, 100) and bool(rated)))


def _say_range(match: re.Match[str]) -> list[Said] | None:
    """Read "1/4–1/2"."""
    low, high = read_figure(match["low"]), read_figure(match["high"])
    if low is None or high is None or not low.value < high.value:
        return None
    return spread(
        match.string,
        [
            Said(low.words, *match.span("low")),
            Said("to", *trimmed(match.string, *match.span("dash"))),
            Said(f"{high.words} {high.part}".rstrip(), *match.span("high")),
        ],
    )


def _say_mark(match: re.Match[str]) -> list[Said]:
    """Read a mark with a point: "8.5/10", "3.8/4.0"."""
    top, _, bottom = match.group().partition("/")
    out_of = "out of" if float(top) <= float(bottom) else "over"
    return [Said(f"{number_words(top)} {out_of} {number_words(bottom)}", *match.span())]


RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(
            rf"(?P<low>[0-9]{_OPEN}[0-9]?/[0-9]{{1,2}}|[{VULGAR}](?<!\w.))(?P<dash>\s?[-–]\s?)"
            rf"(?P<high>(?:[0-9]{{1,2}} )?[0-9]{{1,2}}/[0-9]{{1,2}}|[0-9]{{0,2}}[{VULGAR}]){_BOUND}"
        ),
        _say_range,
        "-–",
    ),
    Rule(
        re.compile(
            rf"(?P<whole>[0-9]{_OPEN}[0-9]{{0,4}})[\s-]?(?P<part>[{VULGAR}]"
            rf"|(?<=[\s-])(?P<top>[0-9]{{1,2}})[/⁄](?P<bottom>[0-9]{{1,3}})){_BOUND}"
        ),
        _say_mixed,
        "/⁄" + _VULGARS,
    ),
    Rule(re.compile(f"[{VULGAR}]"), _say_vulgar, _VULGARS),
    Rule(
        re.compile(
            rf"[0-9]{_OPEN}[0-9]{{0,2}}\.[0-9]{{1,2}}/(?:[0-9]{{1,2}}\.[0-9]{{1,2}}|[0-9]{{1,3}}){_BOUND}"
        ),
        _say_mark,
        "/",
    ),
    Rule(
        re.compile(
            rf"(?P<top>[0-9]{_OPEN}[0-9]{{0,4}})[/⁄](?P<bottom>[0-9]{{1,6}})(?P<suffix>ths?|rds?|nds?|sts?)?{_BOUND}"
        ),
        _say_fraction,
        "/⁄",
    ),
)
