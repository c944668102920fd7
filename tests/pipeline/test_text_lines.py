"""Line ends: where a writer ended a line, and where only a margin did."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.lines import SHORTEST_WRAPPED, judge_line, line_stands_alone
from pipeline.text.stops import Verdict

LONG = "a line that is long enough to have been wrapped"


@pytest.mark.parametrize(
    "follower", ["- item", "* item", "12. item", "b) item", "# Title", "> quote", "| cell", "✅ done", "你好"]
)
def test_a_line_ends_before_a_marker_or_a_script_without_spaces(follower: str) -> None:
    assert judge_line(f"{LONG}\n{follower}", len(LONG), 0, whole=True) is Verdict.ENDS


@pytest.mark.parametrize(
    "follower", ["and so on", "Smith and co", "12 men came", "-5 degrees", "(see there)"]
)
def test_a_wrapped_line_goes_on(follower: str) -> None:
    assert judge_line(f"{LONG}\n{follower}", len(LONG), 0, whole=True) is Verdict.GOES_ON


def test_a_short_line_ends_and_one_that_began_before_the_sentence_is_not_short() -> None:
    text = "x" * (SHORTEST_WRAPPED - 1) + "\nand"
    assert judge_line(text, text.index("\n"), 0, whole=False) is Verdict.ENDS
    assert judge_line(text, text.index("\n"), 1, whole=True) is Verdict.GOES_ON


def test_the_length_of_a_line_is_counted_from_the_line_end_before_it() -> None:
    text = f"{LONG}\nshort\nand"
    assert judge_line(text, text.rindex("\n"), 90, whole=False) is Verdict.ENDS


@pytest.mark.parametrize("gap", ["\n\n", "\r\n\r\n", "\n \n", "\u2029", "\n\t\n\n"])
def test_a_blank_line_ends_whatever_follows(gap: str) -> None:
    assert judge_line(f"{LONG}{gap}", len(LONG), 0, whole=False) is Verdict.ENDS


@pytest.mark.parametrize("text", [f"{LONG}\n", f"{LONG}\r\n", f"{LONG}\n-", f"{LONG}\n12. x", "short\n"])
def test_a_verdict_waits_for_the_line_that_decides(text: str) -> None:
    at = min(text.find(end) for end in "\r\n" if end in text)
    assert judge_line(text, at, 0, whole=False) is Verdict.UNKNOWN


@given(
    line=st.sampled_from(["a", "short line", LONG]),
    tail=st.lists(
        st.sampled_from(["\n", "\r\n", " ", "-", "- ", "#", "1", ".", ")", "a", "B", "你", "|"])
    ).map("".join),
    length=st.integers(0, 20),
    column=st.integers(0, 50),
)
def test_a_verdict_on_part_of_the_text_is_the_verdict_on_all_of_it(
    line: str, tail: str, length: int, column: int
) -> None:
    text = f"{line}\n{tail}"
    found = judge_line(text[: len(line) + 1 + length], len(line), column, whole=False)
    if found is not Verdict.UNKNOWN:
        assert found is judge_line(text, len(line), column, whole=False)
        assert found is judge_line(text, len(line), column, whole=True)


@pytest.mark.parametrize(
    ("text", "alone"),
    [("Title\n", True), (f"{LONG}\n", False), (f"{LONG}\n\n", True), ("Title", False), ("a ", False)],
)
def test_only_a_short_line_or_a_blank_one_may_be_taken_for_an_end_when_nothing_follows(
    text: str, alone: bool
) -> None:
    assert line_stands_alone(text, 0) is alone
