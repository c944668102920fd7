"""How text is split a piece a turn of the loop, and that nothing comes of it but when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.intake import IDLE_IN_WORD_S, IDLE_S, PIECE, SETTLE_S, Intake
from pipeline.splitter import Sentence, Splitter, Unfinished
from tests.fakes import FakeClock, pass_time, run_on_fake_time

LONG = "One more fox jumps over 3.5 lazy dogs. Dr. Hare, who saw it, says nothing! " * 20


def sentences_of(text: str) -> list[Sentence]:
    """Split `text` in one go."""
    splitter = Splitter()
    return splitter.push(text) + splitter.flush()


def into(spoken: list[Sentence]) -> Callable[[list[Sentence], Unfinished | None], None]:
    """Collect the sentences alone."""
    return lambda sentences, _unfinished: spoken.extend(sentences)


async def turns(count: int) -> None:
    """Let the loop go round `count` times."""
    for _ in range(count):
        await asyncio.sleep(0)


async def test_no_turn_of_the_loop_splits_more_than_one_piece() -> None:
    spoken: list[Sentence] = []
    intake = Intake(into(spoken))
    intake.push(LONG)
    read = PIECE
    while read < len(LONG):
        assert spoken, "the first sentences do not wait for the last"
        assert spoken == Splitter().push(LONG[:read])
        await turns(1)
        read += PIECE
    assert spoken == Splitter().push(LONG)
    intake.stop()


async def test_a_flush_waits_for_the_text_before_it_and_goes_before_the_text_after_it() -> None:
    spoken: list[Sentence] = []
    length_at_flush = []
    intake = Intake(into(spoken))
    intake.push(LONG + "Then this")
    intake.flush(then=lambda: length_at_flush.append(len(spoken)))
    intake.push(" is new.")
    assert not length_at_flush
    await turns(len(LONG) // PIECE + 3)
    assert [sentence.text for sentence in spoken[-1:]] == ["Then this"]
    assert length_at_flush == [len(spoken)]
    intake.flush()
    assert [sentence.text for sentence in spoken[-2:]] == ["Then this", "is new."]
    intake.stop()


async def test_what_is_short_waits_for_no_turn() -> None:
    spoken: list[Sentence] = []
    intake = Intake(into(spoken))
    intake.push("Hello there. How")
    intake.flush(then=lambda: spoken.append(Sentence("the end", 0, spoken[-1].end)))
    assert [sentence.text for sentence in spoken] == ["Hello there.", "How", "the end"]


async def test_once_stopped_nothing_more_is_spoken() -> None:
    spoken: list[Sentence] = []
    intake = Intake(into(spoken))
    intake.push(LONG)
    before = list(spoken)
    intake.stop()
    await turns(len(LONG) // PIECE + 3)
    assert spoken == before


@pytest.mark.parametrize(
    ("end", "waits"),
    [(" Done.", [SETTLE_S]), (" Done -", [SETTLE_S, IDLE_S]), (" and", [SETTLE_S, IDLE_S, IDLE_IN_WORD_S])],
)
def test_the_end_of_a_long_text_is_waited_for_like_that_of_a_short_one(end: str, waits: list[float]) -> None:
    async def main(clock: FakeClock) -> None:
        spoken: list[Sentence] = []
        intake = Intake(into(spoken))
        intake.push(LONG + end)
        await turns(len(LONG) // PIECE + 3)
        for seconds in waits:
            assert spoken == sentences_of(LONG)
            await pass_time(clock, seconds)
        assert spoken == sentences_of(LONG + end)
        intake.stop()

    run_on_fake_time(main)


@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.integers(0, len(LONG)), max_size=6))
def test_the_sentences_are_those_of_the_text_in_one_piece(cuts: list[int]) -> None:
    async def main() -> None:
        spoken: list[Sentence] = []
        intake = Intake(into(spoken))
        done = asyncio.Event()
        for start, end in pairwise([0, *sorted(cuts), len(LONG)]):
            if start < end:
                intake.push(LONG[start:end])
        intake.flush(then=done.set)
        await done.wait()
        assert spoken == sentences_of(LONG)

    asyncio.run(main())
