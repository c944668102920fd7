"""Cuts: where a clause ends, and the best place in text that is too long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.characters import is_speakable
from pipeline.text.cuts import (
    Cut,
    best_cut,
    clause_ends,
    link_starts,
    preposition_starts,
    sure_clause_ends,
    word_count,
)

PIECES = (
    "a",
    "word",
    " ",
    "  ",
    ", ",
    "; ",
    "1",
    "22 000",
    "，",
    "你",
    "好",
    "”",
    "(",
    ") ",
    "—",
    " and ",
    "\u0301",
    "\u200d",
)


def marked(text: str) -> str:
    """The text with a bar at every clause end."""
    ends = set(clause_ends(text))
    return "".join(f"|{character}" if at in ends else character for at, character in enumerate(text))


@pytest.mark.parametrize(
    "text",
    [
        "one,| two;| three:| four —| five -| six",
        "“one,”| he (she)| said [so]| on",
        "one—|two--|three... |four".replace("... |", "...| "),
        "什么，|好的：|是、|（对）|吗",
        "“Wow!”| he said",
        "1,234 and 3:30 and 1, 2, 3 and well-known",
        "Rowling, J. K. and King, Jr. in Springfield, IL 62704 on March 3, 2024",
        "at 5 Main St., Boston and 6 Park Road, London",
        "a,b@c.com",
        "nothing follows, ",
    ],
)
def test_clauses_end_at_their_punctuation_but_not_inside_numbers_addresses_and_names(text: str) -> None:
    assert marked(text.replace("|", "")) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("...", 0),
        ("one, two", 2),
        ("it's 1,234.56 a,b@c.com", 3),
        ("今天天气很好，", 3),
        ("我用iPhone看", 2),
    ],
)
def test_two_han_count_as_one_word(text: str, words: int) -> None:
    assert word_count(text) == words


@given(
    text=st.lists(st.sampled_from((*PIECES, "a,b", "'", "-")), max_size=20).map("".join)
    | st.text(max_size=20)
)
def test_more_text_never_has_fewer_words(text: str) -> None:
    counts = [word_count(text[:at]) for at in range(len(text) + 1)]
    assert counts == sorted(counts)


@given(text=st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_after_every_clause_there_is_something_left_to_say(text: str) -> None:
    ends = list(clause_ends(text))
    assert all(any(map(is_speakable, text[at:])) for at in ends)
    assert list(clause_ends(text + " word"))[: len(ends)] == ends


def test_linking_words_and_prepositions_are_found_where_the_space_before_them_begins() -> None:
    text = "go  and see what lies in the box because"
    assert [text[at:].split(maxsplit=1)[0] for at in link_starts(text)] == ["and"]
    assert [text[at:].split(maxsplit=1)[0] for at in preposition_starts(text)] == ["in"]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("aaaaaaa bbb, cccc dddd eeee", Cut(12, clause=True)),
        ("aaaaaaa bbbbb and ccccc ddddd", Cut(13, clause=False)),
        ("aaaaaaa bbbbb ccccc ddddd", Cut(19, clause=False)),
        ("aaaaaaa bbbbb 222 000 ddd", Cut(13, clause=False)),
        ("aaa, bbbbbbbbbbbbbbbbbbbbbbbbb", Cut(4, clause=False)),
        ("今天天气很好我们一起去公园散步吧好不好呀真的很好", Cut(20, clause=False)),
        ("今天天气很好我们一起去公园散步吧好不iphone", Cut(18, clause=False)),
        ("今天天气很好，我们一起去公园散步吧好不好呀真的", Cut(7, clause=True)),
        ("a" * 30, Cut(20, clause=False)),
        ("a" * 20 + "\u0301" + "a" * 9, Cut(19, clause=False)),
    ],
)
def test_the_best_cut_is_after_punctuation_before_a_link_at_a_space_between_han_or_at_the_limit(
    text: str, cut: Cut
) -> None:
    assert best_cut(text, 20) == cut


@given(pieces=st.lists(st.sampled_from(PIECES), min_size=21, max_size=60).map("".join))
def test_a_cut_is_within_the_limit_and_inside_a_word_only_where_there_is_no_choice(pieces: str) -> None:
    text = "x" + pieces
    at = best_cut(text, 20).at
    assert 0 < at <= 20
    inside = (
        text[at - 1].isascii()
        and text[at - 1].isalnum()
        and text[at : at + 1].isascii()
        and text[at].isalnum()
    )
    assert not inside or not any(text[n] == " " and not text[n - 1].isdigit() for n in range(1, 21))


NAME_PIECES = (
    "a",
    "J",
    ".",
    ",",
    ", ",
    " ",
    "Jr",
    "IL",
    "627",
    "04",
    "Ph.D",
    "-",
    "--",
    "…",
    "!",
    ") ",
    "”",
    "字",
    "和",
)
growing = st.lists(st.sampled_from(NAME_PIECES) | st.sampled_from(PIECES), max_size=16).map("".join)


@given(begun=growing, more=growing)
def test_no_more_text_takes_a_sure_clause_end_or_a_plain_place_back(begun: str, more: str) -> None:
    whole = begun + more
    assert set(sure_clause_ends(begun, quiet=False)) <= set(clause_ends(whole))
    assert set(link_starts(begun)) <= set(link_starts(whole))
    assert set(preposition_starts(begun)) <= set(preposition_starts(whole))


@given(text=growing)
def test_quiet_adds_the_very_end_at_most(text: str) -> None:
    added = set(sure_clause_ends(text, quiet=True)) - set(sure_clause_ends(text, quiet=False))
    assert added <= {len(text.rstrip())}


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("the one who is in and of the house", ["who"]),
        ("one hundred and two", []),
        ("pages 3 to 5", []),
        ("The And of it and", []),
        ("a cat and a dog or two", ["and", "or"]),
    ],
)
def test_no_plain_place_follows_a_number_or_a_word_that_leans_on_the_next(
    text: str, places: list[str]
) -> None:
    starts = sorted([*link_starts(text), *preposition_starts(text)])
    assert [text[at:].split(maxsplit=1)[0] for at in starts] == places
