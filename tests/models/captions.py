"""How true word times are: against what is heard in the PCM itself, and against a recognizer's word starts.

Knows no synthesizer: it takes PCM, words and times in samples. Errors are in milliseconds, positive where the
time given is later than what is heard.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from models.acoustic import SAMPLE_RATE_HZ
from tests.models.listener import WordHeard

Floats = NDArray[np.float32]

AUDIBLE = 1e-3
"""Root mean square above which a block of PCM is heard: -60 dB of full scale."""
BLOCKS_A_SECOND = 200
SOUND_BLOCKS = 4
"""20 ms: what is audible for less is no word, but a breath or the click of a tongue."""

LEAST_PAUSE_MS = 100.0
"""At a speed of 1. A shorter silence may be the closure of a stop, in the middle of a word."""


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A word and the PCM samples at which it is said to begin and end."""

    text: str
    start: int
    end: int


def pauses_heard(pcm: Floats, rate_hz: int, least_ms: float) -> list[tuple[int, int]]:
    """Return the samples at which each silence of at least `least_ms` between two sounds begins and ends."""
    block = rate_hz // BLOCKS_A_SECOND
    level = np.sqrt(np.mean(np.square(pcm[: pcm.size // block * block].reshape(-1, block)), axis=1))
    edges = np.flatnonzero(np.diff(np.concatenate(([0], level > AUDIBLE, [0])).astype(np.int8)))
    sounds = [(on, off) for on, off in edges.reshape(-1, 2).tolist() if off - on >= SOUND_BLOCKS]
    silences = [(before[1] * block, after[0] * block) for before, after in pairwise(sounds)]
    return [(begin, end) for begin, end in silences if (end - begin) * 1000 >= least_ms * rate_hz]


def errors_at_pauses(
    words: Sequence[TimedWord], pcm: Floats, rate_hz: int = SAMPLE_RATE_HZ, *, speed: float = 1.0
) -> tuple[list[float], list[float]]:
    """Return by how much the words before pauses end late, and those after pauses begin late.

    Slow speech has longer closures, and pauses are told from them by a longer time.
    """
    ends, starts = [], []
    for begin, end in pauses_heard(pcm, rate_hz, LEAST_PAUSE_MS / min(speed, 1.0)):
        index = min(range(1, len(words)), key=lambda at: abs(words[at].start - end))
        ends.append((words[index - 1].end - begin) * 1000 / rate_hz)
        starts.append((words[index].start - end) * 1000 / rate_hz)
    return ends, starts


def errors_against_recognizer(
    spoken: Sequence[Sequence[TimedWord]], heard: Sequence[Sequence[WordHeard]]
) -> NDArray[np.float64]:
    """Return by how much words begin later than a recognizer hears them, its median offset taken off.

    One sequence of words for each sentence, and times from its beginning. Leaves out the first word of each
    sentence, and words the recognizer took for others.
    """
    late: list[float] = []
    for words, recognized in zip(spoken, heard, strict=True):
        matcher = SequenceMatcher(
            None,
            [_plain(word.text) for word in words],
            [_plain(word.text) for word in recognized],
            autojunk=False,
        )
        for ours, theirs, count in matcher.get_matching_blocks():
            for at in range(count):
                if ours + at:
                    start_s = words[ours + at].start / SAMPLE_RATE_HZ
                    late.append((start_s - recognized[theirs + at].start_s) * 1000)
    return np.array(late) - np.median(late)


def _plain(text: str) -> str:
    return re.sub(r"[^a-z']", "", text.lower())
