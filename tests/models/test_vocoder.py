"""The signal part: chunks do not matter, namespaces agree, whole segments equal the wheel's own synthesis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hibari import dsp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from models import vocoder
from models.acoustic import BINS, BRANCHES, HOP

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
