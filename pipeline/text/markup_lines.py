"""Reads how a line of Markdown begins: heading, list item, quote, rule, table row, fence, definition.

Drops the markers and says where the line's text begins. Knows nothing of what stands inside a
line. One owner at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pipeline.text.characters import CJK
from pipeline.text.hidden import until_fence
from pipeline.text.links import definition_at
from pipeline.text.reading import HOLD, Line, Reading
from pipeline.text.undecided import UNDECIDED, Undecided

BEGINS_MARKERS = r"\n \t>#\-*+•‣◦▪●○■▸►·`~|=_:\["
"""A class of the characters by which a line may be more than text."""

_MOST_MARKERS = 8
"""Markers in a line that are looked for; further ones are text."""
_LONGEST_RULE = 1000
"""Code points of a line without text, and of a table's heading."""
_LONGEST_INFO = 300

_INDENT = re.compile(r"[ \t]{0,100}+")
_BLANK = re.compile(r"(?:[ \t]{0,100}+\n)+")
_QUOTE = re.compile(r"(?:>(?:[ \t]{1,4}+|(?=[>\n#*\-\"'“‘(\[`~|])|(?=[^\W\d_])|\Z)){1,50}+")
_HEADING = re.compile(rf"(?:#{{1,6}}+(?=[ \t\n]|\Z)|#{{2,6}}+(?=[{CJK}]))[ \t]{{0,100}}+")
_ITEM = re.compile(r"(?:[-*+](?=[ \t\n]|\Z)|[•‣◦▪●○■▸►]|·(?=[ \t]|\Z))[ \t]{0,100}+")
_TASK = re.compile(r"\[[ xX]\](?=[ \t\n]|\Z)[ \t]{0,100}+")
_FENCE = re.compile(r"`{3,50}+(?=[^`\n]{0,300}+(?:\n|\Z))|~{3,50}+(?!~)")
_TICKS = re.compile(r"`{1,50}+|~{1,50}+")
_INFO = re.compile(r"[^\n]{0,300}+")

_RULE = re.compile(r"[-*_=|:+ \t]{1,1000}+")
_DRAWN = re.compile(r"-(?:[ \t]*+-)++[ \t]*+|(?:\*[ \t]*+){3,}|(?:_[ \t]*+){3,}|={2,}[ \t]*+")
_CELL = r"[ \t]*+:?-++:?[ \t]*+"
_DELIMITER = re.compile(rf"(?=[^\n]*\|)\|?{_CELL}(?:\|{_CELL})*+\|?[ \t]*+")
_ROW = re.compile(r"\|[ \t][^\n]*[^\n|][^\n]*\|[^\n]*[ \t]\|[ \t]*+")


def begin_line(reading: Reading, at: int, end: int) -> int:
    """Return where to read on at the beginning of a line, or behind its last marker; or `HOLD`."""
    text = reading.text
    if match := _BLANK.match(text, at, end):
        reading.end_paragraph()
        reading.end_line()
        return match.end()
    begin = _end_of(_INDENT, text, at, end)
    if begin == end and not reading.is_whole:
        return HOLD
    reader = _READERS.get(text[begin]) if begin < end and reading.markers < _MOST_MARKERS else None
    after = reader(reading, begin, end) if reader else None
    if after is None:
        reading.at_line_begin = False
        return at
    if after != HOLD:
        reading.markers += 1
    return after


def _end_of(pattern: re.Pattern[str], text: str, at: int, end: int) -> int:
    match = pattern.match(text, at, end)
    return match.end() if match else at


def _read_rule(reading: Reading, at: int, end: int) -> int | None:
    """Drop a line drawn across the page, under a heading, or under a table's heading."""
    after = _end_of(_RULE, reading.text, at, end)
    if after == end and after < at + _LONGEST_RULE and not reading.is_whole:
        return HOLD
    if after < end and reading.text[after] != "\n":
        return None
    is_delimiter = _DELIMITER.fullmatch(reading.text, at, after) is not None
    if not is_delimiter and not _DRAWN.fullmatch(reading.text, at, after):
        return None
    reading.drop(at, after)
    reading.in_table = is_delimiter
    reading.line = Line.PLAIN
    reading.at_line_begin = False
    return after


def _read_item(reading: Reading, at: int, end: int) -> int | None:
    """Drop a list item's marker, and its box."""
    text = reading.text
    match = _ITEM.match(text, at, end)
    if match is None:
        return None
    after = match.end()
    if not reading.is_whole and (after == end or (text[after] == "[" and end - after < 4)):
        return HOLD
    after = _end_of(_TASK, text, after, end)
    if after == end and not reading.is_whole:
        return HOLD
    _begin_block(reading, at, after)
    return after


def _read_rule_or_item(reading: Reading, at: int, end: int) -> int | None:
    after = _read_rule(reading, at, end) if not reading.markers else None
    return _read_item(reading, at, end) if after is None else after


def _read_quote(reading: Reading, at: int, end: int) -> int | None:
    match = _QUOTE.match(reading.text, at, end)
    if match is None:
        return None
    if match.end() == end and not reading.is_whole:
        return HOLD
    if reading.quoted:
        reading.drop(at, match.end())
    else:
        _begin_block(reading, at, match.end())
        reading.quoted = True
    return match.end()


def _read_heading(reading: Reading, at: int, end: int) -> int | None:
    match = _HEADING.match(reading.text, at, end)
    if match is None:
        return None
    if match.end() == end and not reading.is_whole:
        return HOLD
    _begin_block(reading, at, match.end())
    reading.line = Line.HEADING
    reading.at_line_begin = False
    return match.end()


def _read_fence(reading: Reading, at: int, end: int) -> int | None:
    """Hide what a fence opens."""
    if _end_of(_TICKS, reading.text, at, end) == end and not reading.is_whole:
        return HOLD
    match = _FENCE.match(reading.text, at, end)
    if match is None:
        return _read_rule(reading, at, end) if reading.text[at] != "`" else None
    after = _end_of(_INFO, reading.text, match.end(), end)
    if after == end and after < match.end() + _LONGEST_INFO:
        if not reading.is_whole:
            return HOLD
        reading.drop(at, match.end())
        return match.end()
    if after == end or reading.text[after] != "\n":
        return None
    reading.drop(at, after)
    reading.end_paragraph()
    reading.hidden = until_fence(match[0])
    reading.at_line_begin = False
    return after


def _read_row(reading: Reading, at: int, end: int) -> int | None:
    """Begin a table's row; or drop a line drawn with bars."""
    after = _read_rule(reading, at, end) if not reading.markers else None
    if after is not None:
        return after
    is_row = reading.in_table or begins_table(reading, at, end, alone=True)
    if is_row is UNDECIDED:
        return HOLD
    if not is_row:
        reading.line = Line.PLAIN
        return None
    reading.drop(at, at + 1)
    reading.clean.begin_line(reading.origins[at])
    reading.clean.begin_cell(reading.origins[at])
    reading.line = Line.ROW
    reading.at_line_begin = False
    return at + 1


def _read_definition(reading: Reading, at: int, end: int) -> int | None:
    found = definition_at(reading.text, at, end, whole=reading.is_whole)
    if found is None or isinstance(found, Undecided):
        return HOLD if found and not reading.is_quiet else None
    reading.drop(at, found)
    reading.at_line_begin = False
    return found


_READERS: dict[str, Callable[[Reading, int, int], int | None]] = {
    **dict.fromkeys("-*+", _read_rule_or_item),
    **dict.fromkeys("•‣◦▪●○■▸►·", _read_item),
    **dict.fromkeys("_=:", _read_rule),
    **dict.fromkeys("`~", _read_fence),
    ">": _read_quote,
    "#": _read_heading,
    "|": _read_row,
    "[": _read_definition,
}


def _begin_block(reading: Reading, at: int, after: int) -> None:
    """Drop a marker, `[at, after)`, of something that the line before is no part of."""
    reading.drop(at, after)
    reading.clean.begin_line(reading.origins[at])
    reading.emphasis.clear()
    reading.in_table = False
    reading.line = Line.TEXT


def begins_table(reading: Reading, at: int, end: int, *, alone: bool = False) -> bool | Undecided:
    """Tell whether the bar at `at` stands in a table's heading: a delimiter row is the next line.

    `alone`: or in a row that shows by itself what it is.
    """
    text = reading.text
    limit = min(end, at + _LONGEST_RULE)
    line_end = text.find("\n", at, limit)
    if line_end < 0:
        if limit < end or limit == at + _LONGEST_RULE:
            return False
        if not reading.is_whole:
            return UNDECIDED
        line_end = limit
    if alone and _ROW.fullmatch(text, at, line_end):
        return True
    begin = _end_of(_INDENT, text, min(line_end + 1, end), end)
    if reading.quoted:
        begin = _end_of(_QUOTE, text, begin, end)
    after = _end_of(_RULE, text, begin, end)
    if after == end and after < begin + _LONGEST_RULE and not reading.is_whole:
        return UNDECIDED
    is_line = after == end or text[after] == "\n"
    return is_line and _DELIMITER.fullmatch(text, begin, after) is not None
