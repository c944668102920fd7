"""Years, spans of years, decades and ages: "in 1958", "1939–45", "500 BC", "the 1980s", "in his 30s".

Four digits are a year unless something is counted: what stands around them decides. Knows no dates. Pure; any
thread may call it.
"""

from __future__ import annotations

import re

from pipeline.text.english.around import last_word, next_word
from pipeline.text.english.context import words_before
from pipeline.text.english.figures import spread, trimmed
from pipeline.text.english.numbers import cardinal, plural, two_digits, year
from pipeline.text.english.tables import words
from pipeline.text.rules import Rule, Said

_DATING = words(
    """in since until till during circa year years mid late early before after spring summer autumn fall
    winter copyright © ad season class fiscal q1 q2 q3 q4 h1 h2 january february march april may june july
    august september october november december jan feb mar apr jun jul aug sep sept oct nov dec ca c born
    died published released founded established est"""
)
"""Words after which four digits are a year, whoever follows: "In 1984 people were poor"."""

_COUNTED = words(
    """words word characters chars steps lines copies pages tokens dollars euros pounds cents miles meters
    metres kilometers feet foot yards acres calories hours hour minutes minute seconds days weeks months
    percent points units pieces items times rows square cubic degrees grams kilograms liters litres volts
    watts pixels bytes horsepower tons tonnes rupees yen yuan"""
)
"""What is counted even where a word of `_DATING` stands before: "in 1500 words"."""

_MANY = words(
    """people men women children users votes voters soldiers troops students employees workers participants
    patients members seats guests visitors species animals sheep fish cattle troops jobs homes houses
    residents inhabitants cases deaths others more of or million billion thousand dozen strong followers
    customers subscribers players games goals runs yards employees attendees pounds tickets stars friends"""
)
"""What is counted where no such word stands before."""

_OWNERS = words("the our its their your my this that his her")
_NO_PLURALS = words("always perhaps towards besides does news")
_BEFORE_DECADES = words("the early mid late his her their my your our its swinging roaring into")
_STYLES = words(
    """music song songs show shows era style styles fashion movie movies film films sitcom sitcoms hit hits
    pop rock disco kid kids baby vibe vibes aesthetic party night nostalgia car cars horror hair decor
    band bands playlist theme themed inspired classic classics icon icons cartoon cartoons trend trends
    slang look"""
)
"""Words after which "80s" is a decade: "80s music"."""
_WAITS = words("timeout delay limit mark window interval cooldown timer clip video ad wait period break rest")
"""Words after which "30s" are seconds: "a 30s timeout"."""

_REACH = 28
_DECADE_BEFORE = re.compile(
    r"(?:(?P<lead>\w+)[ -])?(?:(?P<sure>['’‘]|[12][0-9])?[0-9]0['’]?s)(?: and | or | to | ?[-–] ?|, ?)\Z"
)
_JOINED = re.compile(r"-([a-z]{1,12})")
_PART_OF_DECADE = re.compile(r"\b(?:early|mid|late|high|low)-(?:to-)?\Z")

_OPEN = r"(?<![\w.,:/$€£¥#@+±~].)(?<![\w%°][-−–—].)"
_BOUND = r"(?![\w%°$€£¥:/*^=+×]|[-–—][0-9]|[.,][0-9]|\s?[%°×=])"
_ERA = r"\s?(?P<era>BCE?|CE|AD|B\.C\.(?:E\.)?|C\.E\.|A\.D\.)(?!\w)"
_DASH = r"(?P<dash>\s?[-‑–—]\s?)"


def _era(match: re.Match[str]) -> Said:
    letters = match["era"].replace(".", "")
    return Said(" ".join(letters), *match.span("era"), spelled=True)


def _say_era(match: re.Match[str]) -> list[Said] | None:
    """Read "500 BC", "300–200 BCE", "33 AD"."""
    parts = [Said(_year(match["year"]), *match.span("year"))]
    if match["year2"]:
        parts.append(Said("to", *trimmed(match.string, *match.span("dash"))))
        parts.append(Said(_year(match["year2"]), *match.span("year2")))
    return spread(match.string, [*parts, _era(match)])


def _say_before_era(match: re.Match[str]) -> list[Said]:
    """Read "AD 33"."""
    return spread(match.string, [_era(match), Said(_year(match["year"]), *match.span("year"))])


def _year(text: str) -> str:
    number = int(text.replace(",", ""))
    return year(number) if number < 3000 and "," not in text else cardinal(number)


def _say_decade(match: re.Match[str]) -> list[Said] | None:
    """Read "1980s", "the '90s", "mid-80s", "in his 30s"."""
    digits = match["short"] or match.group().rstrip("s'’")
    if len(digits) == 4 and not 1100 <= int(digits) < 2100:
        return None
    if len(digits) == 2 and not match["short"] and not _is_decade(match):
        return None
    if len(digits) == 2:
        words = plural(cardinal(int(digits))) if digits != "00" else "two thousands"
    else:
        words = plural(year(int(digits)))
    return [Said(words, *match.span())]


def _is_decade(match: re.Match[str]) -> bool:
    text, begin = match.string, match.start()
    joined = _JOINED.match(text, match.end())
    follower = joined[1] if joined else next_word(text, match.end()).lower()
    if follower in _WAITS:
        return False
    head = text[max(0, begin - _REACH) : begin].lower()
    before = _DECADE_BEFORE.search(head)
    if before:
        return before["sure"] is not None or before["lead"] in _BEFORE_DECADES
    return (
        _PART_OF_DECADE.search(head) is not None
        or follower in _STYLES
        or last_word(text, begin) in _BEFORE_DECADES
    )


def _say_short_year(match: re.Match[str]) -> list[Said]:
    """Read "'08", which is no number; with a date or another digit in front the year is read there."""
    number = int(match["short"])
    return [Said(two_digits(number) if number else "two thousand", *match.span())]


def _say_span(match: re.Match[str]) -> list[Said] | None:
    """Read "1939–1945" and "2019-20"."""
    first, last = match["first"], match["last"]
    end = int(last) if len(last) == 4 else int(first[:2] + last)
    if not int(first) < end or next_word(match.string, match.end()).lower() in _COUNTED | _MANY:
        return None
    words = two_digits(end % 100) if len(last) == 2 else year(end)
    return spread(
        match.string,
        [
            Said(year(int(first)), *match.span("first")),
            Said("to", *trimmed(match.string, *match.span("dash"))),
            Said(words, *match.span("last")),
        ],
    )


def _say_season(match: re.Match[str]) -> list[Said] | None:
    """Read "2023/24"."""
    first, last = int(match["first"]), int(match["last"])
    if (first + 1) % 100 != last:
        return None
    return [Said(f"{year(first)} {two_digits(last)}", *match.span())]


def _say_year(match: re.Match[str]) -> list[Said] | None:
    number = int(match.group())
    return [Said(year(number), *match.span())] if _is_year(match, number) else None


def _is_year(match: re.Match[str], number: int) -> bool:
    before = words_before(match.string, match.start())
    follower = next_word(match.string, match.end())
    after = follower.lower()
    if after in _COUNTED:
        return False
    dating = {word.lower().strip("(.,:") for word in before[-1:]}
    if dating & _DATING or match.string[max(0, match.start() - 4) : match.start()].endswith(
        ("©", "© ", "mid-")
    ):
        return True
    if not (1100 <= number < 2100) or after in _MANY:
        return False
    is_plural = follower.islower() and len(after) > 3 and after.endswith("s") and after not in _NO_PLURALS
    if not is_plural or after.endswith(("ss", "us", "is")):
        return True
    owned = last_word(match.string, match.start()) in _OWNERS
    return number % 100 != 0 and (owned or 1900 <= number < 2040)


EARLY_RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(
            rf"(?P<year>[0-9]{_OPEN}[0-9]{{0,3}}(?:,[0-9]{{3}})?)(?:{_DASH}(?P<year2>[0-9]{{1,4}}))?{_ERA}"
        ),
        _say_era,
        "ABC",
    ),
    Rule(
        re.compile(r"(?P<era>A(?<!\w.)(?:D|\.D\.))\s(?P<year>[0-9]{1,4})(?![\w]|[.,:][0-9])"),
        _say_before_era,
        "D",
    ),
    Rule(
        re.compile(
            r"['’‘0-9](?<![\w.,:/$€£].)(?:(?<=['’‘])(?P<short>[0-9]0)|(?<=[1-9])(?:[0-9]{2})?0|(?<=0)0)"
            r"['’]?s(?!\w|['’]\w)"
        ),
        _say_decade,
        "s",
    ),
    Rule(
        re.compile(r"['’‘](?<![\w'’‘].)(?P<short>0[0-9])(?![\w%°]|['’](?!s)|[.,:/-][0-9])"),
        _say_short_year,
        "'’‘",
    ),
    Rule(re.compile(rf"(?P<first>[12]{_OPEN}[0-9]{{3}})/(?P<last>[0-9]{{2}}){_BOUND}"), _say_season, "/"),
)
"""Eras, decades and seasons, which might be taken for units or fractions; to be put before those."""

RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(rf"(?P<first>[12]{_OPEN}[0-9]{{3}}){_DASH}(?P<last>[12][0-9]{{3}}|[0-9]{{2}}){_BOUND}"),
        _say_span,
        "-‑–—",
    ),
    Rule(re.compile(rf"[12]{_OPEN}[0-9]{{3}}{_BOUND}"), _say_year),
)
"""Years and spans of them, where no unit, currency or sign claims the figures; to be put after those."""
