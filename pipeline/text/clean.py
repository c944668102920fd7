"""Puts clean text together, with where each of its characters stands in the input.

Knows no markup: it is told what to keep, what to put, and where a line or a table's cell ends. One owner at a
time.

A line end in text without its markup may no longer look like one: "- " is gone from the next line, and a long
line may have been wrapped at a margin. So a line that ends for certain is followed by a blank one where the
splitter would not end a sentence after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from pipeline.text.characters import CLAUSE_MARKS, STOPS, is_cjk
from pipeline.text.lines import SHORTEST_WRAPPED
from pipeline.text.passage import Mark, MarkKind, Passage, with_break

_TAIL = SHORTEST_WRAPPED + 24
"""Code points of what was put together that are looked at again: a line that was not wrapped, and spaces."""


_SPACES = ("", " ", "\n", "\t")


class CleanText:
    """The clean text since the last `take`."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._origins: list[Sequence[int]] = []
        self._marks: list[Mark] = []
        self._length = 0
        self._tail = ""
        self._is_after_gap = False  # something was dropped behind what was put together
        self._cell: int | None = None  # origin of the cell that begins here

    @property
    def line(self) -> str:
        """The line so far, or the end of it if it is a long one; no white space around it."""
        return _last_line(self._tail)

    def __len__(self) -> int:
        return self._length

    def keep(self, text: str, origins: Sequence[int]) -> None:
        """Append text that stands in the input, one origin a character.

        Of two spaces around something dropped, the second one is dropped too.
        """
        if self._is_after_gap and text:
            self._is_after_gap = False
            if text[:1] == " " and self._tail[-1:] in _SPACES:
                text, origins = text[1:], origins[1:]
        if self._cell is not None:
            dropped = len(text) - len(text.lstrip())
            text, origins = text[dropped:], origins[dropped:]
            if text:
                self.settle()
        self._append(text, origins)

    def _append(self, text: str, origins: Sequence[int]) -> None:
        if not text:
            return
        self._pieces.append(text)
        self._origins.append(origins)
        self._length += len(text)
        self._tail = text[-_TAIL:] if len(text) >= _TAIL else (self._tail + text)[-_TAIL:]

    def put(self, text: str, origin: int) -> None:
        """Append text that is written otherwise in the input, at `origin`."""
        if self._cell is not None:
            self.settle()
        self._append(text, range(origin, origin + 1) if len(text) == 1 else (origin,) * len(text))

    def drop(self) -> None:
        """Know that something was dropped from the input here."""
        self._is_after_gap = True

    def mark(self, kind: MarkKind, value: str, begin: int) -> None:
        """Mark everything from `begin` on, a length of this text, if it is anything; or set a break."""
        if kind is MarkKind.BREAK or begin < self._length:
            mark = Mark(kind, begin, self._length, value)
            self._marks[-1:] = with_break(tuple(self._marks[-1:]), mark)

    def begin_cell(self, origin: int) -> None:
        """Begin a cell: white space is dropped, and what comes is parted from what its line has so far."""
        self._cell = origin

    def settle(self) -> None:
        """Part the cell that has begun, if one has, from the one before it."""
        if self._cell is None:
            return
        origin, self._cell = self._cell, None
        if self._tail[-1:] not in ("", "\n"):
            last = self._tail.rstrip()[-1:]
            self.put("，" if is_cjk(last) else " " if last in STOPS + CLAUSE_MARKS else ", ", origin)

    def end_line(self, origin: int) -> None:
        """End the line, and the sentence; nothing where a line begins anyway."""
        self._cell = None
        if self._tail[-1:] not in ("", "\n"):
            self.put("\n\n" if _looks_wrapped(self.line) else "\n", origin)

    def begin_line(self, origin: int) -> None:
        """Make sure that the line before this one has ended a sentence."""
        before = self._tail.rstrip(" \t")
        if before.endswith("\n") and _looks_wrapped(_last_line(before[:-1])):
            self.put("\n", origin)

    def take(self) -> Passage:
        """Return the text so far and begin anew."""
        # Inner marks end before the outer ones; in order means by where they begin.
        marks = tuple(sorted(self._marks, key=lambda mark: mark.begin))
        passage = Passage("".join(self._pieces), _joined(self._origins), marks)
        self._pieces, self._origins, self._marks, self._length = [], [], [], 0
        return passage


def _last_line(text: str) -> str:
    return text[text.rfind("\n") + 1 :].strip()


def _looks_wrapped(line: str) -> bool:
    """Tell whether the splitter may read on after a line."""
    return len(line) >= SHORTEST_WRAPPED and line[-1] not in STOPS


def _joined(origins: list[Sequence[int]]) -> Sequence[int]:
    """Return the origins as one sequence: a range where nothing was dropped."""
    if not origins:
        return range(0)
    at = origins[0][0] if origins[0] else 0
    begin = at
    for part in origins:
        if not isinstance(part, range) or (part and part.start != at):
            return tuple(chain.from_iterable(origins))
        at += len(part)
    return range(begin, at)
