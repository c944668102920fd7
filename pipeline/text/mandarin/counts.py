"""Numbers that count or order, and the marks that join two of them.

Claims every digit the other rules left, so it comes last of those that read numbers. Pure; any thread may
call it.
"""

from __future__ import annotations

import re

from pipeline.text.mandarin.numbers import digits, number
from pipeline.text.mandarin.patterns import DIGITS, FIRST, NUMBER, REST, before
from pipeline.text.mandarin.units import COUNTED, UNIT, unit_words
from pipeline.text.rules import Rule, Said, said

LONGEST_PLAIN = 8
"""Digits at most of a number that counts nothing and is yet said as one; a longer one is digits."""

_VERSION = re.compile(
    r"[0-9](?<![0-9.].)[0-9]{0,3}(?P<more>(?:\.[0-9]{1,6}){2,6})(?![0-9])(?::(?P<port>[0-9]{2,5}))?"
)
_ABOUT = re.compile(rf"[1-9](?<![0-9.第、].)、(?P<next>[1-9])(?= ?(?:[多几]?{COUNTED}|[年月日号成折度层]))")
_SHORT_DECIMAL = re.compile(r"\.(?<![\w.].)[0-9]++(?!\.)")
_AFTER_UNIT = re.compile(
    r"米(?P<metres>[0-9]{1,2})(?![0-9.]| ?[个次秒])|秒(?P<hundredths>[0-9]{2})(?![0-9.]| ?[个次秒])|"
    r"块(?P<cents>[0-9]0)(?![0-9.])"
)
_CHAINED = re.compile(rf"{FIRST}[0-9]*(?:-[0-9]++){{2,}}")
_DASH = re.compile(
    r"[-~—](?=[ .]?-?[0-9]|(?:公元|西元|(?:公元|西元)?前)[0-9]|今(?![天年日晚])|[¥$€£]|(?<=[²³].)[A-Za-z(])"
)
_SCIENTIFIC = re.compile(
    rf"(?P<value>{NUMBER})(?P<mark>e|E(?=[-+]))(?P<sign>[-+]?)(?P<power>[0-9]{{1,3}})(?![0-9A-Za-z])"
)
_ORDER = "[一二三四五六七八九十]"
_DAYS_DASH = re.compile(
    rf"[-~—](?<=[一二三四五六日十末].)(?:(?=(?:周|星期)[一二三四五六日末])|(?<={_ORDER}.)(?={_ORDER}[年月日号级班期层楼章节]))"
)
_DAY_LIKE = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
"""A day written in eight digits."""
_NUMBER = re.compile(NUMBER)
_LEFT = re.compile(r"[0-9]+")
_LINK = re.compile(r"[0-9]++-?")

_COUNTED = re.compile(rf" ?(?:多 ?)?(?:{COUNTED}|(?P<unit>{UNIT})(?![A-Za-z]))")
_COUNTED_LATER = re.compile(rf" ?[-~—到至或] ?[0-9]{REST} ?{COUNTED}")
_UNITED = re.compile(rf" ?(?:{UNIT}|[\u4e00-\u9fff])")
_ORDERS = re.compile(r"[第周期十零点+×÷*/^](?<!每周) ?\Z|[A-Za-z]\Z")
_PLACED = re.compile(" ?[栋幢座层排组][0-9A-Za-z]")
_LETTER = re.compile(r"(?:[A-WYZa-wyz]|(?<![0-9 ])[xX]|[A-Za-z] ?[0-9]{1,5}-)(?:[-. ]|[@_·])?\Z")
_WORD = re.compile(r"[A-Za-z][a-z] ?\Z")
_NAME_ENDS = re.compile(r" ?(?:\Z|[^\w\s%]|[的是和与或跟及在比])")
_CODED = re.compile(r"[A-Za-z] ?[0-9]+\Z")
_NUMBERED = re.compile(r"[图表例题式录] ?[0-9]+\Z")
_SAVED = re.compile(r"满 ?[0-9]+\Z")
_TAKEN_FROM = re.compile(r"[²³)]\Z|[A-Za-z] ?\Z")
_RECKONED = re.compile(rf"-(?:(?<=[²³)].)| ?[0-9]{REST}[A-Za-z]? ?[=<>≤≥])")
_RANGE_END = re.compile(
    r"[0-9]\Z|[0-9一二三四五六七八九十百千万亿半多][^0-9，。、；,;()（）\s]{0,3}"
    r"[年月日号时点分秒元块角毛万亿千百岁度米斤克升吨天周层楼页章节名位个里℃℉°%a-zA-Z㎡](?<!温度)\Z"
)
"""The end of the first of two numbers that a dash joins, and of its unit."""

_DEGREES = re.compile(rf" ?[0-9]{REST}(?: ?[-~—到至] ?-?[0-9]{REST})? ?(?:[℃℉°度]|摄氏)")
_NAMED = re.compile(r"(?<![0-9A-Za-z.])[A-Z]+\Z")
"""Letters that a dash joins to their number, as in "CET-4"; behind a number they are its unit."""
_MONEY = "¥$€£"
_PERCENTAGE = re.compile(rf" ?[0-9]{REST}%")
_BELOW = re.compile(
    r"(?:\A|[\s是为到至达约于在低降升值度温从得减差和与或比仅跌涨负调时:=(,，、；;。(\[“\"'<>≤≥+×÷*/^℃%])\Z"
)
"""What stands before a minus; a dash after other words is part of a name, as in "东风-41"."""


def _say_chained(match: re.Match[str]) -> list[Said]:
    """Three numbers joined by dashes or more are no range: each digit is named, the dashes are silent."""
    return [
        Said(digits(group[0]), match.start() + group.start(), match.start() + group.end())
        for group in _LINK.finditer(match[0])
    ]


def _say_version(match: re.Match[str]) -> list[Said]:
    end = match.end("more")
    parts = match.string[match.start() : end].split(".")
    words = [number(parts[0]) if len(parts[0]) <= 2 else digits(parts[0]), *map(digits, parts[1:])]
    found = [Said("点".join(words), match.start(), end)]
    return [*found, Said(digits(match["port"]), *match.span("port"))] if match["port"] else found


def _say_about(match: re.Match[str]) -> list[Said] | None:
    one, other = match[0][0], match["next"]
    if int(other) != int(one) + 1:
        return None
    words = ("两" if one == "2" else digits(one)) + digits(other)
    return said(words, match)


def _say_short_decimal(match: re.Match[str]) -> list[Said]:
    return said("零点" + digits(match[0]), match)


def _say_after_unit(match: re.Match[str]) -> list[Said] | None:
    group = match.lastgroup
    assert group is not None, "one of the groups matched"
    if not before(match, 1).isnumeric():
        return None
    text = match[group]
    return said(digits(text[0] if group == "cents" else text), match, group)


def _say_scientific(match: re.Match[str]) -> list[Said]:
    sign = "负" if match["sign"] == "-" else ""
    power = f"乘以十的{sign}{number(match['power'])}次方"
    begin = match.start("mark")
    return [Said(number(match["value"]), match.start(), begin), Said(power, begin, match.end())]


def _say_dash(match: re.Match[str]) -> list[Said] | None:
    """Before a number: "to" behind what a range begins with, "minus" or "below zero", or nothing."""
    words = _dash(match.string, match.start(), before(match, 12))
    return said(words, match) if words else None


def _dash(text: str, at: int, lead: str) -> str:
    mark, stem, is_spaced = text[at], lead.rstrip(" "), text[at + 1] == " "
    if mark == "-" and _NAMED.search(lead) and not _RECKONED.match(text, at):
        return ""
    if _RANGE_END.search(stem):
        if mark == "-" and lead != stem and not is_spaced:
            return _minus(text, at)
        return _join(lead) if mark == "-" else "到"
    if mark != "-":
        return "约" if mark == "~" else ""
    if _TAKEN_FROM.search(lead) and _RECKONED.match(text, at):
        return "减"
    is_signed = (
        text[at + 1] in _MONEY
        or _BELOW.search(lead)
        or _DEGREES.match(text, at + 1)
        or _PERCENTAGE.match(text, at + 1)
    )
    return _minus(text, at) if is_signed and not is_spaced else ""


def _join(lead: str) -> str:
    """Return how a hyphen joins the two numbers it touches: of a code, a figure, a rebate, or a range."""
    if _CODED.search(lead):
        return ""
    return "杠" if _NUMBERED.search(lead) else "减" if _SAVED.search(lead) else "到"


def _minus(text: str, at: int) -> str:
    return "零下" if _DEGREES.match(text, at + 1) else "负"


def _say_number(match: re.Match[str]) -> list[Said]:
    text, end = match.string, match.end()
    lead = before(match, 8)
    plain = match[0].replace(",", "")
    if plain.isdecimal():
        if len(plain) >= 3 and _is_code(plain, lead, text, end):
            return said(digits(plain), match)
        is_long = len(plain) > LONGEST_PLAIN or _DAY_LIKE.fullmatch(plain)
        if "," not in match[0] and is_long and not _UNITED.match(text, end):
            return said(digits(plain), match)
    is_counted = match[0] == "2" and not _ORDERS.search(lead) and _is_counted(text, end)
    return said(number(match[0], two="两" if is_counted else "二"), match)


def _is_code(plain: str, lead: str, text: str, end: int) -> bool:
    """Tell whether digits belong to the letters before them: "CA1234", "Boeing 737", but "Top 100"."""
    if not _LETTER.search(lead):
        return False
    if not _WORD.search(lead):
        return not (lead[-1] == " " and _COUNTED.match(text, end))
    return not plain.endswith("00") and (lead[-1] != " " or _NAME_ENDS.match(text, end) is not None)


def _is_counted(text: str, end: int) -> bool:
    match = None if _PLACED.match(text, end) else _COUNTED.match(text, end)
    if match is None:
        return _COUNTED_LATER.match(text, end) is not None
    if match["unit"]:
        return not unit_words(match["unit"])[1]
    return text[match.start() : match.end()].strip() not in ("十", "百")


def _say_left(match: re.Match[str]) -> list[Said]:
    return said(digits(match[0]), match)


RULES: tuple[Rule, ...] = (
    Rule(_VERSION, _say_version, needs="."),
    Rule(_ABOUT, _say_about, needs="、"),
    Rule(_SHORT_DECIMAL, _say_short_decimal, needs="."),
    Rule(_AFTER_UNIT, _say_after_unit, needs="米秒块"),
    Rule(_CHAINED, _say_chained, needs="-"),
    Rule(_SCIENTIFIC, _say_scientific, needs="eE"),
    Rule(_DASH, _say_dash, needs="-~—"),
    Rule(_DAYS_DASH, lambda match: said("到", match), needs="-~—"),
    Rule(_NUMBER, _say_number, needs=DIGITS),
    Rule(_LEFT, _say_left, needs=DIGITS),
)
