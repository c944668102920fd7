"""One utterance as the threads see it: what is to be synthesized, and how far its audio has got.

Knows no lock and no thread. `synthesis` guards it: one group of fields changes under its lock only, one
belongs to the worker that has set `busy`, one to the encoder thread.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pipeline.audio import CONTENT_RATE_HZ, FRAME_MS, Pcm, content_samples, samples_from_ms
from pipeline.encoder import Encoder, make_encoder
from pipeline.messages import (
    Cut,
    Failed,
    Finished,
    FinishReason,
    Manner,
    SegmentMade,
    Span,
    Timings,
    Unreadable,
    UtteranceOptions,
)
from pipeline.resampler import Resampler
from pipeline.ring_buffer import RingBuffer
from pipeline.scheduler import Timeline
from pipeline.segments import Segment, Segments
from pipeline.speech import Chunk, SegmentRequest, SpeechState, Synthesizer
from pipeline.splitter import Boundary
from pipeline.text.spoken import spoken_form

HIGH_WATER_MS = 1_000
"""An utterance with this much PCM in its ring buffer is not synthesized further."""

RING_MS = 4_000
"""Capacity of the ring buffer: the high-water mark and the longest chunk a streaming voice yields. What a
voice yields beyond that waits in the job, one chunk at most."""

SHORT_LEAD_MS = 250.0
"""With less in hand a segment is asked for as urgently as the first one."""

LOOK_AGAIN_S = 0.1
"""How soon to look again at an unfinished sentence while more of it is being synthesized."""

PACKET_QUEUE = 50
"""Encoded packets that may wait to be taken."""

ENCODE_FRAMES = 10
"""Frames encoded for one job before the next is looked at, and packets that cross to the loop in one go."""

PACKETS_PER_STEP = ENCODE_FRAMES + 2
"""Packets that one step may encode: the last one adds the encoder's end."""

Item = bytes | SegmentMade | Unreadable | Finished | Failed
"""What crosses to the event loop; `bytes` is one packet."""


@dataclass(frozen=True, slots=True)
class Upcoming:
    """The segment to be begun next, and how: `urgent` when its first chunk is wanted early."""

    segment: Segment
    manner: Manner
    urgent: bool


class Job:
    """The work of one utterance, and its audio on the way out.

    `deliver` takes items, and `wake` nothing, on the event loop; neither is ever called directly from here.
    """

    def __init__(
        self,
        number: int,
        options: UtteranceOptions,
        *,
        arrival: float,
        deliver: Callable[[list[Item]], None],
        wake: Callable[[], None],
        cuts_plain: bool = True,
    ) -> None:
        rate = options.sample_rate
        self.number = number
        self.rate = rate
        self.reading = options.reading
        self.deliver = deliver
        self.wake = wake
        self.timeline = Timeline(arrival)
        self.timings = Timings()
        self.ring: RingBuffer[SegmentMade] = RingBuffer(samples_from_ms(RING_MS, rate))
        self.high_water = samples_from_ms(HIGH_WATER_MS, rate)

        # Changed under the lock only.
        self.segments = Segments(cuts_plain=cuts_plain)
        self.manners: list[tuple[int, Manner]] = [(0, options.manner)]
        self.upcoming: Upcoming | None = None
        self.input_ended: FinishReason | None = None
        self.busy = False
        self.encoding = False
        self.closed = False
        self.cut: Cut | None = None
        self.dry = False
        self.queued = 0
        self.first_taken = False
        self.first_text_at = arrival
        self.determined_at: float | None = None

        # The worker's that has set `busy`.
        self.synthesizer: Synthesizer | None = None
        self.state: SpeechState | None = None
        self.produced = 0
        self._resampler: Resampler | None = None
        self._unwritten: deque[Pcm | SegmentMade] = deque()
        self._pause_ms = 0
        self._announced = 0
        self._unreadable: Unreadable | None = None
        self._told_unreadable = False
        self.begun_at: float | None = None
        self.first_pcm_at: float | None = None

        # The encoder thread's.
        self.encoder: Encoder | None = make_encoder(options.format, rate, options.bitrate)
        self.pre_skip = self.encoder.pre_skip
        self.encoded = 0
        self.first_packet_at: float | None = None

    def has_work(self, now: float) -> bool:
        """Tell whether a worker can take it further. Only meaningful while no worker has it."""
        return (
            bool(self._unwritten)
            or self.state is not None
            or self.upcoming is not None
            or self._owes_pause
            or self.segments.ready(self.lead_ms(now))
        )

    @property
    def has_unwritten(self) -> bool:
        """True while audio made already waits for room in the ring buffer."""
        return bool(self._unwritten)

    @property
    def may_encode(self) -> bool:
        """True while the packet queue has room for what one step of the encoder may add.

        Nothing is encoded between the first packet and its being taken: with two cores, both busy, that
        would keep the event loop from sending it.
        """
        awaiting = self.first_packet_at is not None and not self.first_taken
        return not awaiting and self.queued <= PACKET_QUEUE - PACKETS_PER_STEP

    def produced_due(self) -> float:
        """Return the moment the next sample to be synthesized is wanted."""
        return self.timeline.due(content_samples(self.produced, self.rate))

    def lead_ms(self, now: float) -> float:
        """Return the milliseconds of sound made and not yet played; below 0, for how long there was none.

        What has not been handed over cannot have been played, whatever the timeline supposes.
        """
        lead_ms = (self.produced_due() - now) * 1000
        inside_ms = self.ring.fill * 1000 / self.rate + self.queued * FRAME_MS
        return max(lead_ms, inside_ms) if inside_ms else lead_ms

    def look_at(self, now: float) -> float | None:
        """Return when to look again if no text comes: the lead falls, and below some leads more is taken.

        None while that would change nothing.
        """
        lead_ms = self.lead_ms(now)
        below_ms = self.segments.look_below(lead_ms)
        if below_ms > -math.inf:
            return now + (lead_ms - below_ms) / 1000
        # The lead is about to grow by what is in hand.
        return now + LOOK_AGAIN_S if self.segments.writing and (self.busy or self.has_work(now)) else None

    def encoded_due(self) -> float:
        """Return the moment the next sample to be encoded is wanted."""
        return self.timeline.due(self.encoded)

    def set_manner(self, offset: int, manner: Manner) -> None:
        """Speak segments that begin at `offset` or later in `manner`."""
        if self.manners[-1][0] == offset:
            self.manners.pop()
        self.manners.append((offset, manner))

    def take_segment(self, now: float) -> bool:
        """Settle on the next segment, by the lead in hand, and what to ask for; False when there is none."""
        lead_ms = self.lead_ms(now)
        segment = self.segments.next(lead_ms)
        if segment is None:
            return False
        at = segment.passage.origins[0]
        manner = next(manner for begin, manner in reversed(self.manners) if begin <= at)
        self.upcoming = Upcoming(segment, manner, segment.first or lead_ms < SHORT_LEAD_MS)
        return True

    def request(self) -> SegmentRequest:
        """Say how the upcoming segment is to be spoken: up to a millisecond's work, so not under the lock."""
        assert self.upcoming is not None
        segment, manner = self.upcoming.segment, self.upcoming.manner
        return SegmentRequest(
            text=segment.text,
            voice=manner.voice,
            spoken=spoken_form(segment.passage, manner.language, self.reading),
            language=manner.language,
            speed=manner.speed,
            pitch=manner.pitch,
            first=self.upcoming.urgent,
            seed=segment.passage.origins[0],
            continues=segment.boundary is Boundary.PHRASE,
        )

    def pay_pause(self) -> None:
        """Queue the pause after the last segment at once, where more is sure to follow.

        It lengthens the lead: a short "Yes." is no reason to cut what follows it to pieces.
        """
        if self._owes_pause:
            self._queue_pcm(np.zeros(samples_from_ms(self._pause_ms, self.rate), np.float32))
            self._pause_ms = 0

    @property
    def _owes_pause(self) -> bool:
        return self._pause_ms > 0 and self.state is None and self.upcoming is None and self.segments.writing

    def segment_begun(self, synthesizer: Synthesizer, state: SpeechState) -> None:
        """Take over the segment just begun: its pause and its announcement go before its first chunk."""
        assert self.upcoming is not None
        segment = self.upcoming.segment
        self.upcoming = None
        self._unreadable = self._unreadable or _unreadable(state)
        pause_ms = segment.pause_ms
        before_ms = max(self._pause_ms, segment.before_ms)
        if state.samples == 0:
            # What is not heard still separates its neighbours, by the longer of the two pauses.
            self._pause_ms = max(before_ms, pause_ms) if self.produced else 0
            return
        self._queue_pcm(np.zeros(samples_from_ms(before_ms, self.rate), np.float32))
        self._unwritten.append(self._announcement(segment, state, synthesizer.sample_rate))
        self._pause_ms = pause_ms
        self.synthesizer = synthesizer
        self.state = state
        if synthesizer.sample_rate != self.rate:
            self._resampler = Resampler(synthesizer.sample_rate, self.rate)

    def take_unreadable(self) -> Unreadable | None:
        """Return what the voice could not read; once."""
        told, self._told_unreadable = self._told_unreadable, self._unreadable is not None
        return None if told else self._unreadable

    def chunk_made(self, chunk: Chunk) -> None:
        """Take the next chunk of the segment in progress."""
        if self._resampler is None:
            self._queue_pcm(chunk.pcm)
        else:
            self._queue_pcm(self._resampler.push(chunk.pcm, last=chunk.last))
        if chunk.last:
            self.state = self.synthesizer = self._resampler = None

    def pour(self) -> None:
        """Write to the ring buffer what it has room for; the rest waits."""
        while self._unwritten:
            head = self._unwritten.popleft()
            if isinstance(head, SegmentMade):
                self.ring.mark(head)
                continue
            count = self.ring.write(head)
            if count < len(head):
                # A copy, because the model may use its array again.
                self._unwritten.appendleft(head[count:].copy())
                return

    def release(self) -> None:
        """Let go of everything large. Only while no worker has it."""
        self.state = self.synthesizer = self._resampler = self.encoder = None
        self.upcoming = None
        self._unwritten.clear()
        self.segments = Segments()

    def _queue_pcm(self, pcm: Pcm) -> None:
        if len(pcm):
            self._unwritten.append(pcm)
            self.produced += len(pcm)

    def _announcement(self, segment: Segment, state: SpeechState, rate_hz: int) -> SegmentMade:
        start = content_samples(self.produced, self.rate)

        def at(samples: int) -> int:
            return start + samples * CONTENT_RATE_HZ // rate_hz

        words = []
        for word in state.words:
            begin, end = segment.passage.span(word.offset, word.offset + word.length)
            words.append(Span(begin, end - begin, at(word.start), at(word.end)))
        begin, end = segment.passage.span(0, len(segment.text))
        self._announced += 1
        return SegmentMade(
            self._announced - 1, Span(begin, end - begin, start, at(state.samples)), tuple(words)
        )


def _unreadable(state: SpeechState) -> Unreadable | None:
    """Return the first words with letters or digits, side by side, that take no time."""
    text, end = "", 0
    for word in state.words:
        if any(map(str.isalnum, text)) and (word.start < word.end or word.offset > end):
            break
        text = (text if word.offset == end else "") + word.text if word.start == word.end else ""
        end = word.offset + word.length
    return Unreadable(text) if any(map(str.isalnum, text)) else None
