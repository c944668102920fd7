"""Stops: what ends a sentence, and that a verdict once given holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.stops import Stop, Verdict, judge_stop, stands_alone, stop_at

TAILS = (
    *(
        "",
        " ",
        "\n",
        "\n\n",
        "T",
        "The",
        "the",
        " The ",
        " the ",
        " A",
        " A. ",
        " I ",
        " 5",
        " Smith ",
        "com",
        "Com ",
    ),
    *(
        " Monday ",
        " Then",
        '"',
        '" ',
        "”",
        ".",
        "..",
        "!",
        ",",
        "(",
        " (The",
        "你",
        " 你",
        "🎉",
        "。",
        "@",
        "/",
        "C",
        "Co",
    ),
)
WORDS = (
    "",
    "a",
    "I",
    "Dr",
    "No",
    "Fig",
    "Inc",
    "etc",
    "p.m",
    "U.S",
    "e.g",
    "word",
    "3",
    "12",
    "1984",
    "x@y",
    "好",
    "St",
)


@given(
    word=st.sampled_from(WORDS),
    marks=st.sampled_from((".", "!", "?", "...", "…", "?!", "。", "！", '."', ".)", "!”")),
    tails=st.lists(st.sampled_from(TAILS), max_size=5).map("".join),
    at=st.integers(0, 30),
)
def test_a_verdict_on_part_of_the_text_is_the_verdict_on_all_of_it(
    word: str, marks: str, tails: str, at: int
) -> None:
    text = f"So {word}{marks}{tails}"
    begin = len("So ") + len(word)
    part = text[: begin + 1 + at]
    early, late = stop_at(part, begin), stop_at(text, begin)
    found = judge_stop(early, whole=False)
    if found is not Verdict.UNKNOWN:
        assert (found, early.end) == (judge_stop(late, whole=False), late.end)
        assert found is judge_stop(late, whole=True)


@given(word=st.sampled_from(WORDS), tails=st.lists(st.sampled_from(TAILS), max_size=5).map("".join))
def test_a_whole_text_always_has_a_verdict(word: str, tails: str) -> None:
    stop = stop_at(f"So {word}.{tails}", 3 + len(word))
    assert judge_stop(stop, whole=True) is not Verdict.UNKNOWN


@pytest.mark.parametrize(
    "text", ["Done.", "Done. ", "Done.N", "at 5 p.m. The", "Done.Next", '"Done."', "Done!", "好。"]
)
def test_a_verdict_waits_for_the_text_that_decides(text: str) -> None:
    at = max(text.find(mark) for mark in ".!。")
    at = text.index(".", text.index(".") + 1) if "p.m" in text else at
    assert judge_stop(stop_at(text, at), whole=False) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("Done. N", 4),
        ("Done. n", 4),
        ("Done.Next ", 4),
        ("好。你", 1),
        ("Done!\n\n", 4),
        ("Dr.\n\n", 2),
        ("A! b", 1),
    ],
)
def test_an_end_is_seen_with_the_first_character_that_shows_it(text: str, at: int) -> None:
    assert judge_stop(stop_at(text, at), whole=False) is Verdict.ENDS
    assert judge_stop(stop_at(text[:-1], at), whole=False) is Verdict.UNKNOWN


def test_a_stop_carries_its_marks_what_closes_after_it_and_its_word() -> None:
    assert stop_at('He said "Well?!" Then', 13) == Stop('He said "Well?!" Then', 13, 16, "?!", '"', "Well")
    assert stop_at("the U.S. and", 7).word == "U.S"
    assert stop_at("你好.", 2).word == ""


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("Hello.", True),
        ("Go!", True),
        ("你好。", True),
        ("(x).", True),
        ("Dr.", False),
        ("3.", False),
        ("So...", False),
    ],
)
def test_only_a_plain_stop_may_be_taken_for_an_end_when_nothing_follows(text: str, alone: bool) -> None:
    at = min(text.find(mark) for mark in ".!。" if mark in text)
    assert stands_alone(stop_at(text, at)) is alone
