"""Text to be read, with where each of its characters stands in the input.

What cleanup leaves of the input is a passage, and so is every slice of one: it knows its way back whatever
was dropped, and carries what marks in the input ask for. A value; any thread may use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from pipeline.text.characters import is_speakable


class MarkKind(Enum):
    """What a mark asks for."""

    BREAK = "break"
    """Silence of `value` milliseconds, in decimal; covers no characters. Of two together the longer
    counts."""
    LETTERS = "letters"
    """Each character named."""
    DIGITS = "digits"
    """Each digit named, the rest as usual."""
    ALIAS = "alias"
    """`value` is said instead."""
    PHONEMES = "phonemes"
    """`value` are the voice's phonemes."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What is asked for the characters `[begin, end)` of a passage."""

    kind: MarkKind
    begin: int
    end: int
    value: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """`text`, whose character *i* stands at `origins[i]` in the input, in code points, ever growing.

    `marks` are in order, and none reaches out of the text. A break may stand at either end.
    """

    text: str
    origins: Sequence[int]
    marks: tuple[Mark, ...] = ()

    def __post_init__(self) -> None:
        assert len(self.text) == len(self.origins)

    @classmethod
    def plain(cls, text: str, offset: int = 0) -> Passage:
        """Return text that stands in the input as it is, from `offset` on."""
        return cls(text, range(offset, offset + len(text)))

    def __eq__(self, other: object) -> bool:
        """Whether both are the same text from the same places, however these are held."""
        return (
            isinstance(other, Passage)
            and (self.text, self.marks) == (other.text, other.marks)
            and list(self.origins) == list(other.origins)
        )

    def __hash__(self) -> int:
        return hash((self.text, self.marks))

    def __len__(self) -> int:
        return len(self.text)

    def __add__(self, other: Passage) -> Passage:
        """Return both, one after the other."""
        if not other.text and not other.marks:
            return self
        if not self.text and not self.marks:
            return other
        at = len(self.text)
        shifted = tuple(replace(mark, begin=mark.begin + at, end=mark.end + at) for mark in other.marks)
        marks = with_break(self.marks, shifted[0]) + shifted[1:] if shifted else self.marks
        return Passage(self.text + other.text, _joined(self.origins, other.origins), marks)

    def slice(self, begin: int, end: int) -> Passage:
        """Return the characters `[begin, end)` with the part of each mark that covers some of them.

        A break belongs to what is before it; at the very beginning of the passage, to what is behind. What is
        said instead of characters that are cut in two is said for the first of them.
        """
        length = len(self.text)
        begin, end = min(begin, length), max(min(end, length), min(begin, length))
        kept = []
        for mark in self.marks:
            if mark.kind is MarkKind.BREAK:
                inside = begin < mark.begin <= end or mark.begin == begin == 0
            else:
                inside = mark.begin < end and mark.end > begin
            if inside:
                replaces = mark.kind in (MarkKind.ALIAS, MarkKind.PHONEMES)
                kept.append(
                    Mark(
                        MarkKind.ALIAS if replaces and mark.begin < begin else mark.kind,
                        max(mark.begin, begin) - begin,
                        min(mark.end, end) - begin,
                        "" if replaces and mark.begin < begin else mark.value,
                    )
                )
        return Passage(self.text[begin:end], self.origins[begin:end], tuple(kept))

    def behind(self, begin: int) -> Passage:
        """Return what stands from `begin` on.

        Of the breaks between that and the last thing to speak before it, the longest moves to its beginning.
        """
        if begin == 0:
            return self
        rest = self.slice(begin, len(self.text))
        before = [mark for mark in self.breaks if mark.begin <= begin]
        if before:
            places = (at for at in range(begin, 0, -1) if is_speakable(self.text[at - 1]))
            end = next(places, 0)
            before = [mark for mark in before if mark.begin >= end]
        moved = [replace(_longest(before), begin=0, end=0)] if before else []
        return replace(rest, marks=(*moved, *rest.marks))

    def stripped(self, end: int) -> Passage:
        """Return the characters up to `end`, less white space before that."""
        return self.slice(0, len(self.text[:end].rstrip()))

    @property
    def breaks(self) -> tuple[Mark, ...]:
        """The marks that ask for silence."""
        return tuple(mark for mark in self.marks if mark.kind is MarkKind.BREAK)

    def span(self, begin: int, end: int) -> tuple[int, int]:
        """Return where in the input the characters `[begin, end)`, one at least, begin and end."""
        assert begin < end
        return self.origins[begin], self.origins[end - 1] + 1


def with_break(marks: tuple[Mark, ...], mark: Mark) -> tuple[Mark, ...]:
    """Return the marks with one more behind them; two breaks at the same place become one."""
    last = marks[-1] if marks else mark
    if marks and last.kind is mark.kind is MarkKind.BREAK and last.begin == mark.begin:
        return (*marks[:-1], _longest((last, mark)))
    return (*marks, mark)


def _longest(breaks: Iterable[Mark]) -> Mark:
    return max(breaks, key=lambda mark: int(mark.value))


def _joined(first: Sequence[int], second: Sequence[int]) -> Sequence[int]:
    """Join two runs of origins; unbroken ones, as of text without markup, stay ranges."""
    if isinstance(first, range) and isinstance(second, range) and first.stop == second.start:
        return range(first.start, second.stop)
    return (*first, *second)
