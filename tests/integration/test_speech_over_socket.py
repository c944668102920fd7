"""Speech is still itself after engine, Opus and socket: understood, exact in length, its words in place."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from models.acoustic import SAMPLE_RATE_HZ
from pipeline.audio import CONTENT_RATE_HZ, FRAME_CONTENT_SAMPLES, Pcm, content_samples, samples_from_ms
from pipeline.segments import PAUSE_MS
from pipeline.speech import SegmentRequest
from pipeline.text.passage import Passage
from pipeline.text.spoken import DEFAULT_READING, spoken_form
from server.protocol import Segment
from tests.integration.spoken import Spoken, speak
from tests.live import LiveServer
from tests.models.listener import word_error_rate, words_heard
from tests.models.spoken import join, request, sentences, synthesizer
from tests.models.spoken import speak as speak_directly

SAMPLE = sentences()[4::5]
"""Ten sentences, short and long."""

MOST_WORD_ERRORS = 0.05
MOST_WORDS_LOST = 0.01
"""What Opus, the short first segment and the seams may add to the synthesizer's own word errors."""
ONE_PLACE = 2
"""Words that one mishearing costs, as of "a loud" for "allowed": more than a point where there are few."""

SILENT = 10 ** (-60 / 20)


@pytest.fixture(scope="module")
def spoken(server: LiveServer) -> list[Spoken]:
    return asyncio.run(speak(server.socket, SAMPLE))


def directly(texts: Sequence[str]) -> list[Pcm]:
    """Return the texts as the synthesizer says each in one piece."""
    return [join(speak_directly(request(text))[1]) for text in texts]


def assert_understood(spoken: Sequence[Spoken]) -> None:
    texts = [one.text for one in spoken]
    arrived = word_error_rate(texts, words_heard([one.pcm for one in spoken]))
    direct = word_error_rate(texts, words_heard(directly(texts)))
    assert arrived <= MOST_WORD_ERRORS
    words = sum(len(text.split()) for text in texts)
    assert round((arrived - direct) * words) <= max(ONE_PLACE, MOST_WORDS_LOST * words)


def test_ten_sentences_are_understood_as_well_as_before_they_were_sent(spoken: list[Spoken]) -> None:
    assert_understood(spoken)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_all_sentences_are_understood_as_well_as_before_they_were_sent(server: LiveServer) -> None:
    assert_understood(asyncio.run(speak(server.socket, sentences())))


def test_an_utterance_is_exactly_as_long_as_its_segments_and_the_pauses_between_them(
    spoken: list[Spoken],
) -> None:
    pauses = {samples_from_ms(ms, CONTENT_RATE_HZ) for ms in PAUSE_MS.values()}
    for one in spoken:
        ends = [segment.start + length(segment) for segment in one.segments]
        assert one.segments[0].start == 0
        for end, segment in zip(ends, one.segments[1:], strict=False):
            assert segment.start - end in pauses
        assert one.samples == ends[-1]


def length(segment: Segment) -> int:
    """Return how many content samples the synthesizer makes of a segment."""
    spoken = spoken_form(Passage.plain(segment.text), "en", DEFAULT_READING)
    asked = SegmentRequest(segment.text, "heart", spoken, first=segment.index == 0, seed=segment.offset)
    return content_samples(synthesizer().begin(asked).samples, SAMPLE_RATE_HZ)


def test_no_more_packets_are_sent_than_hold_the_samples_and_what_is_beyond_them_is_silent(
    spoken: list[Spoken],
) -> None:
    for one in spoken:
        beyond = len(one.packets) * FRAME_CONTENT_SAMPLES - one.pre_skip - one.samples
        assert 0 <= beyond < 2 * FRAME_CONTENT_SAMPLES
        rest = one.decoded[one.pcm.size :]
        assert not rest.size or np.max(np.abs(rest)) < SILENT
        assert np.max(np.abs(one.pcm)) > 0.1


def test_segments_are_slices_of_the_text_and_their_words_cover_it(spoken: list[Spoken]) -> None:
    for one in spoken:
        covered = bytearray(len(one.text))
        words = [word for segment in one.segments for word in segment.words]
        slices = [(segment.text, segment.offset) for segment in one.segments]
        slices += [(word.text, word.offset) for word in words]
        for text, offset in slices:
            assert one.text[offset : offset + len(text)] == text
        for word in words:
            covered[word.offset : word.offset + word.length] = b"\1" * word.length
        uncovered = [character for character, by in zip(one.text, covered, strict=True) if not by]
        assert not re.search(r"\w", "".join(uncovered))


def test_words_are_heard_one_after_the_other_within_their_segment(spoken: list[Spoken]) -> None:
    for one in spoken:
        for segment in one.segments:
            assert segment.words
            times = [segment.start, *(t for word in segment.words for t in (word.start, word.end))]
            assert all(earlier <= later for earlier, later in pairwise(times))
            assert times[-1] <= segment.start + length(segment)
