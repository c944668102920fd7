"""Lexicons: which words they find, and what they refuse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech import InvalidOption
from pipeline.text.lexicon import LONGEST_SAID, LONGEST_WORD, MOST_ENTRIES, Lexicon
from pipeline.text.passage import Mark, MarkKind


def found(entries: dict[str, str], text: str) -> list[tuple[str, str]]:
    """Which characters of the text are said how."""
    return [(text[mark.begin : mark.end], mark.value) for mark in Lexicon(entries).marks(text)]


def test_a_word_in_small_letters_stands_for_every_spelling_of_it() -> None:
    assert found({"gif": "jif"}, "gif GIF Gif") == [("gif", "jif"), ("GIF", "jif"), ("Gif", "jif")]


def test_a_word_with_a_capital_stands_for_itself_only_and_goes_first() -> None:
    assert found({"polish": "shine", "Polish": "from Poland"}, "Polish polish POLISH") == [
        ("Polish", "from Poland"),
        ("polish", "shine"),
        ("POLISH", "shine"),
    ]


def test_no_part_of_a_word_is_found() -> None:
    assert found({"cat": "x"}, "cats concat cat_ cat-like cat's") == [("cat", "x"), ("cat", "x")]


def test_the_longest_word_counts() -> None:
    assert found({"new": "x", "new york": "y"}, "New York is new") == [("New York", "y"), ("new", "x")]


def test_words_of_a_script_without_spaces_are_found_anywhere() -> None:
    assert found({"重庆": "虫庆", "Utter": "utt her"}, "我在重庆用Utter说话") == [
        ("重庆", "虫庆"),
        ("Utter", "utt her"),
    ]


def test_words_may_begin_and_end_in_symbols() -> None:
    assert found({"c++": "see plus plus", ".net": "dot net"}, "C++ and .NET, c++11") == [
        ("C++", "see plus plus"),
        (".NET", "dot net"),
        ("c++", "see plus plus"),
    ]


def test_phonemes_stand_between_slashes() -> None:
    assert Lexicon({"Utter": "/ˈʌTəɹ/"}).marks("Utter") == [Mark(MarkKind.PHONEMES, 0, 5, "ˈʌTəɹ")]


@pytest.mark.parametrize(
    "entries",
    [
        {"": "x"},
        {"x": " "},
        {"a" * (LONGEST_WORD + 1): "x"},
        {"x": "a" * (LONGEST_SAID + 1)},
        {f"w{n}": "x" for n in range(MOST_ENTRIES + 1)},
    ],
)
def test_what_is_no_lexicon_is_refused(entries: dict[str, str]) -> None:
    with pytest.raises(InvalidOption):
        Lexicon(entries)


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": "b"'])
def test_a_file_that_is_no_lexicon_is_refused(text: str) -> None:
    with pytest.raises(InvalidOption):
        Lexicon.from_json(text)


def test_a_file_is_a_json_object() -> None:
    assert Lexicon.from_json('{"afk": "away"}').marks("afk") == [Mark(MarkKind.ALIAS, 0, 3, "away")]


@given(
    st.dictionaries(st.text("aB 字+", min_size=1, max_size=4), st.just("x"), max_size=5), st.text("aB 字+.")
)
def test_marks_are_in_order_and_overlap_nowhere(entries: dict[str, str], text: str) -> None:
    try:
        lexicon = Lexicon(entries)
    except InvalidOption:
        return
    at = 0
    for mark in lexicon.marks(text):
        assert at <= mark.begin < mark.end <= len(text)
        at = mark.end
