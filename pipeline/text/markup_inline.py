"""Reads what stands inside a line: emphasis, code, links, tags, entities, formulas, a table's cells.

Goes from one place of interest to the next and takes what is between them as it is. Emphasis is dropped by
what stands on its two sides, never held back to see whether it closes: a star that turns out to be alone was
not to be heard anyway. Everything else is read once it is complete, or left as text when it cannot be what it
seemed. One owner at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from pipeline.text.characters import STOPS
from pipeline.text.emphasis import can_close, can_open
from pipeline.text.html_tags import entity_at
from pipeline.text.invisible import is_never_seen
from pipeline.text.lines import SHORTEST_WRAPPED
from pipeline.text.links import link_at
from pipeline.text.markup_formula import read_formula_at
from pipeline.text.markup_lines import begin_line, begins_table
from pipeline.text.markup_places import TO_NEXT, TO_NEXT_NESTED
from pipeline.text.markup_tags import hide, read_tag
from pipeline.text.passage import MarkKind
from pipeline.text.reading import HOLD, Line, Reading
from pipeline.text.undecided import UNDECIDED, Undecided

_LONGEST_CODE = 300

_ADDRESS = re.compile(r"(?:[!#$%&'()+,\-./0-9:;=?@A-Z^a-z]++|[*_~]{1,8}+(?=[A-Za-z0-9/%=&]))++")
_MAY_BE_IN_ADDRESS = re.compile(r"[*_~]{1,8}+\Z")

_INFO = re.compile(r"[\w+#.-]{0,30}+[ \t]{0,20}+(?:\n|\Z)")
_TICKS = re.compile(r"`++|\n[ \t]{0,100}+(?:\n|\Z)")


def read_inline(reading: Reading, end: int) -> None:
    """Read from `reading.at` up to `end`, or to the first place that more text must decide."""
    at = reading.at
    while at < end and reading.hidden is None:
        if reading.at_line_begin:
            after = begin_line(reading, at, end)
        elif reading.in_address:
            after = _read_address(reading, at, end)
        else:
            match = TO_NEXT[reading.line].match(reading.text, at, end)
            assert match is not None
            if match.lastgroup is None:
                at = end
                break
            at = match.start(match.lastgroup)
            after = _READERS[match.lastgroup](reading, at, match.end(), end)
        if after == HOLD:
            break
        at = after
    reading.keep(at)


def _read_nested(reading: Reading, begin: int, end: int) -> None:
    """Read `[begin, end)`, the text of a link or an element, all of which has come."""
    before = reading.is_quiet, reading.is_whole
    reading.is_quiet = reading.is_whole = True
    at = begin
    while at < end:
        if reading.in_address:
            at = _read_address(reading, at, end)
            continue
        match = TO_NEXT_NESTED.match(reading.text, at, end)
        assert match is not None
        if match.lastgroup is None:
            break
        at = _READERS[match.lastgroup](reading, match.start(match.lastgroup), match.end(), end)
    reading.keep(end)
    reading.is_quiet, reading.is_whole = before
    reading.in_address = False


# Each of the following reads a place, `[at, after)`, in text known up to `end`, and returns where to read on,
# or `HOLD`. What it does not drop is text.


def _hold_or_text(reading: Reading, after: int) -> int:
    """Wait for more text, unless there will be none for a while."""
    return after if reading.is_quiet else HOLD


def _read_line_end(reading: Reading, at: int, after: int, end: int) -> int:
    if reading.line in (Line.HEADING, Line.ROW):
        reading.drop(at, after)
        reading.clean.end_line(reading.origins[at])
    elif reading.dropped and _was_wrapped(reading, at):
        if after == end and not reading.is_quiet:
            return HOLD
        if after < end and reading.text[after].islower():
            reading.drop(at, after)
            reading.clean.put(" ", reading.origins[at])
    reading.end_line()
    return after


def _was_wrapped(reading: Reading, at: int) -> bool:
    """Tell whether the line that ends at `at` may have been wrapped at a margin and no longer looks it."""
    reading.keep(at)
    line = reading.clean.line
    return len(line) < SHORTEST_WRAPPED <= len(line) + reading.dropped and line[-1:] not in STOPS


def _read_escape(reading: Reading, at: int, after: int, end: int) -> int:
    """Take an escaped character as text; or a formula in brackets."""
    if after == end:
        return after if reading.is_whole else HOLD
    if reading.text[after] in "([" and (found := read_formula_at(reading, at, end)) is not None:
        return found
    reading.drop(at, after)
    return after if reading.text[after] == "\n" else after + 1


def _read_entity(reading: Reading, at: int, after: int, end: int) -> int:
    found = entity_at(reading.text, at, end)
    if found is UNDECIDED:
        return _hold_or_text(reading, after)
    if found is None or isinstance(found, Undecided):
        return after
    meant, length = found
    meant = "".join(character for character in meant if not is_never_seen(character)).replace("\xa0", " ")
    reading.drop(at, at + length)
    if meant:
        reading.clean.put(meant, reading.origins[at])
    return at + length


def _read_code(reading: Reading, at: int, begin: int, end: int) -> int:
    """Take what is between backticks literally."""
    if begin == end:
        return begin if reading.is_whole else HOLD
    if begin - at > 2 and (after := _read_fence(reading, at, begin, end)) is not None:
        return after
    limit = begin + _LONGEST_CODE
    for closing in _TICKS.finditer(reading.text, begin, min(end, limit)):
        if closing.end() == end and not reading.is_quiet:
            return HOLD
        if closing[0][0] != "`":
            return begin
        if closing.end() - closing.start() == begin - at and closing.end() < limit:
            reading.drop(at, begin)
            reading.drop(*closing.span())
            return closing.end()
    return begin if limit <= end else _hold_or_text(reading, begin)


def _read_fence(reading: Reading, at: int, begin: int, end: int) -> int | None:
    """Hide what a fence opens that stands behind text; None if it is no fence."""
    info = _INFO.match(reading.text, begin, end)
    if info and info.end() == end and not reading.is_whole:
        return HOLD
    if info and reading.text[info.end() - 1] == "\n":
        return hide(reading, at, info.end(), end, reading.text[at:begin])
    return None


def _read_link(reading: Reading, at: int, after: int, end: int) -> int:
    link = link_at(reading.text, at, end) if reading.text[after - 1] == "[" else UNDECIDED
    if link is UNDECIDED:
        return _hold_or_text(reading, after)
    if link is None or isinstance(link, Undecided):
        return after
    reading.drop(at, link.begin)
    if link.phonemes:
        _read_marked(reading, link.stop, MarkKind.PHONEMES, link.phonemes)
    else:
        _read_nested(reading, link.begin, link.stop)
    reading.drop(link.stop, link.end)
    return link.end


def _read_marked(reading: Reading, stop: int, kind: MarkKind, value: str) -> None:
    """Read up to `stop` and mark what it leaves, less the space around it."""
    text = reading.text[reading.at : stop]
    last = stop - len(text) + len(text.rstrip())
    reading.keep(min(last, stop - len(text.lstrip())))
    reading.clean.settle()
    length = len(reading.clean)
    _read_nested(reading, reading.at, last)
    reading.clean.mark(kind, value, length)


def _read_formula(reading: Reading, at: int, after: int, end: int) -> int:
    if after == end:
        return _hold_or_text(reading, after)
    found = read_formula_at(reading, at, end)
    return after if found is None else found


def _read_emphasis(reading: Reading, at: int, after: int, end: int) -> int:
    """Drop a run of stars, low lines or tildes that opens or closes emphasis."""
    if after == end and not reading.is_whole:
        return HOLD
    text, run = reading.text, reading.text[at:after]
    before = text[at - 1] if at else " "
    behind = text[after] if after < end else " "
    is_open = reading.emphasis.get(run[0], 0)
    if is_open and can_close(run, before, behind):
        reading.emphasis[run[0]] = max(0, is_open - len(run))
        reading.drop(at, after)
    elif can_open(run, text[max(0, at - 2) : at], behind):
        reading.emphasis[run[0]] = is_open + len(run)
        reading.drop(at, after)
    return after


def _read_address_begin(reading: Reading, at: int, after: int, end: int) -> int:
    if at + 3 > end:
        return after if reading.is_whole else HOLD
    reading.in_address = True
    return at + 3


def _read_address(reading: Reading, at: int, end: int) -> int:
    """Take the next part of a bare URL; what would be markup elsewhere is part of it."""
    match = _ADDRESS.match(reading.text, at, end)
    if match:
        return match.end()
    if _MAY_BE_IN_ADDRESS.match(reading.text, at, end) and not reading.is_whole:
        return HOLD
    reading.in_address = False
    return at


def _read_bar(reading: Reading, at: int, after: int, end: int) -> int:
    if reading.line is not Line.ROW:
        is_row = reading.in_table or begins_table(reading, at, end)
        if is_row is UNDECIDED and not reading.is_quiet:
            return HOLD
        if is_row is not True:
            reading.line = Line.PLAIN
            return after
        reading.line = Line.ROW
    reading.drop(at, after)
    reading.clean.begin_cell(reading.origins[at])
    return after


def _read_silent(reading: Reading, at: int, after: int, end: int) -> int:
    """Drop what ends a heading or a cell."""
    if after == end and not reading.is_whole:
        return HOLD
    reading.drop(at, after)
    return after


_READERS: dict[str, Callable[[Reading, int, int, int], int]] = {
    "line": _read_line_end,
    "escape": _read_escape,
    "entity": _read_entity,
    "tag": partial(read_tag, read_marked=_read_marked),
    "code": _read_code,
    "link": _read_link,
    "formula": _read_formula,
    "emphasis": _read_emphasis,
    "address": _read_address_begin,
    "bar": _read_bar,
    "silent": _read_silent,
}
