"""Times of the day, durations, and what else is written with a colon: "9:30PM", "2h 30m", "3:2", "John 3:16".

Knows no dates, but those that a time is joined to as in "2024-10-01T12:30:00Z". Pure; any thread may call it.
"""

from __future__ import annotations

import re

from pipeline.text.english.around import last_word, next_word
from pipeline.text.english.context import bare, words_before
from pipeline.text.english.dates import ISO, date_words
from pipeline.text.english.figures import spread, trimmed
from pipeline.text.english.numbers import cardinal, digits, number_words, two_digits, year
from pipeline.text.english.tables import pairs, words
from pipeline.text.rules import Rule, Said

_RATIO_BEFORE = words("ratio odds score scored won win lost beat scale ratios mix")
_RATIO_AFTER = words("ratio odds scale mix mixture win victory lead loss defeat score aspect dilution split")
_SHORT_BOOKS = pairs(
    """gen Genesis; ex Exodus; exod Exodus; lev Leviticus; deut Deuteronomy; josh Joshua; neh Nehemiah; ps
    Psalm; pss Psalms; prov Proverbs; isa Isaiah; jer Jeremiah; ezek Ezekiel; matt Matthew; mt Matthew; mk
    Mark; lk Luke; jn John; rom Romans; cor Corinthians; gal Galatians; eph Ephesians; phil Philippians; thess
    Thessalonians; heb Hebrews; jas James; pet Peter; rev Revelation; sam Samuel"""
)
_BOOKS = words(
    """genesis exodus leviticus numbers deuteronomy joshua judges ruth samuel kings chronicles ezra nehemiah
    esther job psalm psalms proverbs ecclesiastes isaiah jeremiah lamentations ezekiel daniel hosea joel
    amos obadiah jonah micah nahum habakkuk zephaniah haggai zechariah malachi matthew mark luke john acts
    romans corinthians galatians ephesians philippians colossians thessalonians timothy titus philemon
    hebrews james peter jude revelation quran surah sura"""
)
_NUMBERED_BOOKS = "Samuel|Kings|Chronicles|Corinthians|Thessalonians|Timothy|Peter|John|Cor|Sam|Thess|Pet|Jn"
_ORDERS = {"1": "first", "2": "second", "3": "third"}
_DURATIONS = pairs(
    "d day; h hour; hr hour; hrs hour; m minute; min minute; mins minute; s second; sec second"
)

_OPEN = r"(?<![\w.,:/$€£#@].)(?<![A-Za-z0-9]-.)"
_HALF = r"(?P<half{0}>\s?(?:[aApP]\.\s?[mM]\.?|[aApP][mM])(?![\w]))"
_HALF_AFTER_MINUTE = _HALF.replace("[mM])(?", r"[mM]|[ap](?=[\s,;.)–-]|\Z))(?")
_AHEAD = r"(?P<ahead>[-+−])(?P<hours>[0-9]{1,2})(?::?(?P<minutes>[0-9]{2}))?(?!\d)"
_ZONE = (
    r"(?P<zone>\s\(?(?:[EPCM][SD]?T|GMT|UTC|CEST|BST|IST|JST|AE[SD]T|HST|AKST|SGT|KST)(?![\w'’])"
    rf"(?:{_AHEAD})?)?"
)
_DASH = r"(?P<dash>\s?[-‑–—]\s?)"


def clock_words(hour: str, minute: str, *, alone: bool = False) -> str:
    """Return how a time is said: "nine thirty", "five oh seven"; full hours with "o'clock" unless `alone`."""
    if minute != "00":
        return f"{digits(hour) if hour == '00' else cardinal(int(hour))} {two_digits(int(minute))}"
    if int(hour) == 0:
        return "midnight" if len(hour) == 2 else "zero"
    if int(hour) > 12:
        return f"{cardinal(int(hour))} hundred"
    return cardinal(int(hour)) if alone else f"{cardinal(int(hour))} o'clock"


def _half(match: re.Match[str], group: str) -> list[Said]:
    """Say "A M" or "P M", which stand as letters."""
    if not match[group]:
        return []
    begin, end = trimmed(match.string, *match.span(group))
    return [Said(f"{match.string[begin].upper()} M", begin, end, spelled=True)]


def _zone(match: re.Match[str]) -> list[Said]:
    if not match["zone"]:
        return []
    begin, end = match.span("zone")
    name = re.sub(r"[^A-Z]", "", match["zone"])
    begin += len(match["zone"]) - len(match["zone"].lstrip(" ("))
    end = match.start("ahead") if match["ahead"] else end
    return [Said(" ".join(name), begin, end, spelled=True), *_ahead(match)]


def _ahead(match: re.Match[str]) -> list[Said]:
    """Say how far a zone is from UTC: "plus five thirty"."""
    if not match["ahead"]:
        return []
    words = cardinal(int(match["hours"]))
    if match["minutes"] and match["minutes"] != "00":
        words += f" {two_digits(int(match['minutes']))}"
    end = match.end("minutes") if match["minutes"] else match.end("hours")
    return [Said(f"{'plus' if match['ahead'] == '+' else 'minus'} {words}", match.start("ahead"), end)]


def _is_clock(hour: str, minute: str, half: str | None) -> bool:
    return int(hour) <= (12 if half else 24) and int(minute) <= 59


def _say_clock(match: re.Match[str]) -> list[Said] | None:
    """Read "9:30 p.m. EST", "3:00–4:30 pm", "17:45"."""
    hour, minute, half = match["hour"], match["minute"], match["half"]
    if not _is_clock(hour, minute, half) or _is_ratio(match):
        return None
    full = not (half or match["hour2"]) and next_word(match.string, match.end("minute")) != "o'clock"
    words = clock_words(hour, minute, alone=not full)
    return _to_second_hour(match, [Said(words, match.start("hour"), match.end("minute"))])


def _say_hour(match: re.Match[str]) -> list[Said] | None:
    """Read "5pm", "5 p.m.", "9am–5pm", "9-5pm"."""
    hour = match["hour"]
    if not 1 <= int(hour) <= 12 or not (match["half"] or match["half2"]):
        return None
    return _to_second_hour(match, [Said(cardinal(int(hour)), *match.span("hour"))])


def _to_second_hour(match: re.Match[str], parts: list[Said]) -> list[Said] | None:
    """Add what may follow the first hour: the half of the day, another time that ends the range, a zone."""
    parts += _half(match, "half")
    if match["hour2"]:
        minute = match["minute2"] or "00"
        if not _is_clock(match["hour2"], minute, match["half2"]):
            return None
        parts.append(Said("to", *trimmed(match.string, *match.span("dash"))))
        end = match.end("minute2") if match["minute2"] else match.end("hour2")
        parts.append(Said(clock_words(match["hour2"], minute, alone=True), match.start("hour2"), end))
        parts += _half(match, "half2")
    return spread(match.string, [*parts, *_zone(match)])


def _is_ratio(match: re.Match[str]) -> bool:
    """Tell by the words around it that what looks like a time is a ratio."""
    if match["half"] or match["zone"]:
        return False
    before = {bare(word).lower() for word in words_before(match.string, match.start())[-2:]}
    after = next_word(match.string, match.end()).lower()
    return bool(before & _RATIO_BEFORE) or after in _RATIO_AFTER


def _say_seconds(match: re.Match[str]) -> list[Said] | None:
    """Read "10:00:30" as a time of the day, "1:23:45" as a duration."""
    hour, minute, second = match["hour"], match["minute"], match["second"]
    if int(minute) > 59 or int(second[:2]) > 59:
        return None
    if len(hour) == 2 or match["half"]:
        words = clock_words(hour, minute, alone=bool(match["half"]))
        if second != "00":
            words += f" and {_counted(second, 'second')}"
    else:
        counts = [_counted(hour, "hour"), _counted(minute, "minute"), _counted(second, "second")]
        words = " ".join(count for count in counts if not count.startswith("zero ")) or "zero seconds"
    return spread(match.string, [Said(words, match.start(), match.end("second")), *_half(match, "half")])


def _counted(text: str, unit: str) -> str:
    number, _, rest = text.replace(",", ".").partition(".")
    words = cardinal(int(number)) + (f" point {digits(rest)}" if rest else "")
    return f"{words} {unit}{'' if words == 'one' else 's'}"


def _say_iso(match: re.Match[str]) -> list[Said] | None:
    """Read "2024-10-01T12:30:00Z"."""
    month, day = int(match["month"]), int(match["day"])
    if not (1 <= month <= 12 and 1 <= day <= 31) or not _is_clock(match["hour"], match["minute"], None):
        return None
    words = (
        f"{date_words(month, day)}, {year(int(match['year']))}, {clock_words(match['hour'], match['minute'])}"
    )
    begin, end = match.span()
    parts = [Said(words, begin, match.end("minute"))]
    if match["second"]:
        seconds = "" if match["second"] == "00" else f"and {_counted(match['second'], 'second')}"
        parts.append(Said(seconds, *match.span("second")))
    if match["ahead"]:
        return spread(match.string, [*parts, *_ahead(match)])
    utc = [Said("U T C", end - 1, end, spelled=True)] if match.group().endswith("Z") else []
    return spread(match.string, [*parts, *utc])


def _say_verse(match: re.Match[str]) -> list[Said] | None:
    """Read "John 3:16" and "1 Cor 13:4-7"."""
    head, order = match.group()[0], _ORDERS.get(match.group()[0])
    book = match["book"] if order else head + match["book"]
    name = _SHORT_BOOKS.get(book.lower())
    if name is None and book.lower() not in _BOOKS:
        return None
    parts = [Said(order, match.start(), match.start() + 1)] if order else []
    if name:
        end = match.end("book") + (1 if match.string[match.end("book")] == "." else 0)
        parts.append(Said(name, match.end("book") - len(book), end))
    words = number_words(match["chapter"])
    parts.append(Said(f"{words} {number_words(match['verse'])}", match.start("chapter"), match.end("verse")))
    if match["last"]:
        parts.append(Said("to", *trimmed(match.string, *match.span("dash"))))
        parts.append(Said(number_words(match["last"]), *match.span("last")))
    return spread(match.string, parts)


def _say_lap(match: re.Match[str]) -> list[Said]:
    """Read minutes with parts of a second: "3:59.4"."""
    minutes, seconds = match["minutes"], match["seconds"]
    words = f"{cardinal(int(minutes))} {two_digits(int(seconds)) if int(seconds) else 'zero'}"
    return [Said(f"{words} point {digits(match['part'])}", *match.span())]


def _say_until(match: re.Match[str]) -> list[Said]:
    """Read the dash of "9 a.m.–noon", "noon–5" and "2010–present"."""
    return [Said("to", *trimmed(match.string, *match.span()))]


def _say_ratio(match: re.Match[str]) -> list[Said]:
    """Read a score or a ratio: "3:2", "16:9"."""
    words = f"{number_words(match[1])} to {number_words(match[2])}"
    return [Said(words, *match.span())]


def _say_duration(match: re.Match[str]) -> list[Said] | None:
    """Read "2h 30m", "1h30", "5m 30s"."""
    parts: list[Said] = []
    for part in re.finditer(r"([0-9]+)\s?(d|hrs?|h|mins?|m|sec|s|\Z)", match.group()):
        if not part.group():
            continue
        unit = _DURATIONS[part[2] or "m"]
        parts.append(Said(_counted(part[1], unit), match.start() + part.start(), match.start() + part.end()))
    return spread(match.string, parts) if len(parts) > 1 else None


def _say_military(match: re.Match[str]) -> list[Said] | None:
    """Read "0600 hours" and "1730 hrs"."""
    hour, minute = match["hour"], match["minute"]
    if not _is_clock(hour, minute, None):
        return None
    if hour[0] != "0" and last_word(match.string, match.start()) not in (
        "at",
        "by",
        "until",
        "since",
        "from",
    ):
        return None
    rest = "hundred" if minute == "00" else two_digits(int(minute))
    words = f"{digits(hour) if hour[0] == '0' else cardinal(int(hour))} {rest}"
    parts = [Said(words, match.start(), match.end("minute")), Said("hours", *match.span("unit"))]
    return spread(match.string, parts)


def _say_zone(match: re.Match[str]) -> list[Said]:
    """Read "UTC+2" and "GMT-05:30"."""
    return spread(match.string, _zone(match))


_HOUR2 = (
    rf"(?:{_DASH}(?P<hour2>[0-9]{{1,2}})(?=:[0-9]{{2}}|\s?[aApP]\.?\s?[mM])"
    rf"(?::(?P<minute2>[0-9]{{2}}))?(?![0-9:]){_HALF.format(2)}?)?"
)
_HOUR2_AFTER_MINUTE = _HOUR2.replace("(?=:", r"(?=(?![\w:%°]|[-./][0-9])|:", 1).replace(
    _HALF.format(2), _HALF_AFTER_MINUTE.format(2)
)
_FIRST_HOUR = rf"(?P<hour>[0-9]{_OPEN}[0-9]?)"
_SECOND = r":(?P<second>[0-9]{2}(?:[.,][0-9]{1,9})?)(?![0-9:])"

RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(
            rf"{ISO}[T ](?P<hour>[0-9]{{2}}):(?P<minute>[0-9]{{2}})(?:{_SECOND})?(?:Z|{_AHEAD})?(?![\w:])"
        ),
        _say_iso,
        ":",
    ),
    Rule(
        re.compile(
            rf"[123A-Z](?<!\w.)(?:(?<=[123])\s(?=(?:{_NUMBERED_BOOKS})\b))?(?P<book>[A-Za-z]{{0,15}}+)\.?\s"
            rf"(?P<chapter>[0-9]{{1,3}}):(?P<verse>[0-9]{{1,3}})(?:{_DASH}(?P<last>[0-9]{{1,3}}))?(?![\w:])"
        ),
        _say_verse,
        ":",
    ),
    Rule(
        re.compile(rf"{_FIRST_HOUR}:(?P<minute>[0-9]{{2}}){_SECOND}{_HALF.format('')}?(?!\w)"),
        _say_seconds,
        ":",
    ),
    Rule(
        re.compile(
            rf"(?P<minutes>[0-9]{_OPEN}[0-9]?):(?P<seconds>[0-5][0-9])\.(?P<part>[0-9]{{1,3}})(?![\w:]|\.[0-9])"
        ),
        _say_lap,
        ":",
    ),
    Rule(
        re.compile(
            rf"{_FIRST_HOUR}:(?P<minute>[0-9]{{2}})(?![0-9:]){_HALF_AFTER_MINUTE.format('')}?{_HOUR2_AFTER_MINUTE}{_ZONE}(?!\w)"
        ),
        _say_clock,
        ":",
    ),
    Rule(re.compile(rf"{_FIRST_HOUR}(?![0-9]){_HALF.format('')}?{_HOUR2}{_ZONE}"), _say_hour, "mM"),
    Rule(
        re.compile(
            r"[-–—](?:(?:(?<=[0-9].)|(?<=[0-9 ][apAP][mM].)|(?<=[apAP]\.[mM]\..))"
            r"(?=(?:noon|midnight)(?![\w-]))"
            r"|(?<=[0-9]{4}[-–])(?=(?:present|now|today)(?![\w-]))|(?:(?<=noon.)|(?<=midnight.))(?=[0-9]))"
        ),
        _say_until,
        "-–—",
    ),
    Rule(re.compile(rf"(?P<zone>[UG](?<!\w.)(?:TC|MT){_AHEAD})"), _say_zone, "UG"),
    Rule(
        re.compile(rf"(?P<hour>[0-2]{_OPEN}[0-9])(?P<minute>[0-5][0-9])\s(?P<unit>hours|hrs)(?!\w)"),
        _say_military,
        "h",
    ),
    Rule(re.compile(rf"([0-9]{_OPEN}[0-9]{{0,3}}):([0-9]{{1,4}})(?![\w:]|[.,][0-9])"), _say_ratio, ":"),
    Rule(
        re.compile(
            rf"[0-9]{_OPEN}[0-9]{{0,3}}\s?(?:d|h|hrs?|m|mins?)\s?[0-9]{{1,2}}"
            r"(?:(?<=h[0-9]{2})(?!\w)|\s?(?:h|hrs?|m|mins?)(?:\s?[0-9]{1,2}\s?s(?:ec)?)?(?!\w)|\s?s(?:ec)?(?!\w))"
        ),
        _say_duration,
        "hm",
    ),
)
