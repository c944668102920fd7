"""The student voice as a `Synthesizer`: text to PCM, a chunk at a time, over any acoustic network.

Ties phonemizer, network and vocoder together; knows nothing of how the network runs. Loaded once; worker
threads may call it at once with different states, as all that changes is in the state.

`begin` plans the whole segment and already computes its first chunk, because only the sound itself tells
exactly where it begins, and word times count from there. The first `advance` hands that chunk out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from array_api_compat import to_device
from numpy.typing import NDArray

from models import timing, vocoder
from models.acoustic import ENERGY_ROW, HOP, SAMPLE_RATE_HZ, AcousticModel, Array, DecoderState, Plan
from models.phonemizer import Phonemizer, Reading, Word
from models.runs import PhonemeRun
from pipeline.speech import Chunk, SegmentRequest, SpeechState, WordTime

Pcm = NDArray[np.float32]

FIRST_SEGMENT_FRAMES = (32, 64, 96)
"""Frames of the first, the second and all later chunks of an utterance's first segment.

0.4 s of sound, enough to encode, send and play while the next chunk is computed, up to 1.2 s, which one CPU
thread computes in about 12 ms.
"""
LATER_SEGMENT_FRAMES = (32, 96)
"""The same for later segments. The first chunk stays small, as it comes on top of the plan in `begin`."""
SHORTEST_CHUNK_FRAMES = 16
"""A rest shorter than this joins the chunk before it."""
ONSET_FRAMES = vocoder.DELAY + 4
"""Computed beyond a segment's first chunk: what the vocoder holds back, and what is cut before the onset."""
RUN_PAUSE_FRAMES = 8
"""0.1 s of silence where a text is too long for the network and was cut in two."""


@dataclass(frozen=True, slots=True)
class Part:
    """What is heard of one planned run: its frames [first, last), then `pause` frames of silence.

    `silences` are the pauses within, as `timing.pauses` has them.
    """

    plan: Plan
    silences: list[tuple[int, int]]
    first: int
    last: int
    pause: int

    @property
    def samples(self) -> int:
        """PCM samples, the pause included."""
        return (self.last - self.first + self.pause) * HOP


@dataclass(slots=True)
class StudentState:
    """A segment in progress: a `SpeechState`.

    `parts` are the runs not yet decoded to their end; `decoder` and `signal` belong to the first of them,
    once begun. `sizes` are the frames of the chunks to come, the last of which repeats. `ready` is PCM not
    yet handed out, `handed_out` the number of samples that were.
    """

    seed: int
    parts: deque[Part]
    sizes: deque[int]
    words: tuple[WordTime, ...] = ()
    samples: int = 0
    decoder: DecoderState | None = None
    signal: vocoder.VocoderState | None = None
    ready: Pcm = field(default_factory=lambda: np.zeros(0, np.float32))
    handed_out: int = 0

    @property
    def finished(self) -> bool:
        """True once the chunks returned so far amount to `samples`."""
        return self.handed_out == self.samples


class StudentSynthesizer:
    """A loaded student voice: a `Synthesizer`. Safe for several threads with different states."""

    sample_rate = SAMPLE_RATE_HZ
    streams = True

    def __init__(self, acoustic: AcousticModel, phonemizer: Phonemizer) -> None:
        self._acoustic = acoustic
        self._phonemizer = phonemizer

    @property
    def max_batch(self) -> int:
        """How many states one `advance` call can take."""
        return self._acoustic.max_batch

    def begin(self, segment: SegmentRequest) -> StudentState:
        """Plan the segment, compute its first chunk and time its words. Total, as `Synthesizer` asks."""
        reading = self._read(segment)
        state = StudentState(
            seed=segment.seed,
            parts=deque(self._plan(run, segment, last=run is reading.runs[-1]) for run in reading.runs),
            sizes=deque(FIRST_SEGMENT_FRAMES if segment.first else LATER_SEGMENT_FRAMES),
        )
        spans: dict[int, tuple[int, int]] = {}
        if state.parts:
            state.sizes[0] += ONSET_FRAMES
            parts = list(state.parts)
            pcm = self._compute([state])[0]
            dropped = timing.silent_hops(pcm)
            state.ready = pcm[dropped * HOP :]
            parts[0] = replace(parts[0], first=parts[0].first + dropped)
            state.samples = sum(part.samples for part in parts)
            spans = _spans(parts, reading.runs, segment.speed)
        state.words = _word_times(segment.text, reading.words, spans)
        return state

    def advance(self, states: Sequence[SpeechState]) -> list[Chunk]:
        """Return the next chunk of each state: every one unfinished, made by this synthesizer, given once."""
        own = [state for state in states if isinstance(state, StudentState)]
        assert len(own) == len(states), "a state of another synthesizer"
        waiting = [state for state in own if not state.ready.size]
        for state, pcm in zip(waiting, self._compute(waiting), strict=True):
            state.ready = pcm
        return [_hand_out(state) for state in own]

    def _read(self, segment: SegmentRequest) -> Reading:
        """Read the words; where the sentence continues, the last one as up to a comma.

        It shortens that word by a tenth and takes a little off its fall. No other mark does more.
        """
        if not (segment.continues and segment.spoken):
            return self._phonemizer.read(segment.spoken)
        *before, last = segment.spoken
        return self._phonemizer.read((*before, replace(last, text=f"{last.text},")))

    def _plan(self, run: PhonemeRun, segment: SegmentRequest, *, last: bool) -> Part:
        plan = self._acoustic.plan(run.ids, speed=segment.speed, pitch=segment.pitch)
        energy = np.asarray(to_device(plan.features[ENERGY_ROW], "cpu"))
        first, end = timing.speech_frames(plan.durations, run.audible, energy)
        return Part(plan, timing.pauses(energy), first, end, 0 if last else RUN_PAUSE_FRAMES)

    def _compute(self, states: Sequence[StudentState]) -> list[Pcm]:
        """Decode and sound the next frames of each state."""
        decoders = [self._decoder(state) for state in states]
        counts = [_next_count(state, decoder) for state, decoder in zip(states, decoders, strict=True)]
        spectra = self._acoustic.decode(decoders, counts) if states else []
        return [_sound(state, frames) for state, frames in zip(states, spectra, strict=True)]

    def _decoder(self, state: StudentState) -> DecoderState:
        """Return the decoder of the state's current part, beginning it where that is due."""
        if state.decoder is None:
            part = state.parts[0]
            state.decoder = self._acoustic.start(part.plan, part.first)
            # Each part has noise of its own; the count of those to come tells them apart.
            seed = state.seed + len(state.parts) - 1
            state.signal = vocoder.start(part.plan.f0, part.first, part.last, seed)
        return state.decoder


def _next_count(state: StudentState, decoder: DecoderState) -> int:
    """Return how many frames the next chunk takes: the size that is due, or all that is left of the part."""
    size = state.sizes.popleft() if len(state.sizes) > 1 else state.sizes[0]
    left = state.parts[0].last - decoder.position
    return left if left < size + SHORTEST_CHUNK_FRAMES else size


def _sound(state: StudentState, spectra: Array) -> Pcm:
    """Turn the part's next frames into PCM; where the part ends, add its pause and leave it."""
    assert state.decoder is not None
    assert state.signal is not None
    pcm = vocoder.synthesize(state.signal, spectra)
    part = state.parts[0]
    if state.decoder.position == part.last:
        state.parts.popleft()
        state.decoder = state.signal = None
        pcm = np.concatenate((pcm, np.zeros(part.pause * HOP, np.float32)))
    return np.clip(pcm, -1.0, 1.0)


def _hand_out(state: StudentState) -> Chunk:
    pcm, state.ready = state.ready, state.ready[:0]
    state.handed_out += pcm.size
    return Chunk(pcm, last=state.finished)


def _spans(parts: Sequence[Part], runs: Sequence[PhonemeRun], speed: float) -> dict[int, tuple[int, int]]:
    """Return the samples in which each spoken word is heard; a word cut by a run's end spans both."""
    spans: dict[int, tuple[int, int]] = {}
    offset = 0
    for part, run in zip(parts, runs, strict=True):
        frames = timing.word_frames(
            part.plan.durations,
            run.audible,
            run.owners,
            part.silences,
            first=part.first,
            last=part.last,
            speed=speed,
        )
        for word, (begin, end) in frames.items():
            start = spans[word][0] if word in spans else offset + begin * HOP
            spans[word] = start, offset + end * HOP
        offset += part.samples
    return spans


def _word_times(
    text: str, words: Sequence[Word], spans: Mapping[int, tuple[int, int]]
) -> tuple[WordTime, ...]:
    """Time every word of the text; one that is not spoken takes no time, where the word before it ends."""
    times: list[WordTime] = []
    for index, word in enumerate(words):
        at = times[-1].end if times else 0
        start, end = spans.get(index, (at, at))
        shown = text[word.offset : word.offset + word.length]
        times.append(WordTime(shown, word.offset, word.length, start, end))
    return tuple(times)
