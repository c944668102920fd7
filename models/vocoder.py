"""The signal part of the voice: pulses and noise, filtered by predicted spectra, become PCM, frame by frame.

One implementation over the array API: the spectra stay in the namespace and on the device they come in
(numpy or torch); the two sources, which are small, are made in numpy on the host, the same for every device.
Does not know text, networks or how many frames a caller takes at a time: any chunking gives the same samples.
A state belongs to one caller at a time; different states may be used on different threads at once.

Per acoustic frame of 12.5 ms the network predicts five rows of 601 bins, and the spectrum of the frame is

    exp(harmonic) * e^(i pi tanh(theta)) * P  +  exp(noise) * Z  +  exp(free) * e^(i phi)

where P is the short-time spectrum of a pulse train at the fundamental frequency and Z white noise; an inverse
transform, a Hann window and overlap-add make it sound. The formulas are those of hibari-tts, `dsp.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device, to_device
from numpy.typing import NDArray

from models.acoustic import BINS, BRANCHES, HOP, SAMPLE_RATE_HZ, Array

Floats = NDArray[np.float32]

OVERLAP = 4
"""Frames that sound at the same time: one transform is four hops long."""
TRANSFORM = OVERLAP * HOP
DELAY = OVERLAP // 2
"""Hops by which PCM runs behind the frames: a frame is centred on the first sample of its hop."""

HARMONIC, THETA, NOISE, FREE, PHI = range(BRANCHES)
"""Rows of a frame's spectra: three log gains and two phases."""
LOG_GAIN_LIMIT = 7.0
VOICED_ABOVE_HZ = 40.0
HARMONICS_BELOW_HZ = 11_000.0
FADE_SAMPLES = SAMPLE_RATE_HZ * 3 // 1000
"""Fade at both ends of a segment: 3 ms, so that a cut in the breath before a word does not click."""

_NOISE_WORDS = -(-2 * BINS // 4)
"""64-bit words drawn for a frame's noise: four values in each, whole words for every frame."""
_NOISE_UNIT = np.float32(math.sqrt(12) / 2**16)
"""Brings whole numbers of 16 bits to variance 1."""

_HANN = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(TRANSFORM) / TRANSFORM)
_ANALYSIS = (_HANN / (TRANSFORM / 4)).astype(np.float32)
"""Scaled so that a harmonic of amplitude 1 peaks at 1 in P."""
_SQUARES = np.square(_HANN).reshape(OVERLAP, HOP)
_SYNTHESIS = (_HANN / _SQUARES.sum(axis=0)[0]).astype(np.float32)
"""Divided by the sum of squares, which is the same 1.5 at every sample away from the ends."""
_FADE = (0.5 - 0.5 * np.cos(np.pi * (np.arange(FADE_SAMPLES) + 0.5) / FADE_SAMPLES)).astype(np.float32)
_TOWARDS_NEXT = ((np.arange(HOP) + 0.5) / HOP - 0.5).astype(np.float32)
"""Where a hop's samples lie around the frame's f0: from half a frame before to half a frame after."""


@dataclass(slots=True)
class VocoderState:
    """A segment's sound in progress; `synthesize` changes it. About 10 kB and the f0 curve.

    `position` counts the frames taken so far, from 0 to `frames`.
    """

    f0: Floats
    frames: int
    noise: np.random.SFC64
    position: int = 0
    phase: float = 0.0
    pulses: Floats = field(default_factory=lambda: np.zeros((OVERLAP - 1, HOP), np.float32))
    overlap: Floats = field(default_factory=lambda: np.zeros((OVERLAP - 1, HOP), np.float32))


def start(f0: Array, first_frame: int, last_frame: int, seed: int) -> VocoderState:
    """Make the state for the acoustic frames [first_frame, last_frame) of a segment.

    `f0` is the whole segment's curve, shape `(frames,)`, Hz; below 40 Hz it means unvoiced. Outside the given
    frames the segment counts as silent. The same seed gives the same noise on every device.
    """
    curve = np.asarray(to_device(f0, "cpu"), np.float32)
    assert 0 <= first_frame < last_frame <= curve.size
    padded = np.pad(curve, 1, mode="edge")
    state = VocoderState(
        f0=padded[first_frame : last_frame + 2].copy(),
        frames=last_frame - first_frame,
        noise=np.random.SFC64(seed),
    )
    state.pulses[DELAY:] = _pulse_hops(state, 0, 1)
    return state


def synthesize(state: VocoderState, spectra: Array) -> Floats:
    """Take the next frames, shape `(count, 5, 601)`, and return the PCM they complete, shape `(samples,)`.

    PCM runs two hops behind the frames; the segment's last frame also releases what was held back, so that a
    segment gives `frames * HOP` samples in all. The first calls may return none.
    """
    count = spectra.shape[0]
    assert 0 < count <= state.frames - state.position
    frames = _sound(spectra, _next_pulse_frames(state, count), _next_noise(state, count))
    return _overlap_add(state, frames)


def _sound(spectra: Array, pulse_frames: Floats, noise: Floats) -> Floats:
    """Filter the sources and transform back: windowed frames of shape `(count, 1200)`, on the host."""
    xp, on = array_namespace(spectra), device(spectra)
    gains = _gains(xp, spectra[:, NOISE : FREE + 1, :])
    hiss = xp.asarray(noise, device=on) * gains[:, :1, :]
    free, phi = gains[:, 1, :], spectra[:, PHI, :]
    spectrum = (hiss[:, 0, :] + free * xp.cos(phi)) + 1j * (hiss[:, 1, :] + free * xp.sin(phi))
    voiced = np.flatnonzero(pulse_frames.any(axis=1))
    if voiced.size:
        pulses = xp.fft.rfft(xp.asarray(pulse_frames[voiced] * _ANALYSIS, device=on))
        rows = xp.asarray(voiced, device=on)
        spectrum[rows] += pulses * _harmonic_filter(xp, spectra[rows])
    frames: Floats = np.asarray(to_device(xp.fft.irfft(spectrum, n=TRANSFORM), "cpu"))
    frames *= _SYNTHESIS
    return frames


def _harmonic_filter(xp: Any, spectra: Array) -> Array:
    gain, angle = _gains(xp, spectra[:, HARMONIC, :]), math.pi * xp.tanh(spectra[:, THETA, :])
    return gain * xp.cos(angle) + 1j * (gain * xp.sin(angle))


def _gains(xp: Any, log_gains: Array) -> Array:
    return xp.exp(
        xp.minimum(log_gains, xp.asarray(LOG_GAIN_LIMIT, dtype=xp.float32, device=device(log_gains)))
    )


def _next_noise(state: VocoderState, count: int) -> Floats:
    """Draw real and imaginary parts of variance 1, `(count, 2, 601)`, frame by frame: chunks do not matter.

    Uniform 16-bit values, at an eighth of the cost of normal ones: each sample that sounds sums thousands of
    them and is normal by itself.
    """
    values = state.noise.random_raw(count * _NOISE_WORDS).view(np.int16).reshape(count, -1)[:, : 2 * BINS]
    return np.multiply(values, _NOISE_UNIT, dtype=np.float32).reshape(count, 2, BINS)


def _next_pulse_frames(state: VocoderState, count: int) -> Floats:
    """Return what the next frames see of the pulse train: a view of shape `(count, 1200)`."""
    start_hop = state.position + 1
    hops = _pulse_hops(state, start_hop, min(start_hop + count, state.frames))
    silent = np.zeros((count - hops.shape[0], HOP), np.float32)
    train = np.concatenate((state.pulses, hops, silent))
    state.pulses = train[count:].copy()
    return np.lib.stride_tricks.sliding_window_view(train.reshape(-1), TRANSFORM)[::HOP]


def _pulse_hops(state: VocoderState, begin: int, end: int) -> Floats:
    """Sound the pulse train of the hops [begin, end), shape `(hops, 300)`, and carry its phase on."""
    curve = _interpolate(state.f0[begin : end + 2])
    train = np.zeros(curve.size, np.float32)
    if not curve.size:
        return train.reshape(-1, HOP)
    # A running sum over the whole segment: in single precision its error would become a wrong pitch.
    turns = np.cumsum(np.maximum(curve, VOICED_ABOVE_HZ), dtype=np.float64)
    turns *= 1 / SAMPLE_RATE_HZ
    turns += state.phase
    turns -= np.floor(turns)
    state.phase = float(turns[-1])
    voiced = np.flatnonzero(curve > VOICED_ABOVE_HZ)
    train[voiced] = _pulses(curve[voiced], turns[voiced].astype(np.float32))
    return train.reshape(-1, HOP)


def _pulses(f0: Floats, turns: Floats) -> Floats:
    """Sum every harmonic below 11 kHz at amplitude 1, in closed form, at phases in [0, 1).

    sum of cos(h t) for h = 1..H  =  sin((2 H + 1) t / 2) / (2 sin(t / 2)) - 1/2
    """
    half_angle = turns * np.float32(np.pi)
    order = 2 * np.floor(HARMONICS_BELOW_HZ / f0) + 1
    divisor = 2 * np.sin(half_angle)
    # On the pulse itself both sines vanish; the quotient's limit there is half the order.
    peak = np.abs(divisor) <= 2e-3
    divisor[peak] = 1.0
    sums: Floats = np.sin(order * half_angle) / divisor
    sums[peak] = order[peak] / 2
    sums -= 0.5
    return sums


def _interpolate(f0: Floats) -> Floats:
    """Draw f0 linearly through the frames' middles; the outer two of `(hops + 2,)` only lend their slope."""
    before, here, after = f0[:-2, None], f0[1:-1, None], f0[2:, None]
    half = HOP // 2
    curve = np.empty((here.size, HOP), np.float32)
    curve[:, :half] = here + (here - before) * _TOWARDS_NEXT[:half]
    curve[:, half:] = here + (after - here) * _TOWARDS_NEXT[half:]
    return curve.reshape(-1)


def _overlap_add(state: VocoderState, frames: Floats) -> Floats:
    """Add the frames to what is sounding and return the hops no later frame can reach, as `(samples,)`."""
    count = frames.shape[0]
    hops = np.zeros((count + OVERLAP - 1, HOP), np.float32)
    hops[: OVERLAP - 1] = state.overlap
    for part in range(OVERLAP):
        hops[part : part + count] += frames[:, part * HOP : (part + 1) * HOP]
    first = max(state.position - DELAY, 0)
    skipped = first - (state.position - DELAY)
    state.position += count
    state.overlap = hops[count:].copy()
    ready = count + DELAY if state.position == state.frames else count
    pcm = hops[skipped:ready]
    for row in range(pcm.shape[0]):
        hop = first + row
        if not DELAY - 1 < hop < state.frames - DELAY:
            pcm[row] *= _edge_gain(hop, state.frames)
    return pcm.reshape(-1)


def _edge_gain(hop: int, frames: int) -> Floats:
    """Make up for the windows missing at a segment's ends, and fade there."""
    reaching = [part for part in range(OVERLAP) if 0 <= hop + DELAY - part < frames]
    gain: Floats = (_SQUARES.sum(axis=0) / _SQUARES[reaching].sum(axis=0)).astype(np.float32)
    if hop == 0:
        gain[:FADE_SAMPLES] *= _FADE
    if hop == frames - 1:
        gain[-FADE_SAMPLES:] *= _FADE[::-1]
    return gain
