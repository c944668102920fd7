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


HISS_WINDOW = SAMPLE_RATE_HZ // 100
HISS_HOP = SAMPLE_RATE_HZ // 400
"""10 ms and 2.5 ms: what a spectrum is taken of, and the step from one to the next."""
HISS_SIDE = 12
HISS_REACH = 50
"""Steps: 30 ms are compared on each side of an edge, which is sought 125 ms to each side."""


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


def hiss_edge(pcm: Floats, near: int, *, rising: bool) -> int | None:
    """Return the sample within 125 ms of `near` at which hiss, as of an s, takes over, or ends.

    None where `near` is too close to an end of the 24 kHz PCM.
    """
    first = near - (HISS_REACH + HISS_SIDE) * HISS_HOP
    windows = np.lib.stride_tricks.sliding_window_view(pcm, HISS_WINDOW)[max(first, 0) :: HISS_HOP]
    windows = windows[: 2 * (HISS_REACH + HISS_SIDE)]
    if first < 0 or len(windows) < 2 * (HISS_REACH + HISS_SIDE):
        return None
    power = np.square(np.abs(np.fft.rfft(windows * np.hanning(HISS_WINDOW), axis=1)))
    hertz = np.fft.rfftfreq(HISS_WINDOW, 1 / SAMPLE_RATE_HZ)
    hiss, voice = power[:, hertz > 4000], power[:, (hertz > 100) & (hertz < 2500)]
    balance = np.log(hiss.sum(axis=1) + 1e-9) - np.log(voice.sum(axis=1) + 1e-9)
    # The step at which the mean balance of the 30 ms behind differs most from that of the 30 ms before.
    means = np.convolve(balance, np.ones(HISS_SIDE) / HISS_SIDE, mode="valid")
    change = means[HISS_SIDE:] - means[:-HISS_SIDE]
    step = int(np.argmax(change if rising else -change)) + HISS_SIDE
    return first + step * HISS_HOP + HISS_WINDOW // 2


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
