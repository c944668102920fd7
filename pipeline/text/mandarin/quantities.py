"""Amounts of money, percentages, fractions and units.

Knows the symbols that stand before or after a number; the number itself is mostly for `counts` to say. Pure;
any thread may call it.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from unicodedata import numeric

from pipeline.text.mandarin.numbers import fraction, number
from pipeline.text.mandarin.patterns import FIRST, REST, any_of, before
from pipeline.text.mandarin.units import CURRENCIES, CURRENCY, SCALES, UNIT, is_unit, unit_words
from pipeline.text.rules import Rule, Said, said

_NUMBER = FIRST + REST
_SCALE = f" ?[{SCALES}]{{1,2}}"
_MONEY = re.compile(
    rf"(?P<sign>{CURRENCY}) ?(?P<minus>-)?(?P<amount>[0-9]{REST})"
    rf"(?P<low>{_SCALE}(?= ?[-~—到至]))?(?:(?P<to> ?[-~—] ?|[到至])(?:{CURRENCY})?(?P<high>[0-9]{REST}))?"
    rf"(?P<scale>{_SCALE}|[kKmMbB](?![A-Za-z0-9]))?(?![0-9])(?:元(?!宵)|美元|欧元)?"
)
_SIGNS_OF_MONEY = "".join({sign[0] for sign in CURRENCIES})
_LETTERS = {"k": 10**3, "m": 10**6, "b": 10**9}
"""Letters that multiply an amount of money."""
_CURRENCY_AFTER = re.compile(rf"(?P<sign>{CURRENCY})(?![A-Za-z0-9])")
_CENTS = re.compile(rf"{_NUMBER}(?<=[.][0-9]0)(?= ?(?:元|块|美元|欧元|英镑|港元|港币))")
_PERCENT = re.compile(rf"(?P<low>{_NUMBER})(?:(?P<to> ?[-~—到至] ?)(?P<high>[0-9]{REST}))? ?(?P<mark>[%‰‱])")
_SIGNS = "¼-¾⅐-⅞"
_FRACTION = re.compile(
    rf"(?P<one>{FIRST}(?<![/].)[0-9]{{0,3}})(?: (?P<two>[0-9]{{1,2}}))?"
    rf" ?/ ?(?P<bottom>[0-9]{{1,4}})(?![0-9/:.]| ?[kMG]?(?:Hz|W|V))"
)
_FRACTION_SIGN = re.compile(f"[{_SIGNS}]")
_UNIT = re.compile(
    r"(?P<unit>[A-Za-zμΩ°℃℉㎀-㏟][A-Za-z]*+(?:[²³]|[23](?![0-9.]))?)(?P<per>/(?:[A-Za-zμ]++[²³]?|(?=[\u4e00-\u9fff])))?"
)
_VIEWS = re.compile(r"\+|[粉播阅浏人次点]|用户")
"""What is counted in "10W": ten thousands, not watts."""
_EARNED = re.compile(
    any_of("薪 月入 收入 身价 估值 粉丝 播放量? 阅读量? 销量 存款 预算 房价 总价 首付 花了 赚了? 挣了?")
    + r"[^，。；,;!?]{0,12}\Z"
)
_PART_OF_NAME = re.compile(r"(?<![0-9])[A-Z][0-9]{1,2}\Z")

_AFTER_NUMBER = re.compile(rf"[0-9{_SIGNS}多几半余{SCALES}] ?\Z")
_PER = re.compile(
    r"/(?<=[\u4e00-\u9fff℃].)(?P<unit>"
    + UNIT
    + r"(?![A-Za-z]))|/(?<=[元块币镑分角次个人公里米克升吨斤天月年度瓦].)(?=[\u4e00-\u9fff])|"
    r"/(?<=[0-9万亿].)(?=[人月年天次斤个位晚件份张瓶桌间吨米平])|/(?<=[元块].)(?=[0-9])|"
    r"/(?<=[A-Za-z升克卡焦].)(?=100? ?(?:k?m|k?g|m[lL]|公里|毫?[克升])(?![A-Za-z]))"
)
_HEIGHT = re.compile(rf"(?P<feet>{FIRST})['′] ?(?P<inches>[0-9]|1[01])(?:[\"″”]|'')")
_INCHES = re.compile(
    rf"(?P<inches>{FIRST}{REST})(?:[\"″”]|'')"
    "(?= ?的?(?:显示器|大?屏|电视|笔记本|面板|轮|曲面|液晶|披萨|蛋糕))"
)
_PAIR = re.compile(r"(?:血压|视力|尺码|第|页|进度)[是为:]? ?\Z")
_PER_HUNDRED = {"%": "百分之", "‰": "千分之", "‱": "万分之"}


def _say_money(match: re.Match[str]) -> list[Said]:
    currency = CURRENCIES[match["sign"]]
    scale = (match["scale"] or "").strip()
    less = "负" if match["minus"] else ""
    if not match["high"]:
        return said(less + _amount(match["amount"], match["low"] or scale) + currency, match)
    high = match.start("to") + len(match["to"])
    low = (match["low"] or "").strip()
    return [
        Said(
            less + (_amount(match["amount"], low) if low else number(match["amount"])),
            match.start(),
            match.start("to"),
        ),
        Said("到", match.start("to"), high),
        Said(_amount(match["high"], scale) + currency, high, match.end()),
    ]


def _amount(amount: str, scale: str) -> str:
    """Say an amount as money: no zero at the end of its decimals."""
    if "." in amount:
        amount = amount.rstrip("0").rstrip(".")
    if scale.isascii() and scale:
        amount, scale = f"{Decimal(amount.replace(',', '')) * _LETTERS[scale.lower()]:.0f}", ""
    is_two = amount == "2" and scale not in ("十", "百")
    return number(amount, two="两" if is_two else "二") + scale.strip()


def _say_currency(match: re.Match[str]) -> list[Said] | None:
    return said(CURRENCIES[match["sign"]], match) if _follows_number(match, "sign") else None


def _say_cents(match: re.Match[str]) -> list[Said]:
    return said(_amount(match[0], ""), match)


def _say_percent(match: re.Match[str]) -> list[Said]:
    of = _PER_HUNDRED[match["mark"]]
    if not match["high"]:
        return said(_percentage(of, match["low"]), match)
    to = match["to"].strip()
    return [
        Said(_percentage(of, match["low"]), *match.span("low")),
        Said(to if to in "到至" else "到", *match.span("to")),
        Said(_percentage(of, match["high"]), match.start("high"), match.end()),
    ]


def _percentage(of: str, value: str) -> str:
    return "百分之百" if of == "百分之" and value == "100" else of + number(value)


def _say_height(match: re.Match[str]) -> list[Said]:
    found = [Said(number(match["feet"], two="两") + "英尺", match.start(), match.start("inches"))]
    return [*found, Said(number(match["inches"]) + "英寸", match.start("inches"), match.end())]


def _say_inches(match: re.Match[str]) -> list[Said]:
    return said(number(match["inches"]) + "英寸", match)


def _say_fraction(match: re.Match[str]) -> list[Said] | None:
    one, two, bottom = match["one"], match["two"], match["bottom"]
    top = two or one
    is_pair = (top, bottom) == ("24", "7") or top == bottom or bottom[0] == "0" or bottom == "1"
    if is_pair or _PAIR.search(before(match, 8)):
        return None
    words = fraction(top, bottom)
    return said(f"{number(one)}又{words}" if two else words, match)


def _say_fraction_sign(match: re.Match[str]) -> list[Said]:
    value = Fraction(numeric(match[0])).limit_denominator(10)
    words = fraction(str(value.numerator), str(value.denominator))
    return said(f"又{words}" if before(match, 1).isdecimal() else words, match)


def _say_unit(match: re.Match[str]) -> list[Said] | None:
    """A symbol is a unit after a number only: "5 m", but "m"."""
    unit, per = match["unit"], match["per"]
    if not _follows_number(match, "unit") or not is_unit(unit):
        return None
    lead = before(match, 24)
    if unit in "wW" and (_VIEWS.match(match.string, match.end()) or _EARNED.search(lead)):
        return said("万", match, "unit")
    if _PART_OF_NAME.search(lead):
        return None  # "A6L" holds no liter
    if unit.isupper() and match.string[match.end() : match.end() + 1].isdecimal():
        return None  # "1V1" is no voltage
    found = [_unit(unit, *match.span("unit"))]
    if per and (len(per) == 1 or is_unit(per[1:])):
        begin = match.start("per")
        found.append(Said("每", begin, begin + 1))
        if len(per) > 1:
            found.append(_unit(per[1:], begin + 1, match.end()))
    return found


def _unit(symbol: str, begin: int, end: int) -> Said:
    words, spelled = unit_words(symbol)
    return Said(words, begin, end, spelled=spelled)


def _follows_number(match: re.Match[str], name: str) -> bool:
    begin = match.start(name)
    return _AFTER_NUMBER.search(match.string, max(0, begin - 2), begin) is not None


def _say_per(match: re.Match[str]) -> list[Said]:
    found = [Said("每", match.start(), match.start() + 1)]
    return [*found, _unit(match["unit"], *match.span("unit"))] if match["unit"] else found


RULES: tuple[Rule, ...] = (
    Rule(_MONEY, _say_money, needs=_SIGNS_OF_MONEY),
    Rule(_CENTS, _say_cents, needs="."),
    Rule(_PERCENT, _say_percent, needs="%‰‱"),
    Rule(_HEIGHT, _say_height, needs="'′"),
    Rule(_INCHES, _say_inches, needs="\"″”'"),
    Rule(_FRACTION, _say_fraction, needs="/"),
    Rule(_FRACTION_SIGN, _say_fraction_sign, needs="¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"),
    Rule(_UNIT, _say_unit),
    Rule(_CURRENCY_AFTER, _say_currency, needs=_SIGNS_OF_MONEY),
    Rule(_PER, _say_per, needs="/"),
)
