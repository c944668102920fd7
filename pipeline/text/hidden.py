"""Keeps from the ear what is not to be read: fenced code, comments, scripts, a model's thoughts.

It may be long in coming, and only its end shows that it was meant so: text that ends before is read. Knows
only what its end looks like. One owner at a time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

LONGEST_HIDDEN = 65_536
"""Code points kept in case the end never comes; what is longer is not read either way."""

_LONGEST_END = 400
"""Code points that the end, with the line it stands in, may take."""


class Hidden:
    """Hidden text that is still open. `end` matches what ends it, one line end before it included."""

    def __init__(self, end: re.Pattern[str], *, in_line: bool) -> None:
        self._end = end
        self._in_line = in_line  # the end must be alone in its line, of which all must have come
        self._pieces: list[tuple[str, Sequence[int]]] = []
        self._length = 0
        self._tail = ""

    @property
    def text(self) -> str:
        """The text kept so far."""
        return "".join(piece for piece, _ in self._pieces)

    def push(self, text: str, origins: Sequence[int], at: int) -> int | None:
        """Take the text from `at` on; return where in it the hidden text ends, if it does."""
        end = self._end_in(text, at)
        if end is not None:
            return end
        self._tail = (self._tail + text[at:])[-_LONGEST_END:]
        self._length += len(text) - at
        if self._length > LONGEST_HIDDEN:
            self._pieces = []
        else:
            self._pieces.append((text[at:], origins[at:]))
        return None

    def _end_in(self, text: str, at: int) -> int | None:
        """Return where in the text from `at` on the hidden text ends."""
        if self._tail:
            joint = self._tail + text[at : at + _LONGEST_END]
            match = self._end.search(joint)
            if match and (match.end() < len(joint) or not self._in_line):
                return at + match.end() - len(self._tail)
        match = self._end.search(text, at)
        return match.end() if match and (match.end() < len(text) or not self._in_line) else None

    def flush(self) -> list[tuple[str, Sequence[int]]]:
        """Return what turns out to be text as the end never came: all that was kept."""
        return [] if self._end.search(self._tail) else self._pieces


def until(closing: str) -> Hidden:
    """Return hidden text that `closing`, a pattern of at most some dozen characters, ends."""
    return Hidden(re.compile(closing, re.IGNORECASE), in_line=False)


def until_fence(fence: str) -> Hidden:
    """Return hidden text, beginning with a line end, that a line ends with a fence as long as this one."""
    return Hidden(_fence_end(fence[0], len(fence)), in_line=True)


@lru_cache
def _fence_end(character: str, length: int) -> re.Pattern[str]:
    fence = f"{character}{{{length},{length + 100}}}+"
    return re.compile(rf"\n[ \t>]{{0,100}}+{fence}[ \t]{{0,100}}+(?=\n|\Z)")
