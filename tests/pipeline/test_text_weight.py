"""Weight: an estimate of phonemes that only grows with the text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech import LONGEST_SEGMENT
from pipeline.splitter import Splitter
from pipeline.text.weight import HEAVIEST_SEGMENT, reach, weight

heavy = st.lists(st.sampled_from(["1", "$", "字", "W", "a", " ", ", ", "9,999"]), max_size=200).map("".join)


@given(heavy, st.integers(1, 300))
def test_what_is_reached_is_as_much_as_is_not_too_heavy(text: str, longest: int) -> None:
    at = reach(text, longest)
    assert at <= max(1, min(longest, len(text)))
    assert at <= 1 or weight(text[:at]) <= HEAVIEST_SEGMENT
    assert at >= min(longest, len(text)) or weight(text[: at + 1]) > HEAVIEST_SEGMENT


def test_prose_of_the_longest_sentence_is_not_too_heavy() -> None:
    prose = "However, Mr. Brown of Leeds (who was there) said: “Never again will I do that!” " * 4
    assert reach(prose, LONGEST_SEGMENT) == LONGEST_SEGMENT


def test_a_sentence_of_money_is_cut_where_a_voice_would_choke_on_it() -> None:
    splitter = Splitter()
    text = ", ".join(["$1,234,567.89"] * 20)
    sentences = splitter.push(text) + splitter.flush()
    assert all(weight(sentence.text) <= HEAVIEST_SEGMENT for sentence in sentences)
    assert " ".join(sentence.text for sentence in sentences) == text
