"""The served network: however a segment is cut, it sounds the same to the precision of int8 activations."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from models import vocoder
from models.acoustic import BINS, BRANCHES, DECODER_MARGIN, LOG_F0_ROW, AcousticModel, Plan
from models.student_onnx import OnnxAcoustic
from tests.models.spoken import acoustic, phonemizer, sentences, snr_db, spoken_of
from tests.models.wheel import Graph

Floats = NDArray[np.float32]

SHORT, USUAL = 12, 20
"""Sentences of 3 and 2 seconds that most tests speak."""


def ids(sentence: int) -> tuple[int, ...]:
    return phonemizer().read(spoken_of(sentences()[sentence])).runs[0].ids


def plan(sentence: int) -> Plan:
    return acoustic().plan(ids(sentence), speed=1.0, pitch=1.0)


def decode(planned: Plan, first: int, sizes: list[int]) -> Floats:
    """Decode from `first` to the end in chunks of the given sizes, the last of which repeats."""
    state = acoustic().start(planned, first)
    frames, chunks = planned.f0.size, []
    for size in sizes + [sizes[-1]] * frames:
        if state.position == frames:
            break
        chunks += acoustic().decode([state], [min(size, frames - state.position)])
    return np.concatenate(chunks)


def sound(planned: Plan, first: int, spectra: Floats) -> Floats:
    return vocoder.synthesize(vocoder.start(planned.f0, first, planned.f0.size, seed=1), spectra)


def test_it_is_an_acoustic_model() -> None:
    model: AcousticModel = OnnxAcoustic()
    assert model.max_batch == 1


@pytest.mark.parametrize("sentence", [0, SHORT, USUAL, 44])
def test_the_cut_graph_equals_the_wheels_own_up_to_int8(sentence: int) -> None:
    original = Graph(as_float=False).run(ids(sentence))
    planned = plan(sentence)
    assert np.array_equal(planned.durations, original.durations)
    assert snr_db(original.f0, planned.f0) > 40
    spectra = decode(planned, 0, [planned.f0.size])
    assert spectra.shape == original.spectra.shape == (planned.f0.size, BRANCHES, BINS)
    assert snr_db(original.spectra, spectra) > 35


@settings(max_examples=20, deadline=None)
@given(
    sentence=st.sampled_from([SHORT, USUAL]),
    first=st.integers(0, 60),
    sizes=st.lists(st.integers(1, 90), min_size=1, max_size=8),
)
def test_any_chunks_from_any_frame_sound_like_offline(sentence: int, first: int, sizes: list[int]) -> None:
    planned = plan(sentence)
    offline = decode(planned, 0, [planned.f0.size])[first:]
    chunked = decode(planned, first, sizes)
    assert chunked.shape == offline.shape
    assert snr_db(offline, chunked) > 35
    # The phase of the noise-like branch is chaotic where it is inaudible; what counts is the sound.
    assert snr_db(sound(planned, first, offline), sound(planned, first, chunked)) > 20


@pytest.mark.parametrize("first", [0, 1, DECODER_MARGIN - 1, DECODER_MARGIN, DECODER_MARGIN + 1, 80])
def test_single_frames_from_the_start_and_at_the_end_are_all_there(first: int) -> None:
    planned = plan(0)
    offline = decode(planned, 0, [planned.f0.size])[first:]
    chunked = decode(planned, first, [1])
    assert chunked.shape == offline.shape
    assert snr_db(offline, chunked) > 30


def test_a_segment_shorter_than_the_margin_decodes() -> None:
    planned = plan(0)
    for frames in (1, 2, 6, DECODER_MARGIN):
        cut = Plan(planned.durations, planned.features[:, :frames].copy(), planned.f0[:frames])
        assert decode(cut, 0, [frames]).shape == (frames, BRANCHES, BINS)
        assert decode(cut, frames - 1, [1]).shape == (1, BRANCHES, BINS)


def test_decoding_two_states_together_equals_each_alone() -> None:
    plans, counts = [plan(SHORT), plan(USUAL)], [31, 17]
    alone = [decode(planned, 5, [count, 1])[:count] for planned, count in zip(plans, counts, strict=True)]
    together = acoustic().decode([acoustic().start(planned, 5) for planned in plans], counts)
    for expected, found in zip(alone, together, strict=True):
        assert np.array_equal(expected, found)


def test_pitch_scales_f0_and_what_the_decoder_sees_of_it_and_nothing_else() -> None:
    base = plan(USUAL)
    higher = acoustic().plan(ids(USUAL), speed=1.0, pitch=1.25)
    assert np.array_equal(base.durations, higher.durations)
    np.testing.assert_allclose(higher.f0, base.f0 * 1.25, rtol=1e-6)
    np.testing.assert_allclose(higher.features[LOG_F0_ROW], np.log1p(np.maximum(higher.f0, 0)) / 5, rtol=1e-5)
    np.testing.assert_allclose(base.features[LOG_F0_ROW], np.log1p(np.maximum(base.f0, 0)) / 5, atol=1e-5)
    others = np.arange(len(base.features)) != LOG_F0_ROW
    assert np.array_equal(base.features[others], higher.features[others])


def test_speed_shortens_the_durations() -> None:
    steps = [
        int(acoustic().plan(ids(USUAL), speed=speed, pitch=1.0).durations.sum()) for speed in (0.5, 1.0, 2.0)
    ]
    assert steps[0] > 1.8 * steps[1]
    assert steps[1] > 1.5 * steps[2]


def test_threads_with_states_of_their_own_do_not_disturb_each_other() -> None:
    numbers = [SHORT, USUAL, 5, 7, 30, 12, 22, 40]
    alone = [decode(plan(number), 3, [40, 64]) for number in numbers]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda number: decode(plan(number), 3, [40, 64]), numbers))
    for expected, found in zip(alone, together, strict=True):
        assert np.array_equal(expected, found)
