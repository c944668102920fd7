"""Passages: slices and sums know where in the input they stand, and keep what was asked for them."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from pipeline.text.passage import Mark, MarkKind, Passage

TEXT = "abcdefghij"


@st.composite
def passages(draw: st.DrawFn) -> Passage:
    text = draw(st.text("ab c", max_size=12))
    origins, at = [], 0
    for _ in text:
        at += draw(st.integers(1, 3))
        origins.append(at)
    marks = []
    for begin in sorted(draw(st.lists(st.integers(0, len(text)), max_size=3))):
        if draw(st.booleans()):
            marks.append(Mark(MarkKind.BREAK, begin, begin, "5"))
        elif begin < len(text):
            marks.append(Mark(MarkKind.LETTERS, begin, draw(st.integers(begin + 1, len(text)))))
    return Passage(text, origins, tuple(marks))


@given(passages(), st.data())
def test_two_slices_joined_are_the_passage(passage: Passage, data: st.DataObject) -> None:
    assume(len(passage) > 0)
    at = data.draw(st.integers(1, len(passage)))
    joined = passage.slice(0, at) + passage.slice(at, len(passage))
    assert joined.text == passage.text
    assert list(joined.origins) == list(passage.origins)
    breaks = [mark for mark in passage.marks if mark.kind is MarkKind.BREAK]
    assert sorted(m.begin for m in joined.marks if m.kind is MarkKind.BREAK) == [m.begin for m in breaks]


@given(passages(), st.integers(0, 12), st.integers(0, 12))
def test_a_slice_has_no_mark_that_reaches_out_of_it(passage: Passage, begin: int, end: int) -> None:
    piece = passage.slice(begin, end)
    assert piece.text == passage.text[begin:end]
    assert all(0 <= mark.begin <= mark.end <= len(piece) for mark in piece.marks)


def test_a_slice_of_plain_text_stands_where_it_stood() -> None:
    assert Passage.plain(TEXT, 7).slice(2, 5).span(0, 3) == (9, 12)


def test_plain_texts_joined_stay_a_range() -> None:
    assert (Passage.plain("ab", 3) + Passage.plain("c", 5)).origins == range(3, 6)


def test_what_was_dropped_between_two_characters_lies_within_their_span() -> None:
    assert (Passage.plain("ab", 0) + Passage.plain("c", 9)).span(0, 3) == (0, 10)
