"""Rates, lengths and sample formats. Every constant here is derived from the two or three above it.

Knows nothing of codecs, models or threads. Pure; any thread may call it.

Two units of sample count occur. *PCM samples* are at the rate of the stream (24 kHz for the default voice);
*content samples*, used for every timestamp on the wire, are at 48 kHz whatever the stream's rate is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CONTENT_RATE_HZ = 48_000
"""Rate of every sample count and timestamp on the wire (RFC 7845 counts Opus in 48 kHz units too)."""

DEFAULT_RATE_HZ = 24_000
FRAME_MS = 20
FRAME_CONTENT_SAMPLES = CONTENT_RATE_HZ * FRAME_MS // 1000
STREAM_RATES_HZ = (8_000, 16_000, 24_000, 48_000)

Pcm = NDArray[np.float32]
"""Mono PCM, shape `(samples,)`, in [-1, 1]."""

INT16_SCALE = 32_767


def frame_samples(rate_hz: int) -> int:
    """Return the PCM samples in one 20 ms frame: 480 at 24 kHz."""
    return rate_hz * FRAME_MS // 1000


def samples_from_ms(ms: float, rate_hz: int) -> int:
    """Return the nearest whole number of samples in `ms` milliseconds."""
    return round(ms * rate_hz / 1000)


def ms_from_samples(samples: int, rate_hz: int) -> float:
    """Return the duration of `samples` in milliseconds."""
    return samples * 1000 / rate_hz


def content_samples(samples: int, rate_hz: int) -> int:
    """Convert PCM samples at `rate_hz` to content samples, exactly: every stream rate divides 48 kHz."""
    return samples * (CONTENT_RATE_HZ // rate_hz)


def int16_from_float(pcm: Pcm) -> NDArray[np.int16]:
    """Convert float PCM in [-1, 1] to signed 16 bit, clipping what lies outside."""
    return np.rint(np.clip(pcm, -1.0, 1.0) * INT16_SCALE).astype(np.int16)


def float_from_int16(pcm: NDArray[np.int16]) -> Pcm:
    """Convert signed 16 bit PCM to float PCM: the inverse of `int16_from_float` to half a step."""
    return (pcm / np.float32(INT16_SCALE)).astype(np.float32)
