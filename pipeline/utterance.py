"""One thing to be said: text goes in, packets come out, and it can be cut off at any moment.

Knows no socket and no model. Everything here happens on the event loop, but `cancel`, which any thread may
call; the work is `synthesis`'s, but for splitting the text, which is `intake`'s.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import replace
from functools import partial

from pipeline.audio import FRAME_CONTENT_SAMPLES
from pipeline.cut import length_heard
from pipeline.encoder import AudioFormat
from pipeline.intake import Intake
from pipeline.job import PACKET_QUEUE, PACKETS_PER_STEP, Item, Job
from pipeline.lookout import Lookout
from pipeline.messages import (
    AudioPackets,
    Cut,
    Failed,
    Finished,
    FinishReason,
    Manner,
    Message,
    SegmentMade,
    SegmentReady,
    SpokenWord,
    Timings,
    Unreadable,
    UtteranceOptions,
)
from pipeline.speech import TextTooLong, UnknownVoice, UtteranceEnded
from pipeline.splitter import Sentence, Unfinished
from pipeline.synthesis import Post, Synthesis
from pipeline.text.lexicon import Lexicon
from pipeline.text.surrogates import ends_in_half

__all__ = [
    "AudioFormat",
    "AudioPackets",
    "Cut",
    "Failed",
    "FinishReason",
    "Finished",
    "Message",
    "SegmentReady",
    "SpokenWord",
    "Timings",
    "Unreadable",
    "Utterance",
    "UtteranceOptions",
]

MOST_PACKETS = PACKET_QUEUE - PACKETS_PER_STEP
"""More packets than this are never sure to be there at once."""


class Utterance:
    """One cancellable request, made by `Engine.open`.

    Its text is bounded by `text_limit`, its packets by the packet queue: while they are not taken nothing
    further is encoded, and when the ring buffer behind is full nothing further is synthesized.
    """

    def __init__(
        self,
        number: int,
        options: UtteranceOptions,
        *,
        synthesis: Synthesis,
        voices: Collection[str],
        text_limit: int,
        idle_s: float,
        lexicons: tuple[Lexicon, ...],
        clock: Callable[[], float],
        post: Post,
        ended: Callable[[Utterance, str], None],
    ) -> None:
        self.id = number
        reading = replace(options.reading, lexicons=(*options.reading.lexicons, *lexicons))
        self.options = options = replace(options, reading=reading)
        self._loop = asyncio.get_running_loop()
        self._synthesis = synthesis
        self._voices = voices
        self._text_limit = text_limit
        self._clock = clock
        self._post = post
        self._report_end = ended
        self._manner = options.manner
        self._text = ""
        self._input_ended = False
        self._over = False
        self._outbox: deque[Item] = deque()
        self._news = asyncio.Event()
        self._packets_taken = 0
        self._in_hand = 0
        self._samples: int | None = None
        self._segments: list[SegmentReady] = []
        self._job = Job(
            number,
            options,
            arrival=clock(),
            deliver=self._deliver,
            wake=self._news.set,
            cuts_plain=idle_s > 0,
        )
        self._lookout = Lookout(partial(synthesis.look, self._job), clock)
        self._intake = Intake(self._speak, idle_s=idle_s, plain=not reading.markup)
        synthesis.open(self._job)

    # Text in

    @property
    def text(self) -> str:
        """Everything pushed so far."""
        return self._text

    @property
    def input_ended(self) -> bool:
        """Whether no more text is taken."""
        return self._input_ended

    @property
    def pre_skip(self) -> int:
        """Content samples (48 kHz) a decoder puts before the audio; 0 for PCM."""
        return self._job.pre_skip

    @property
    def timings(self) -> Timings:
        """Seconds spent in each station, filled in as they are passed."""
        return self._job.timings

    def push_text(
        self,
        text: str,
        *,
        voice: str | None = None,
        language: str | None = None,
        speed: float | None = None,
        pitch: float | None = None,
    ) -> None:
        """Append text, cut anywhere; settings given here hold from the next segment on.

        Raises:
            UtteranceEnded: its input was ended, or it is over.
            TextTooLong: nothing of `text` was taken.
            UnknownVoice, InvalidOption: a setting is not possible; nothing of `text` was taken.
        """
        if self._input_ended or self._over or self._job.closed:
            raise UtteranceEnded
        joined = _joined(self._text, text, held=not self._intake.flushed)
        if len(joined) > self._text_limit:
            raise TextTooLong(len(joined), self._text_limit)
        current = self._manner
        manner = Manner(
            current.voice if voice is None else voice,
            current.language if language is None else language,
            current.speed if speed is None else speed,
            current.pitch if pitch is None else pitch,
        )
        if manner.voice not in self._voices:
            raise UnknownVoice(manner.voice, sorted(self._voices))
        if manner != current:
            self._manner = manner
            self._synthesis.set_manner(self._job, len(self._text), manner)
        if not text:
            return
        if not self._text:
            self._job.first_text_at = self._clock()
        self._text = joined
        self._intake.push(text)

    def flush(self) -> None:
        """Speak what is held back now. Does nothing on an utterance that is over."""
        if not self._over:
            self._intake.flush()

    def drop_half(self) -> None:
        """Forget half a surrogate pair at the end of the text, if it is not spoken yet.

        For a sender that does not know how much arrived and goes on at a whole character.
        """
        if not self._intake.flushed and ends_in_half(self._text):
            self._text = self._text[:-1]
            self._intake.drop_half()

    def end_input(self, reason: FinishReason = FinishReason.COMPLETE) -> None:
        """Say that no more text comes; `reason` will stand in `Finished`. Idempotent."""
        if self._input_ended or self._over:
            return
        self._input_ended = True
        self._intake.flush(then=partial(self._synthesis.end_input, self._job, reason))

    # Messages out

    async def next_message(self, *, least: int = 1, most: int = 5) -> Message | None:
        """Return the next thing to send; None when nothing more comes, ended or cancelled.

        For audio it waits until `least` packets are there, or fewer if the segment ends there or nothing
        further is on its way, and returns at most `most`; the very first packet comes alone. Cancelling the
        wait loses nothing.

        Whoever comes back for more has sent what was returned before: only then does the encoder, which would
        compete for a core with the sending of it, go on to fill the room it left.
        """
        assert 1 <= least <= most <= MOST_PACKETS
        if self._in_hand:
            self._synthesis.taken(self._job, self._in_hand)
            self._in_hand = 0
        while not (self._over or self._job.cut):
            message = self._next(least, most)
            if message is not None:
                return message
            self._news.clear()
            await self._news.wait()
        return None

    async def packets(self) -> AsyncIterator[Message]:
        """Iterate over the messages, each as soon as it is there."""
        while (message := await self.next_message()) is not None:
            yield message

    def set_audio_end(self, at: float) -> None:
        """Say when, in seconds on the engine's clock, the audio taken so far will have been heard.

        With none taken yet: when the audio before this utterance ends. Decides whose turn it is, and how
        long the next segment may be.
        """
        self._job.timeline.audio_ends(at, self._taken)
        self._lookout.look_if_waiting()

    def _speak(self, sentences: list[Sentence], unfinished: Unfinished | None) -> None:
        self._lookout.look_at(self._synthesis.push(self._job, sentences, unfinished))

    def _next(self, least: int, most: int) -> Message | None:
        """Take the next message out of the outbox, if there is one to take."""
        if not self._outbox:
            return None
        head = self._outbox[0]
        if isinstance(head, bytes):
            return self._next_packets(least, most)
        self._outbox.popleft()
        if isinstance(head, SegmentMade):
            ready = head.of(self._text)
            self._segments.append(ready)
            return ready
        if isinstance(head, Finished):
            self._samples = head.samples
            self._end(head.reason.value)
        elif isinstance(head, Failed):
            self._end("failed")
        return head

    def _next_packets(self, least: int, most: int) -> AudioPackets | None:
        first = self._packets_taken == 0
        if first:
            # Nothing more is encoded before it is taken, and nobody should wait for more to hear something.
            least = most = 1
        count = 0
        for item in self._outbox:
            if count == most or not isinstance(item, bytes):
                break
            count += 1
        at_boundary = count < len(self._outbox)
        if count < least and not at_boundary and not self._job.dry:
            return None
        packets = tuple(
            item for item in (self._outbox.popleft() for _ in range(count)) if isinstance(item, bytes)
        )
        timestamp = self._packets_taken * FRAME_CONTENT_SAMPLES
        self._packets_taken += count
        self._in_hand = count
        if first and self._job.first_packet_at is not None:
            self.timings.handover = self._clock() - self._job.first_packet_at
        following = self._outbox[0] if self._outbox else None
        last = isinstance(following, Finished)
        if isinstance(following, Finished):
            self._samples = following.samples
        return AudioPackets(packets, timestamp, first, last)

    def _deliver(self, items: list[Item]) -> None:
        if not self._over:
            self._outbox.extend(items)
            self._news.set()

    # The end

    def cancel(self, played: int | None = None) -> Cut:
        """Stop: nothing more comes out, and what is being synthesized is dropped. Idempotent; any thread.

        Args:
            played: content samples heard, clamped to what was taken; without it, what is said and assumed of
                the playhead decides.

        Returns:
            What was heard of the text and what was not. The word containing `played` was not. The first
            call's answer stands.
        """
        cut = self._synthesis.cancel(self._job, lambda: self._cut(played))
        if self._is_on_loop():
            self._cancelled()
        else:
            self._post(self._cancelled)
        return cut

    def _cancelled(self) -> None:
        if not self._over:
            self._end("cancelled")

    def _end(self, outcome: str) -> None:
        self._over = True
        self._intake.stop()
        self._lookout.stop()
        self._outbox.clear()
        self._news.set()
        self._report_end(self, outcome)

    def _is_on_loop(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False

    @property
    def _taken(self) -> int:
        """Content samples handed over, without the padding at the end."""
        taken = self._packets_taken * FRAME_CONTENT_SAMPLES
        return taken if self._samples is None else min(taken, self._samples)

    def _cut(self, played: int | None) -> Cut:
        """Find the cut. Reads only what grows, so that any thread may ask."""
        text = self._text
        taken = self._taken
        heard = (
            self._job.timeline.heard(self._clock(), taken) if played is None else min(max(played, 0), taken)
        )
        if self._samples is not None and heard >= self._samples:
            offset = len(text)
        else:
            offset = length_heard(tuple(self._segments), heard)
        return Cut(text[:offset], text[offset:])


def _joined(text: str, more: str, *, held: bool) -> str:
    """Append `more`; a surrogate pair cut in two by the sender becomes one character again.

    But not when its first half was spoken already, and so is no longer `held` back.
    """
    if held and ends_in_half(text) and "\udc00" <= more[:1] <= "\udfff":
        pair = (text[-1] + more[0]).encode("utf-16", "surrogatepass").decode("utf-16")
        return text[:-1] + pair + more[1:]
    return text + more
