"""Captions are on time: at pauses by the sound itself, elsewhere by a recognizer's word starts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from models.acoustic import SAMPLE_RATE_HZ
from tests.models.captions import (
    TimedWord,
    errors_against_recognizer,
    errors_at_pauses,
    hiss_edge,
    pauses_heard,
)
from tests.models.listener import WordHeard, words_timed
from tests.models.spoken import join, request, sentences, speak

EIGHT = sentences()[4:40:5]
THIRTY = sentences()[20:]
"""The longer thirty, as most of what can go wrong is in long ones."""
PAUSED = (
    "Be careful, the soup is still very hot.",
    "She put the book back on the shelf, turned off the light, and left the room.",
    "We planted forty trees behind the house last spring, and nearly all of them survived the dry summer.",
    "When Daniel finally arrived at the airport, the last plane to New York had already left without him.",
    "The weather report says that it will be cold and windy tonight, with heavy rain in the west.",
    "Well, 1,250 people came; nobody, in the end, complained: it was free.",
)

MOST_MEDIAN_MS = 60.0
MOST_OFTEN_MS = 150.0
"""What 95 words of 100 keep to."""
MOST_BIAS_MS = 30.0
MOST_AT_HISSES_MS = 40.0
MOST_AFTER_PAUSES_MS = 50.0
MOST_BEFORE_PAUSES_MS = 100.0
"""More, as the breath in which a word dies away is hardly audible: for 80 ms after a "north"."""

HISS_START, HISS_END = re.compile("s[^h]"), re.compile("s$")
VOICED_START, VOICED_END = re.compile("[aeiouAIO]"), re.compile("[aeiouywmnlr]$")


def timed(text: str, *, speed: float = 1.0) -> tuple[list[TimedWord], NDArray[np.float32]]:
    """Speak a text; return its words that sound, and its PCM."""
    state, chunks = speak(request(text, speed=speed))
    words = [TimedWord(word.text, word.start, word.end) for word in state.words if word.start < word.end]
    return words, join(chunks)


def assert_on_time(texts: Sequence[str]) -> None:
    spoken = [timed(text) for text in texts]
    late = np.abs(
        errors_against_recognizer([words for words, _ in spoken], words_timed([pcm for _, pcm in spoken]))
    )
    words = sum(len(text.split()) - 1 for text in texts)
    assert late.size >= 0.9 * words
    assert np.median(late) <= MOST_MEDIAN_MS
    assert np.mean(late <= MOST_OFTEN_MS) >= 0.95


def test_words_of_eight_sentences_begin_when_a_recognizer_hears_them() -> None:
    assert_on_time(EIGHT)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_words_of_thirty_sentences_begin_when_a_recognizer_hears_them() -> None:
    assert_on_time(THIRTY)


def assert_exact_at_pauses(texts: Sequence[str], speed: float, least_pauses: int) -> None:
    ends, starts = [], []
    for text in texts:
        end, start = errors_at_pauses(*timed(text, speed=speed), speed=speed)
        ends += end
        starts += start
    assert len(starts) >= least_pauses
    assert np.max(np.abs(starts)) <= MOST_AFTER_PAUSES_MS
    assert np.max(np.abs(ends)) <= MOST_BEFORE_PAUSES_MS


@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0])
def test_a_word_ends_and_the_next_begins_with_the_sound_on_either_side_of_a_pause(speed: float) -> None:
    assert_exact_at_pauses(PAUSED, speed, least_pauses=5)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("speed", [0.5, 0.8, 1.0, 1.3, 2.0])
def test_words_of_thirty_sentences_are_exact_at_every_pause(speed: float) -> None:
    assert_exact_at_pauses(THIRTY, speed, least_pauses=15)


HISSES = (
    "So we saw you say so: two new suns.",
    "She saw seven senior sailors row some boats.",
    "Who saw us all? This is as always a sea so slow.",
    "You see, my son, how simple many songs are.",
)
"""Words that meet without a pause, where an s begins the one after a vowel, or ends the other before one."""


@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0])
def test_words_that_meet_do_so_where_an_s_begins_or_ends(speed: float) -> None:
    off: list[float] = []
    for text in HISSES:
        words, pcm = timed(text, speed=speed)
        for before, after in pairwise(words):
            rising = VOICED_END.search(before.text) is not None and HISS_START.match(after.text) is not None
            falling = HISS_END.search(before.text) is not None and VOICED_START.match(after.text) is not None
            if before.end == after.start and (rising or falling):
                edge = hiss_edge(pcm, after.start, rising=rising)
                off += [] if edge is None else [(after.start - edge) * 1000 / SAMPLE_RATE_HZ]
    assert len(off) >= 15
    assert abs(np.median(off)) <= MOST_BIAS_MS
    assert np.median(np.abs(off)) <= MOST_AT_HISSES_MS


@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0])
def test_a_segment_begins_with_its_first_word(speed: float) -> None:
    for text in ("Stop!", "Half past five, perhaps.", "(However) it went.", "$5 is enough."):
        words, pcm = timed(text, speed=speed)
        assert words[0].start == 0
        # Behind 200 ms of silence the first sound is a sound after a pause.
        silence = np.zeros(SAMPLE_RATE_HZ // 5, np.float32)
        (_, onset), *_ = pauses_heard(
            np.concatenate((np.ones(SAMPLE_RATE_HZ // 10, np.float32), silence, pcm)), SAMPLE_RATE_HZ, 150
        )
        assert 0 <= onset - SAMPLE_RATE_HZ // 10 - silence.size <= SAMPLE_RATE_HZ * 20 // 1000


def test_the_ear_for_pauses_passes_over_clicks_and_short_closures() -> None:
    tone, ms = np.full(SAMPLE_RATE_HZ // 10, 0.1, np.float32), SAMPLE_RATE_HZ // 1000
    silence, click = np.zeros(150 * ms, np.float32), np.full(10 * ms, 0.1, np.float32)
    pcm = np.concatenate((tone, silence[: 90 * ms], tone, silence, click, silence, tone))
    assert pauses_heard(pcm, SAMPLE_RATE_HZ, 100) == [(290 * ms, 600 * ms)]


def test_a_constant_offset_of_the_recognizer_is_no_error_and_first_words_do_not_count() -> None:
    words = [
        TimedWord(text, at * SAMPLE_RATE_HZ, at) for at, text in enumerate(["Zero,", "one", "two", "three."])
    ]
    heard = [WordHeard(f" {text}", at - 0.3, at) for at, text in enumerate(["zero", "one", "too", "three"])]
    heard[0] = WordHeard("zero", 9.0, 9.5)
    assert errors_against_recognizer([words], [heard]).tolist() == pytest.approx([0.0, 0.0])
