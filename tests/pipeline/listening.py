"""Helpers of the pipeline's tests: take everything an utterance says, and say what it ought to be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pipeline.audio import CONTENT_RATE_HZ, DEFAULT_RATE_HZ, int16_from_float
from pipeline.engine import Engine
from pipeline.utterance import (
    AudioFormat,
    AudioPackets,
    Failed,
    Finished,
    Message,
    SegmentReady,
    Utterance,
    UtteranceOptions,
)
from tests.fakes import FAKE_VOICE, FakeSynthesizer, fake_pcm

PCM_OPTIONS = UtteranceOptions(FAKE_VOICE.name, format=AudioFormat.PCM)
PER_SAMPLE = CONTENT_RATE_HZ // DEFAULT_RATE_HZ


@dataclass
class Heard:
    """What came out of an utterance."""

    messages: list[Message] = field(default_factory=list)

    @property
    def segments(self) -> list[SegmentReady]:
        """The announcements, in order."""
        return [message for message in self.messages if isinstance(message, SegmentReady)]

    @property
    def audio(self) -> list[AudioPackets]:
        """The groups of packets, in order."""
        return [message for message in self.messages if isinstance(message, AudioPackets)]

    @property
    def packets(self) -> list[bytes]:
        """Every packet."""
        return [packet for group in self.audio for packet in group.packets]

    @property
    def pcm(self) -> NDArray[np.int16]:
        """The samples, padding included, of an utterance in PCM."""
        return np.frombuffer(b"".join(self.packets), "<i2").astype(np.int16)

    @property
    def end(self) -> Message:
        """The last message."""
        return self.messages[-1]

    @property
    def finished(self) -> Finished:
        """The end, which has to be a good one."""
        assert isinstance(self.end, Finished), self.end
        return self.end

    @property
    def failed(self) -> Failed:
        """The end, which has to be a failure."""
        assert isinstance(self.end, Failed), self.end
        return self.end


async def listen(utterance: Utterance, *, least: int = 1, most: int = 5) -> Heard:
    """Take everything until the stream ends."""
    heard = Heard()
    while (message := await utterance.next_message(least=least, most=most)) is not None:
        heard.messages.append(message)
    return heard


def say(engine: Engine, text: str, options: UtteranceOptions = PCM_OPTIONS) -> Utterance:
    """Open an utterance, push the whole text and end it."""
    utterance = engine.open(options)
    utterance.push_text(text)
    utterance.end_input()
    return utterance


def expected_pcm(segments: Iterable[SegmentReady], samples: int) -> NDArray[np.int16]:
    """Return what a `FakeSynthesizer` at 24 kHz says in `segments`, with silence between and behind."""
    pcm = np.zeros(samples // PER_SAMPLE, np.int16)
    for segment in segments:
        start, end = segment.start // PER_SAMPLE, segment.end // PER_SAMPLE
        pcm[start:end] = int16_from_float(fake_pcm(segment.text, end - start, segment.offset))
    return pcm


def assert_exact(heard: Heard, voice: FakeSynthesizer) -> None:
    """Check that every sample of an utterance in PCM at 24 kHz is the right one, and padding is silence."""
    finished = heard.finished
    content = finished.samples // PER_SAMPLE
    for segment in heard.segments:
        assert segment.end - segment.start == voice.length(segment.text) * PER_SAMPLE
    assert np.array_equal(heard.pcm[:content], expected_pcm(heard.segments, finished.samples))
    assert not heard.pcm[content:].any()
