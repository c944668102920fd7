"""The silence cut never enters speech, and word times lie in order inside it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from models.acoustic import FRAMES_PER_STEP, HOP, SAMPLE_RATE_HZ
from models.timing import (
    AUDIBLE,
    FRAMES_AFTER,
    FRAMES_BEFORE,
    MOST_SPACE_FRAMES,
    QUIET_AFTER,
    QUIET_BEFORE,
    SHORTEST_PAUSE_FRAMES,
    SOUND_LEAD_FRAMES,
    pauses,
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
def test_words_are_heard_in_order_within_the_speech_whatever_the_energy(
    run: tuple[NDArray[np.int64], list[bool], list[int]], data: st.DataObject
) -> None:
    durations, audible, owners = run
    energy = data.draw(energies(int(durations.sum()) * FRAMES_PER_STEP))
    first, last = speech_frames(durations, audible, energy)
    spans = word_frames(durations, audible, owners, pauses(energy), first=first, last=last, speed=1.0)
    assert list(spans) == sorted({owner for owner, heard in zip(owners, audible, strict=True) if heard})
    assert all(begin < end for begin, end in spans.values())
    bounds = [bound for span in spans.values() for bound in span]
    assert bounds == sorted(bounds)
    assert bounds[0] == 0
    assert bounds[-1] <= last - first


def energies(frames: int) -> st.SearchStrategy[NDArray[np.float32]]:
    """Return a strategy of energy curves that are silent or loud in stretches."""
    stretch = st.tuples(st.sampled_from([SILENT, LOUD]), st.integers(1, 60))
    return st.lists(stretch, min_size=1).map(
        lambda stretches: np.resize(np.repeat(*map(np.array, zip(*stretches, strict=True))), frames).astype(
            np.float32
        )
    )


@given(before=st.integers(10, 40), pause=st.integers(SHORTEST_PAUSE_FRAMES, 40), late=st.integers(-3, 3))
def test_around_a_pause_words_are_heard_where_the_energy_says(before: int, pause: int, late: int) -> None:
    # A word, a comma as long as the pause, a word; the sound leads the durations, and is a little off.
    steps = np.array([4, before, max(1, pause // FRAMES_PER_STEP), 20, 4])
    energy = np.full(int(steps.sum()) * FRAMES_PER_STEP, LOUD, np.float32)
    begin = (4 + before) * FRAMES_PER_STEP - SOUND_LEAD_FRAMES + late
    energy[begin : begin + pause] = SILENT
    spans = word_frames(
        steps,
        [False, True, False, True, False],
        [-1, 0, 0, 1, -1],
        pauses(energy),
        first=0,
        last=energy.size,
        speed=1.0,
    )
    assert spans == {0: (0, begin), 1: (begin + pause, energy.size)}


def test_a_pause_on_both_sides_of_a_short_word_is_before_the_word_whose_sound_ends_it() -> None:
    steps = np.array([4, 20, 1, 2, 1, 20, 4])
    audible, owners = [False, True, False, True, False, True, False], [-1, 0, 0, 1, 1, 2, -1]
    energy = np.full(int(steps.sum()) * FRAMES_PER_STEP, LOUD, np.float32)
    # Silent from within the first word's durations to where the third one begins.
    end = 28 * FRAMES_PER_STEP - SOUND_LEAD_FRAMES
    energy[end - 9 : end] = SILENT
    spans = word_frames(steps, audible, owners, pauses(energy), first=0, last=energy.size, speed=1.0)
    assert spans[2][0] == end
    assert spans[1][0] < spans[1][1] == max(end - 9, spans[1][0] + 1)


def test_a_short_silence_is_no_pause_and_neither_is_what_comes_before_all_sound() -> None:
    energy = np.full(60, LOUD, np.float32)
    energy[:10] = energy[50:] = energy[20 : 20 + SHORTEST_PAUSE_FRAMES - 1] = SILENT
    energy[30 : 30 + SHORTEST_PAUSE_FRAMES] = SILENT
    assert pauses(energy) == [(30, 30 + SHORTEST_PAUSE_FRAMES), (50, 60)]


@given(silent=st.integers(0, 30))
def test_the_last_word_ends_with_the_sound(silent: int) -> None:
    steps = np.array([4, 10, 20])
    frames = int(steps.sum()) * FRAMES_PER_STEP
    energy = np.full(frames, LOUD, np.float32)
    energy[frames - silent :] = SILENT
    spans = word_frames(
        steps, [False, True, False], [-1, 0, -1], pauses(energy), first=0, last=frames, speed=1.0
    )
    assert spans == {0: (0, frames - silent if silent >= SHORTEST_PAUSE_FRAMES else frames)}


@pytest.mark.parametrize(("speed", "frames"), [(0.5, 14), (1.0, 7), (2.0, 4)])
def test_the_slower_the_speech_the_more_sound_leads_its_durations(speed: float, frames: int) -> None:
    steps = np.array([4, 20, 20, 20, 4])
    spans = word_frames(
        steps, [False, True, False, True, False], [-1, 0, 0, 1, -1], [], first=0, last=136, speed=speed
    )
    assert spans[0][1] == spans[1][0] == 44 * FRAMES_PER_STEP - frames


def test_words_without_a_pause_meet_close_before_the_second_ones_phonemes() -> None:
    steps = np.array([4, 10, 5, 10, 4])
    spans = word_frames(
        steps,
        [False, True, False, True, False],
        [-1, 0, 0, 1, -1],
        [],
        first=0,
        last=int(steps.sum()) * 2,
        speed=1.0,
    )
    assert spans[0][1] == spans[1][0] == 19 * FRAMES_PER_STEP - SOUND_LEAD_FRAMES - MOST_SPACE_FRAMES


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
