"""Numbers that name instead of count: telephones, rooms, flights, accounts, passwords; said digit by digit.

Knows them by their form or by the word before or after them. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from itertools import pairwise

from pipeline.text.mandarin.numbers import digits
from pipeline.text.mandarin.patterns import DIGITS, FIRST, any_of
from pipeline.text.mandarin.units import COUNTED
from pipeline.text.rules import Rule, Said

_GROUP = re.compile(r"[0-9]++(?:[-·.) ]{1,2}(?=[0-9]))?")
"""Digits, and what joins them to the next."""

_COUNTED = re.compile(rf" ?(?:{COUNTED}|[A-Za-z%])")

_TELEPHONE = any_of(
    "拨打 致电 呼叫 电话 手机 座机 热线 客服 传真 分机 联系方式 微信 短信 尾号 来电 打给 报警 急救"
)
_NAMED = any_of(
    "房间 客房 病房 教室 会议室 航班 车次 列车 公交 波音 空客 验证码 校验码 动态码 密码 口令 邮编 "
    "邮政编码 邮递区 区号 编号 编码 工号 学号 "
    "卡号 账号 帐号 账户 帐户 订单 单号 身份证 证号 群 车牌 端口 股票 代码 序列 型号 批号 门牌 取件码 取餐码 "
    "邀请码 兑换码 识别码 状态码 错误码 错误代码 返回码 尾数 [后末][四4六6]位 QQ ID PIN "
    "报(?=[45]0[0-9](?!0)) (?:总机|请|前台)转 "
    "[房座席桌台楼考卡证件票税工床柜箱货批]号 台北(?=101) (?:考上|就读于?|毕业于|双一流|一所)了?(?=985|211)"
)
_LINK = r"(?:号码|号|码)?(?:是|为|:)? ?[“\"「(]?"
_DIGITS = "[0-9]{3,12}+(?:-[0-9]{2,8}+){0,3}"

_MOBILE = re.compile(
    r"[+81](?<![0-9.].)(?:(?<=\+)86[- ]?1|(?<=8)6[- ]?1|(?<=1))[3-9][0-9]"
    rf"(?P<gap>[- ]?)[0-9]{{4}}(?P=gap)(?P<end>[0-9]{{4}})(?![0-9]| ?(?:{COUNTED}|[年光]))"
)
_LANDLINE = re.compile(
    r"0(?<![0-9.].)[1-9](?:[0-9]{1,2}\)?[- ]?|[)-] ?)[1-9][0-9]{2,3}[- ]?[0-9]{4}"
    r"(?:(?:-| ?转 ?)[0-9]{1,5})?(?![0-9])"
)
_SERVICE = re.compile(
    r"(?:1[- ](?<![0-9.]..)(?=8))?[48]00(?<![0-9.]...)(?P<gap>[- ])[0-9]{3,4}(?P=gap)?[0-9]{3,4}(?![0-9])"
)
_ABROAD = re.compile(r"\+[0-9]{1,3}(?:[- ]\(?[0-9]{1,8}\)?){2,5}(?![0-9])")
_COUNTRY = re.compile(r"\+86(?![0-9])")
_CALLED = re.compile(
    rf"{_TELEPHONE}{_LINK}(?P<code>{_DIGITS}(?:(?:[或、/和]|或者){_DIGITS}){{0,4}})(?![0-9.])"
)
_DIALLED = re.compile(
    r"[打拨叫呼找](?:了|过|通|一下)? ?(?P<code>1[12][0-9]|1[0-9]{4}|95[0-9]{3,4})(?![0-9.]| ?[块多人来])"
)
_PUBLIC = re.compile(
    r"(?P<code>1(?<![-·0-9A-Za-z.,为共达约过超近至均于].)(?:2306|2345|2315|2123|2320|2333|2348|2366|2388|0086|0010))(?![-0-9.,%])"
)
"""Telephone numbers that everybody knows."""

_MASKED = re.compile(
    r"(?P<code>[0-9](?<![0-9].)[0-9]{1,5}(?:\*{2,12}|[xX]{3,8})[0-9]{2,6})(?![0-9])|\*{2,}(?P<tail>[0-9]{3,6})(?![0-9])"
)
_HOTLINE = re.compile(
    r"[19](?<![0-9.].)[0-9]{2,5}"
    r"(?= ?(?:接?到?报警|接警|急救|救护车|火警|消防|民警|交警|投诉|举报|热线|客服|服务台|指挥中心|电话|短信))"
)
_LONG_CODE = re.compile(rf"[号码][是为:]? ?(?P<code>[0-9]{{5,}}+)(?![0-9.,%]| ?{COUNTED})")
_CODE = re.compile(rf"[0-9](?<![0-9].)(?P<more>[0-9]{{2,}}+(?:[- ][0-9]+)*+)(?![0-9.,%]| ?(?:{COUNTED}|多))")
_NAME_BEFORE = re.compile(rf"{_NAMED}{_LINK}(?=[0-9][- 0-9]*\Z)")
_NAME_REACH = 16
_AFTER_CODE = any_of(
    "室 房 号房 路(?![口程]) 次(?:列车|航班|高铁|动车|快车) 车次 教室 病房 包厢 宿舍 航班 客机 飞机 轰炸机 "
    "战机 机型 系列 M(?:AX|ax) 工作制 大学 中学(?!生) 中(?=[校毕]) 工程 高校 院校 名校 硕士 "
    "大促 购物节 年中 预售 销售额 活动 晚会 网站 网购 软件 浏览器 杀毒 加班 错误(?!率) "
    "本科(?!生) 双一流 程序员 快乐 表白 告白 情人节 "
    "大[楼厦] 便利店 国道 省道 县道 足?[银金](?![行两元牌额币融属]) 胶水 感冒灵"
)
_PLACED = re.compile(
    rf"(?:单元|[栋幢座楼层]|号院) ?(?P<code>[0-9]{{3,4}})(?![0-9.,%]| ?(?:{COUNTED}|[A-Za-z多余号]))"
)
_TWIN = "(?:985|211|996|955|007)"
_TWINS = re.compile(rf"(?P<code>{_TWIN}(?<![0-9.]...)(?: ?[/、和与或及] ?{_TWIN})+)(?![0-9.%]| ?{COUNTED})")
_BRAND = re.compile(
    r"[1-9](?<![0-9.].)[0-9](?= ?(?:同城|到家|消毒液|氪))|7(?<![0-9.].)-11(?= ?(?:便利|门?店))"
)
_REDUCED = re.compile(r"[3-9](?<![0-9.].)[1-9](?= ?折)")
_HEX = re.compile(r"0(?<![0-9].)[xX](?=[0-9A-Fa-f]{2})[0-9]{0,16}")
_SHARE = re.compile(r"(?<=\()(?:00|30|60|68)[0-9]{4}(?=\)|\.S[HZ])")
"""The code of a company's shares, after its name."""
_QUOTED = re.compile(r"[“\"「](?P<code>[0-9]{3})(?=[”\"」])")
_SLANG = re.compile(
    rf"[26](?<![0-9.].)(?:(?<=6)6{{2,}}+|(?<=2)3{{2,}}+)(?![0-9.,%]| ?(?:{COUNTED}|[a-zA-Z多余]))"
)
_NAME = re.compile(rf"{FIRST}[0-9]{{2,4}}(?= ?{_AFTER_CODE}|[pP](?![A-Za-z]))")
_CARD = re.compile(r"[1-9](?<![0-9.].)[0-9]{3}(?: [0-9]{4}){2,4}(?: [0-9]{1,3})?(?![0-9.])")
_AFTER_DAY = any_of(
    "事件 大?地震 惨案 事变 恐 晚会 假期 长假 小长假 放假 黄金周 国庆 运动 枪击 "
    "(?:妇女|女神|女王|劳动|青年|儿童|建党|建军)节"
)
_DAY_NAME = re.compile(rf"{FIRST}[0-9]?(?:·[0-9]{{1,2}}|\.[0-9]{{1,2}}(?= ?{_AFTER_DAY}))(?![0-9.])")


def _say_mobile(match: re.Match[str]) -> list[Said]:
    """Say the country, if it is there, then three, four and four digits."""
    text, last, gap = match.string, match.start("end"), len(match["gap"])
    middle = last - gap - 4
    first = middle - gap - 3
    cuts = [first, middle, last, match.end()]
    found = [Said("加", match.start(), match.start() + 1)] if match[0][0] == "+" else []
    if "86" in text[match.start() : first]:
        cuts.insert(0, match.start() + len(found))
    return found + [Said(digits(text[at:end], phone=True), at, end) for at, end in pairwise(cuts)]


def _say_telephone(match: re.Match[str]) -> list[Said]:
    return _say_groups(match, 0, phone=True)


def _say_called(match: re.Match[str]) -> list[Said] | None:
    if _COUNTED.match(match.string, match.end()):
        return None
    return _say_groups(match, "code", phone=True)


def _say_all(match: re.Match[str]) -> list[Said]:
    return _say_groups(match, 0)


def _say_named(match: re.Match[str]) -> list[Said] | None:
    """Say the digits of what the words before name."""
    begin, end = match.span()
    name = _NAME_BEFORE.search(match.string, max(0, begin - _NAME_REACH), end)
    return _say_groups(match, 0) if name and name.end() == begin else None


def _say_code(match: re.Match[str]) -> list[Said]:
    return _say_groups(match, "code")


def _say_name(match: re.Match[str]) -> list[Said] | None:
    return None if match[0].endswith("00") else _say_groups(match, 0)


def _say_day_name(match: re.Match[str]) -> list[Said]:
    """The first of October is "十一", all others are digits."""
    if match[0] in ("10·1", "10.1"):
        return [Said("十", match.start(), match.start() + 2), Said("一", match.end() - 1, match.end())]
    return _say_groups(match, 0)


def _say_brand(match: re.Match[str]) -> list[Said]:
    """A name of two digits; only "7-11" ends in a number."""
    if "-" not in match[0]:
        return _say_groups(match, 0)
    return [Said("七", match.start(), match.start() + 2), Said("十一", match.end() - 2, match.end())]


def _say_hexadecimal(match: re.Match[str]) -> list[Said]:
    begin = match.start() + 2
    return [Said("零", match.start(), match.start() + 1), Said(digits(match[0][2:]), begin, match.end())]


def _say_masked(match: re.Match[str]) -> list[Said]:
    """Of a number that is not shown whole, the digits that are."""
    return _say_groups(match, "code" if match["code"] else "tail", phone=True)


def _say_groups(match: re.Match[str], name: int | str, *, phone: bool = False) -> list[Said]:
    """Name the digits of a part of the match; a plus before them is said, marks that join them are silent."""
    begin, end = match.span(name)
    found = [Said("加", begin, begin + 1)] if match.string[begin] == "+" else []
    groups = _GROUP.finditer(match.string, begin, end)
    return found + [Said(digits(group[0], phone=phone), *group.span()) for group in groups]


RULES: tuple[Rule, ...] = (
    Rule(_HEX, _say_hexadecimal, needs="xX"),
    Rule(_MASKED, _say_masked, needs="*xX"),
    Rule(_CARD, _say_all, needs=" "),
    Rule(_MOBILE, _say_mobile, needs="1"),
    Rule(_LANDLINE, _say_telephone, needs="0"),
    Rule(_SERVICE, _say_telephone, needs="48"),
    Rule(_ABROAD, _say_telephone, needs="+"),
    Rule(_CALLED, _say_called, needs=DIGITS),
    Rule(_DIALLED, _say_called, needs="打拨叫呼找"),
    Rule(_HOTLINE, _say_telephone, needs="19"),
    Rule(_CODE, _say_named, needs=DIGITS),
    Rule(_LONG_CODE, _say_code, needs="号码"),
    Rule(_PUBLIC, _say_called, needs="1"),
    Rule(_COUNTRY, _say_telephone, needs="+"),
    Rule(_PLACED, _say_code, needs="元栋幢座楼层院"),
    Rule(_TWINS, _say_code, needs="/、和与或及"),
    Rule(_BRAND, _say_brand, needs="同到消氪便门店"),
    Rule(_REDUCED, _say_all, needs="折"),
    Rule(_SHARE, _say_all, needs="("),
    Rule(_QUOTED, _say_code, needs='“"「'),
    Rule(_SLANG, _say_all, needs="26"),
    Rule(_NAME, _say_name, needs=DIGITS),
    Rule(_DAY_NAME, _say_day_name, needs="·."),
)
