"""Dates, years and times of day.

Knows them by their form or by the word before or after them; whether two numbers with a colon are a score is
`scores`'s to tell. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pipeline.text.mandarin.numbers import cardinal, digits
from pipeline.text.mandarin.patterns import FIRST, any_of, before
from pipeline.text.mandarin.units import COUNTED
from pipeline.text.rules import Rule, Said, said

_DATE = re.compile(
    rf"(?P<year>{FIRST}[0-9]{{3}})(?P<gap>[-/.])(?P<month>[0-9]{{1,2}})(?P=gap)(?P<day>[0-9]{{1,2}})[日号]?"
    r"(?![0-9]|[-/.][0-9])"
)
_YEAR_MONTH = re.compile(
    rf"(?P<year>{FIRST}[0-9]{{3}})(?:[-/](?P<month>0[1-9]|1[0-2])|(?<!00)/(?P<plain>[1-9]))"
    rf"(?![0-9]|[-/:.~][0-9]| ?(?:[年届]|{COUNTED}))"
)
_DATED = any_of("[周期][一二三四五六日末][(（] 日期 时间 截止 截至 生日 定于 期限 日子 今天 明天 昨天")
_MONTH_DAY = re.compile(
    rf"{_DATED}(?:[是为到至: ]){{0,3}}(?P<month>[0-9]{{1,2}})/(?P<day>[0-9]{{1,2}})(?![0-9/.%])"
)
_DAY_PARTS = any_of(
    "周[一二三四五六日末] 星期 礼拜 早上 晚上 上午 下午 凌晨 当天 截止 之前 妇女节 劳动节 儿童节 国庆 元旦"
)
_MONTH_DAY_BEFORE = re.compile(
    rf"(?P<month>{FIRST}[0-9]?)(?:/(?P<day>[0-9]{{1,2}})(?= ?[()]?{_DAY_PARTS})"
    r"|\.(?P<dotted>[0-9]{1,2})(?= ?(?:[(]?(?:周|星期)[一二三四五六日末]|"
    r"圣诞|元旦|[植情教护记][树人师士者]节|(?:世界|国家|国际|全国)[^，。0-9]{1,6}日)))"
)
_PADDED_DAY = re.compile(
    r"[01](?<![-/.0-9A-Za-z图表式题座栋楼元区编第].)(?:(?:(?<=0)[1-9]|(?<=1)[0-2])-0[1-9]|"
    r"(?<=0)[1-9]-(?:[12][0-9]|3[01]))(?![-/.0-9A-Za-z%]| ?[室号房单栋座层元])"
)
"""Month and day in digits, a zero before one of them at least."""
_PADDED = re.compile(r"0[1-9](?<![0-9.]..)(?= ?[月日号])")

_PACE = re.compile(rf"(?P<hour>{FIRST}[0-9]{{0,2}})['′](?P<minute>[0-5][0-9])[\"″”]")
_TALL = re.compile(r"高[是为约达:]? ?\Z")
_HALF = r"(?P<half> ?[AaPp]\.?[Mm](?![A-Za-z])\.?)"
_TIME = re.compile(
    rf"(?P<hour>{FIRST}[0-9]?):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9](?:\.[0-9]{{1,3}})?)秒?)?"
    rf"(?![0-9]|:[0-9])分?{_HALF}?"
)
_HOUR = re.compile(rf"(?P<hour>{FIRST}[0-9]?){_HALF}")
_LASTING = re.compile(any_of("时长 用时 耗时 长度 成绩 配速 历时 倒计时 片长 全长") + r"[是为了达: ]{0,3}\Z")

_SEASON = re.compile(rf"(?P<one>{FIRST}[0-9])/(?P<other>[0-9]{{2}})(?= ?(?:赛季|学年|财年))")
_COMPACT = re.compile(
    rf"{any_of('日期 时间 生日 出生 生于 截止 截至 有效期 期限')}[是为于到至: ]{{0,3}}"
    r"(?P<year>(?:19|20)[0-9]{2})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12][0-9]|3[01])(?![0-9.]|[万亿年元])"
)
_DECADE = re.compile(r"(?:1[89]|20)(?<![0-9.]..)[0-9]0(?='?s(?![A-Za-z0-9]))'?s")
_YEARS = re.compile(
    rf"(?P<one>{FIRST}[0-9]{{3}})(?P<to> ?[-~—/到至] ?)(?P<other>[0-9]{{4}}|(?<=[-/])[0-9]{{2}})"
    rf"(?= ?{any_of('年 赛季 学年 财年 年度 届')})"
)
_LIFETIME = re.compile(
    rf"(?P<one>{FIRST}[0-9]{{3}})(?P<to> ?[-~—] ?)(?P<other>[0-9]{{4}})(?![0-9.%]| ?(?:{COUNTED}|[A-Za-z]))"
)
_YEAR = re.compile(rf"{FIRST}[0-9]{{1,3}}(?= ?年(?!级|[0-9]{{1,2}}班))")
_NAMED = any_of(
    "新?款 新?版 级 届 赛季 财年 财报 世界杯 奥运 亚运 欧洲杯 新年 春节 春晚 高考 中考 考研 国考 学年 全年 "
    "上半年 下半年 春 夏 秋 冬 Q[1-4] H[12](?![0-9]) 毕业"
)
_YEAR_NAMED = re.compile(
    rf"(?:19|20)(?<![0-9.]..)[0-9]{{2}}"
    rf"(?:(?= ?{_NAMED})|(?<=[(（《]....)(?=[)）》])|(?<=《....)(?=[\u4e00-\u9fff]))"
)
_YEAR_TOLD = re.compile(r"(?:[今明去前后]年|年份)[是为:]? ?(?P<year>(?:19|20)[0-9]{2})(?![0-9.%年万亿])")
_YEAR_DOT_MONTH = re.compile(r"(?:19|20)(?<=[于自从]..)[0-9]{2}\.(?P<month>0[1-9]|1[0-2])(?![0-9.万亿元])")
_SINCE = re.compile(any_of("公元前? 西元前? [于在自从至到前]") + r"\Z")
_ERAS = re.compile(r"\([0-9]+年|[0-9]年?[-~—到至]前?[0-9]+年")
"""A year in brackets, or two."""
_SPAN_BEFORE = re.compile(r"[了近约达整过第满长每这那后共上几续超]\Z|未来\Z")
_SPAN_AFTER = re.compile(
    f" ?年{any_of('之?前(?![后夕]) 以?来 间(?!谍) 内 里 的?历史 文明 以上 以后 多 左右')}"
)
_ERA = re.compile(
    any_of(
        "民国 昭和 平成 令和 明治 大正 康熙 乾隆 雍正 顺治 光绪 同治 咸丰 道光 嘉庆 宣统 万历 嘉靖 崇祯 洪武 "
        "永乐 贞观 开元 天宝 建安"
    )
    + r"\Z"
)
_BORN_AFTER = any_of(
    "出生 生(?![产长活命]) 毕业 入学 入伍 退役 款 的 世界杯 奥运 [春夏秋冬初底末] [0-9]{1,2}月"
)
_BORN = re.compile(f" ?年 ?{_BORN_AFTER}")
_GENERATION = re.compile(r"[0-9](?<![0-9.:].)[05](?= ?[、和,] ?[0-9][05] ?后| ?后(?![来面天排台]))")
_NO_GENERATION = re.compile(r"[第月日号点时分秒过满于在前到至约超年]\Z")


def _say_date(match: re.Match[str]) -> list[Said] | None:
    month, day = int(match["month"]), int(match["day"])
    if not (_is_year(match["year"]) and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    return [
        Said(digits(match["year"]) + "年", match.start("year"), match.start("month")),
        Said(cardinal(month) + "月", match.start("month"), match.start("day")),
        Said(cardinal(day) + "日", match.start("day"), match.end()),
    ]


def _say_padded_day(match: re.Match[str]) -> list[Said]:
    day = match.end() - 2
    month = match.string[match.start() : day - 1]
    return [
        Said(cardinal(int(month)) + "月", match.start(), day),
        Said(cardinal(int(match[0][-2:])) + "日", day, match.end()),
    ]


def _say_year_month(match: re.Match[str]) -> list[Said] | None:
    month = match.lastgroup
    assert month is not None, "a month matched"
    if not 1900 <= int(match["year"]) < 2100:
        return None
    return [
        Said(digits(match["year"]) + "年", match.start("year"), match.start(month)),
        Said(cardinal(int(match[month])) + "月", match.start(month), match.end()),
    ]


def _say_year_dot_month(match: re.Match[str]) -> list[Said]:
    month = match.start("month")
    return [
        Said(digits(match.string[match.start() : month]) + "年", match.start(), month),
        Said(cardinal(int(match["month"])) + "月", month, match.end()),
    ]


def _say_month_day(match: re.Match[str]) -> list[Said] | None:
    group = match.lastgroup
    assert group is not None, "a day matched"
    month, day = int(match["month"]), int(match[group])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return [
        Said(cardinal(month) + "月", match.start("month"), match.start(group)),
        Said(cardinal(day) + "日", match.start(group), match.end(group)),
    ]


def _say_time(match: re.Match[str]) -> list[Said] | None:
    """Say a time of day, or how long something lasts."""
    hour, minute, second = match["hour"], match["minute"], match["second"]
    if _LASTING.search(before(match, 8)):
        return _parts(match, *_lasting(hour, minute, second))
    if int(hour) > 24:
        return None
    half, clock = _half_day(match, int(hour))
    if second:
        seconds = f"{_sixtieth(second)}秒" if second != "00" else ""
        minutes = f"{_sixtieth(minute)}分" if seconds or minute != "00" else ""
        return _parts(match, f"{half}{_counted(clock)}点", minutes, seconds)
    is_half = minute == "30" and clock <= 12
    minutes = "" if minute == "00" else "半" if is_half else f"{_sixtieth(minute)}分"
    return _parts(match, f"{half}{_counted(clock)}点", minutes)


def _lasting(first: str, second: str, third: str | None) -> tuple[str, ...]:
    if third:
        return f"{_counted(int(first))}小时", f"{_sixtieth(second)}分", f"{_sixtieth(third)}秒"
    return f"{_counted(int(first))}分", f"{_sixtieth(second)}秒"


def _parts(match: re.Match[str], *words: str) -> list[Said]:
    """Put the words to hour, minute and second; what has none belongs to the one before."""
    begins = [match.start(name) for name in ("hour", "minute", "second") if match[name]]
    found: list[Said] = []
    for word, begin, end in zip(words, begins, [*begins[1:], match.end()], strict=True):
        if word:
            found.append(Said(word, begin, end))
        else:
            found[-1] = replace(found[-1], end=end)
    return found


def _sixtieth(text: str) -> str:
    """Say minutes or seconds of two digits, with decimals perhaps: "05" is "零五"."""
    whole, dot, decimals = text.partition(".")
    words = digits(whole) if whole[0] == "0" and whole != "00" else cardinal(int(whole))
    return f"{words}点{digits(decimals)}" if dot else words


def _counted(value: int) -> str:
    return "两" if value == 2 else cardinal(value)


def _say_pace(match: re.Match[str]) -> list[Said] | None:
    if int(match["minute"]) < 12 and _TALL.search(before(match, 4)):
        return None
    return [
        Said(f"{_counted(int(match['hour']))}分", match.start(), match.start("minute")),
        Said(f"{_sixtieth(match['minute'])}秒", match.start("minute"), match.end()),
    ]


def _say_hour(match: re.Match[str]) -> list[Said] | None:
    hour = int(match["hour"])
    if not 1 <= hour <= 12:
        return None
    first, hour = _half_day(match, hour)
    return said(first + _counted(hour) + "点", match)


def _half_day(match: re.Match[str], hour: int) -> tuple[str, int]:
    """Return what "AM" or "PM" after the time puts before it, and the hour."""
    half = (match["half"] or "").strip().lower()
    if not half or hour > 12:
        return "", hour
    if half[0] == "a":
        return ("凌晨" if hour == 12 or hour < 5 else "上午"), hour % 12 if hour == 12 else hour
    if hour == 12:
        return "中午", hour
    return ("下午" if hour < 6 else "晚上"), hour


def _say_years(match: re.Match[str]) -> list[Said] | None:
    if not _is_year(match["one"]) or (len(match["other"]) == 4 and not _is_year(match["other"])):
        return None
    is_season = match["to"].strip() == "/" or len(match["other"]) == 2
    return [
        Said(digits(match["one"]), *match.span("one")),
        Said("" if is_season else "到" if match["to"].strip() != "至" else "至", *match.span("to")),
        Said(digits(match["other"]), *match.span("other")),
    ]


def _say_season(match: re.Match[str]) -> list[Said] | None:
    if (int(match["one"]) + 1) % 100 != int(match["other"]):
        return None
    return [
        Said(digits(match["one"]), *match.span("one")),
        Said(digits(match["other"]), *match.span("other")),
    ]


def _say_decade(match: re.Match[str]) -> list[Said]:
    return said(digits(match[0]) + "年代", match)


def _say_lifetime(match: re.Match[str]) -> list[Said] | None:
    one, other = int(match["one"]), int(match["other"])
    is_plain = one % 100 == 0 and other % 100 == 0
    return None if is_plain or one >= other else _say_years(match)


def _say_year(match: re.Match[str]) -> list[Said] | None:
    """Say a year digit by digit; a number of years is left to those who count."""
    year, text = match[0], match.string
    lead, value = before(match, 6), int(year)
    spans = (_SPAN_AFTER.match(text, match.end()) or _SPAN_BEFORE.search(lead)) is not None
    if _ERA.search(lead):
        counts = True
    elif len(year) == 4:
        is_round = value % 1000 == 0 and value != 2000 and not _SINCE.search(lead)
        counts = is_round or (value % 100 == 0 and (value >= 3000 or (spans and value % 500 == 0)))
    elif len(year) == 3:
        is_dated = _SINCE.search(lead) or (
            value % 10 and _ERAS.search(text, max(0, match.start() - 6), match.end() + 7)
        )
        counts = not is_dated or (value % 10 == 0 and spans)
    elif year[0] == "0":
        counts = False
    else:
        born = _BORN.match(text, match.end()) is not None
        is_recent = value >= 60 and value % 5 != 0
        counts = spans or not (is_recent or (born and value != 10))
    return None if counts else said(digits(year), match)


def _is_year(year: str) -> bool:
    return 1000 <= int(year) < 2200


def _say_named_year(match: re.Match[str]) -> list[Said]:
    return said(digits(match[0]), match)


def _say_generation(match: re.Match[str]) -> list[Said] | None:
    if _NO_GENERATION.search(before(match, 1)):
        return None
    return said(digits(match[0]), match)


def _say_padded(match: re.Match[str]) -> list[Said]:
    return said(cardinal(int(match[0])), match)


RULES: tuple[Rule, ...] = (
    Rule(_DATE, _say_date, needs="-/."),
    Rule(_COMPACT, _say_date),
    Rule(_DECADE, _say_decade, needs="s"),
    Rule(_SEASON, _say_season, needs="/"),
    Rule(_YEARS, _say_years, needs="年赛学财届"),
    Rule(_LIFETIME, _say_lifetime, needs="-~—"),
    Rule(_YEAR_MONTH, _say_year_month, needs="-/"),
    Rule(_MONTH_DAY, _say_month_day, needs="/"),
    Rule(_MONTH_DAY_BEFORE, _say_month_day, needs="/."),
    Rule(_PADDED_DAY, _say_padded_day, needs="-"),
    Rule(_TIME, _say_time, needs=":"),
    Rule(_PACE, _say_pace, needs="'′"),
    Rule(_HOUR, _say_hour, needs="Mm"),
    Rule(_YEAR, _say_year, needs="年"),
    Rule(_YEAR_NAMED, _say_named_year, needs="12"),
    Rule(_YEAR_TOLD, lambda match: said(digits(match["year"]), match, "year"), needs="年"),
    Rule(_YEAR_DOT_MONTH, _say_year_dot_month, needs="."),
    Rule(_GENERATION, _say_generation, needs="后"),
    Rule(_PADDED, _say_padded, needs="0"),
)
