"""Recognizes Markdown's links, images and notes at a place in a text.

Pure; any thread may call it. A look ahead never crosses a bracket that opens outside the link: however many
brackets open, each character is looked at a few times only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipeline.text.undecided import UNDECIDED, Undecided

LONGEST_LABEL = 300
"""Code points of a link's text; what is longer is no link."""

_NO_BLANK_LINE = r"\n(?![ \t]{0,100}\n)"
_ESCAPED = r"\\(?:[^\n]|\Z)"
_INNER = rf"\[(?:[^\[\]\\\n]|{_ESCAPED}){{0,100}}+(?:\]|\Z)"
LABEL = rf"(?:[^\[\]\\\n]++|{_ESCAPED}|{_NO_BLANK_LINE}|{_INNER})*+"
"""A pattern of a link's text: other brackets stand in it in pairs, once; no blank line."""
_LABEL = re.compile(LABEL)
_FOOTNOTE = re.compile(r"\[\^[\w-]{1,50}+\]")
_BEGUN_FOOTNOTE = re.compile(r"\[\^[\w-]{0,50}+\Z")
_TASK = re.compile(r"(?<=\d[.)] )\[[ xX]\](?=\s)")

_PHONEMES = re.compile(r"\(/([^/\n()]{1,200}+)/\)")
_BEGUN_PHONEMES = re.compile(r"\((?:/(?:[^/\n()]{1,200}+/?+)?)?\Z")
_PATH = re.compile(r"[a-z0-9]*[-_.0-9?=#%&][-\w.?=#%&]*", re.ASCII | re.IGNORECASE)

_GAP = r"[ \t]{0,20}+\n?[ \t]{0,20}+"
_BARE = r"[^\s()<>\[\]]{0,2000}+(?:\([^\s()\[\]]{0,500}+\)[^\s()<>\[\]]{0,500}+){0,5}+"
_ADDRESS = rf"(?:<[^<>\n]{{0,1000}}+>|(?!<){_BARE})"
_TITLE = r"(?:\"[^\"\[]{0,300}+\"|'[^'\[]{0,300}+'|\([^()\[]{0,300}+\))"
_TARGET = re.compile(rf"\({_GAP}{_ADDRESS}(?:\s{_GAP}{_TITLE})?{_GAP}\)")
_BEGUN_ADDRESS = rf"(?:<[^<>\n]{{0,1000}}+|{_BARE}\([^\s()\[\]]{{0,500}}+)"
_BEGUN_TITLE = r"(?:\"[^\"\[]{0,300}+|'[^'\[]{0,300}+|\([^()\[]{0,300}+)"
_BEGUN_TARGET = re.compile(
    rf"\({_GAP}(?:{_BEGUN_ADDRESS}|{_ADDRESS}(?:\s{_GAP}(?:{_BEGUN_TITLE}|{_TITLE}{_GAP})?)?)?\Z"
)
_REFERENCE = re.compile(r"\[[^\[\]\n]{0,100}+\]")
_BEGUN_REFERENCE = re.compile(r"\[[^\[\]\n]{0,100}+\Z")

_DEFINITION = re.compile(
    r"\[[^\[\]\n]{1,100}+\]:[ \t]{0,20}+"
    r"(?=<|[a-z][a-z0-9+.-]{1,30}+:|\.{0,2}/|#|[\w-]+\.\w\w|[^\s/]{1,100}+/)"
    rf"\S{{1,2000}}+(?:[ \t]{{1,20}}+{_TITLE})?[ \t]{{0,20}}+(?=\n|\Z)",
    re.IGNORECASE,
)
_BEGUN_DEFINITION = re.compile(
    rf"\[[^\[\]\n]{{0,100}}+(?:\](?::(?:[ \t]{{0,20}}+(?:\S{{1,2000}}+(?:[ \t]{{1,20}}+(?:{_BEGUN_TITLE}|"
    rf"{_TITLE}[ \t]{{0,20}}+)?)?)?)?)?)?\Z"
)


@dataclass(frozen=True, slots=True)
class Link:
    """Markup that ends at `end`; its text `[begin, stop)` is read, as `phonemes` if there are any."""

    begin: int
    stop: int
    end: int
    phonemes: str = ""


def link_at(text: str, at: int, end: int) -> Link | Undecided | None:
    """Return what begins at the "[" or "![" at `at`, looking no further than `end`; None if it is text."""
    is_image = text[at] == "!"
    begin = at + 1 + is_image
    if not is_image and (found := _note_at(text, at, end)):
        return found
    limit = begin + LONGEST_LABEL + 1
    match = _LABEL.match(text, begin, min(end, limit))
    assert match is not None
    stop = match.end()
    if stop >= min(end, limit):
        return UNDECIDED if end < limit else None
    if text[stop] != "]":
        return None
    if stop + 1 == end:
        return UNDECIDED
    link = _target_at(text, begin, stop, end) if stop > begin or is_image else None
    return Link(begin, begin, link.end) if is_image and isinstance(link, Link) else link


def _note_at(text: str, at: int, end: int) -> Link | Undecided | None:
    """Return a footnote's mark, or a box before a numbered task."""
    match = _FOOTNOTE.match(text, at, end) or _TASK.match(text, at, end)
    if match:
        return Link(at, at, match.end())
    return UNDECIDED if _BEGUN_FOOTNOTE.match(text, at, end) else None


def _target_at(text: str, begin: int, stop: int, end: int) -> Link | Undecided | None:
    """Return the link whose label is `[begin, stop)` by what follows it."""
    at = stop + 1
    if text[at] == "[":
        return _reference_at(text, begin, stop, end)
    if text[at] != "(":
        return None
    if match := _PHONEMES.match(text, at, end):
        phonemes = match[1].strip()
        is_path = _PATH.fullmatch(phonemes) or phonemes.lower() == text[begin:stop].lower()
        return Link(begin, stop, match.end(), "" if is_path else phonemes)
    if _BEGUN_PHONEMES.match(text, at, end):
        return UNDECIDED
    if match := _TARGET.match(text, at, end):
        return Link(begin, stop, match.end())
    return UNDECIDED if _BEGUN_TARGET.match(text, at, end) else None


def _reference_at(text: str, begin: int, stop: int, end: int) -> Link | Undecided | None:
    """Return a link by reference; indices ("a[i][j]") and marks of sources ("[1][2]") are none."""
    before = text[begin - 2 : begin - 1]
    if (before.isascii() and before.isalnum()) or text[begin:stop].isdigit():
        return None
    if match := _REFERENCE.match(text, stop + 1, end):
        return Link(begin, stop, match.end())
    return UNDECIDED if _BEGUN_REFERENCE.match(text, stop + 1, end) else None


def definition_at(text: str, at: int, end: int, *, whole: bool) -> int | Undecided | None:
    """Return where what a line that begins at `at` defines ends: all of a link's address, or a note's mark.

    `whole`: the text ends at `end`.
    """
    note = _FOOTNOTE.match(text, at, end)
    if note:
        if note.end() == end:
            return UNDECIDED
        return note.end() + 1 if text[note.end()] == ":" else None
    match = _DEFINITION.match(text, at, end)
    if match and (whole or match.end() < end):
        return match.end()
    if _BEGUN_DEFINITION.match(text, at, end):
        return UNDECIDED
    return None
