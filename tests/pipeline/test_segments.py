"""Segments: short at first, a sentence each later, and nothing lost between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.segments import PAUSE_MS, SMALL_LEAD_MS, SMALL_REACH, Segment, Segments
from pipeline.speech import LONGEST_SEGMENT
from pipeline.splitter import Boundary, Splitter
from pipeline.text.characters import is_speakable

LARGE_LEAD_MS = 5000.0

FRAGMENTS = (
    *(
        "a ",
        "The ",
        "word ",
        "and ",
        "which ",
        "of ",
        "because ",
        "J. ",
        "3, ",
        "1,234 ",
        "Jr. ",
        "IL ",
        "Street",
    ),
    *(
        ", ",
        "; ",
        ": ",
        " - ",
        "—",
        " (",
        ") ",
        "... ",
        "! ",
        "? ",
        ". ",
        "\n",
        "\n\n",
        "a,b@c.com ",
        "3:30 ",
    ),
    *("你", "好", "，", "、", "。", "”", "🎉", "word " * 20, "字" * 30),
)
texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=60).map("".join)


def segments_of(text: str, *leads_ms: float) -> list[Segment]:
    """The segments of a text, taken at these leads; the last one holds for the rest."""
    splitter, segments = Splitter(), Segments()
    for sentence in splitter.push(text) + splitter.flush():
        segments.push(sentence)
    leads = list(leads_ms)
    taken = []
    while segment := segments.next(leads.pop(0) if len(leads) > 1 else leads[0]):
        taken.append(segment)
    assert not segments.pending
    return taken


def told(text: str, *leads_ms: float) -> list[tuple[str, Boundary]]:
    """Text and boundary of each segment."""
    return [(segment.text, segment.boundary) for segment in segments_of(text, *leads_ms)]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Hello there, my friend, how are you today?", "Hello there, my friend,"),
        ("When it rains; we stay in.", "When it rains;"),
        ("This is it: the end.", "This is it:"),
        ("It was late — very late — when he came.", "It was late —"),
        ("It was late - very late - when he came.", "It was late -"),
        ("It was very late—he came.", "It was very late—"),
        ("She said (very quietly) that it was over.", "She said (very quietly)"),
        ("“I am here,” he said.", "“I am here,”"),
        ("Well I think... maybe not.", "Well I think..."),
        ("今天天气很好，我们去公园吧。", "今天天气很好，"),
    ],
)
def test_the_first_segment_ends_at_the_first_clause_of_three_words(text: str, first: str) -> None:
    assert told(text, 0)[0] == (first, Boundary.CLAUSE)


@pytest.mark.parametrize(
    "text",
    [
        "Ok.",
        "Well, hello.",
        "你好，我们走吧。",
        "It costs about $1,234.56 now.",
        "We met on March 3, 2024 in Paris.",
        "The book by Rowling, J. K. is long.",
        "A speech by King, Jr. was heard.",
        "Send it to Springfield, IL 62704 now.",
        "He lives at 12 Baker Street, London now.",
        "Write mail to a,b@example.com at 3:30 please.",
        "There is no clause in here at all.",
    ],
)
def test_a_first_sentence_without_such_a_clause_stays_whole(text: str) -> None:
    assert [segment for segment, _ in told(text, 0)] == [text]


def test_a_long_first_sentence_without_a_near_clause_is_cut_before_a_linking_word() -> None:
    text = (
        "The quick brown fox jumps over the lazy dog near the river bank and then it runs " + "far away " * 10
    )
    assert told(text, 0)[0] == (
        "The quick brown fox jumps over the lazy dog near the river bank",
        Boundary.NONE,
    )


def test_a_long_first_sentence_without_a_linking_word_is_cut_before_a_preposition() -> None:
    text = "The quick brown fox always jumps over the lazy dog " + "every day " * 10
    assert told(text, 0)[0] == ("The quick brown fox always jumps", Boundary.NONE)


def test_a_long_sentence_that_offers_no_place_stays_whole() -> None:
    text = "word " * 40 + "end."
    assert told(text, 0) == [(text, Boundary.SENTENCE)]


def test_the_rest_of_a_cut_sentence_ends_as_the_sentence_does() -> None:
    assert told("When it is late, we go.\n\nBye", 0) == [
        ("When it is late,", Boundary.CLAUSE),
        ("we go.", Boundary.PARAGRAPH),
        ("Bye", Boundary.NONE),
    ]


def test_with_a_small_lead_a_long_sentence_is_cut_after_the_last_clause_within_reach() -> None:
    clause = "here comes one more of them, "
    _, second, *_ = told("Go. " + clause * 6 + "done.", 0)
    assert second == ((clause * (SMALL_REACH // len(clause))).strip(), Boundary.CLAUSE)


def test_with_a_small_lead_a_short_sentence_stays_whole() -> None:
    assert told("Go. When it is late, we go home.", 0)[1][0] == "When it is late, we go home."


def test_with_a_large_lead_every_segment_is_a_sentence() -> None:
    sentence = "here comes one more of them, " * 6 + "done."
    assert told(f"Go. {sentence} {sentence}", 0, LARGE_LEAD_MS)[1:] == [(sentence, Boundary.SENTENCE)] * 2


def test_the_lead_at_which_sentences_stay_whole_is_the_small_lead() -> None:
    sentence = "here comes one more of them, " * 6 + "done."
    assert len(told(f"Go. {sentence}", 0, SMALL_LEAD_MS)) == 2
    assert len(told(f"Go. {sentence}", 0, SMALL_LEAD_MS - 1)) > 2


def test_only_the_first_segment_is_marked_first() -> None:
    assert [segment.first for segment in segments_of("When it is late, we go. Bye. Now.", 0)] == [True] + [
        False
    ] * 3


def test_nothing_is_pending_before_a_sentence_comes() -> None:
    segments = Segments()
    assert not segments.pending
    assert segments.next(0) is None


def test_every_boundary_has_a_pause_and_a_cut_without_punctuation_has_none() -> None:
    assert list(PAUSE_MS) == list(Boundary)
    assert PAUSE_MS[Boundary.NONE] == 0
    assert sorted(PAUSE_MS.values()) == list(PAUSE_MS.values())


@given(text=texts, leads_ms=st.lists(st.floats(-1000, 6000), min_size=1, max_size=8))
def test_segments_are_slices_in_order_that_leave_only_punctuation_out(
    text: str, leads_ms: list[float]
) -> None:
    at = 0
    for segment in segments_of(text, *leads_ms):
        assert segment.text == text[segment.offset : segment.offset + len(segment.text)]
        assert not any(map(is_speakable, text[at : segment.offset]))
        at = segment.offset + len(segment.text)
    assert not any(map(is_speakable, text[at:]))


@given(text=texts, leads_ms=st.lists(st.floats(-1000, 6000), min_size=1, max_size=8))
def test_a_segment_is_never_too_long_never_empty_and_has_no_space_around_it(
    text: str, leads_ms: list[float]
) -> None:
    for segment in segments_of(text, *leads_ms):
        assert 0 < len(segment.text) <= LONGEST_SEGMENT
        assert segment.text == segment.text.strip()
        assert any(map(is_speakable, segment.text))


@given(text=texts)
def test_a_segment_that_ends_without_punctuation_is_followed_by_more_of_its_sentence(text: str) -> None:
    splitter = Splitter()
    ends = {s.offset + len(s.text): s.end for s in splitter.push(text) + splitter.flush()}
    for segment in segments_of(text, 0):
        at = segment.offset + len(segment.text)
        assert segment.boundary is ends.get(at, segment.boundary)
        if at not in ends:
            assert segment.boundary in (Boundary.NONE, Boundary.CLAUSE)
