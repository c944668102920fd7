"""Reads what begins with "<" in marked-up text: tags of HTML and of speech markup, addresses, comments.

Layout becomes line ends and cells, speech marks become marks; what is not to be read is hidden, other tags
are read past. One owner at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pipeline.text.hidden import until
from pipeline.text.html_tags import Tag, tag_at
from pipeline.text.passage import MarkKind
from pipeline.text.reading import HOLD, Reading
from pipeline.text.speech_marks import asked, break_ms
from pipeline.text.undecided import UNDECIDED, Undecided

_LONGEST_ELEMENT = 600
"""Code points of a marked element's text; the mark of a longer one is read past."""

_COMMENT = "<!--"
_DECLARATION = re.compile(r"<(?:!(?!--)[^<>]{0,1000}|\?[^<>]{0,1000}\?)>")
_AUTOLINK = re.compile(
    r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}+:[^\s<>]{0,2000}+|[\w.!#$%&'*+/=?^`{|}~-]{1,64}+@[\w.-]{1,255}+)>"
)
_BEGUN = re.compile(
    r"<(?:[A-Za-z](?:[A-Za-z0-9+.-]{0,31}+(?::[^\s<>]{0,2000}+)?)?"
    r"|[\w.!#$%&'*+/=?^`{|}~-]{0,64}+(?:@[\w.-]{0,255}+)?|!-?|[!?][^<>]{0,1000}+)\Z"
)
"""An address in angle brackets, a declaration or a comment of which the end has not come."""
_LINE_TAG_NAMES = (
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav "
    "ol optgroup option p pre search section select summary table tbody tfoot thead title tr ul"
)
_LINE_TAGS = frozenset(_LINE_TAG_NAMES.split())
_CELL_TAGS = frozenset({"td", "th"})
_HIDDEN_TAGS = frozenset({"script", "style", "think", "thinking"})

_RAISED = re.compile(r"(?:[-−+]?\d{1,4}+|\[\w{1,4}\])</sup\s{0,20}>", re.IGNORECASE)
_BEGUN_RAISED = re.compile(
    r"(?:[-−+]?\d{0,4}+|\[\w{0,4}\]?)(?:<(?:/(?:s(?:u(?:p\s{0,20})?)?)?)?)?\Z", re.IGNORECASE
)
_BASE = re.compile(r"(?:[\d)]|(?<![A-Za-z])[A-Za-z]{1,3})\Z")
"""What a power is raised from."""

ReadMarked = Callable[[Reading, int, MarkKind, str], None]
"""Reads on up to a place and marks what that leaves."""


def read_tag(reading: Reading, at: int, after: int, end: int, *, read_marked: ReadMarked) -> int:
    """Do what the tag at the "<" `[at, after)` asks for; take an address as text; hide a comment.

    `read_marked` reads an element's text. Returns where to read on, or `HOLD`.
    """
    text = reading.text
    if text.startswith(_COMMENT, at):
        return hide(reading, at, at + len(_COMMENT), end, "-->")
    tag = tag_at(text, at, end)
    if tag is not None and not isinstance(tag, Undecided):
        return _obey(reading, tag, at, end, read_marked)
    if link := _AUTOLINK.match(text, at, end):
        reading.drop(at, after)
        reading.drop(link.end() - 1, link.end())
        return link.end()
    if declaration := _DECLARATION.match(text, at, end):
        reading.drop(at, declaration.end())
        return declaration.end()
    is_begun = tag is UNDECIDED or _BEGUN.match(text, at, end)
    return HOLD if is_begun and not reading.is_quiet else after


def _obey(reading: Reading, tag: Tag, at: int, end: int, read_marked: ReadMarked) -> int:
    """Do what a tag asks for; return where to read on."""
    after, name = at + tag.length, tag.name
    if name in _HIDDEN_TAGS and not tag.closes:
        return hide(reading, at, after, end, rf"</{name}\s{{0,20}}+>")
    if name == "sup" and not tag.closes:
        return _raise(reading, at, after, end)
    ask = None if tag.closes else asked(tag)
    stop = _element_end(name, reading.text, after, end) if ask else None
    if stop is UNDECIDED and not reading.is_quiet:
        return HOLD
    reading.drop(at, after)
    if name in _LINE_TAGS or (name == "s" and reading.in_speak):
        reading.clean.end_line(reading.origins[at])
    elif name in _CELL_TAGS:
        reading.clean.begin_cell(reading.origins[at])
    elif name == "speak":
        reading.in_speak = not tag.closes
    elif name == "break" and not tag.closes and (length_ms := break_ms(tag)):
        reading.clean.mark(MarkKind.BREAK, str(length_ms), len(reading.clean))
    elif ask and isinstance(stop, re.Match):
        read_marked(reading, stop.start(), *ask)
        reading.drop(*stop.span())
        return stop.end()
    return after


def _raise(reading: Reading, at: int, after: int, end: int) -> int:
    """Read what is raised: a power behind a number or a short name, else the mark of a note, or text."""
    match = _RAISED.match(reading.text, after, end)
    if match is None:
        if _BEGUN_RAISED.match(reading.text, after, end) and not reading.is_quiet:
            return HOLD
        reading.drop(at, after)
    elif _BASE.search(reading.text, max(0, at - 4), at):
        reading.drop(at, after)
        reading.clean.put("^", reading.origins[at])
    else:
        reading.drop(at, match.end())
        return match.end()
    return after


def _element_end(name: str, text: str, at: int, end: int) -> re.Match[str] | Undecided | None:
    """Return the end tag of the element whose text begins at `at`; None if it has none in reach."""
    limit = min(end, at + _LONGEST_ELEMENT)
    content = re.compile(rf"(?:[^<]++|<(?!/?{name}))*+", re.IGNORECASE).match(text, at, limit)
    assert content is not None
    stop = content.end()
    if stop == limit:
        return UNDECIDED if limit < at + _LONGEST_ELEMENT else None
    closing = re.compile(rf"</{name}\s{{0,20}}>", re.IGNORECASE).match(text, stop, end)
    if closing is None and re.compile(rf"</{name}\s{{0,20}}\Z", re.IGNORECASE).match(text, stop, end):
        return UNDECIDED
    return closing


def hide(reading: Reading, at: int, begin: int, end: int, closing: str) -> int:
    """Keep from the ear what begins at `begin`, after what opens it at `at`, until its end comes."""
    reading.drop(at, begin)
    if end < len(reading.text):
        found = re.compile(closing, re.IGNORECASE).search(reading.text, begin, end)
        reading.at = found.end() if found else begin
    else:
        reading.hidden = until(closing)
    return reading.at
