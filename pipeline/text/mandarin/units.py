"""Units: what Mandarin calls the symbols that follow a number, and the words that count after one.

Knows no sentence around them. Pure; any thread may call it.
"""

from __future__ import annotations

from unicodedata import normalize

from pipeline.text.mandarin.patterns import any_of

SCALES = "百千万亿"
"""Characters that multiply the number before them."""

_UNITS = {
    "公里": ("km", "KM", "Km"),
    "米": ("m",),
    "分米": ("dm",),
    "厘米": ("cm", "CM"),
    "毫米": ("mm", "MM"),
    "微米": ("μm", "um"),
    "纳米": ("nm",),
    "英寸": ("in", "inch", "inches"),
    "英尺": ("ft",),
    "英里": ("mi",),
    "平方毫米": ("mm²", "mm2"),
    "平方厘米": ("cm²", "cm2"),
    "平方米": ("m²", "m2", "sqm"),
    "平方公里": ("km²", "km2"),
    "立方厘米": ("cm³", "cm3", "cc"),
    "立方米": ("m³", "m3"),
    "公顷": ("ha",),
    "公斤": ("kg", "KG", "Kg"),
    "克": ("g",),
    "毫克": ("mg",),
    "微克": ("μg", "ug", "mcg"),
    "吨": ("t",),
    "磅": ("lb", "lbs"),
    "盎司": ("oz",),
    "升": ("l", "L"),
    "毫升": ("ml", "mL", "ML"),
    "分升": ("dl", "dL"),
    "小时": ("h", "hr", "hrs"),
    "分钟": ("min", "mins"),
    "秒": ("s", "sec"),
    "平方秒": ("s²", "s2"),
    "毫秒": ("ms",),
    "微秒": ("μs", "us"),
    "纳秒": ("ns",),
    "瓦": ("W",),
    "毫瓦": ("mW",),
    "千瓦": ("kW", "KW", "kw"),
    "兆瓦": ("MW",),
    "千瓦时": ("kWh", "KWh", "kwh", "KWH"),
    "伏": ("V",),
    "千伏": ("kV", "KV"),
    "毫安": ("mA",),
    "毫安时": ("mAh", "mah"),
    "欧姆": ("Ω",),
    "分贝": ("dB", "db"),
    "赫兹": ("Hz", "hz", "HZ"),
    "千赫兹": ("kHz", "KHz", "khz"),
    "兆赫兹": ("MHz", "mhz"),
    "吉赫兹": ("GHz", "ghz"),
    "焦": ("J",),
    "千焦": ("kJ", "KJ", "kj"),
    "卡": ("cal",),
    "千卡": ("kcal", "Kcal"),
    "帕": ("Pa",),
    "百帕": ("hPa",),
    "千帕": ("kPa", "KPa"),
    "兆帕": ("MPa",),
    "毫米汞柱": ("mmHg", "mmhg"),
    "毫摩尔": ("mmol",),
    "像素": ("px",),
    "帧每秒": ("fps", "FPS"),
    "转每分钟": ("rpm", "RPM"),
    "英里每小时": ("mph",),
    "兆": ("MB", "Mb"),
    "兆每秒": ("Mbps", "mbps"),
    "千比特每秒": ("kbps", "Kbps"),
    "G每秒": ("Gbps",),
    "摄氏度": ("℃", "°C", "°c"),
    "华氏度": ("℉", "°F", "°f"),
    "度": ("°",),
    "万": ("w",),
}
_WORDS = {symbol: words for words, symbols in _UNITS.items() for symbol in symbols}
_SPELLED = frozenset(("KB", "kB", "GB", "TB", "PB", "kb", "Gb"))

_CURRENCY_WORDS = {
    "元": ("¥", "RMB", "CNY", "rmb", "CN¥"),
    "美元": ("$", "US$", "USD", "usd"),
    "港元": ("HK$", "HKD"),
    "新台币": ("NT$", "TWD"),
    "澳元": ("A$", "AU$", "AUD"),
    "加元": ("C$", "CA$", "CAD"),
    "新加坡元": ("S$", "SGD"),
    "欧元": ("€", "EUR"),
    "英镑": ("£", "GBP"),
    "日元": ("JP¥", "JPY"),
    "韩元": ("₩", "KRW"),
    "卢布": ("₽", "RUB"),
    "卢比": ("₹", "INR"),
    "泰铢": ("฿", "THB"),
    "越南盾": ("₫", "VND"),
}
CURRENCIES = {symbol: words for words, symbols in _CURRENCY_WORDS.items() for symbol in symbols}
"""Currency signs and codes, and what they are called after the amount."""


def _alternatives(symbols: list[str]) -> str:
    escaped = (symbol.replace("$", r"\$") for symbol in sorted(symbols, key=len, reverse=True))
    return "|".join(escaped)


UNIT = rf"(?:{_alternatives([*_WORDS, *_SPELLED])}|[㎀-㏟])"
"""A unit's symbol, in a regular expression."""

CURRENCY = rf"(?:{_alternatives(list(CURRENCIES))})"
"""A currency's sign or code, in a regular expression."""

_COUNTERS = (
    "个位名条张只件份次天周年岁秒种块元圆角毛分倍人口家台部辆架艘间套双对群组排队支枝根颗粒朵棵株头匹座栋幅篇章节课页句遍趟回场轮局盘杯瓶碗锅"
    "勺匙袋包盒箱桶罐串束片滴本斤克吨米里尺寸亩升笔款项样门股把顶封扇滩道首则点站碟打届度声拍针帧瓣档批期面步圈顿餐桌桩"
)
_COUNTING = any_of(
    "公里 公斤 公顷 公分 公升 公尺 公担 千米 千克 千瓦 厘米 毫米 毫升 毫克 立方 平方 英[里寸尺镑] 小时 钟头 "
    "分钟 星期 礼拜 摄氏 华氏 美[元分金] 欧元 日元 港[元币] 代人 层(?=小?[楼洋高别]|蛋糕|意思|含义|保障) "
    "行(?![动为星政程李业长家距]) 夜(?![里晚间班市场店总色]) 晚(?![上间期自报安会0-9]) "
    "发(?![来送现生展布给出]) 平(?![均时等衡台安板稳局]) 成(?![为功员立长分果本就都人年名品交绩套]) "
    f"[{SCALES}]"
)
COUNTED = rf"(?:{_COUNTING}|[{_COUNTERS}](?!级|[0-9]{{1,2}}班|[等元方院线函之手]))"
"""What begins after a number that tells how many, in a regular expression: a mere 2 is "两" before it."""


def is_unit(symbol: str) -> bool:
    """Tell whether this is a unit's symbol, all of it."""
    return symbol in _WORDS or symbol in _SPELLED or "㎀" <= symbol <= "㏟"


def unit_words(symbol: str) -> tuple[str, bool]:
    """Return what a symbol that `UNIT` matches is called, and whether that is letters to be named."""
    plain = symbol if symbol in _WORDS else normalize("NFKC", symbol)
    if plain in _WORDS:
        return _WORDS[plain], False
    return " ".join(character for character in plain.upper() if character.isalpha()), True
