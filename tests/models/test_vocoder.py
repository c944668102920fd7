"""The signal part: chunks do not matter, namespaces agree, whole segments equal the wheel's own synthesis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hibari import dsp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from models import vocoder
from models.acoustic import BINS, BRANCHES, HOP, SAMPLE_RATE_HZ

SEED = 7


def spectra_like_speech(frames: int, seed: int = 1) -> NDArray[np.float32]:
    """Spectra in the range the network predicts: log gains around -5, phases of any size."""
    rng = np.random.default_rng(seed)
    spectra = rng.standard_normal((frames, BRANCHES, BINS), dtype=np.float32)
    spectra[:, (0, 2, 3)] -= 5.0
    spectra[:, 4] *= 3.0
    return spectra


def curve_like_speech(frames: int, seed: int = 1) -> NDArray[np.float32]:
    """An f0 curve with voiced and unvoiced stretches."""
    rng = np.random.default_rng(seed)
    curve = 180 + 40 * np.sin(np.arange(frames) / 9) + rng.standard_normal(frames)
    curve[rng.permutation(np.arange(frames) // 7)[np.arange(frames) // 7] % 3 == 0] = 0
    return curve.astype(np.float32)


def sound(f0: Any, spectra: Any, chunks: list[int], seed: int = SEED) -> NDArray[np.float32]:
    """Synthesize a whole segment in chunks of the given lengths, repeated for as long as frames are left."""
    state = vocoder.start(f0, 0, len(f0), seed)
    pcm: list[NDArray[np.float32]] = []
    at = 0
    while at < len(f0):
        count = min(chunks[len(pcm) % len(chunks)], len(f0) - at)
        pcm.append(vocoder.synthesize(state, spectra[at : at + count]))
        at += count
    return np.concatenate(pcm)


class SameNoise:
    """Gives the wheel's synthesis the noise that the vocoder draws."""

    def __init__(self, frames: int) -> None:
        state = vocoder.start(np.zeros(frames, np.float32), 0, frames, SEED)
        parts = vocoder._next_noise(state, frames)
        self.noise = np.ascontiguousarray((parts[:, 0] + 1j * parts[:, 1]).astype(np.complex64).T)

    def standard_normal(self, size: tuple[int, int], dtype: object) -> NDArray[np.float32]:
        """Return it in the wheel's order: complex, one row per bin."""
        noise = self.noise.view(np.float32)
        assert noise.shape == size
        assert noise.dtype == dtype
        return noise.copy()


@settings(deadline=None)
@given(frames=st.integers(1, 40), chunks=st.lists(st.integers(1, 12), min_size=1, max_size=6))
def test_any_chunking_gives_the_same_samples_and_a_hop_for_every_frame(
    frames: int, chunks: list[int]
) -> None:
    f0, spectra = curve_like_speech(frames), spectra_like_speech(frames)
    whole = sound(f0, spectra, [frames])
    chunked = sound(f0, spectra, chunks)
    assert whole.shape == chunked.shape == (frames * HOP,)
    assert whole.dtype == chunked.dtype == np.float32
    np.testing.assert_allclose(chunked, whole, atol=1e-6)


def test_a_whole_segment_equals_the_wheels_synthesis_away_from_its_ends() -> None:
    frames = 120
    f0, spectra = curve_like_speech(frames), spectra_like_speech(frames)
    branches = [np.ascontiguousarray(spectra[:, row].T) for row in range(BRANCHES)]
    expected = dsp.synth(*branches, f0, SameNoise(frames))
    pcm = sound(f0, spectra, [frames])
    assert pcm.shape == expected.shape
    inside = slice(vocoder.TRANSFORM, -vocoder.TRANSFORM)
    error = np.sqrt(np.mean((pcm - expected)[inside] ** 2) / np.mean(expected[inside] ** 2))
    assert 20 * np.log10(error) < -70


def test_torch_and_numpy_give_the_same_samples() -> None:
    torch = pytest.importorskip("torch")
    f0, spectra = curve_like_speech(50), spectra_like_speech(50)
    expected = sound(f0, spectra, [16])
    pcm = sound(torch.from_numpy(f0), torch.from_numpy(spectra), [16])
    np.testing.assert_allclose(pcm, expected, atol=1e-5)


def only(row: int, frames: int, log_gain: float = 0.0) -> NDArray[np.float32]:
    """Spectra with one branch at the given log gain, the others inaudible, all phases 0."""
    spectra = np.zeros((frames, BRANCHES, BINS), np.float32)
    spectra[:, (vocoder.HARMONIC, vocoder.NOISE, vocoder.FREE)] = -40.0
    spectra[:, row] = log_gain
    return spectra


@settings(deadline=None)
@given(frames=st.integers(2, 8), split=st.integers(1, 8))
def test_the_noise_is_the_same_in_any_chunks_and_another_for_another_seed(frames: int, split: int) -> None:
    f0, split = np.zeros(frames, np.float32), min(split, frames - 1)
    at_once = vocoder._next_noise(vocoder.start(f0, 0, frames, SEED), frames)
    state = vocoder.start(f0, 0, frames, SEED)
    parts = [vocoder._next_noise(state, count) for count in (split, frames - split)]
    np.testing.assert_array_equal(np.concatenate(parts), at_once)
    other = vocoder._next_noise(vocoder.start(f0, 0, frames, SEED + 1), frames)
    assert not np.array_equal(other, at_once)


def test_the_noise_is_white_has_variance_one_and_sounds_normally_distributed() -> None:
    frames = 400
    f0 = np.zeros(frames, np.float32)
    drawn = vocoder._next_noise(vocoder.start(f0, 0, frames, SEED), frames)
    assert abs(drawn.mean()) < 0.01
    assert abs(drawn.var() - 1) < 0.01
    assert abs(np.mean(drawn[:, 0] * drawn[:, 1])) < 0.01
    pcm = sound(f0, only(vocoder.NOISE, frames), [frames])[HOP:-HOP]
    pcm = pcm / pcm.std()
    assert abs(np.mean(pcm**4) - 3) < 0.1
    assert abs(np.mean(pcm**3)) < 0.05
    power = np.abs(np.fft.rfft(pcm.reshape(-1, HOP * 2))) ** 2
    bands = power.mean(axis=0)[1:-1].reshape(-1, 13).mean(axis=1)
    assert bands.max() / bands.min() < 1.5


def test_a_voiced_segment_has_every_harmonic_below_11_khz_at_the_amplitude_asked_for() -> None:
    frames, f0 = 100, 200.0
    # A gain is the peak in a frame's spectrum, where a cosine of amplitude 1 has half the window's sum, 300.
    spectra = only(vocoder.HARMONIC, frames, np.log(0.01 * vocoder.TRANSFORM / 4))
    pcm = sound(np.full(frames, f0, np.float32), spectra, [frames])
    inside = pcm[vocoder.TRANSFORM : -vocoder.TRANSFORM]
    second = inside[:SAMPLE_RATE_HZ]
    amplitude = np.abs(np.fft.rfft(second * np.hanning(second.size))) * 4 / second.size
    harmonics = amplitude[np.rint(np.arange(1, 56) * f0 * second.size / SAMPLE_RATE_HZ).astype(int)]
    np.testing.assert_allclose(harmonics[:54], 0.01, rtol=0.02)
    between = amplitude[np.rint(np.arange(1.5, 50) * f0 * second.size / SAMPLE_RATE_HZ).astype(int)]
    assert between.max() < 1e-4
    assert amplitude[int(11_300 * second.size / SAMPLE_RATE_HZ) :].max() < 1e-4


def test_the_harmonic_branch_is_silent_where_nothing_is_voiced() -> None:
    frames = 20
    pcm = sound(np.full(frames, 39.0, np.float32), only(vocoder.HARMONIC, frames, 2.0), [frames])
    assert np.abs(pcm).max() < 1e-6


def test_the_pulse_phase_does_not_drift_over_half_a_minute() -> None:
    frames = 2400
    state = vocoder.start(np.full(frames, 150.0, np.float32), 0, frames, SEED)
    for _ in range(frames):
        vocoder._next_pulse_frames(state, 1)
        state.position += 1
    turns = 150.0 * frames * HOP / SAMPLE_RATE_HZ
    drift = (state.phase - turns + 0.5) % 1.0 - 0.5
    assert abs(drift) < 1e-6


@settings(deadline=None)
@given(first=st.integers(0, 30), count=st.integers(1, 30))
def test_a_cut_segment_begins_and_ends_without_a_click(first: int, count: int) -> None:
    f0, spectra = curve_like_speech(60), spectra_like_speech(60)
    state = vocoder.start(f0, first, first + count, SEED)
    pcm = vocoder.synthesize(state, spectra[first : first + count])
    assert pcm.shape == (count * HOP,)
    loudest = np.abs(pcm).max()
    for edge in (pcm[:3], pcm[-3:]):
        assert np.abs(edge).max() < 0.02 * loudest
    for fade in (pcm[: vocoder.FADE_SAMPLES], pcm[-vocoder.FADE_SAMPLES :]):
        assert np.abs(np.diff(fade)).max() <= np.abs(np.diff(pcm)).max()


def test_log_gains_beyond_the_limit_count_as_the_limit() -> None:
    f0 = np.zeros(6, np.float32)
    at_limit = sound(f0, only(vocoder.NOISE, 6, vocoder.LOG_GAIN_LIMIT), [6])
    np.testing.assert_array_equal(sound(f0, only(vocoder.NOISE, 6, 80.0), [6]), at_limit)


def test_more_frames_than_the_segment_has_are_refused() -> None:
    state = vocoder.start(np.zeros(10, np.float32), 2, 6, SEED)
    with pytest.raises(AssertionError):
        vocoder.synthesize(state, spectra_like_speech(5))


@pytest.mark.gpu
def test_cuda_and_numpy_give_the_same_samples() -> None:
    torch = pytest.importorskip("torch")
    f0, spectra = curve_like_speech(50), spectra_like_speech(50)
    pcm = sound(torch.from_numpy(f0).cuda(), torch.from_numpy(spectra).cuda(), [16])
    np.testing.assert_allclose(pcm, sound(f0, spectra, [16]), atol=1e-4)
