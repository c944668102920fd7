"""The lead stays within its bound, and playback is what the client says, else real time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.audio import CONTENT_RATE_HZ, FRAME_CONTENT_SAMPLES
from pipeline.pacer import Pacer
from tests.fakes import FakeClock

SECOND = CONTENT_RATE_HZ


@given(
    lead_ms=st.integers(0, 3_000),
    steps=st.lists(
        st.one_of(
            st.tuples(st.just("send"), st.integers(1, 5)),
            st.tuples(st.just("pass"), st.integers(0, 4_000)),
            st.tuples(st.just("progress"), st.integers(0, 400_000)),
        ),
        max_size=60,
    ),
)
def test_sending_only_after_the_wait_keeps_the_lead_within_its_bound(
    lead_ms: int, steps: list[tuple[str, int]]
) -> None:
    clock = FakeClock()
    pacer = Pacer(clock, lead_ms=lead_ms)
    for step, amount in steps:
        if step == "pass":
            clock.advance(amount / 1000)
        elif step == "progress":
            pacer.progress(amount)
        else:
            samples = amount * FRAME_CONTENT_SAMPLES
            clock.advance(pacer.wait_s(samples))
            assert pacer.wait_s(samples) == pytest.approx(0, abs=1e-6)
            # A message longer than the whole lead goes when nothing else is left to play.
            allowed = max(lead_ms, samples * 1000 / CONTENT_RATE_HZ)
            pacer.note_sent(samples)
            assert pacer.lead_ms <= allowed + 1e-3
        assert 0 <= pacer.played <= pacer.sent


def test_playback_runs_in_real_time_from_the_first_audio_sent() -> None:
    clock = FakeClock()
    pacer = Pacer(clock, lead_ms=5_000)
    clock.advance(100)
    pacer.note_sent(2 * SECOND)
    clock.advance(0.5)
    assert pacer.played == SECOND // 2
    assert pacer.lead_ms == pytest.approx(1_500)
    assert pacer.audio_end == pytest.approx(clock() + 1.5)


def test_playback_stands_while_nothing_is_left_to_play() -> None:
    clock = FakeClock()
    pacer = Pacer(clock)
    pacer.note_sent(SECOND)
    clock.advance(10)
    assert pacer.played == SECOND
    assert pacer.audio_end == clock()
    pacer.note_sent(SECOND)
    assert pacer.lead_ms == pytest.approx(1_000)


def test_progress_corrects_the_estimate_and_it_runs_on_from_there() -> None:
    clock = FakeClock()
    pacer = Pacer(clock)
    pacer.note_sent(4 * SECOND)
    clock.advance(2)
    pacer.progress(SECOND)
    assert pacer.lead_ms == pytest.approx(3_000)
    clock.advance(1)
    assert pacer.lead_ms == pytest.approx(2_000)


@pytest.mark.parametrize(("told", "believed"), [(-5, 0), (10**12, SECOND)])
def test_progress_beyond_reason_is_clamped(told: int, believed: int) -> None:
    pacer = Pacer(FakeClock())
    pacer.note_sent(SECOND)
    pacer.progress(told)
    assert pacer.played == believed


def test_a_message_waits_until_it_fits_into_the_lead() -> None:
    clock = FakeClock()
    pacer = Pacer(clock, lead_ms=1_000)
    pacer.note_sent(SECOND)
    wait = pacer.wait_s(FRAME_CONTENT_SAMPLES)
    assert wait == pytest.approx(0.020)
    clock.advance(wait)
    assert pacer.wait_s(FRAME_CONTENT_SAMPLES) == pytest.approx(0, abs=1e-9)


def test_the_first_message_of_an_utterance_is_never_held_back() -> None:
    pacer = Pacer(FakeClock(), lead_ms=0)
    pacer.note_sent(10 * SECOND)
    assert pacer.wait_s(SECOND, first=True) == 0
    assert pacer.wait_s(SECOND) > 0


def test_without_a_lead_nothing_is_paced() -> None:
    pacer = Pacer(FakeClock(), lead_ms=None)
    pacer.note_sent(1_000 * SECOND)
    assert pacer.wait_s(SECOND) == 0


def test_cancel_sets_the_lead_to_zero() -> None:
    clock = FakeClock()
    pacer = Pacer(clock, lead_ms=100)
    pacer.note_sent(10 * SECOND)
    pacer.cancel()
    assert pacer.lead_ms == 0
    assert pacer.wait_s(FRAME_CONTENT_SAMPLES) == 0
    clock.advance(1)
    pacer.note_sent(SECOND)
    assert pacer.lead_ms == pytest.approx(1_000)
