"""Symbols that are said, and circles that stand for zero.

Knows a symbol by what it touches; the others are silent. Pure; any thread may call it.
"""

from __future__ import annotations

import re

from pipeline.text.mandarin.numbers import number
from pipeline.text.mandarin.patterns import before
from pipeline.text.rules import Rule, Said, said

_THING = r"0-9A-Za-z\u4e00-\u9fff"
_CIRCLE = re.compile(r"[○◯](?<=[一二三四五六七八九○〇◯].)|[○◯](?=[一二三四五六七八九○〇◯年])")
_PLUS = re.compile(rf"\+(?:(?<=[{_THING})%²³].)(?!\+)(?<!\+\+)|(?<=[{_THING})] .)(?= [{_THING}(])|(?=[0-9]))")
_ONE_MORE = re.compile("1(?![0-9.%℃°度])")
_COMPARED = re.compile(rf"[=<>]=?(?= ?[-±∞{_THING}(?？√])")
_COMPARISONS = {"=": "等于", ">=": "大于等于", "<=": "小于等于", "<": "小于", ">": "大于"}
_NUMBER_AFTER = re.compile(" ?-?[0-9]")
_POWER = re.compile(r"[²³⁰¹⁴-⁹⁻](?<=[0-9A-Za-z)].)[²³⁰¹⁴-⁹]*+|\^(?<=[0-9A-Za-z)].)-?[0-9]{1,4}(?![0-9.])")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_ARROW = re.compile(rf"[→➡⇒](?<=[{_THING})」” ].)(?= ?[{_THING}(「“])")
_ALONE = {
    "&": "和",
    "±": "正负",
    "≤": "小于等于",
    "≥": "大于等于",
    "≦": "小于等于",
    "≧": "大于等于",
    "≠": "不等于",
    "≈": "约等于",
    "×": "乘以",
    "÷": "除以",
    "√": "根号",
    "∞": "无穷大",
    "∵": "因为",
    "∴": "所以",
    "‰": "千分之",
    "%": "百分号",
    "°": "度",
    "€": "欧元",
    "£": "英镑",
    "$": "美元",
    "№": "第",
    "〇": "零",
    "℃": "摄氏度",
    "℉": "华氏度",
}
"""What is said wherever it stands."""


def _say_alone(match: re.Match[str]) -> list[Said]:
    return said(_ALONE[match[0]], match)


def _say_plus(match: re.Match[str]) -> list[Said]:
    stem = before(match, 2).rstrip()
    is_sum = stem and (stem[-1].isalnum() or stem[-1] in ")%²³")
    return said("加" if is_sum or _ONE_MORE.match(match.string, match.end()) else "正", match)


def _say_compared(match: re.Match[str]) -> list[Said] | None:
    """Between things, or before a number, it compares; elsewhere it is an arrow or a bracket."""
    mark, stem = match[0], before(match, 2).rstrip()[-1:]
    if mark not in _COMPARISONS:
        return None
    if not _NUMBER_AFTER.match(match.string, match.end()):
        is_thing = stem.isalnum() or stem in (")", "%", "℃", "²", "³")
        if not is_thing or not (stem.isascii() or mark == "="):
            return None
    return said(_COMPARISONS[mark], match)


def _say_power(match: re.Match[str]) -> list[Said]:
    power = match[0].translate(_SUPERSCRIPTS).lstrip("^")
    if match[0] in "²³":
        return said("平方" if power == "2" else "立方", match)
    sign = "负" if power[0] == "-" else ""
    return said(f"的{sign}{number(power.lstrip('-') or '0')}次方", match)


def _rule(pattern: re.Pattern[str], words: str, needs: str) -> Rule:
    return Rule(pattern, lambda match: said(words, match), needs)


CIRCLES = _rule(_CIRCLE, "零", "○◯")
"""A circle among Chinese digits; to be put before the rules for emoji."""

POWERS = Rule(_POWER, _say_power, needs="²³⁰¹⁴⁵⁶⁷⁸⁹⁻^")
"""Raised digits; to be put before the rules for numbers."""

RULES: tuple[Rule, ...] = (
    Rule(_PLUS, _say_plus, needs="+"),
    Rule(_COMPARED, _say_compared, needs="=<>"),
    _rule(re.compile(r"[′'](?<=[0-9].)(?![A-Za-z])"), "分", "′'"),
    _rule(re.compile(r"″(?<=[0-9].)"), "秒", "″"),
    _rule(re.compile(r"@(?=\w)"), "艾特", "@"),
    _rule(_ARROW, "到", "→➡⇒"),
    Rule(re.compile(f"[{''.join(_ALONE)}]"), _say_alone, needs="".join(_ALONE)),
)
