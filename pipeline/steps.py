"""One step on a job, outside any lock: synthesize its next chunk, or encode its next frames.

Knows no thread and no lane. `synthesis` calls it from its threads and sees to it that a job is in one
worker's hands, and one encoder's, at a time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pipeline.audio import content_samples, frame_samples
from pipeline.encoder import Encoder
from pipeline.job import ENCODE_FRAMES, Item, Job
from pipeline.messages import Finished
from pipeline.metrics import Metrics
from pipeline.speech import Chunk, SpeechState, Synthesizer

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fault:
    """A job whose step raised, and what it raised."""

    job: Job
    cause: Exception


@dataclass(frozen=True, slots=True)
class Encoded:
    """What one step of the encoder yields. `finished` when `items` end the utterance."""

    items: list[Item]
    packets: int
    finished: bool


class Steps:
    """The work itself, timed and counted."""

    def __init__(
        self, synthesizers: Mapping[str, Synthesizer], *, clock: Callable[[], float], metrics: Metrics
    ) -> None:
        self._synthesizers = synthesizers
        self._clock = clock
        self._metrics = metrics

    def synthesize(self, jobs: Sequence[Job]) -> list[Fault]:
        """Write what waits for room, or begin a segment, or make the next chunk of each job.

        Several jobs have states of one synthesizer. Returns those whose step failed.
        """
        if len(jobs) > 1:
            return self._advance_together(jobs)
        job = jobs[0]
        if job.has_unwritten:
            return _attempt(job, job.pour)
        if job.synthesizer is None:
            return _attempt(job, lambda: self._begin(job))
        return _attempt(job, lambda: self._write(job, *self._advance(jobs)))

    def encode(self, job: Job, encoder: Encoder) -> Encoded:
        """Encode the job's next frames, the very first one alone, with the marks that stand among them."""
        frames = 1 if job.first_packet_at is None else ENCODE_FRAMES
        items: list[Item] = []
        room = frames * frame_samples(job.rate)
        while room:
            passage = job.ring.read(room)
            room -= len(passage.pcm)
            job.encoded += content_samples(len(passage.pcm), job.rate)
            items += encoder.encode(passage.pcm)
            if passage.mark is not None:
                items.append(passage.mark)
            elif not len(passage.pcm):
                break
        finished = job.ring.drained
        if finished:
            items += self._last_items(job, encoder)
        packets = sum(isinstance(item, bytes) for item in items)
        if packets and job.first_packet_at is None:
            job.first_packet_at = self._clock()
            if job.first_pcm_at is not None:
                job.timings.encode = job.first_packet_at - job.first_pcm_at
        return Encoded(items, packets, finished)

    def _begin(self, job: Job) -> None:
        started = self._clock()
        request = job.request()
        synthesizer = self._synthesizers[request.voice]
        if job.timings.queue is None and job.determined_at is not None:
            job.timings.queue = started - job.determined_at
            self._metrics.queue_wait(job.timings.queue)
        state = synthesizer.begin(request)
        took = self._note_step([job], started)
        job.segment_begun(synthesizer, state)
        job.pour()
        if job.timings.begin is None:
            job.timings.begin = took
            job.begun_at = started + took

    def _advance_together(self, jobs: Sequence[Job]) -> list[Fault]:
        try:
            chunks = self._advance(jobs)
        except Exception as cause:
            # One of them is to blame. A step that raised has left its states as they were.
            log.warning("a step for %d utterances failed; taking them one by one", len(jobs), exc_info=cause)
            return [fault for job in jobs for fault in self.synthesize([job])]
        writes = [(job, partial(self._write, job, chunk)) for job, chunk in zip(jobs, chunks, strict=True)]
        return [fault for job, write in writes for fault in _attempt(job, write)]

    def _advance(self, jobs: Sequence[Job]) -> list[Chunk]:
        synthesizer = jobs[0].synthesizer
        assert synthesizer is not None
        started = self._clock()
        chunks = synthesizer.advance([_state_of(job) for job in jobs])
        self._note_step(jobs, started)
        return chunks

    def _write(self, job: Job, chunk: Chunk) -> None:
        job.chunk_made(chunk)
        job.pour()
        job.timings.audio_seconds = job.produced / job.rate
        self._metrics.ring_fill(job.ring.fill / job.ring.capacity)
        if job.first_pcm_at is None and job.begun_at is not None:
            job.first_pcm_at = self._clock()
            job.timings.first_chunk = job.first_pcm_at - job.begun_at

    def _note_step(self, jobs: Sequence[Job], started: float) -> float:
        took = self._clock() - started
        self._metrics.device_busy(took)
        for job in jobs:
            job.timings.synthesis_seconds += took / len(jobs)
        return took

    def _last_items(self, job: Job, encoder: Encoder) -> list[Item]:
        samples = content_samples(job.ring.written, job.rate)
        timings = job.timings
        if timings.audio_seconds:
            self._metrics.rtf(timings.synthesis_seconds / timings.audio_seconds)
        assert job.input_ended is not None
        packets: list[Item] = [*encoder.finish()] if samples else []
        return [*packets, Finished(samples, job.input_ended, timings)]


def _attempt(job: Job, step: Callable[[], None]) -> list[Fault]:
    try:
        step()
    except Exception as cause:
        return [Fault(job, cause)]
    return []


def _state_of(job: Job) -> SpeechState:
    assert job.state is not None
    return job.state
