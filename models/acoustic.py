"""The acoustic model's interface, which the torch and the onnxruntime network both implement.

Phonemes go in, spectra come out, in acoustic frames of 12.5 ms; `models/vocoder.py` turns spectra into PCM.
A segment is planned once (`plan`) and decoded in runs of frames of any length (`start`, `decode`). Everything
a decode needs is in its state: the model itself holds weights only, so worker threads may call one model at
once with different states. Knows no text, no word and no PCM.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

SAMPLE_RATE_HZ = 24_000
HOP = 300
"""PCM samples per acoustic frame (12.5 ms)."""

FRAMES_PER_STEP = 2
"""Acoustic frames per duration step (25 ms)."""

BINS = 601
"""Frequency bins of a spectrum: a transform of 1200 samples."""

BRANCHES = 5
"""Spectra per frame: log harmonic, harmonic phase, log noise, log residual, residual phase."""

TEXT_ROWS = 128
LOG_F0_ROW = TEXT_ROWS
ENERGY_ROW = LOG_F0_ROW + 1
FEATURE_ROWS = ENERGY_ROW + 1
"""The rows of the decoder's input: 130 in all."""

DECODER_MARGIN = 27
"""Acoustic frames to each side on which a decoded frame depends: nine convolutions of kernel 7."""

Array: TypeAlias = Any
"""A float32 array of the model's own namespace: numpy on the CPU, torch where the network runs in torch."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All of a segment that is computed once.

    `durations`, shape `(phonemes,)`: steps of 25 ms for each phoneme, the two pads included. `features`,
    shape `(FEATURE_ROWS, frames)`: decoder input, 128 rows of text, then log f0 and energy. `f0`, shape
    `(frames,)`: Hz, about 0 or below where unvoiced, scaled by the pitch asked for, as is the log f0 row. A
    step has `FRAMES_PER_STEP` frames.
    """

    durations: NDArray[np.int64]
    features: Array
    f0: Array


class DecoderState(Protocol):
    """Where the decoding of one plan stands. Belongs to the model that made it."""

    @property
    def position(self) -> int:
        """The next acoustic frame that `decode` yields."""
        ...


class AcousticModel(Protocol):
    """An acoustic network, loaded. Any thread may call it; a state must not be decoded twice at once."""

    @property
    def max_batch(self) -> int:
        """How many states one `decode` call can take; at least 1."""
        ...

    def plan(self, ids: Sequence[int], *, speed: float, pitch: float) -> Plan:
        """Compute durations, pitch and decoder input of the phonemes `ids`, a pad (0) at both ends."""
        ...

    def start(self, plan: Plan, first_frame: int) -> DecoderState:
        """Return a state whose decoding begins at `first_frame` and from there on equals one from frame 0."""
        ...

    def decode(self, states: Sequence[DecoderState], counts: Sequence[int]) -> list[Array]:
        """Decode the next `counts[i]` frames of each state: arrays of shape `(counts[i], BRANCHES, BINS)`.

        A count may not reach past the plan's last frame.
        """
        ...
