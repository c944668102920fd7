"""Fakes the whole suite uses: a clock moved by hand, a loop on that clock, a synthesizer with a script.

`FakeSynthesizer` speaks without a model: every character is `samples_per_character` samples long, and the
sample values tell which text and which place in it they come from, so that order can be checked by value.
"""

from __future__ import annotations

import asyncio
import re
import threading
import zlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from pipeline.audio import Pcm
from pipeline.speech import Chunk, SegmentRequest, SpeechState, Voice, WordTime

T = TypeVar("T")

FAKE_VOICE = Voice("fake", "en", "Speaks in noise.", "Apache-2.0", "tests")


class FakeClock:
    """A monotonic clock that moves only when told to."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        """Move on by `seconds`."""
        self.now += seconds


class FakeTimeLoop(asyncio.SelectorEventLoop):
    """An event loop whose timers follow a `FakeClock`; callbacks and threads run as ever."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._fake_clock = clock

    def time(self) -> float:
        """Return the fake time."""
        return self._fake_clock()


def run_on_fake_time(main: Callable[[FakeClock], Coroutine[Any, Any, T]]) -> T:
    """Run `main(clock)` on a loop whose time is that clock."""
    clock = FakeClock()
    with asyncio.Runner(loop_factory=lambda: FakeTimeLoop(clock)) as runner:
        return runner.run(main(clock))


async def pass_time(clock: FakeClock, seconds: float) -> None:
    """Move the clock on and let the timers that are due run."""
    clock.advance(seconds)
    for _ in range(6):
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool]) -> None:
    """Wait until threads have brought about `condition`, whatever the time of the loop."""
    while not condition():  # noqa: ASYNC110 - a thread cannot set an asyncio.Event
        await asyncio.sleep(0)


def fake_pcm(text: str, samples: int, seed: int = 0) -> Pcm:
    """Return the samples a `FakeSynthesizer` speaks `text` with: noise that only this text and seed give."""
    start = zlib.crc32(text.encode("utf-8", "surrogatepass")) + seed
    return np.random.default_rng(start).uniform(-0.5, 0.5, samples).astype(np.float32)


@dataclass
class FakeSpeech:
    """State of a segment in progress."""

    request: SegmentRequest
    pcm: Pcm
    words: Sequence[WordTime]
    position: int = 0

    @property
    def samples(self) -> int:
        """All samples of the segment."""
        return len(self.pcm)

    @property
    def finished(self) -> bool:
        """True when the last chunk is out."""
        return self.position == len(self.pcm)


READABLE = r"[^\W\u4e00-\u9fff]"
"""A letter or digit, but no Han character."""


@dataclass
class FakeSynthesizer:
    """Speaks at a fixed rate per character, in chunks of a fixed length.

    `before_begin` and `before_advance` run on the worker thread before each step and may wait, advance a
    clock or raise. `begun` and `steps` record what was asked, in order. Text without a letter or digit is
    silent, and so are words of Han characters, which this voice cannot read.
    """

    sample_rate: int = 24_000
    streams: bool = True
    max_batch: int = 1
    samples_per_character: int = 1_440
    chunk_samples: int = 9_600
    before_begin: Callable[[SegmentRequest], None] = lambda request: None
    before_advance: Callable[[Sequence[SegmentRequest]], None] = lambda requests: None
    begun: list[SegmentRequest] = field(default_factory=list)
    steps: list[tuple[str, ...]] = field(default_factory=list)

    def length(self, text: str) -> int:
        """Return how many samples `text` takes."""
        return len(text) * self.samples_per_character if re.search(READABLE, text) else 0

    def begin(self, segment: SegmentRequest) -> FakeSpeech:
        """Start a segment."""
        self.begun.append(segment)
        self.before_begin(segment)
        per = self.samples_per_character
        words = [
            WordTime(word[0], word.start(), len(word[0]), word.start() * per, self._end(word) * per)
            for word in re.finditer(r"\w+", segment.text)
        ]
        pcm = fake_pcm(segment.text, self.length(segment.text), segment.seed)
        return FakeSpeech(segment, pcm, words)

    def _end(self, word: re.Match[str]) -> int:
        return word.end() if re.search(READABLE, word[0]) else word.start()

    def advance(self, states: Sequence[SpeechState]) -> list[Chunk]:
        """Return the next chunk of each state."""
        speeches = [state for state in states if isinstance(state, FakeSpeech)]
        assert len(speeches) == len(states) <= self.max_batch
        assert not any(speech.finished for speech in speeches)
        self.steps.append(tuple(speech.request.text for speech in speeches))
        self.before_advance([speech.request for speech in speeches])
        return [self._next_chunk(speech) for speech in speeches]

    def _next_chunk(self, speech: FakeSpeech) -> Chunk:
        start = speech.position
        speech.position = min(start + self.chunk_samples, len(speech.pcm))
        return Chunk(speech.pcm[start : speech.position], speech.finished)


class Gate:
    """Holds worker threads at a point of a test's choosing, one pass at a time."""

    def __init__(self) -> None:
        self._passes = threading.Semaphore(0)
        self._arrivals = threading.Semaphore(0)

    def wait(self, *_: object) -> None:
        """Called on the worker: report arrival, then wait to be let through."""
        self._arrivals.release()
        self._passes.acquire()

    async def arrived(self) -> None:
        """Wait on the loop until a worker stands at the gate."""
        await until(lambda: self._arrivals.acquire(blocking=False))

    def open(self, times: int = 1) -> None:
        """Let `times` arrivals through."""
        self._passes.release(times)
