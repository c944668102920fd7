"""Captions are the input: what words are said for, in order, as it stands there, heard while it is spoken."""

from __future__ import annotations

import string
from itertools import groupby, pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.speech import SegmentRequest, Spoken
from tests.models.spoken import read_as, request, spelled, synthesizer

AWKWARD = "$&#/-–—_.,:;!?…'’\"“”()[]<>=+0123456789IVXLC \t\n\u200b\u200d\ufeff\u00ad你好😀é"
texts = st.text(
    st.one_of(st.sampled_from(AWKWARD + string.ascii_letters), st.characters()), min_size=1, max_size=60
)
SAID = [
    "five",
    "dollars,",
    "well-known",
    "(a)",
    "—",
    "世界。",
    "no.",
    "St",
    "x=3",
    "7:30",
    "’tis",
    "🍕",
    "—and",
]


@st.composite
def segments(draw: st.DrawFn) -> SegmentRequest:
    """Return a text and words said for slices of it, in order, some for the same slice."""
    text = draw(texts)
    edges = sorted(draw(st.sets(st.integers(0, len(text)), min_size=2, max_size=10)))
    spoken = []
    for begin, end in pairwise(edges):
        said = st.builds(Spoken, st.sampled_from(SAID) | texts, st.just(begin), st.just(end - begin))
        spoken += draw(st.lists(said, max_size=3))
    return request(text, tuple(spoken))


@settings(max_examples=60, deadline=None)
@given(segment=segments())
@example(segment=request("$1,234.56", (Spoken("one", 0, 9), Spoken("dollar", 0, 9))))
@example(segment=request(" \u200b "))
@example(segment=request("a\u2028b\u3000c\x1cd"))
def test_every_slice_that_words_are_said_for_is_timed_once_and_in_order(segment: SegmentRequest) -> None:
    state = synthesizer().begin(segment)
    spans = [span for span, _ in groupby(segment.spoken, key=lambda word: (word.offset, word.length))]
    assert [(word.offset, word.length) for word in state.words] == spans
    for word in state.words:
        assert word.text == segment.text[word.offset : word.offset + word.length]
    bounds = [0, *(bound for word in state.words for bound in (word.start, word.end)), state.samples]
    assert all(earlier <= later for earlier, later in pairwise(bounds))


MONEY = "one thousand two hundred thirty four dollars and fifty six cents,"


@pytest.mark.parametrize(
    "words",
    [
        [("It", "It"), ("cost", "cost"), ("$1,234.56,", MONEY), ("right?", "right?")],
        [("Born", "Born"), ("3/4/2024", "March fourth, twenty twenty four"), ("at", "at"), ("7", "seven.")],
        [("A", "A"), ("well-known", "well-known"), ("state-of-the-art", "state-of-the-art"), ("it", "it")],
        [("See", "See"), ("example.com/a.", "example dot com slash A."), ("Dr.", "doctor"), ("No", "No")],
        [("“Quoted”", "“Quoted”"), ("(in", "(in"), ("brackets)", "brackets)"), ("[or]", "[or]")],
        [("Don’t", "Don’t"), ("say", "say"), ("dogs'", "dogs'"), ("rock'n'roll", "rock'n'roll")],
        [("zero\u200bwidth,", "zerowidth,"), ("soft\u00adhyphen", "softhyphen")],
    ],
)
def test_every_word_stands_as_in_the_input_and_is_heard(words: list[tuple[str, str]]) -> None:
    timed = synthesizer().begin(request(*read_as(*words))).words
    assert [word.text for word in timed if word.start < word.end] == [shown for shown, _ in words]


def test_parts_of_a_word_are_timed_each() -> None:
    text = "said—and 5km"
    spoken = (
        Spoken("said—", 0, 5),
        Spoken("and", 5, 3),
        Spoken("five", 9, 1),
        Spoken("kilometers", 10, 2),
    )
    timed = synthesizer().begin(request(text, spoken)).words
    assert [word.text for word in timed if word.start < word.end] == ["said—", "and", "5", "km"]


@pytest.mark.parametrize(
    ("text", "silent"),
    [
        ("I like 🍕 pizza 😀!", ["🍕", "😀!"]),
        ("Hello 你好 world 世界。", ["你好", "世界。"]),
        ("Yes — no …", ["—", "…"]),
        ("one \u200b two", ["\u200b"]),
    ],
)
def test_what_the_voice_cannot_read_takes_no_time_where_the_word_before_it_ends(
    text: str, silent: list[str]
) -> None:
    timed = synthesizer().begin(request(text)).words
    assert [word.text for word in timed if word.start == word.end] == silent
    for before, word in pairwise(timed):
        if word.text in silent:
            assert word.start == before.end


def test_letters_of_a_name_are_heard_one_after_the_other() -> None:
    text = "The FBI said"
    spoken = (Spoken("The", 0, 3), *spelled("FBI", 4), Spoken("said", 8, 4))
    timed = synthesizer().begin(request(text, spoken)).words
    assert [word.text for word in timed if word.start < word.end] == ["The", "F", "B", "I", "said"]
