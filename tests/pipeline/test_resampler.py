"""Another rate, the same sound: no seam, no alias, no sample too many."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.audio import Pcm
from pipeline.resampler import Resampler

FROM_HZ = 24_000


def tone(hz: float, samples: int, rate_hz: int) -> Pcm:
    return (0.5 * np.sin(2 * np.pi * hz * np.arange(samples) / rate_hz)).astype(np.float32)


def resample(pcm: Pcm, to_hz: int, cuts: list[int]) -> Pcm:
    resampler = Resampler(FROM_HZ, to_hz)
    places = [0, *sorted(cut % (len(pcm) + 1) for cut in cuts), len(pcm)]
    pieces = [resampler.push(pcm[a:b], last=b == len(pcm)) for a, b in pairwise(places[:-1])]
    return np.concatenate([*pieces, resampler.push(pcm[places[-2] :], last=True)])


@pytest.mark.parametrize("to_hz", [8_000, 16_000, 48_000])
@settings(max_examples=20, deadline=None)
@given(samples=st.integers(1, 20_000), cuts=st.lists(st.integers(0, 20_000), max_size=6))
def test_any_cut_gives_the_same_samples_and_the_nearest_whole_length(
    to_hz: int, samples: int, cuts: list[int]
) -> None:
    pcm = tone(440, samples, FROM_HZ)
    inner = [cut for cut in cuts if 0 < cut % (samples + 1) < samples]
    whole = resample(pcm, to_hz, [])
    assert abs(len(whole) - samples * to_hz / FROM_HZ) <= 0.5
    assert np.array_equal(resample(pcm, to_hz, inner), whole)


@pytest.mark.parametrize("to_hz", [8_000, 16_000, 48_000])
def test_a_tone_stays_that_tone_at_its_place(to_hz: int) -> None:
    out = resample(tone(1_000, FROM_HZ, FROM_HZ), to_hz, [])
    expected = tone(1_000, to_hz, to_hz)
    inner = slice(to_hz // 10, -to_hz // 10)
    error = float(np.sum((out[inner] - expected[inner]) ** 2))
    assert 10 * np.log10(float(np.sum(expected[inner] ** 2)) / error) > 60


def test_what_the_new_rate_cannot_hold_is_gone() -> None:
    out = resample(tone(7_000, FROM_HZ, FROM_HZ), 8_000, [])
    assert np.abs(out[800:-800]).max() < 0.001


def test_overshoot_at_full_scale_is_clipped() -> None:
    square = np.sign(tone(300, FROM_HZ, FROM_HZ)).astype(np.float32)
    assert np.abs(resample(square, 48_000, [])).max() <= 1.0
