"""English text to its spoken form: nothing is lost, spans are in order, plain prose stays as it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech import Spoken
from pipeline.text.emoji import EMOTICONS
from pipeline.text.english.reader import read_english

CASES = Path(__file__).parents[1] / "data" / "cases"
KINDS = (
    "abbreviations",
    "initialisms",
    "roman",
    "addresses",
    "versions",
    "symbols",
    "chat",
    "emoji",
    "plain",
)

LINES = [
    json.loads(line)
    for kind in KINDS
    for line in (CASES / f"en_{kind}.jsonl").read_text("utf-8").splitlines()
]

FRAGMENTS = r"""Dr. St. J. e.g. U.S. FBI NASA XIV VIII's https:// example.com @ # a@b.co 1.2.3 v2 192.168.0.1
:: /usr C:\ C++ & + = -> → :) <3 🎉 👨‍👩‍👧 Nooo sooo 's ’ “ ” " ( ) ... ?! — - -- word A I X * _ ` | ~ ^ w/
n/a ﬁ é 字 ß ½"""
PIECES = st.sampled_from([*FRAGMENTS.split(), " ", "  ", "\n", "e\u0301", "\u200d", "\ud800"])
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=14).map("".join))


def plain(text: str) -> str:
    """Lower case, punctuation to single spaces."""
    return " " + re.sub(r"\s+", " ", re.sub(r"[^\w]|_", " ", text.lower())).strip() + " "


def spoken(text: str) -> str:
    return " ".join(word.text for word in read_english(text))


def words(text: str) -> list[str]:
    return [word.text for word in read_english(text)]


@pytest.mark.parametrize("case", LINES, ids=lambda case: str(case["id"]))
def test_a_case_is_read_as_it_says(case: dict[str, str | list[str]]) -> None:
    heard = plain(spoken(str(case["text"])))
    at = 0
    for phrase in case.get("spoken", []):
        hits = [(heard.find(plain(way), at), len(plain(way)) - 1) for way in phrase.split("|")]
        found = [(begin, length) for begin, length in hits if begin >= 0]
        assert found, f"{phrase!r} is not in {heard!r}, or not in order"
        at = sum(min(found))
    for phrase in case.get("not_spoken", []):
        assert plain(phrase) not in heard


@given(TEXTS)
def test_every_letter_and_digit_is_said_for_or_drawn_by_an_emoticon(text: str) -> None:
    covered = {at for word in read_english(text) for at in range(word.offset, word.offset + word.length)}
    covered |= {at for face in EMOTICONS.pattern.finditer(text) for at in range(*face.span())}
    lost = [text[at] for at in range(len(text)) if text[at].isalnum() and at not in covered]
    assert not lost


@given(TEXTS)
def test_spans_lie_in_the_text_and_never_fall(text: str) -> None:
    spoken_words = read_english(text)
    offsets = [word.offset for word in spoken_words]
    assert offsets == sorted(offsets)
    for word in spoken_words:
        assert word.length >= 1
        assert word.offset + word.length <= len(text)


@given(TEXTS, st.booleans())
def test_words_are_not_empty_and_hold_no_white_space(text: str, names_emoji: bool) -> None:
    for word in read_english(text, names_emoji=names_emoji):
        assert word.text
        assert not re.search(r"\s", word.text)


@given(TEXTS)
def test_no_digit_is_left(text: str) -> None:
    assert not any(character.isdigit() for word in read_english(text) for character in word.text)


@given(TEXTS)
def test_spelled_words_begin_with_the_letter_to_be_named(text: str) -> None:
    for word in read_english(text):
        if word.spelled:
            assert re.fullmatch(r"[^\w']*\w(?:'s)?[^\w']*", word.text, re.IGNORECASE), word.text


@given(
    st.lists(st.sampled_from(["the", "river", "froze", "that", "winter", "nobody", "thought"]), min_size=1)
)
def test_plain_words_come_through_as_they_are(plain_words: list[str]) -> None:
    text = " ".join(plain_words)
    assert words(text) == plain_words
    assert [text[word.offset : word.offset + word.length] for word in read_english(text)] == plain_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, world!", ["Hello,", "world!"]),
        ("“Yes,” she said.", ["“Yes,”", "she", "said."]),
        ("what?!?! no!!!! so..... a,,, b", ["what?!", "no!", "so…", "a,", "b"]),
        ("one - two – three—four -- five", ["one", "—", "two", "—", "three—", "four", "—", "five"]),
        ("- item", ["item"]),
        ("and/or a_b *bold* `x` [sic]", ["and", "or", "a", "b", "bold", "x", "(sic)"]),
        ("It’s ’tis ‘quoted’ dogs’", ["It's", "'tis", "'quoted'", "dogs'"]),
        ("so , then ( yes ) !", ["so,", "then", "(yes)!"]),
        ("no ! ! ! ! (( ( ( ( ( a", ["no!", "(((a"]),
        ("well-known pre- and post-war", ["well-known", "pre", "and", "post-war"]),
        ("...", ["…"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_punctuation_becomes_what_a_voice_knows(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_a_claimed_word_keeps_its_exact_characters_and_gets_the_punctuation_that_touches_it() -> None:
    assert read_english("(the FBI),") == [
        Spoken("(the", 0, 4),
        Spoken("F", 5, 3, spelled=True),
        Spoken("B", 5, 3, spelled=True),
        Spoken("I),", 5, 3, spelled=True),
    ]


def test_letters_that_touch_a_claim_are_words_of_their_own() -> None:
    assert words("anti-FBI") == ["anti", "F", "B", "I"]
    assert words("Dr. Lee's example.com's") == ["doctor", "Lee's", "example", "dot", "com's"]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("nuts, etc.", "cetera."),
        ("(nuts, etc.)", "cetera.)"),
        ("nuts, etc.?", "cetera?"),
        ("nuts, etc. and so", "so"),
        ("in the U.S.", "S."),
    ],
)
def test_a_stop_that_an_abbreviation_swallowed_at_the_end_comes_back(text: str, last: str) -> None:
    assert words(text)[-1] == last


def test_a_stop_that_an_abbreviation_swallowed_between_sentences_comes_back() -> None:
    assert words("On Main St. He left.") == ["On", "Main", "street.", "He", "left."]
    assert words("The U.S. Army") == ["The", "U", "S", "Army"]


def test_emoji_are_silent_or_named() -> None:
    assert words("Great job 🎉🎉 team!") == ["Great", "job", "team!"]
    assert [word.text for word in read_english("Great 🎉!", names_emoji=True)] == [
        "Great",
        "party",
        "popper!",
    ]
    assert words("word😀word") == ["word", "word"]


HOSTILE = r"""a A aA . ..a a. a.b A. @ a@ #a /a a/ :// http:// ( ) " ' - — _ : :: 1. I XX & A& + < ~/ C:\ w/
🎉 = www. a- a' ooo 字 \ 1a v1. a@b. 1.1.1. ab: #A@ .a() Aa"""


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "piece", [*HOSTILE.split(), "Dr. ", "St. ", "A. ", "IT ", "= ", "! ", "( ", ") ” ", "😀!", "e\u0301"]
)
def test_fifty_thousand_hostile_characters_are_read(piece: str) -> None:
    """Work that grows faster than the text would run into the timeout."""
    length = 50_000
    assert read_english((piece * length)[:length]) is not None
