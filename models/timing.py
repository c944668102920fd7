"""From durations to silence cut and word times: where in a plan's frames speech lies, and which word when.

Pure; knows phonemes only as positions, durations and owners. Any thread may call it.

Durations alone do not say when a sound is heard: the voice was taught by a network whose sound leads its own
durations by about 50 ms (the best match of durations and energy over 37 sentences lies at 4 acoustic
frames), and the shares of silence in pads and punctuation vary. The predicted energy, one value per frame,
follows the level of the sound closely (correlation 0.98), so it says where speech lies within the pads and
where it pauses; the PCM itself then says where it begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from models.acoustic import FRAMES_PER_STEP, HOP, SAMPLE_RATE_HZ

SOUND_LEAD_FRAMES = 4
"""Acoustic frames, at a speed of 1, by which a phoneme sounds before its durations say it does."""

QUIET_BEFORE = -0.8
"""Predicted energy below which nothing is heard before the first word: at most about -64 dB of full scale."""
QUIET_AFTER = -0.5
"""The same after the last word, where a little less is lost on the ear: about -60 dB."""
FRAMES_BEFORE = 1
FRAMES_AFTER = 2
"""Frames kept around what the energy says, as a frame reaches two hops to each side."""

PAUSE_BELOW = -0.3
"""Predicted energy below which sound has stopped between two words."""
SHORTEST_PAUSE_FRAMES = 4
"""A shorter silence is the closure of a stop, which belongs to the stop's word."""
MOST_SPACE_FRAMES = 3
"""Frames, at a speed of 1, before a word's own phonemes at which its sound may begin. Where nobody pauses a
space is sounded too, about one half by each neighbour: the hiss of an s begins or ends within 40 ms."""

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


def pauses(energy: NDArray[np.float32]) -> list[tuple[int, int]]:
    """Return where a segment falls silent after a sound: each pause's first frame and the one after it.

    `energy` is per frame. Silence before the first sound is no pause; that after the last is the last one.
    """
    quiet = np.concatenate(([False], energy < PAUSE_BELOW, [False]))
    edges = np.flatnonzero(quiet[1:] != quiet[:-1]).tolist()
    stretches = zip(edges[::2], edges[1::2], strict=True)
    return [(begin, end) for begin, end in stretches if end - begin >= SHORTEST_PAUSE_FRAMES and begin > 0]


def word_frames(
    durations: NDArray[np.int64],
    audible: Sequence[bool],
    owners: Sequence[int],
    silences: Sequence[tuple[int, int]],
    *,
    first: int,
    last: int,
    speed: float,
) -> dict[int, tuple[int, int]]:
    """Return, for each word that has an audible phoneme, the frames in which it is heard, from `first`.

    `silences` are the segment's `pauses`; `speed` is what the durations were made for. Words come in order,
    do not overlap and last a frame at least; the first begins with the speech at 0. Two words meet where the
    durations end the one before; where a pause lies between them, the one ends with the sound and the other
    begins with it. The last ends with the sound.
    """
    # In slow speech, sound leads its durations by more: by as much of a phoneme.
    begins, ends = (bound - round(SOUND_LEAD_FRAMES / speed) for bound in _bounds(durations))
    spoken = np.flatnonzero(audible).tolist()
    words = [owners[spoken[0]]]
    gaps: list[tuple[int, int]] = []
    for before, after in pairwise(spoken):
        if owners[after] != owners[before]:
            words.append(owners[after])
            gaps.append((int(ends[before]), int(begins[after])))
    end_of_sound = min((begin for begin, end in silences if end >= last), default=last)
    inner = [silence for silence in silences if silence[1] < last]
    bounds = [
        first,
        *chain.from_iterable(_meetings(gaps, inner, round(MOST_SPACE_FRAMES / speed))),
        end_of_sound,
    ]
    return {
        word: (begin - first, end - first)
        for word, (begin, end) in zip(words, _spans(bounds, last), strict=True)
    }


def _meetings(
    gaps: Sequence[tuple[int, int]], silences: Sequence[tuple[int, int]], most_space: int
) -> Iterator[tuple[int, int]]:
    """Yield where the sound of each word ends and where that of the next begins.

    `gaps` say of each two words where the durations end the one and begin the other; of a gap without a
    pause, the last `most_space` frames sound.
    """
    heard: dict[int, tuple[int, int]] = {}
    for begin, end in silences:
        # Of two gaps around a short word, a pause is in the one behind which sound begins when it ends.
        near = [
            (abs(after - end), at)
            for at, (before, after) in enumerate(gaps)
            if begin < after and before < end
        ]
        if near:
            _, at = min(near)
            heard[at] = heard[at][0] if at in heard else begin, end
    for at, (before, after) in enumerate(gaps):
        meeting = max(before, after - most_space)
        yield heard.get(at, (meeting, meeting))


def _spans(bounds: Sequence[int], last: int) -> list[tuple[int, int]]:
    """Pair begins and ends of words, moved as little as makes none begin early, end late or last no frame.

    What lies between the first bound and the frame `last` has at least a frame for every word.
    """
    moved = list(bounds)
    for at in range(1, len(moved)):
        moved[at] = max(moved[at], moved[at - 1] + at % 2)
    moved[-1] = min(moved[-1], last)
    for at in range(len(moved) - 2, 0, -1):
        moved[at] = min(moved[at], moved[at + 1] - (at + 1) % 2)
    return list(zip(moved[::2], moved[1::2], strict=True))


def _bounds(durations: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each phoneme's first frame and the one after its last, as the durations have it."""
    ends = np.cumsum(durations) * FRAMES_PER_STEP
    return ends - durations * FRAMES_PER_STEP, ends
