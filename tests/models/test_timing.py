"""The silence cut never enters speech, and word times lie in order inside it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from models.acoustic import FRAMES_PER_STEP, HOP, SAMPLE_RATE_HZ
from models.timing import (
    AUDIBLE,
    FRAMES_AFTER,
    FRAMES_BEFORE,
    QUIET_AFTER,
    QUIET_BEFORE,
    silent_hops,
    speech_frames,
    word_frames,
)

SILENT, LOUD = -1.9, 1.5


@st.composite
def runs(draw: st.DrawFn) -> tuple[NDArray[np.int64], list[bool], list[int]]:
    """Durations, audibility and owners of a run: pads around words of one to five phonemes, some unspoken."""
    durations, audible, owners = [draw(st.integers(1, 20))], [False], [-1]
    for word in range(draw(st.integers(1, 6))):
        for _ in range(draw(st.integers(1, 5))):
            durations.append(draw(st.integers(1, 15)))
            audible.append(draw(st.booleans()))
            owners.append(word)
    audible[draw(st.integers(1, len(audible) - 1))] = True
    return np.array([*durations, draw(st.integers(1, 20))]), [*audible, False], [*owners, -1]


@given(run=runs(), data=st.data())
def test_the_cut_keeps_all_frames_the_energy_calls_speech(
    run: tuple[NDArray[np.int64], list[bool], list[int]], data: st.DataObject
) -> None:
    durations, audible, _ = run
    frames = int(durations.sum()) * FRAMES_PER_STEP
    energy = np.full(frames, SILENT, np.float32)
    loud = data.draw(st.sets(st.integers(0, frames - 1), min_size=1))
    energy[list(loud)] = LOUD
    first, last = speech_frames(durations, audible, energy)
    assert 0 <= first <= max(min(loud) - FRAMES_BEFORE, 0)
    assert min(max(loud) + 1 + FRAMES_AFTER, frames) <= last <= frames


@given(run=runs(), energy=st.sampled_from([SILENT, QUIET_BEFORE, QUIET_AFTER, LOUD]))
def test_the_cut_keeps_the_onsets_the_durations_call_speech(
    run: tuple[NDArray[np.int64], list[bool], list[int]], energy: float
) -> None:
    durations, audible, _ = run
    ends = np.cumsum(durations) * FRAMES_PER_STEP
    first, last = speech_frames(durations, audible, np.full(int(ends[-1]), energy, np.float32))
    spoken = np.flatnonzero(audible)
    assert first <= ends[spoken[0] - 1]
    assert last > ends[spoken[-1] - 1]


@given(run=runs(), data=st.data())
def test_words_are_heard_in_order_within_the_speech(
    run: tuple[NDArray[np.int64], list[bool], list[int]], data: st.DataObject
) -> None:
    durations, audible, owners = run
    frames = int(durations.sum()) * FRAMES_PER_STEP
    first = data.draw(st.integers(0, frames - 1))
    last = data.draw(st.integers(first + 1, frames))
    spans = word_frames(durations, audible, owners, first, last)
    assert list(spans) == sorted({owner for owner, heard in zip(owners, audible, strict=True) if heard})
    bounds = [bound for span in spans.values() for bound in span]
    assert bounds == sorted(bounds)
    assert bounds[0] == 0
    assert bounds[-1] == last - first


@given(
    silence=st.integers(0, 5000),
    level=st.sampled_from([0.002, 0.1, 1.0]),
    hiss=st.sampled_from([0.0, AUDIBLE / 4]),
)
def test_sound_begins_within_twenty_milliseconds_of_what_is_kept(
    silence: int, level: float, hiss: float
) -> None:
    tone = np.where(np.arange(2400) % 2, level, -level)
    pcm = np.concatenate((np.full(silence, hiss), tone)).astype(np.float32)
    onset = silence - silent_hops(pcm) * HOP
    assert 0 <= onset <= SAMPLE_RATE_HZ * 20 // 1000


def test_nothing_is_dropped_from_silence() -> None:
    assert silent_hops(np.zeros(10 * HOP, np.float32)) == 0
    assert silent_hops(np.zeros(0, np.float32)) == 0
