"""Captions are the input: every word as it stands there, in order, heard for as long as it is spoken."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.speech import WordTime
from tests.models.spoken import phonemizer, request, synthesizer

AWKWARD = "$£€%&@#/\\-–—_.,:;!?…'’\"“”()[]{}<>=+*~^|°¢0123456789IVXLC \t\n\u200b\u200d\ufeff\u00ad你好😀é"
texts = st.one_of(
    st.text(st.one_of(st.sampled_from(AWKWARD + string.ascii_letters), st.characters()), max_size=80),
    st.lists(
        st.sampled_from(
            [
                "Dr.",
                "Smith",
                "7:30",
                "pm",
                "$1,234.56",
                "3/4",
                "5km",
                "VIII",
                "(a)",
                "—",
                "世界。",
                "x=3+4,",
                "🍕",
            ]
        ),
        max_size=12,
    ).map(" ".join),
)


def words_of(text: str) -> tuple[Sequence[WordTime], int]:
    """Return the timed words of a text, and the samples of its speech."""
    state = synthesizer().begin(request(text))
    return state.words, state.samples


@settings(max_examples=60, deadline=None)
@given(text=texts)
@example(text="$1,234.56")
@example(text=" \u200b ")
@example(text="a\u2028b\u3000c\x1cd")
def test_words_and_what_stands_between_them_are_the_input(text: str) -> None:
    words, _ = words_of(text)
    at = 0
    for word in words:
        between = text[at : word.offset]
        assert at <= word.offset
        assert not any(map(is_spoken, between))
        assert word.text == text[word.offset : word.offset + word.length]
        at = word.offset + word.length
    assert not any(map(is_spoken, text[at:]))


def is_spoken(character: str) -> bool:
    """Tell whether a character could be heard: it is neither white space nor punctuation."""
    return not (character.isspace() or unicodedata.category(character)[0] == "P")


@settings(max_examples=60, deadline=None)
@given(text=texts)
def test_words_begin_and_end_one_after_the_other_within_their_segment(text: str) -> None:
    words, samples = words_of(text)
    bounds = [0, *(bound for word in words for bound in (word.start, word.end)), samples]
    assert all(earlier <= later for earlier, later in pairwise(bounds))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It cost $1,234.56, right?", ["It", "cost", "$1,234.56,", "right?"]),
        ("Born on 3/4/2024 at 7:30 pm.", ["Born", "on", "3/4/2024", "at", "7:30", "pm."]),
        ("Pi is 3.14, e.g. here", ["Pi", "is", "3.14,", "e.g.", "here"]),
        ("A well-known state-of-the-art thing", ["A", "well-known", "state-of-the-art", "thing"]),
        (
            "See https://example.com/a?b=c or example.com.",
            ["See", "https://example.com/a?b=c", "or", "example.com."],
        ),
        ("Dr. Smith met St. John.", ["Dr.", "Smith", "met", "St.", "John."]),
        ("“Quoted” (in brackets) [or not]", ["“Quoted”", "(in", "brackets)", "[or", "not]"]),
        ("Don’t say 'tis the dogs' rock'n'roll", ["Don’t", "say", "'tis", "the", "dogs'", "rock'n'roll"]),
        ("zero\u200bwidth, soft\u00adhyphen", ["zero\u200bwidth,", "soft\u00adhyphen"]),
        ("He said—and she heard—“what?” — yes", ["He", "said—", "and", "she", "heard—", "“what?”", "yes"]),
        ("5 Jan 2024, 10°C and €3k", ["5", "Jan", "2024,", "10°C", "and", "€3k"]),
    ],
)
def test_every_word_stands_as_in_the_input_and_is_heard(text: str, words: list[str]) -> None:
    timed, _ = words_of(text)
    assert [word.text for word in timed if word.start < word.end] == words
    assert [word.text for word in timed if word.text not in words] == ["—"] * (" — " in text)


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
    timed, _ = words_of(text)
    assert [word.text for word in timed if word.start == word.end] == silent
    for before, word in pairwise(timed):
        if word.text in silent:
            assert word.start == before.end


@pytest.mark.parametrize(
    ("text", "word", "spoken"),
    [
        (
            "It cost $1,234.56 then.",
            "$1,234.56",
            "one thousand two hundred thirty four dollars and fifty six cents",
        ),
        ("On 3/4/2024 it was.", "3/4/2024", "March fourth, 2024"),
        ("So 7:30 pm. 8:15 am it is", "8:15", "eight fifteen"),
        ("So 7:30 pm. 8:15 am it is", "pm.", "P.M."),
        ("I can’t 5km “really”", "5km", "five kilometers"),
        ("x=3+4, a<b & c", "a<b", "a less than b"),
        ("In 5 Feb. 2pm at", "Feb.", "February"),
        ("* 5km • 6mi", "6mi", "six miles"),
        ("Mr. Smith’s 5kg", "Smith’s", "Smith's"),
    ],
)
def test_a_word_is_given_all_that_is_said_for_it_and_no_more(text: str, word: str, spoken: str) -> None:
    assert phonemes_by_word(text)[word] == sum(phonemes_by_word(spoken).values())


def phonemes_by_word(text: str) -> dict[str, int]:
    """Return how many phonemes that sound each word of a text has."""
    reading = phonemizer().read(text)
    counts = dict.fromkeys((word.text for word in reading.words), 0)
    for run in reading.runs:
        for owner, audible in zip(run.owners, run.audible, strict=True):
            if audible:
                counts[reading.words[owner].text] += 1
    return counts
