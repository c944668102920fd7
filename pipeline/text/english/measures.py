"""Figures with a unit: "5km", "20 °C", "40–60%", "a 10-mile run", "120 km/h", "1 1/2 tsp".

Knows no currencies and no times of the day. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pipeline.text.english.around import describes_noun, last_word, next_word
from pipeline.text.english.figures import FIGURE, UNSIGNED, Figure, figures, read_figure, spread, trimmed
from pipeline.text.english.tables import one_of, words
from pipeline.text.english.units import DOTTED, NEVER_APART, UNITS, per_name, plural_of, unit_name
from pipeline.text.rules import Rule, Said

SCALES = "hundred|thousand|million|billion|trillion"
"""Words, for a pattern, that may stand between a figure and what it counts."""

COUNTED = words(
    """users user people followers views subscribers downloads customers records rows parameters params
    tokens jobs streams copies viewers visitors members fans likes plays shares votes dollars euros pounds
    installs players accounts subs listeners items samples images documents sales citizens refugees"""
)
"""What is counted by the million: "5m users" are no meters."""

_HEATED = words("to at of around about above below under over is was reached hit and or until from")
"""Words after which "180C" is a temperature and no seat."""

RACES = words("dash race run sprint freestyle hurdles relay walk hike butterfly backstroke medley swim")
"""What is named by its length: "the 100m dash"."""

_SYMBOL = one_of(UNITS)
_UNIT = rf"(?:[°º]\s[CFNSEW]|(?:(?:sq|cu|fl)\.?\s)?{_SYMBOL}(?:[²³]|\^?[23](?!\w))?)(?![\w²³])"
_BITS = re.compile(r"\b[0-9]s (?:and|or) [0-9]s\b")
_BILLS = re.compile(r"\b(?:[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive|[Ss]ix|[Tt]en|few|many|some|crisp) \Z")
_OF_OTHERS = re.compile(r" (?:of|more)\b")
_PLANES = re.compile(r"7[0-9]7")
NAMED_S = words("iphone galaxy model xbox")
"""Names whose number may end in an "s" that is no second: "iPhone 5s"."""
_POURED = re.compile(
    r"\.?\s(?:of\s)?(?:(?:warm|hot|cold|cooked|sliced|fresh|heavy|packed|chopped|diced|shredded|grated|minced|brown"
    r"|white|powdered|granulated|whole|unsalted|all-purpose|dry|dried|frozen)\s){0,2}(?:milk|water|flour|sugar"
    r"|butter|rice|oil|broth|stock|cream|cheese|buttermilk|juice|oats|nuts|chocolate|onions?|carrots?|celery"
    r"|yogurt|honey|berries|pecans|walnuts|raisins|beans|pasta|spinach|parsley|cheddar|mozzarella)\b"
)
_TIMES = words(
    "day week month mo year yr hour hr minute min second sec night person user game meal serving each"
)
_FAST = 300
"""Bits per second, at least: fewer are basis points."""
PER = r"(?P<per>(?:\s?/\s?(?:sq\.?\s)?[A-Za-zµμ]{1,9}+(?:[²³]|\^?[23])?+(?![\w²³])){1,3})"
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_POWER = re.compile(rf"(?:\^[-−]?[0-9]{{1,4}}|[{_RAISED}])\s\Z")
_AGAIN = rf"(?P<dash2>\s?[-‑–—]\s?)(?P<second>[-−]?{UNSIGNED})\s?(?P<unit2>{_UNIT})"
_MEASURE = re.compile(
    rf"{FIGURE}(?:\s(?:{SCALES})(?=\s))?(?P<gap>\s|[-‑]|)(?P<unit>{_UNIT})(?P<dot>\.(?!\w))?(?:{PER}|{_AGAIN})?"
)
_INCHES_FROM = words("was is about of by to and measures measured ft feet foot")
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
    doubt = _DOUBTFUL.get(symbol)
    if doubt and not doubt(match, figure):
        return None
    per = per_parts(match)
    begin, end = match.span("unit")
    if match["dot"] and symbol.rpartition(" ")[2] in DOTTED:
        end += 1
    whole = per[-1].end if per else end
    is_single = match["gap"] in ("-", "‑") or figure.is_one or _names_kind(match, whole)
    if symbol == "bps" and figure.value >= _FAST:
        unit = "bit per second"
    if symbol in ("pt", "pts") and _POURED.match(match.string, match.end("unit")):
        unit = "pint"
    name = unit if is_single else plural_of(unit)
    return spread(match.string, [*parts, Said(name, begin, end), *per, *_second(match)])


def _names_kind(match: re.Match[str], end: int) -> bool:
    return describes_noun(match.string, match.start(), end) or next_word(match.string, end) in RACES


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


def _is_apart(match: re.Match[str]) -> bool:
    return match["gap"].isspace()


def _after(match: re.Match[str]) -> str:
    return match.string[match.end("unit") : match.end("unit") + 10]


def _is_inch(match: re.Match[str], figure: Figure) -> bool:
    after = _after(match)
    if not _is_apart(match):
        return not after.startswith("-")
    if _INCHES.match(after) or last_word(match.string, match.start()) in ("ft", "feet", "foot"):
        return True
    is_part = "point" in figure.words or bool(figure.part)
    return after.startswith(".") and (is_part or last_word(match.string, match.start()) in _INCHES_FROM)


def _is_temperature(match: re.Match[str], _: Figure) -> bool:
    return last_word(match.string, match.start()) in _HEATED


def _is_kelvin(match: re.Match[str], figure: Figure) -> bool:
    return _is_apart(match) and figure.value >= 100


def _is_amp(match: re.Match[str], figure: Figure) -> bool:
    return not _is_apart(match) and "point" in figure.words


def _is_second(match: re.Match[str], _: Figure) -> bool:
    """Tell "5s" from "6s and 7s", "100s of", "1,000s", "two 20s", "777s" and "iPhone 5s"."""
    low, begin = match["low"], match.start()
    if _is_apart(match):
        return True
    if len(low) == 1 and _BITS.search(match.string[max(0, begin - 7) : match.end() + 7]):
        return False
    if _BILLS.search(match.string, max(0, begin - 8), begin) and low in ("1", "5", "10", "20", "50", "100"):
        return False
    if low.strip("01") == "" and low[0] == "1" and len(low) > 1 and _OF_OTHERS.match(_after(match)):
        return False
    if match.string[max(0, begin - 4) : begin].endswith(("No. ", "no. ", "#")):
        return False
    named = _PLANES.fullmatch(low) or last_word(match.string, begin) in NAMED_S
    return not named and "," not in low


def _is_cup(match: re.Match[str], figure: Figure) -> bool:
    return _is_apart(match) and _POURED.match(match.string, match.end("unit")) is not None


def _is_atmosphere(match: re.Match[str], _: Figure) -> bool:
    return not _is_apart(match) or last_word(match.string, match.start()) in _HEATED | {"of", "pressure"}


def _is_meter(match: re.Match[str], _: Figure) -> bool:
    return _is_apart(match) or next_word(match.string, match.end("unit")) not in COUNTED


def _is_percent(match: re.Match[str], _: Figure) -> bool:
    """ "5 % 3" is a remainder."""
    return not _is_apart(match) or re.match(r"\s?\d", _after(match)) is None


def _touches(match: re.Match[str], _: Figure) -> bool:
    return not _is_apart(match)


_DOUBTFUL: dict[str, Callable[[re.Match[str], Figure], bool]] = {
    **dict.fromkeys(NEVER_APART, _touches),
    **dict.fromkeys("CF", _is_temperature),
    "in": _is_inch,
    "K": _is_kelvin,
    "A": _is_amp,
    "s": _is_second,
    "c": _is_cup,
    "atm": _is_atmosphere,
    "m": _is_meter,
    "%": _is_percent,
}
"""How to tell whether a symbol that may be a word or an initial is a unit in its place."""


def _say_each(match: re.Match[str]) -> list[Said] | None:
    """Read "3/day" and "10/hr"."""
    answer = figures(match) if match["each"] in _TIMES else None
    if answer is None:
        return None
    name = per_name(match["each"])
    assert name is not None, "all of them are known"
    return spread(match.string, [*answer[0], Said(f"per {name}", match.start("each") - 1, match.end())])


def _say_behind_power(match: re.Match[str]) -> list[Said] | None:
    """Read the unit of "3 × 10^8 m/s"."""
    unit = unit_name(match["unit"])
    if (
        unit is None
        or match["unit"] in ("in", "a", "A", "c", "s")
        or not _POWER.search(match.string[max(0, match.start() - 8) : match.start()])
    ):
        return None
    return spread(match.string, [Said(plural_of(unit), *match.span("unit")), *per_parts(match)])


RULES: tuple[Rule, ...] = (
    Rule(_MEASURE, _say),
    Rule(re.compile(rf"{FIGURE}/(?P<each>[a-z]{{2,7}}+)(?![\w/])"), _say_each, "/"),
    Rule(
        re.compile(rf"(?P<unit>[A-Za-zµμΩ](?<=[0-9{_RAISED}]\s.)[A-Za-z]{{0,4}})(?![\w²³])(?:{PER})?"),
        _say_behind_power,
        "^" + _RAISED,
    ),
)
