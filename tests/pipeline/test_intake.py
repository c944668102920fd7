"""How text is split a piece a turn of the loop, and that nothing comes of it but when."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.intake import IDLE_IN_WORD_S, IDLE_S, PIECE, SETTLE_S, Intake
from pipeline.splitter import Sentence, Splitter, Unfinished
from pipeline.text.passage import Passage
from tests.fakes import FakeClock, pass_time, run_on_fake_time, until

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
    intake.flush(then=lambda: spoken.append(Sentence(Passage.plain("the end"), 0, spoken[-1].end)))
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


def test_what_has_come_of_the_next_sentence_goes_along_and_a_flush_ends_it() -> None:
    async def main(clock: FakeClock) -> None:
        written: list[Unfinished | None] = []
        intake = Intake(lambda _sentences, unfinished: written.append(unfinished))
        intake.push("Hello there. When it is late,")
        await pass_time(clock, SETTLE_S)
        intake.push(" we")
        intake.flush()
        assert [one and (one.text, one.quiet) for one in written] == [
            ("When it is late,", False),
            ("When it is late,", True),
            ("When it is late, we", False),
            None,
        ]
        intake.stop()

    run_on_fake_time(main)


@pytest.mark.parametrize("text", ["It was so -", "It was late and"])
def test_with_an_idle_time_of_0_text_that_stops_in_mid_sentence_waits_without_limit(text: str) -> None:
    async def main(clock: FakeClock) -> None:
        spoken: list[Sentence] = []
        intake = Intake(into(spoken), idle_s=0)
        intake.push("Done.")
        await pass_time(clock, SETTLE_S)
        assert [sentence.text for sentence in spoken] == ["Done."]
        intake.push(text)
        for _ in range(5):
            await pass_time(clock, 3600)
        assert len(spoken) == 1
        intake.flush()
        assert spoken[1:] == [Sentence(Passage.plain(text, 5), 5, spoken[1].end)]

    run_on_fake_time(main)


@pytest.mark.parametrize(
    ("idle_s", "text", "wait_s"),
    [(1.0, "It was so -", 1.0), (5.0, "It was late and", 5.0), (0.1, "It was late and", IDLE_IN_WORD_S)],
)
def test_the_idle_time_is_the_one_asked_for_and_within_a_word_two_seconds_at_least(
    idle_s: float, text: str, wait_s: float
) -> None:
    async def main(clock: FakeClock) -> None:
        spoken: list[Sentence] = []
        intake = Intake(into(spoken), idle_s=idle_s)
        intake.push(text)
        await pass_time(clock, SETTLE_S)
        await pass_time(clock, wait_s - SETTLE_S - 0.01)
        assert spoken == []
        await pass_time(clock, 0.02)
        await pass_time(clock, 0)
        assert [sentence.text for sentence in spoken] == [text]

    run_on_fake_time(main)


def test_when_a_timer_fires_messages_that_are_in_the_socket_go_first() -> None:
    async def main(clock: FakeClock) -> None:
        spoken: list[Sentence] = []
        intake = Intake(into(spoken))
        near, far = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=near)

        async def receive() -> None:
            while text := (await reader.read(100)).decode():
                intake.push(text)

        receiving = asyncio.create_task(receive())
        far.sendall(b"It was late -")
        await until(lambda: not intake.flushed)
        await pass_time(clock, SETTLE_S)
        clock.advance(IDLE_S)
        far.sendall(b" and cold.")
        await pass_time(clock, 0)
        intake.flush()
        assert [sentence.text for sentence in spoken] == ["It was late - and cold."]
        far.close()
        await receiving
        writer.close()
        await writer.wait_closed()

    run_on_fake_time(main)
