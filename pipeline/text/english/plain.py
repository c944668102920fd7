"""Figures that stand for themselves: cardinals, ordinals, ranges, "10k", "#1", "No. 5", "5+", "100s of".

What is left of the digits when dates, units and the like are read. Pure; any thread may call it.
"""

from __future__ import annotations

import re

from pipeline.text.english.around import last_word, next_word
from pipeline.text.english.context import words_before
from pipeline.text.english.figures import FIGURE, figures, spread
from pipeline.text.english.measures import COUNTED, NAMED_S, SCALES
from pipeline.text.english.numbers import cardinal, digits, number_words, ordinal, plural, serial
from pipeline.text.english.tables import words
from pipeline.text.rules import Rule, Said

_RUNS = words(
    "run race runs races marathon display tv monitor video resolution screen gaming uhd footage camera"
)
"""Words after which "10K" and "4K" keep their letter."""
_NUMBERED = words("form forms room route highway interstate flight boeing porsche http error port")
"""What has a number for a name."""

_SMALL_KS = words("2 4 5 6 8")
_LETTERS = {
    "k": "thousand",
    "K": "thousand",
    "M": "million",
    "m": "million",
    "bn": "billion",
    "mn": "million",
}
_LETTERS |= {"mln": "million", "tn": "trillion", "B": "billion", "T": "trillion", "b": "billion"}
_SURE = words("k M bn mn mln tn")
_ROUND = {
    "10": "tens",
    "100": "hundreds",
    "1000": "thousands",
    "10000": "tens of thousands",
    "100000": "hundreds of thousands",
    "1000000": "millions",
}
_RACED = words("a an my first the his her this our local charity weekly")
_AFTER_RACE = words("and or in on for this last with next at tomorrow today yesterday")
_MAKER = re.compile(
    r"['’]s\b|\s(?:Co|Company|Corp|Inc|tape|masks?|said|says|makes|made|announced|shares|stock)\b"
)
_LONGEST_NUMBER = 4
"""Digits of a number behind a "#": longer ones are codes."""
_LEGAL = words("section sections rule article articles sec § §§ clause paragraph title code subsection para")

_OPEN = r"(?<![\w.,:/$€£].)"


def _say_number_sign(match: re.Match[str]) -> list[Said]:
    """Read "#1", "No. 5", "Nos. 5 and 6"; a number that stands apart is left to the other rules."""
    name = "numbers" if "s" in match["sign"] else "number"
    if match["digits"] is None:
        return [Said(name, *match.span("sign"))]
    is_code = match["sign"] == "#" and len(match["digits"]) > _LONGEST_NUMBER
    words = digits(match["digits"]) if is_code else number_words(match["digits"])
    return [Said(f"{name} {plural(words) if match['many'] else words}", *match.span())]


def _say_ordinal(match: re.Match[str]) -> list[Said] | None:
    """Read "1st", "22nd", "1ˢᵗ", "5ths"."""
    number = match["digits"].replace(",", "")
    if len(number) > 15:
        return None
    words = ordinal(int(number))
    return [Said(plural(words) if match["plural"] else words, *match.span())]


def _say_ordinal_range(match: re.Match[str]) -> list[Said]:
    """Read the dash of "3rd–5th"."""
    return [Said("to", *match.span())]


def _say_scaled(match: re.Match[str]) -> list[Said] | None:
    """Read "10k", "5M", "1.5bn", "7B parameters", "10,5 million"."""
    letters = match["letters"]
    answer = figures(match)
    if answer is None or not _is_scaled(match, letters, match["high"] or match["low"]):
        return None
    parts = [*answer[0], Said(_LETTERS[letters], *match.span("letters"))]
    if match["plus"]:
        parts.append(Said("plus", *match.span("plus")))
    return spread(match.string, parts)


def _is_scaled(match: re.Match[str], letters: str, figure: str) -> bool:
    follower = next_word(match.string, match.end()).lower()
    if letters in "kK" and (follower in _RUNS or _is_race(match, figure, follower)):
        return False
    if letters == "K":
        return figure not in _SMALL_KS or follower in COUNTED
    if figure == "3" and letters == "M" and _MAKER.match(match.string, match.end()):
        return False
    return letters in _SURE or "." in figure or follower in COUNTED


def _is_race(match: re.Match[str], figure: str, follower: str) -> bool:
    """Tell "ran a 10k" from "a 10k loan"."""
    if figure not in ("5", "10") or last_word(match.string, match.start()) not in _RACED:
        return False
    return not follower or follower in _AFTER_RACE


def _say_decimal_comma(match: re.Match[str]) -> list[Said] | None:
    """Read "1,5 million"."""
    answer = figures(match)
    return spread(match.string, answer[0]) if answer else None


def _say_figure(match: re.Match[str]) -> list[Said] | None:
    """Read a number or a range with its sign: "-5", "~1,000", "10–12"."""
    answer = figures(match, comma=False)
    if answer is None:
        return None
    parts, _ = answer
    if match["plus"]:
        parts.append(Said("plus", *match.span("plus")))
    return spread(match.string, parts)


def _say_many(match: re.Match[str]) -> list[Said] | None:
    """Read "100s of", "1,000s", "747s", "0s and 1s"; the letter of "iPhone 5s" is none of it."""
    if last_word(match.string, match.start()) in NAMED_S:
        return None
    number = match["digits"]
    words = _ROUND.get(number.replace(",", ""))
    if words is None:
        words = plural(number_words(number) if "," in number else serial(number))
    return [Said(words, *match.span())]


def _say_law(match: re.Match[str]) -> list[Said] | None:
    """Read "501(c)(3)", "230(c)(1)" and "401(k)"."""
    number = match["number"]
    if len(number) < _FEWEST_OF_LAW and last_word(match.string, match.start()) not in _LEGAL:
        return None
    begin, end = match.span()
    parts = [Said(serial(number), begin, end)]
    for group in _GROUP.findall(match["groups"]):
        if group.isdigit():
            parts.append(Said(number_words(group), begin, end))
        else:
            parts.append(Said(" ".join(group.upper()), begin, end, spelled=True))
    return parts


def _say_team(match: re.Match[str]) -> list[Said]:
    """Read "49ers" and "76ers"."""
    words = cardinal(int(match["digits"]))
    return [Said(words + ("rs" if words.endswith("e") else "ers"), *match.span())]


def _say_plane(match: re.Match[str]) -> list[Said]:
    """Read "737-800" as its makers do."""
    first, _, last = match.group().partition("-")
    return [Said(f"{serial(first)} {serial(last)}", *match.span())]


def _say_twice(match: re.Match[str]) -> list[Said]:
    """Read "24-7" and "50-50"."""
    first, _, last = match.group().partition("-")
    return [Said(f"{number_words(first)} {number_words(last)}", *match.span())]


def _say_numbered(match: re.Match[str]) -> list[Said] | None:
    """Read "Room 101", "Boeing 747" and "error 404" as numbers are called that nobody counts to."""
    before = words_before(match.string, match.start())[-2:]
    is_flight = len(before) == 2 and before[0].lower() == "flight" and before[1].isupper()
    if not is_flight and last_word(match.string, match.start()) not in _NUMBERED:
        return None
    return [Said(serial(match.group()), *match.span())]


def _say_model(match: re.Match[str]) -> list[Said]:
    """Read "RTX 4090" as it is called."""
    return [Said(serial(match["digits"]), *match.span("digits"))]


_FEWEST_OF_LAW = 3
_GROUP = re.compile(r"[0-9]+|[A-Za-z]+")
_NUMBER_SIGN = (
    r"(?P<sign>[#№Nn](?<![\w&].)(?:(?<=[Nn])(?:os?|r|O)\.)?(?<=[#№.]))"
    r"(?:\s?(?=[0-9]+[-–.,/][0-9])|\s(?=[0-9]+(?![0-9s]))|(?<=#)(?=[0-9]{1,5}[A-Za-z](?!\w))"
    r"|\s?(?P<digits>[0-9]{1,9})(?P<many>s)?(?!\w))"
)

RULES: tuple[Rule, ...] = (
    Rule(re.compile(_NUMBER_SIGN), _say_number_sign, "#№."),
    Rule(
        re.compile(
            rf"(?P<number>[0-9]{_OPEN}[0-9]{{0,3}})(?P<groups>\([A-Za-z]\)(?:\([0-9A-Za-z]{{1,3}}\)){{0,4}}"
            r"|(?<=40[13])k|(?<=457)b)(?![\w(])"
        ),
        _say_law,
    ),
    Rule(
        re.compile(
            rf"(?P<digits>[0-9]{_OPEN}[0-9,]{{0,20}})(?:st|nd|rd|th|ST|ND|RD|TH|ˢᵗ|ⁿᵈ|ʳᵈ|ᵗʰ|º(?=\s))(?P<plural>s)?(?![\w])"
        ),
        _say_ordinal,
        "dthDTHˢⁿʳᵗº",
    ),
    Rule(
        re.compile(r"[-–](?<=[0-9](?:st|nd|rd|th).)(?=[0-9]{1,3}(?:st|nd|rd|th)(?!\w))"),
        _say_ordinal_range,
        "-–",
    ),
    Rule(
        re.compile(rf"{FIGURE}(?P<letters>[kKMBTmb]|\s?(?:bn|mn|mln|tn))(?![\w'’])(?P<plus>\+)?"),
        _say_scaled,
        "kKMBTmbt",
    ),
    Rule(re.compile(rf"{FIGURE}(?=\s(?:{SCALES})\b)"), _say_decimal_comma),
    Rule(re.compile(rf"(?P<digits>[0-9]{_OPEN}[0-9,]{{0,8}})['’]?s(?![\w'’])"), _say_many, "s"),
    Rule(re.compile(rf"(?P<digits>[0-9]{_OPEN}[0-9]?)ers(?!\w)"), _say_team, "e"),
    Rule(re.compile(rf"7{_OPEN}[0-9]7-[0-9]{{1,3}}(?![\w-])"), _say_plane, "-"),
    Rule(re.compile(rf"[25]{_OPEN}(?:(?<=2)4-7|(?<=2)0-20|(?<=5)0-50)(?![\w-])"), _say_twice, "-"),
    Rule(re.compile(rf"[1-9]{_OPEN}[0-9]{{2,3}}(?![\w%°]|[-.,:/][0-9])"), _say_numbered),
    Rule(re.compile(r"[RG](?<!\w.)(?:TX|X)\s(?P<digits>[0-9]{4})(?!\w|[.,][0-9])"), _say_model, "X"),
    Rule(re.compile(rf"{FIGURE}(?P<plus>\+(?![\w+]))?(?![\w%°]|[.,:/][0-9])"), _say_figure),
)
