"""Dates: "2024-10-01", "10/1/24", "01.10.2024", "Oct. 1st, 2024", "1 October", "March 3–5".

Of two numbers with slashes the first is the month, unless there is no such month; with dots it is the day.
Knows no years alone and no times. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from math import gcd

from pipeline.text.english.around import last_word, next_word
from pipeline.text.english.context import words_before
from pipeline.text.english.figures import spread, trimmed
from pipeline.text.english.numbers import ordinal, two_digits, year
from pipeline.text.english.tables import pairs, words
from pipeline.text.rules import Rule, Said

MONTHS = str.split("January February March April May June July August September October November December")
_SHORT = {name[:3]: name for name in MONTHS} | {"Sept": "September"}
_BY_NAME = {name.upper(): name for name in MONTHS} | {name.upper(): full for name, full in _SHORT.items()}
_WEEKDAYS = pairs(
    """Mon Monday; Tue Tuesday; Tues Tuesday; Wed Wednesday; Weds Wednesday; Thu Thursday; Thur Thursday;
    Thurs Thursday; Fri Friday; Sat Saturday; Sun Sunday"""
)
_NOT_DATED = words(
    """miles mile km kilometers meters steps people times days hours minutes seconds weeks months years feet
    percent of blocks laps games points votes"""
)
"""Words after a number that show that it is no day: "March 5 miles"."""
_MODAL = words("be have not also need well still seem get become cause lead help include only or")
"""Words after "5 May" that show that it is no month."""
_DATED = words(
    """on since until till due dated monday tuesday wednesday thursday friday saturday sunday mon tue tues wed
    thu thur thurs fri"""
)
"""Words before "10/15" that make it a date and no fraction."""

_SPANNING = words("from between to and through thru until")
_PARTS = frozenset((2, 3, 4, 5, 6, 8, 10, 16, 32))
"""What fractions commonly have below the line."""

_CALLED = {
    "9/11": "nine eleven",
    "24/7": "twenty four seven",
    "50/50": "fifty fifty",
    "20/20": "twenty twenty",
    "7/7": "seven seven",
    "4/20": "four twenty",
}
_PIVOT = 50
"""Years of two digits below this are of this century."""

_DAY = r"[0-9]{1,2}(?:st|nd|rd|th|ST|ND|RD|TH)?"
_OPEN = r"(?<![\w.,/:$€£#@-].)"
_MONTH = r"(?P<month>[JFMASOND]{open}[A-Za-z]{{2,8}}+)(?P<dot>\.)?"
_BOUND = r"(?![\w%°$€£]|[-/:][0-9]|[.,][0-9])"
_RANGE = rf"(?:(?P<dash>\s?[-‑–—]\s?)(?P<day2>{_DAY})(?!\w))?"
_YEAR = rf"(?P<year>[12][0-9]{{3}}|['’][0-9]{{2}}){_BOUND}"
_AHEAD = r"[JFMASOND][a-z]{2,8}\.?,?\s[0-9]|[0-9]{1,2}(?:st|nd|rd|th)?\s(?:of\s)?[JFMASOND][a-z]{2}"
_TO = rf"(?P<to>\s?[-‑–—]\s?(?=(?:{_AHEAD}|(?i:present|now|today)\b)))?"


def year_words(text: str) -> str:
    """Return how a year in digits is said; of two digits, with or without an apostrophe, as they stand."""
    digits = text.lstrip("'’")
    return year(int(digits)) if len(digits) > 2 else two_digits(int(digits))


def date_words(month: int, day: int) -> str:
    """Return "October first"."""
    return f"{MONTHS[month - 1]} {ordinal(day)}"


def _full_year(text: str) -> str:
    number = int(text)
    if len(text) == 2:
        number += 2000 if number < _PIVOT else 1900
    return year(number)


def _say_iso(match: re.Match[str]) -> list[Said] | None:
    """Read the groups `year`, `month` and `day` of a date in digits."""
    return _say_numbers(match, int(match["month"]), int(match["day"]))


def _say_month_first(match: re.Match[str]) -> list[Said] | None:
    month, day = int(match["first"]), int(match["second"])
    return _say_numbers(match, *((month, day) if month <= 12 else (day, month)))


def _say_day_first(match: re.Match[str]) -> list[Said] | None:
    day, month = int(match["first"]), int(match["second"])
    return _say_numbers(match, *((month, day) if month <= 12 else (day, month)))


def _say_numbers(match: re.Match[str], month: int, day: int) -> list[Said] | None:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    words = f"{date_words(month, day)}, {_full_year(match['year'])}"
    return [Said(words, *match.span())]


def _say_month_in_digits(match: re.Match[str]) -> list[Said] | None:
    """Read "2024-02" and "02/2024"; "2009-12" is a span of years."""
    month, first = int(match["month"]), int(match["year"])
    if not 1 <= month <= 12 or ("-" in match.group() and first % 100 < month):
        return None
    return [Said(f"{MONTHS[month - 1]} {year(first)}", *match.span())]


def _say_short(match: re.Match[str]) -> list[Said] | None:
    """Read "10/15" as a date where the word before says so; "9/11" and "24/7" as they are called."""
    if match.group() in _CALLED:
        return [Said(_CALLED[match.group()], *match.span())]
    month, day = int(match["first"]), int(match["second"])
    if not _is_dated(match.string, match.start(), month, day) or not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return [Said(date_words(month, day), *match.span())]


def _is_dated(text: str, begin: int, month: int, day: int) -> bool:
    """Tell by the words before "10/15" that it is a date: "due", "week of", "from 6/12 to"."""
    before = [word.lower().strip("(,.:") for word in words_before(text, begin)]
    if before[-1:] == [] or before[-1] in _DATED:
        return bool(before)
    if before[-2:] in (["week", "of"], ["weekend", "of"], ["night", "of"]):
        return True
    is_part = month < day and gcd(month, day) == 1 and day in _PARTS
    if is_part or before[-1] not in _SPANNING:
        return False
    return before[-1] in ("from", "between") or (len(before) > 1 and "/" in before[-2])


def _say_slashed_range(match: re.Match[str]) -> list[Said] | None:
    """Read "6/12–6/15"; fractions stay what they are."""
    days = [(int(match["first"]), int(match["second"])), (int(match["first2"]), int(match["second2"]))]
    if all(month < day and gcd(month, day) == 1 and day in _PARTS for month, day in days):
        return None
    if not all(1 <= month <= 12 and 1 <= day <= 31 for month, day in days) or days[0] >= days[1]:
        return None
    return spread(
        match.string,
        [
            Said(date_words(*days[0]), match.start(), match.end("second")),
            Said("to", *trimmed(match.string, *match.span("dash"))),
            Said(date_words(*days[1]), match.start("first2"), match.end()),
        ],
    )


def _say_month_day(match: re.Match[str]) -> list[Said] | None:
    """Read "March 5, 2024", "Oct. 1st", "March 3–5"."""
    text = match.string
    if match["year"] is None and next_word(text, match.end("day2" if match["day2"] else "day")) in _NOT_DATED:
        return None
    if match["month"].upper() not in _BY_NAME or not _is_day(match["day"]):
        return None
    if match["day2"] and not _is_day(match["day2"]):
        return None
    parts = [_month(match), Said(_day(match["day"]), *match.span("day"))]
    if match["day2"]:
        parts += [
            Said("to", *trimmed(text, *match.span("dash"))),
            Said(_day(match["day2"]), *match.span("day2")),
        ]
    return _dated(match, parts)


def _say_day_month(match: re.Match[str]) -> list[Said] | None:
    """Read "1 October 2024", "the 5th of May", "3–5 March"."""
    text = match.string
    name = match["month"].upper()
    bare = match["day"].isdigit() and not match["year"] and not match["of"]
    if bare and name in ("MAY", "MARCH", "MAR") and next_word(text, match.end()).lower() in _MODAL:
        return None
    if name not in _BY_NAME or not _is_day(match["day"]) or (match["day2"] and not _is_day(match["day2"])):
        return None
    the = "" if last_word(text, match.start()) == "the" else "the "
    of = "" if match["of"] else " of"
    first, last = f"{the}{_day(match['day'])}", ""
    parts = [Said(first + ("" if match["day2"] else of), *match.span("day"))]
    if match["day2"]:
        last = _day(match["day2"]) + of
        parts += [Said("to", *trimmed(text, *match.span("dash"))), Said(last, *match.span("day2"))]
    if match["of"]:
        parts.append(Said("of", *trimmed(text, *match.span("of"))))
    return _dated(match, [*parts, _month(match)])


def _dated(match: re.Match[str], parts: list[Said]) -> list[Said]:
    """Add the year, and what leads to another date after it: "Jan 5 – Feb 2"."""
    if match["year"]:
        parts.append(Said(year_words(match["year"]), *match.span("year")))
    if match["to"]:
        parts.append(Said("to", *trimmed(match.string, *match.span("to"))))
    return spread(match.string, parts)


def _month(match: re.Match[str]) -> Said:
    is_short = match["month"].capitalize() not in MONTHS
    end = match.end("month") + (1 if match["dot"] and is_short else 0)
    return Said(_BY_NAME[match["month"].upper()], match.start("month"), end)


def _say_month_year(match: re.Match[str]) -> list[Said] | None:
    """Read "May 2024", "Sept. 2024", "Oct '99"."""
    if match["month"].upper() not in _BY_NAME:
        return None
    return _dated(match, [_month(match)])


def _is_day(text: str) -> bool:
    return 1 <= int(text[:2] if text[:2].isdigit() else text[:1]) <= 31


def _day(text: str) -> str:
    return ordinal(int(text[:2] if text[:2].isdigit() else text[:1]))


def _say_weekday(match: re.Match[str]) -> list[Said] | None:
    """Read "Mon" where a date or a time follows it."""
    if match["weekday"].capitalize() not in _WEEKDAYS:
        return None
    end = match.end("weekday") + (1 if match["dot"] else 0)
    return [Said(_WEEKDAYS[match["weekday"].capitalize()], match.start(), end)]


ISO = rf"(?P<year>[12]{_OPEN}[0-9]{{3}})(?P<mark>[-/.])(?P<month>[01]?[0-9])(?P=mark)(?P<day>[0-3]?[0-9])"
"""A date that begins with its year."""
_WITH_DOTS = rf"(?P<first>[0-9]{_OPEN}[0-9]?)\.(?P<second>[0-9]{{1,2}})\.(?P<year>[12][0-9]{{3}})"
_WITH_DOTS_SHORT = rf"(?P<first>[0-3]{_OPEN}[0-9])\.(?P<second>[01][0-9])\.(?P<year>[0-9]{{2}})"
_SHORT_DATE = rf"(?P<first>[0-9]{_OPEN}[0-9]?)/(?P<second>[0-9]{{1,2}})"

RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(
            rf"(?P<weekday>[MTWFS](?<![\w–-].)[A-Za-z]{{2,4}}+)(?P<dot>\.)?(?=,?\s(?:the\s)?(?:{_AHEAD}"
            r"|[0-9]{1,2}(?:st|nd|rd|th|[/:.][0-9]|\s?[ap]\.?m\b)))"
        ),
        _say_weekday,
        "MTWFS",
    ),
    Rule(re.compile(rf"{ISO}{_BOUND}"), _say_iso, "-/."),
    Rule(re.compile(rf"{_SHORT_DATE}/(?P<year>[0-9]{{4}}|[0-9]{{2}}){_BOUND}"), _say_month_first, "/"),
    Rule(
        re.compile(rf"{_SHORT_DATE.replace('/', '-')}-(?P<year>[12][0-9]{{3}}){_BOUND}"),
        _say_month_first,
        "-",
    ),
    Rule(re.compile(rf"(?:{_WITH_DOTS}){_BOUND}"), _say_day_first, "."),
    Rule(re.compile(rf"(?:{_WITH_DOTS_SHORT}){_BOUND}"), _say_day_first, "."),
    Rule(
        re.compile(rf"(?P<year>[12]{_OPEN}[0-9]{{3}})-(?P<month>[01][0-9]){_BOUND}"),
        _say_month_in_digits,
        "-",
    ),
    Rule(
        re.compile(rf"(?P<month>[0-9]{_OPEN}[0-9]?)/(?P<year>[12][0-9]{{3}}){_BOUND}"),
        _say_month_in_digits,
        "/",
    ),
    Rule(
        re.compile(
            rf"{_SHORT_DATE}(?P<dash>\s?[-–—]\s?)(?P<first2>[0-9]{{1,2}})/(?P<second2>[0-9]{{1,2}}){_BOUND}"
        ),
        _say_slashed_range,
        "/",
    ),
    Rule(re.compile(rf"{_SHORT_DATE}{_BOUND}"), _say_short, "/"),
    Rule(
        re.compile(
            _MONTH.format(open=r"(?<![\w'’.-].)")
            + rf"\s(?P<day>{_DAY})(?!\w|[.,:/][0-9]){_RANGE}(?![\w%°$€£])(?:,?\s{_YEAR})?{_TO}"
        ),
        _say_month_day,
        "JFMASOND",
    ),
    Rule(
        re.compile(
            rf"(?P<day>[0-9]{_OPEN}[0-9]?(?:st|nd|rd|th)?){_RANGE}\s(?P<of>of\s)?"
            + _MONTH.format(open=r"(?<!\w.)")
            + rf"(?!\w)(?:,?\s{_YEAR})?{_TO}"
        ),
        _say_day_month,
        "JFMASOND",
    ),
    Rule(
        re.compile(_MONTH.format(open=r"(?<![\w'’.].)") + rf",?\s{_YEAR}{_TO}"), _say_month_year, "JFMASOND"
    ),
)
