"""Two numbers side by side: scores, ratios, and what is reckoned.

Knows a score from a time of day by the words around it, or by numbers that no clock shows. Pure; any thread
may call it.
"""

from __future__ import annotations

import re

from pipeline.text.mandarin.numbers import number
from pipeline.text.mandarin.patterns import FIRST, NUMBER, REST, any_of, before
from pipeline.text.mandarin.units import COUNTED
from pipeline.text.rules import Rule, Said

_RATIO = re.compile(
    rf"(?P<one>{FIRST}{REST})(?P<mark> ?: ?)(?P<other>[0-9]{REST})(?P<more>(?::[0-9]++)*+)"
    r"(?P<half> ?[AaPp]\.?[Mm])?"
)
_POINTS = re.compile(rf"(?P<one>{FIRST}[0-9]{{0,2}})(?P<mark> ?- ?)(?P<other>[0-9]{{1,3}})(?![0-9.%:/-])")
_PAIR = "[0-9]{1,3}-[0-9]{1,3}"
_SETS = re.compile(rf"\((?P<sets>{_PAIR}(?:[，,、/; ]{{1,2}}{_PAIR}){{1,6}})\)")
_SET = re.compile("(?P<one>[0-9]+)(?P<mark>-)(?P<other>[0-9]+)")
_GAME = re.compile(
    rf"(?P<one>{FIRST}(?<=[\u4e00-\u9fff].)(?<![满减号第图表从至到为在是].)[0-9]{{1,2}})(?P<mark>-)(?P<other>[0-9]{{2,3}})"
    rf"(?=[\u4e00-\u9fff])(?!{COUNTED}|[年月日号级度])"
)
_CLOCK = re.compile(r"(?:[01]?[0-9]|2[0-4]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?")
_CLOCK_BEFORE = re.compile(r"(?:[午晨上]|时间|夜里) ?\Z")
_SCORED = any_of("[比局盘]分 比数 总分 比例 比率 配比 赔率 点球 [战打踢逼]成 纵横比 宽高比 长宽比 汇率 战绩")
_SCORES = r"(?:[0-9]{1,3}[-:][0-9]{1,3}[、，, ]{1,2}){0,6}"
_SCORE_BEFORE = re.compile(
    rf"{_SCORED}[^，。；,;!?！？、]{{0,8}}{_SCORES}\Z|以 ?{_SCORES}\Z|(?:[0-9]比|按|按照|场) ?\Z"
)
_OUTCOME = any_of(
    "战胜 击败 领先 落后 获胜 取胜 险胜 大胜 完胜 惨败 告负 不敌 力克 逆转 横扫 战平 打平 逼平 大?比分 "
    "优势 比例 比率 [胜负平输赢]"
)
_SCORE_AFTER = re.compile(f" ?的?{_OUTCOME}")
_RECKONED = re.compile(
    rf"{NUMBER}(?: ?[-+×÷*/xX^] ?[0-9]{REST}){{1,8}}+ ?(?=[=≈<>≤≥≠]|等于|是多少|得多少|的结果)"
)
_LETTER = re.compile(r"[A-Za-z] ?\Z")
_TIMES = re.compile(rf"{NUMBER} ?[a-zA-Z米]{{0,2}}(?P<mark> ?[xX*×] ?)(?=[0-9])")
_OPERATOR = re.compile("[-+×÷*/xX]")
_NO_SLASH = re.compile("[-+×÷*xX]")
_OPERATORS = {
    "-": "减",
    "+": "加",
    "×": "乘以",
    "÷": "除以",
    "*": "乘以",
    "/": "除以",
    "x": "乘以",
    "X": "乘以",
}
"""What stands between two numbers that are reckoned with, and how it is said."""


def _say_ratio(match: re.Match[str]) -> list[Said] | None:
    if (
        match["half"]
        or _LETTER.search(before(match, 2))
        or not (match["more"] or _is_score(match) or not _CLOCK.fullmatch(match[0]))
    ):
        return None
    if match["more"] and _CLOCK.fullmatch(match[0]) and not _is_score(match):
        return None
    found = [_one(match, "one"), Said("比", *match.span("mark")), _one(match, "other")]
    begin = match.start("more")
    for part in match["more"].split(":")[1:]:
        found += [Said("比", begin, begin + 1), Said(number(part), begin + 1, begin + 1 + len(part))]
        begin += 1 + len(part)
    return found


def _say_points(match: re.Match[str]) -> list[Said] | None:
    """A dash parts a score only if the words around say so, or one side has nothing."""
    is_shutout = match["other"] == "0"
    return _pair(match) if is_shutout or _is_score(match) else None


def _say_sets(match: re.Match[str]) -> list[Said] | None:
    """In brackets, pairs of which one falls are no ranges."""
    pairs = list(_SET.finditer(match.string, *match.span("sets")))
    if all(int(pair["one"]) < int(pair["other"]) for pair in pairs):
        return None
    return [part for pair in pairs for part in _pair(pair)]


def _say_game(match: re.Match[str]) -> list[Said] | None:
    """Between the names of two teams, the points of a game that the first one won."""
    return _pair(match) if 200 > int(match["one"]) > int(match["other"]) >= 50 else None


def _pair(match: re.Match[str]) -> list[Said]:
    return [_one(match, "one"), Said("比", *match.span("mark")), _one(match, "other")]


def _is_score(match: re.Match[str]) -> bool:
    lead = before(match, 48)
    if _LETTER.search(lead):
        return False
    if _CLOCK_BEFORE.search(lead):
        return False
    return bool(_SCORE_BEFORE.search(lead) or _SCORE_AFTER.match(match.string, match.end()))


def _one(match: re.Match[str], name: str) -> Said:
    return Said(number(match[name]), *match.span(name))


def _say_operators(match: re.Match[str]) -> list[Said]:
    """Beside other signs, a slash makes a fraction, which is not this rule's to say."""
    is_fraction = _NO_SLASH.search(match[0]) is not None
    return [
        Said(_OPERATORS[mark[0]], *mark.span())
        for mark in _OPERATOR.finditer(match.string, match.start(), match.end())
        if not (is_fraction and mark[0] == "/")
    ]


def _say_times(match: re.Match[str]) -> list[Said]:
    return [Said("乘以", *match.span("mark"))]


RULES: tuple[Rule, ...] = (
    Rule(_RECKONED, _say_operators, needs="=≈<>≤≥≠等得结是"),
    Rule(_TIMES, _say_times, needs="xX*×"),
    Rule(_RATIO, _say_ratio, needs=":"),
    Rule(_SETS, _say_sets, needs="-"),
    Rule(_GAME, _say_game, needs="-"),
    Rule(_POINTS, _say_points, needs="-"),
)
"""To be put before the calendar's: what is no score may be a time."""
