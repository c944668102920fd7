"""Feet and inches, dimensions and angles: "5'10\"", "32\" screen", "1920x1080", "2 x 4", "45°30′N".

Knows no other units. Pure; any thread may call it.
"""

from __future__ import annotations

import re

from pipeline.text.english.around import describes_noun, next_word
from pipeline.text.english.figures import read_figure, spread, trimmed
from pipeline.text.english.measures import RACES
from pipeline.text.english.numbers import number_words, serial
from pipeline.text.english.tables import words
from pipeline.text.english.units import UNITS, plural_of
from pipeline.text.rules import Rule, Said

_SIZES = words("tall wide long deep high thick by x away ceiling ceilings man woman guy")
_COMPASS = {"N": "north", "S": "south", "E": "east", "W": "west"}

_OPEN = r"(?<![\w.,:/$€£].)"
_FOOT = "['’′]"
_INCH = "(?:[\"”″]|''|’’)"
_QUOTE = re.compile(r"(?<![0-9])\"")
_UNIT = "(?:[mck]?m|px|in|ft|[cm]?[lL]|k?g|[MGT]B|yd)(?![a-zA-Z])"
_NUMBER = r"[0-9]{0,5}(?:\.[0-9]{1,4})?"


def _counted(text: str, one: str, many: str) -> str:
    return f"{number_words(text)} {one if text == '1' else many}"


def _say_feet(match: re.Match[str]) -> list[Said] | None:
    """Read "5'10\"", "6′ 2″", "6'2" and "6' tall"."""
    text, end = match.string, match.end()
    feet = _counted(match["feet"], "foot", "feet")
    inches = match["inches"]
    if inches is None:
        sure = text[end - 1] == "′" or next_word(text, end) in _SIZES or text[end : end + 1] in ("x", "×")
        sure = sure or text[max(0, match.start() - 2) : match.start()] in ("x ", "× ", "y ", "'x", "’x", "'×")
        return [Said(feet, *match.span())] if sure else None
    if float(inches) >= 12:
        return None
    if describes_noun(text, match.start(), end):
        return [Said(f"{number_words(match['feet'])} foot {number_words(inches)}", *match.span())]
    parts = [Said(feet, match.start(), match.end("foot"))]
    return spread(
        text, [*parts, Said(_counted(inches, "inch", "inches"), match.start("inches"), match.end())]
    )


def _say_inches(match: re.Match[str]) -> list[Said] | None:
    """Read "32\" screen", unless the mark closes a quotation."""
    text, begin = match.string, match.start()
    if _is_quoted(text[:begin], match["mark"]):
        return None
    figure = read_figure(match["inches"])
    if figure is None:
        return None
    is_one = figure.is_one or describes_noun(match.string, begin, match.end())
    words = f"{figure.words} {figure.part}".rstrip()
    return [Said(f"{words} {'inch' if is_one else 'inches'}", *match.span())]


def _is_quoted(head: str, mark: str) -> bool:
    """Tell whether a quotation is open that the mark would close."""
    if mark == "”":
        return head.count("“") > head.count("”")
    return mark == '"' and len(_QUOTE.findall(head)) % 2 == 1


def _say_by(match: re.Match[str]) -> list[Said]:
    """Read what multiplies lengths: "1920x1080", "2 x 4 x 6", "10 × 15", "4x100m"."""
    parts: list[Said] = []
    for part in re.finditer(r"[0-9][0-9,.]*[0-9]|[0-9]|[x×X]", match["factors"]):
        begin, end = match.start() + part.start(), match.start() + part.end()
        by = part.group() in "x×X"
        parts.append(Said("by" if by else _size(part.group()), begin, end))
    unit = UNITS[match["unit"]] if match["unit"] else ""
    if unit:
        is_kind = next_word(match.string, match.end()) in RACES
        parts.append(Said(unit if is_kind else plural_of(unit), *match.span("unit")))
    return spread(match.string, parts)


def _size(text: str) -> str:
    return serial(text) if len(text) == 4 and text.isdigit() else number_words(text)


def _say_cross(match: re.Match[str]) -> list[Said]:
    """Read the sign between two lengths with units: "5 m x 3 m"."""
    return [Said("by", *trimmed(match.string, *match.span()))]


def _say_angle(match: re.Match[str]) -> list[Said]:
    """Read "45°30′15″ N"."""
    parts = []
    for group, one, many in (
        ("degrees", "degree", "degrees"),
        ("minutes", "minute", "minutes"),
        ("seconds", "second", "seconds"),
    ):
        if match[group]:
            words = _counted(match[group], one, many)
            parts.append(Said(words, match.start(group), match.end(group) + 1))
    if match["compass"]:
        parts.append(Said(_COMPASS[match["compass"]], *match.span("compass")))
    return spread(match.string, parts)


def _say_times(match: re.Match[str]) -> list[Said] | None:
    """Read "3x faster" and "1.5×"; no unknown of an equation."""
    if re.match(r"\s?[-+=^*/−²³]", match.string[match.end() : match.end() + 2]):
        return None
    number = match["number"]
    words = f"{number_words(number)} time{'' if number == '1' else 's'}"
    if match["high"]:
        words = f"{number_words(number)} to {number_words(match['high'])} times"
    return [Said(words, *match.span())]


RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(
            rf"(?P<degrees>[0-9]{_OPEN}{_NUMBER})[°º]\s?(?:(?P<minutes>[0-9]{{1,2}}(?:\.[0-9]+)?)['’′]\s?)"
            rf"(?:(?P<seconds>[0-9]{{1,2}}(?:\.[0-9]+)?)[\"”″]\s?)?(?P<compass>[NSEW](?!\w))?"
        ),
        _say_angle,
        "°º",
    ),
    Rule(
        re.compile(
            rf"(?P<feet>[0-9](?:(?<![\w.,:/$€£'’].)|(?<={_FOOT}[x×].))[0-9]{{0,3}})(?P<foot>{_FOOT})"
            rf"(?:[\s-]?(?P<inches>[0-9]{{1,2}}(?:\.[0-9])?)(?:{_INCH}|(?![\w'’])))?(?!\w(?<!x))"
        ),
        _say_feet,
        "'’′",
    ),
    Rule(
        re.compile(
            rf"(?P<inches>[0-9](?:(?<![\w.,:/$€£\"“].)|(?<=[\"”″][x×].)){_NUMBER}"
            r"(?:(?:[ -][0-9]{1,2})?/[0-9]{1,2})?)(?P<mark>[\"”″]|'')(?!\w(?<!x))"
        ),
        _say_inches,
        "\"”″'",
    ),
    Rule(
        re.compile(
            rf"(?P<factors>[0-9]{_OPEN}[0-9.,]{{0,8}}(?:\s?[x×X]\s?[0-9][0-9.,]{{0,8}}(?<=[0-9])){{1,3}}+)(?:(?:\s(?=[cm]?m\b|ft\b|yd\b|px\b))?(?P<unit>{_UNIT}))?(?![\w^⁻⁰-⁹]|\s?=)"
        ),
        _say_by,
        "x×X",
    ),
    Rule(
        re.compile(
            r"[x×](?<=[a-z\"”″'′°%²³]\s.)(?=\s[0-9])|[x×](?<=[a-z\"”″'’′°%²³].)(?<![a-wyz]x)(?=[0-9])"
        ),
        _say_cross,
        "x×",
    ),
    Rule(
        re.compile(
            rf"(?P<number>[0-9](?<![\w.,:/$€£].){_NUMBER})(?:[-–](?P<high>[0-9]{_NUMBER}))?[x×X](?![\w'’])"
        ),
        _say_times,
        "x×X",
    ),
)
