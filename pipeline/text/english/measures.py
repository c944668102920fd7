"""Figures with a unit: "5km", "20 °C", "40–60%", "a 10-mile run", "120 km/h", "1 1/2 tsp".

Knows no currencies and no times of the day. Pure; any thread may call it.
"""

from __future__ import annotations

import re

from pipeline.text.english.around import describes_noun, next_word
from pipeline.text.english.figures import FIGURE, UNSIGNED, Figure, figures, read_figure, spread, trimmed
from pipeline.text.english.tables import words
from pipeline.text.english.units import DOTTED, NEVER_APART, per_name, plural_of, unit_name
from pipeline.text.rules import Rule, Said

SCALES = "hundred|thousand|million|billion|trillion"
"""Words, for a pattern, that may stand between a figure and what it counts."""

COUNTED = words(
    """users user people followers views subscribers downloads customers records rows parameters params
    tokens jobs streams copies viewers visitors members fans likes plays shares votes dollars euros pounds
    installs players accounts subs listeners items samples images documents sales citizens refugees"""
)
"""What is counted by the million: "5m users" are no meters."""

_NAME = r"[A-Za-zµμΩΩ%‰％°º℃℉′″]"
_UNIT = rf"(?:[°º]\s[CF](?!\w)|(?:(?:sq|cu|fl)\.?\s?)?{_NAME}[A-Za-z]{{0,5}}+(?:[²³]|\^?[23])?+(?![\w²³]))"
PER = r"(?P<per>(?:\s?/\s?(?:sq\.?\s)?[A-Za-zµμ]{1,9}+(?:[²³]|\^?[23])?+(?![\w²³])){1,3})"
_AGAIN = rf"(?P<dash2>\s?[-‑–—]\s?)(?P<second>[-−]?{UNSIGNED})\s?(?P<unit2>{_UNIT})"
_MEASURE = re.compile(
    rf"{FIGURE}(?:\s(?:{SCALES})(?=\s))?(?P<gap>\s|[-‑]|)(?P<unit>{_UNIT})(?P<dot>\.(?!\w))?(?:{PER}|{_AGAIN})?"
)
_INCHES = re.compile(
    r"(?:\.(?:\s[a-z×(,]|,)|\s(?:x|by|wide|long|tall|thick|deep|high|screen|display|diameter)\b)"
)


def _say(match: re.Match[str]) -> list[Said] | None:
    symbol = re.sub(r"(?<=[°º])\s", "", match["unit"])
    unit = unit_name(symbol)
    answer = figures(match) if unit else None
    if unit is None or answer is None:
        return None
    parts, figure = answer
    if not _is_sure(match, symbol, figure):
        return None
    per = per_parts(match)
    begin, end = match.span("unit")
    if match["dot"] and symbol.rpartition(" ")[2] in DOTTED:
        end += 1
    whole = per[-1].end if per else end
    is_single = (
        match["gap"] in ("-", "‑") or figure.is_one or describes_noun(match.string, match.start(), whole)
    )
    name = unit if is_single else plural_of(unit)
    return spread(match.string, [*parts, Said(name, begin, end), *per, *_second(match)])


def per_parts(match: re.Match[str]) -> list[Said]:
    """Say what the group of `PER` is, if it is of units or of what else things are priced by."""
    if not match["per"]:
        return []
    names = [per_name(name.strip()) for name in match["per"].split("/")[1:]]
    if None in names:
        return []
    begin, end = trimmed(match.string, *match.span("per"))
    return [Said(" ".join(f"per {name}" for name in names), begin, end)]


def _second(match: re.Match[str]) -> list[Said]:
    """Say the second measure of a range that repeats its unit: "5% – 10%"."""
    figure = read_figure(match["second"]) if match["second"] else None
    unit = unit_name(match["unit2"]) if figure else None
    if figure is None or unit is None:
        return []
    words = f"{figure.sign} {figure.words} {figure.part}".strip()
    name = unit if figure.is_one else plural_of(unit)
    return [
        Said("to", *trimmed(match.string, *match.span("dash2"))),
        Said(" ".join(words.split()), *match.span("second")),
        Said(name, *match.span("unit2")),
    ]


def _is_sure(match: re.Match[str], symbol: str, figure: Figure) -> bool:
    """Tell whether a symbol that may be a word or an initial is a unit here."""
    apart = match["gap"].isspace()
    after = match.string[match.end("unit") : match.end("unit") + 10]
    if symbol == "in":
        return _INCHES.match(after) is not None if apart else not after.startswith("-")
    if symbol == "K":
        return apart and figure.value >= 100
    if symbol == "A":
        return not apart and "point" in figure.words
    if symbol == "s" and match["low"] in ("10", "100", "1000") and after.startswith(" of"):
        return False
    if symbol == "m" and not apart:
        return next_word(match.string, match.end("unit")) not in COUNTED
    is_modulo = symbol == "%" and apart and re.match(r"\s?\d", after) is not None
    return not is_modulo and not (apart and symbol in NEVER_APART)


RULES: tuple[Rule, ...] = (Rule(_MEASURE, _say),)
