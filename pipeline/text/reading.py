"""Where the reading of marked-up text stands: what was read before decides what the next characters are.

Plain state, shared by those who read lines and those who read what stands in them. One owner at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from pipeline.text.clean import CleanText
from pipeline.text.hidden import Hidden

HOLD: Final = -1
"""Instead of a place to read on: more text decides what stands here."""


class Line(StrEnum):
    """What the line being read is. Only its end changes it back."""

    TEXT = "text"
    THINNED = "thinned"
    """Text of which something was dropped."""
    PLAIN = "plain"
    """No table: its bars are text."""
    HEADING = "heading"
    ROW = "row"
    """A table's row: bars part its cells."""


@dataclass(slots=True)
class Reading:
    """The text being read and what is known from before.

    Everything before `at` is in the clean text or dropped; what is found to be text stays before `at` until
    something is dropped behind it, so that it is taken in one piece.
    """

    text: str = ""
    origins: Sequence[int] = range(0)
    at: int = 0
    clean: CleanText = field(default_factory=CleanText)
    is_quiet: bool = False
    """Something undecided is text: no more has come for a while, or none will."""
    is_whole: bool = False
    """The text ends where it ends now."""

    line: Line = Line.TEXT
    at_line_begin: bool = True
    dropped: int = 0
    """Characters dropped from the line."""
    markers: int = 0
    """Markers that the line began with."""
    quoted: bool = False
    in_table: bool = False
    in_address: bool = False
    """Inside a bare URL."""
    emphasis: dict[str, int] = field(default_factory=dict)
    """How many characters of each kind of emphasis are open."""
    in_speak: bool = False
    hidden: Hidden | None = None

    def keep(self, end: int) -> None:
        """Take what comes before `end` into the clean text."""
        if end > self.at:
            self.clean.keep(self.text[self.at : end], self.origins[self.at : end])
            self.at = end

    def drop(self, begin: int, end: int) -> None:
        """Take what comes before `begin` into the clean text, and drop what comes before `end`."""
        self.keep(begin)
        self.at = end
        self.clean.drop()
        self.dropped += end - begin
        if self.line is Line.TEXT:
            self.line = Line.THINNED

    def end_paragraph(self) -> None:
        """Forget what ends with a paragraph: open emphasis, a table."""
        self.emphasis.clear()
        self.in_table = False
        self.quoted = False

    def end_line(self) -> None:
        """Forget what ends with a line."""
        self.line = Line.ROW if self.in_table else Line.TEXT
        self.at_line_begin = True
        self.dropped = 0
        self.markers = 0
        self.in_address = False
