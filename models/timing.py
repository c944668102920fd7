"""From durations to silence cut and word times: where in a plan's frames speech lies, and which word when.

Pure; knows phonemes only as positions, durations and owners. Any thread may call it.

Durations alone do not say when a sound is heard: the voice was taught by a network whose sound leads its own
durations by about 50 ms (the best match of durations and energy over 37 sentences lies at 4 acoustic
frames), and the pads' share of silence varies. The predicted energy, one value per frame, follows the level
of the sound closely (correlation 0.98), so it says where speech lies within the pads; the PCM itself then
says where it begins.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.acoustic import FRAMES_PER_STEP, HOP, SAMPLE_RATE_HZ

SOUND_LEAD_FRAMES = 4
"""Acoustic frames by which a phoneme sounds before its durations say it does."""

QUIET_BEFORE = -0.8
"""Predicted energy below which nothing is heard before the first word: at most about -64 dB of full scale."""
QUIET_AFTER = -0.5
"""The same after the last word, where a little less is lost on the ear: about -60 dB."""
FRAMES_BEFORE = 1
FRAMES_AFTER = 2
"""Frames kept around what the energy says, as a frame reaches two hops to each side."""

AUDIBLE = 1e-3
"""Root mean square above which PCM counts as audible: -60 dB of full scale."""
ONSET_BLOCK = SAMPLE_RATE_HZ * 25 // 10_000
"""2.5 ms: the blocks in which the onset is sought."""
KEPT_BEFORE_ONSET = SAMPLE_RATE_HZ * 5 // 1000
"""5 ms: at least so much stays before the first audible block, and less than a hop more."""


def speech_frames(
    durations: NDArray[np.int64], audible: Sequence[bool], energy: NDArray[np.float32]
) -> tuple[int, int]:
    """Return the first frame of speech and the one after the last, a little generously at the start.

    `durations` and `audible` are per phoneme, pads included, at least one of them audible; `energy` is per
    frame. Never cuts into a phoneme: all that the durations or the energy place in the speech is in it.
    """
    begins, ends = _bounds(durations)
    spoken = np.flatnonzero(audible)
    first, last = int(begins[spoken[0]]), int(begins[spoken[-1]]) + 1
    above = np.flatnonzero(energy > QUIET_BEFORE)
    if above.size:
        first = min(first, int(above[0]) - FRAMES_BEFORE)
    above = np.flatnonzero(energy > QUIET_AFTER)
    last = max(last, int(above[-1]) + 1 + FRAMES_AFTER) if above.size else int(ends[spoken[-1]])
    return max(first, 0), min(last, int(ends[-1]))


def silent_hops(pcm: NDArray[np.float32]) -> int:
    """Return how many whole hops to drop from the start of `pcm`, so that sound begins within 5 to 17.5 ms.

    Nothing is dropped where nothing is audible.
    """
    blocks = pcm[: pcm.size // ONSET_BLOCK * ONSET_BLOCK].reshape(-1, ONSET_BLOCK)
    audible = np.flatnonzero(np.sqrt(np.mean(np.square(blocks), axis=1)) > AUDIBLE)
    if not audible.size:
        return 0
    return max(0, int(audible[0]) * ONSET_BLOCK - KEPT_BEFORE_ONSET) // HOP


def word_frames(
    durations: NDArray[np.int64], audible: Sequence[bool], owners: Sequence[int], first: int, last: int
) -> dict[int, tuple[int, int]]:
    """Return, for each word that has an audible phoneme, the frames in which it is heard, from `first`.

    Words come in order and do not overlap; the first begins with the speech at 0, the last ends with it.
    """
    begins, ends = (np.clip(bound - SOUND_LEAD_FRAMES, first, last) - first for bound in _bounds(durations))
    spans: dict[int, tuple[int, int]] = {}
    for at in np.flatnonzero(audible).tolist():
        begin = spans[owners[at]][0] if owners[at] in spans else int(begins[at])
        spans[owners[at]] = begin, int(ends[at])
    words = list(spans)
    spans[words[0]] = 0, spans[words[0]][1]
    spans[words[-1]] = spans[words[-1]][0], last - first
    return spans


def _bounds(durations: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each phoneme's first frame and the one after its last, as the durations have it."""
    ends = np.cumsum(durations) * FRAMES_PER_STEP
    return ends - durations * FRAMES_PER_STEP, ends
