"""Captions are on time in what leaves the engine: across segments, at every speed, rate and format."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from itertools import pairwise

import numpy as np
import pytest
import pytest_asyncio
from opuslib_next import Decoder

from models.catalog import HEART
from pipeline.audio import (
    CONTENT_RATE_HZ,
    STREAM_RATES_HZ,
    Pcm,
    content_samples,
    float_from_int16,
    frame_samples,
)
from pipeline.encoder import make_encoder
from pipeline.engine import Engine
from pipeline.utterance import AudioFormat, SpokenWord, UtteranceOptions
from tests.models.captions import TimedWord, errors_at_pauses
from tests.models.spoken import synthesizer
from tests.pipeline.listening import Heard, listen

SENTENCES = (
    "After lunch, “we went” for a long walk 🍕 through the forest, which took three hours. ",
    "It cost $5, didn't it? ",
    "The children, of course, were playing in the garden.",
)
LEAST_PAUSES = 3
MOST_AFTER_PAUSES_MS = 50.0
MOST_BEFORE_PAUSES_MS = 100.0


@pytest_asyncio.fixture
async def engine() -> AsyncIterator[Engine]:
    async with Engine({HEART.name: synthesizer()}, [HEART]) as engine:
        yield engine


async def speak(engine: Engine, options: UtteranceOptions, *, speeds: Sequence[float] = ()) -> Heard:
    """Say `SENTENCES`, a few letters at a time; each at its speed of `speeds`, where there are any."""
    utterance = engine.open(options)
    for index, sentence in enumerate(SENTENCES):
        utterance.push_text("", speed=speeds[index] if speeds else None)
        for at in range(0, len(sentence), 7):
            utterance.push_text(sentence[at : at + 7])
    utterance.end_input()
    return await listen(utterance)


def words_of(heard: Heard) -> list[SpokenWord]:
    """Return the words of all segments."""
    return [word for segment in heard.segments for word in segment.words]


def decode(heard: Heard, options: UtteranceOptions) -> Pcm:
    """Decode Opus packets: float32 at the stream's rate, the pre-skip left out."""
    rate = options.sample_rate
    pre_skip = make_encoder(options.format, rate, options.bitrate).pre_skip
    decoder = Decoder(rate, 1)
    decoded = b"".join(decoder.decode(packet, frame_samples(rate)) for packet in heard.packets)
    return float_from_int16(np.frombuffer(decoded, np.int16))[pre_skip * rate // CONTENT_RATE_HZ :]


def assert_on_time(heard: Heard, pcm: Pcm, rate: int, *, speed: float = 1.0) -> None:
    per_sample = content_samples(1, rate)
    words = [
        TimedWord(word.text, word.start // per_sample, word.end // per_sample)
        for word in words_of(heard)
        if word.start < word.end
    ]
    ends, starts = errors_at_pauses(words, pcm, rate, speed=speed)
    assert len(starts) >= LEAST_PAUSES
    assert np.max(np.abs(starts)) <= MOST_AFTER_PAUSES_MS
    assert np.max(np.abs(ends)) <= MOST_BEFORE_PAUSES_MS


@pytest.mark.parametrize("rate", STREAM_RATES_HZ)
async def test_words_after_pauses_are_on_time_at_every_rate(engine: Engine, rate: int) -> None:
    heard = await speak(engine, UtteranceOptions(HEART.name, format=AudioFormat.PCM, sample_rate=rate))
    assert_on_time(heard, float_from_int16(heard.pcm), rate)


async def test_words_after_pauses_are_on_time_in_opus(engine: Engine) -> None:
    options = UtteranceOptions(HEART.name)
    heard = await speak(engine, options)
    assert_on_time(heard, decode(heard, options), options.sample_rate)


@pytest.mark.parametrize("speeds", [(0.5, 0.5, 0.5), (2.0, 2.0, 2.0), (1.3, 0.5, 2.0)])
async def test_words_after_pauses_are_on_time_at_every_speed(engine: Engine, speeds: Sequence[float]) -> None:
    options = UtteranceOptions(HEART.name, format=AudioFormat.PCM)
    heard = await speak(engine, options, speeds=speeds)
    assert_on_time(heard, float_from_int16(heard.pcm), options.sample_rate, speed=min(speeds))


async def test_the_words_of_all_segments_and_what_stands_between_them_are_the_input(engine: Engine) -> None:
    heard = await speak(engine, UtteranceOptions(HEART.name, format=AudioFormat.PCM))
    assert len(heard.segments) > len(SENTENCES)
    text, at = "".join(SENTENCES), 0
    for word in words_of(heard):
        assert not any(map(str.isalnum, text[at : word.offset]))
        assert word.text == text[word.offset : word.offset + word.length]
        at = word.offset + word.length
    assert at == len(text)
    for segment in heard.segments:
        bounds = [
            segment.start,
            *(time for word in segment.words for time in (word.start, word.end)),
            segment.end,
        ]
        assert all(earlier <= later for earlier, later in pairwise(bounds))
    for before, after in pairwise(heard.segments):
        assert before.end < after.start == after.words[0].start
