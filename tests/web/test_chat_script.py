"""What the scripted stand-in answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.chat_script import FINISHED, TOPICS, UNKNOWN, Message, answer, tokens

ANSWERS = [topic.answer for topic in TOPICS]
TRAIN, PANCAKES, STORY, STREAMING, HELLO = ANSWERS


def asked(*texts: str) -> list[Message]:
    """Return a conversation in which the user and the assistant take turns, the user first."""
    return [Message("assistant" if place % 2 else "user", text) for place, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who are you?", HELLO),
        ("你是谁？", HELLO),
        ("How can you speak while it is still being written?", STREAMING),
        ("文字还没写完，你怎么工作？", STREAMING),
        ("How do I make pancakes?", PANCAKES),
        ("煎饼怎么做？", PANCAKES),
        ("WHAT DOES THE TRAIN TO OXFORD COST?", TRAIN),
        ("去牛津的火车票多少钱？", TRAIN),
        ("Tell me a story.", STORY),
        ("给我讲个故事。", STORY),
        ("What is the capital of France?", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_a_question_picks_its_answer(question: str, told: str) -> None:
    assert answer(asked(question)) == told


def test_only_the_newest_question_counts() -> None:
    assert answer(asked("Tell me a story.", STORY, "Who are you?")) == HELLO


@given(st.sampled_from(ANSWERS), st.data())
def test_told_to_go_on_it_goes_on_where_it_was_broken_off_as_often_as_that_happens(
    whole: str, data: st.DataObject
) -> None:
    question = next(
        q for q in ("train", "pancake", "story", "hello", "how does it work") if answer(asked(q)) == whole
    )
    first, second = sorted(data.draw(st.integers(1, len(whole) - 1)) for _ in range(2))
    wish = data.draw(
        st.sampled_from(["Go on.", "Please continue!", "And, please, go on", "继续", "请继续吧"])
    )
    assert answer(asked(question, whole[:first], wish)) == whole[first:]
    assert answer(asked(question, whole[:first], wish, whole[first:second], wish)) == whole[second:]
    assert answer(asked(question, whole, wish)) == FINISHED


def test_told_to_go_on_before_anything_was_heard_it_begins_anew() -> None:
    assert answer([Message("user", "A story!"), Message("user", "Go on.")]) == STORY


def test_without_a_question_there_is_nothing_to_go_on_with() -> None:
    assert answer([Message("system", "Be brief."), Message("user", "Go on.")]) == UNKNOWN


@given(st.one_of(st.text(), st.sampled_from([*ANSWERS, UNKNOWN])))
def test_tokens_are_short_and_joined_are_the_text(text: str) -> None:
    cut = tokens(text)
    assert "".join(cut) == text
    assert all(len(token.strip()) <= 7 for token in cut)


def test_a_number_comes_in_several_tokens_as_from_a_real_model() -> None:
    assert tokens(" costs £12.50, and") == [" costs", " £", "12", ".", "50", ",", " and"]


def test_no_pattern_has_gaps_which_a_long_question_could_be_tried_in_for_hours() -> None:
    patterns = [pattern.pattern for topic in TOPICS for pattern in topic.asked]
    assert patterns
    assert not any(gap in pattern for pattern in patterns for gap in (".*", ".+"))
