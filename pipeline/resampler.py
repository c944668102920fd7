"""A voice's PCM at the rate of the stream, where the two differ.

Knows nothing of codecs or threads. One resampler serves one segment: it starts and ends in silence, so that
voices of different rates can follow one another in one utterance. Called by one thread at a time.
"""

from __future__ import annotations

import numpy as np
import soxr

from pipeline.audio import Pcm


class Resampler:
    """Converts PCM from one rate to another, in pieces of any length, band-limited and without a seam."""

    def __init__(self, from_hz: int, to_hz: int) -> None:
        self._stream = soxr.ResampleStream(from_hz, to_hz, 1, dtype="float32", quality="HQ")

    def push(self, pcm: Pcm, *, last: bool) -> Pcm:
        """Return what `pcm` makes ready, a few milliseconds behind; with `last`, all that is left.

        In all that is the input's length at the new rate, to the nearest sample. The filter overshoots at
        loud edges, so the result is clipped to [-1, 1].
        """
        out: Pcm = self._stream.resample_chunk(pcm, last=last)
        return np.clip(out, -1.0, 1.0)
