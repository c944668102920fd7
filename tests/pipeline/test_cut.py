"""What was heard of a text ends between words, and grows with the playhead."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pipeline.cut import length_heard
from pipeline.messages import SegmentReady, SpokenWord

TEXT = "One two, three. Four five!"


def segment(index: int, text: str, start: int, *, words: bool = True) -> SegmentReady:
    """A segment of `TEXT` with ten samples to the character, and a pause of five after each word."""
    offset = TEXT.index(text)
    spoken = []
    at = 0
    for word in text.split():
        at = text.index(word, at)
        bare = word.strip(",.!")
        begin = start + at * 10
        spoken.append(SpokenWord(bare, offset + at, len(bare), begin, begin + len(bare) * 10))
    return SegmentReady(index, text, offset, start, start + len(text) * 10, tuple(spoken) if words else ())


SEGMENTS = (segment(0, "One two, three.", 0), segment(1, "Four five!", 300))


@given(st.integers(0, 500), st.integers(0, 500))
def test_more_heard_is_never_less_text(heard: int, more: int) -> None:
    assert length_heard(SEGMENTS, heard) <= length_heard(SEGMENTS, heard + more)


@given(st.integers(0, 500))
def test_a_word_is_heard_exactly_when_its_last_sample_was(heard: int) -> None:
    length = length_heard(SEGMENTS, heard)
    for word in (word for one in SEGMENTS for word in one.words):
        assert (word.offset + word.length <= length) == (word.end <= heard)
        assert length <= word.offset or length >= word.offset + word.length


def test_the_cut_moves_word_by_word_to_the_end() -> None:
    places = sorted({length_heard(SEGMENTS, heard) for heard in range(500)})
    pieces = [TEXT[a:b] for a, b in pairwise(places)]
    assert pieces == ["One ", "two, ", "three.", " ", "Four ", "five!"]


def test_between_segments_the_first_is_heard_whole() -> None:
    assert length_heard(SEGMENTS, 299) == len("One two, three.")


def test_a_segment_without_word_times_is_heard_at_its_end() -> None:
    plain = segment(1, "Four five!", 300, words=False)
    assert length_heard((SEGMENTS[0], plain), 399) == plain.offset
    assert length_heard((SEGMENTS[0], plain), 400) == len(TEXT)


def test_of_nothing_announced_nothing_was_heard() -> None:
    assert length_heard((), 10**9) == 0


def test_markup_that_touches_a_word_goes_with_it() -> None:
    text = "So **very** good"
    words = (
        SpokenWord("So", 0, 2, 0, 10),
        SpokenWord("very", 5, 4, 10, 20),
        SpokenWord("good", 12, 4, 20, 30),
    )
    heard = [length_heard((SegmentReady(0, text, 0, 0, 30, words),), samples) for samples in (9, 19, 29, 30)]
    assert [text[:length] for length in heard] == ["", "So ", "So **very** ", text]
