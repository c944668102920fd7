"""Numbers that name and count nothing, digit by digit: telephone, card, security and postal numbers, codes.

A pause parts their groups. Knows no dates and no ranges, but what looks like one is left to them. Pure; any
thread may call it.
"""

from __future__ import annotations

import re

from pipeline.text.english.around import last_word, next_word
from pipeline.text.english.context import words_before
from pipeline.text.english.figures import spread
from pipeline.text.english.known_capitals import STATES
from pipeline.text.english.numbers import digits, number_words
from pipeline.text.english.tables import words
from pipeline.text.rules import Rule, Said

FEWEST, MOST = 7, 15
"""Digits of an international telephone number."""

_EMERGENCY = words("911 999 112 000 988 411 311 211 511 811 101 111 105 119 110")
_CALLED = words("call called calling calls dial dialed dialing dialled phone phoned ring text texted texting")
_CODED = words("code pin otp passcode password zip extension ext postcode")
_NO_EMERGENCY = words("porsche flight of the a room bus route about over nearly some almost chapter page")
_AFTER_911 = words(
    "is was if for to and or in when immediately now right before after again because so but then"
)
_TEXTED = words("text sms texting")
_SHORT_CODES = (5, 6)
_LINKING = words("is was are to number")

_GROUP = re.compile(r"[0-9]+|[A-Z]+")


def _say_groups(match: re.Match[str]) -> list[Said]:
    """Read each group of digits, with a comma where another follows."""
    parts = []
    groups = list(_GROUP.finditer(match.string, *match.span()))
    for group in groups:
        words = digits(group.group()) if group.group().isdigit() else group.group().lower()
        if group is not groups[-1]:
            words += ","
        parts.append(Said(words, *group.span()))
    begin = match.start()
    sign = "plus " if match.group()[0] == "+" else ""
    parts[0] = Said(sign + parts[0].words, begin, parts[0].end)
    if match.group()[-1] == ")":
        parts[-1] = Said(parts[-1].words, parts[-1].begin, match.end())
    return spread(match.string, _closed(match.string, parts))


def _closed(text: str, parts: list[Said]) -> list[Said]:
    """Let each group take the brackets that touch it: "(555) 123-4567"."""
    closed: list[Said] = []
    for part in parts:
        begin = part.begin - 1 if part.begin and text[part.begin - 1] == "(" and closed else part.begin
        end = part.end + 1 if text[part.end : part.end + 1] == ")" else part.end
        closed.append(Said(part.words, begin, end))
    return closed


def _say_international(match: re.Match[str]) -> list[Said] | None:
    count = sum(map(str.isdigit, match.group()))
    return _say_groups(match) if FEWEST <= count <= MOST else None


def _say_chain(match: re.Match[str]) -> list[Said] | None:
    """Read three or more groups: "12-34-56", but no "1-2-3" of single digits, which pause nowhere."""
    if max(map(len, match.group().split("-"))) > 1:
        return _say_groups(match)
    return spread(match.string, [Said(digits(match.group()), *match.span())])


def _say_emergency(match: re.Match[str]) -> list[Said] | None:
    number = match.group()
    before = last_word(match.string, match.start())
    called = before in _CALLED or (number == "911" and _is_911(match, before))
    after = match.string[match.end() : match.end() + 12]
    if number in _EMERGENCY and (called or re.match(r" (?:call|operator|dispatch|emergenc|hotline)", after)):
        return [Said(digits(number), *match.span())]
    return None


def _is_911(match: re.Match[str], before: str) -> bool:
    """Tell the emergency number from a car, a flight and what is counted."""
    follower = next_word(match.string, match.end()).lower()
    return before not in _NO_EMERGENCY and (not follower or follower in _AFTER_911)


def _say_extension(match: re.Match[str]) -> list[Said]:
    """Read the "x89" behind a telephone number."""
    return [Said(f"extension {number_words(match['number'])}", *match.span())]


def _say_code(match: re.Match[str]) -> list[Said] | None:
    """Read what a word before it calls a code: "PIN: 0420", "the code is 482913", "zip code 62704"."""
    before = words_before(match.string, match.start())
    short = len(match.group()) in _SHORT_CODES and _TEXTED & {word.lower() for word in before}
    if short and before[-1].lower() in ("to", "text", "sms", "texting"):
        return [Said(digits(match.group()), *match.span())]
    while before and before[-1].lower().strip(":") in _LINKING:
        before.pop()
    if not before or before[-1].lower().strip(":.#") not in _CODED:
        return None
    return [Said(digits(match.group()), *match.span())]


def _say_zip(match: re.Match[str]) -> list[Said] | None:
    state = match.string[match.start() - 3 : match.start() - 1]
    return _say_groups(match) if state in STATES or state == "DC" else None


_EDGE = r"(?<![\w.,:/$€£-].)"
_END = r"(?![\w/]|[-.,]\d)"
_SEPARATOR = "[-.\u2010\u2011 ]"

RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(
            rf"\+(?<!\w.)[0-9]{{1,3}}(?:[-. ]?\([0-9]{{1,4}}\)[-. ]?|[-. ]|(?=[0-9]))"
            rf"[0-9]{{2,12}}(?:[-. ][0-9]{{2,5}}){{0,5}}{_END}"
        ),
        _say_international,
        "+",
    ),
    Rule(
        re.compile(
            rf"[1(2-9]{_EDGE}(?:(?<=1)[-. ](?=[(2-9])\(?[2-9]?|)"
            rf"(?:(?<=[(])[2-9]|(?<=[2-9]))[0-9]{{2}}(?:\)[-. ]?|{_SEPARATOR})"
            rf"[0-9]{{3}}{_SEPARATOR}[0-9]{{4}}{_END}"
        ),
        _say_groups,
    ),
    Rule(re.compile(rf"1{_EDGE}-8[0-9]{{2}}-[A-Z]{{3,10}}(?!\w)"), _say_groups),
    Rule(re.compile(rf"[2-9]{_EDGE}[0-9]{{2}}[-\u2010\u2011][0-9]{{4}}{_END}"), _say_groups),
    Rule(re.compile(rf"0{_EDGE}[0-9]{{2,4}}[- ][0-9]{{3,4}}(?:[- ][0-9]{{3,4}})?{_END}"), _say_groups),
    Rule(re.compile(rf"[0-9]{_EDGE}[0-9]{{3}}([- ])[0-9]{{4}}\1[0-9]{{4}}\1[0-9]{{4}}{_END}"), _say_groups),
    Rule(re.compile(rf"3{_EDGE}[47][0-9]{{2}}([- ])[0-9]{{6}}\1[0-9]{{5}}{_END}"), _say_groups),
    Rule(re.compile(rf"[0-9]{_EDGE}[0-9]{{4}}-[0-9]{{4}}{_END}"), _say_groups),
    Rule(re.compile(rf"[0-9]{_EDGE}[0-9]{{4}}(?<=[A-Z][A-Z][ ].....){_END}"), _say_zip),
    Rule(re.compile(rf"[0-9]{_EDGE}[0-9]{{0,12}}(?:-[0-9]{{1,13}}){{2,8}}{_END}"), _say_chain),
    Rule(re.compile(rf"[0-9]{_EDGE}[0-9]{{0,12}}-0[0-9]{{1,12}}{_END}"), _say_groups, "-"),
    Rule(
        re.compile(r"x(?<=[0-9]{3}[-. ][0-9]{4}\sx)(?P<number>[0-9]{1,6})(?!\w)"),
        _say_extension,
        "x",
    ),
    Rule(re.compile(rf"[0-9]{_EDGE}[0-9]{{2}}{_END}"), _say_emergency),
    Rule(re.compile(rf"[0-9]{_EDGE}[0-9]{{2,11}}{_END}"), _say_code),
)
