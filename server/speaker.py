"""Says a session's utterances one after the other, no faster than its pacer allows.

Knows nothing of what clients ask for: it takes utterances from the session's turns and gives messages to its
delivery. Event loop only; `clock` is monotonic, in seconds, and the pacer's own.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import assert_never

from pipeline.audio import FRAME_CONTENT_SAMPLES
from pipeline.encoder import AudioFormat
from pipeline.messages import (
    AudioPackets,
    Failed,
    Finished,
    FinishReason,
    Message,
    SegmentReady,
    Unreadable,
)
from pipeline.metrics import Metrics
from pipeline.pacer import Pacer
from pipeline.speech import Draining, UtterError
from server import protocol
from server.delivery import Delivery
from server.turns import Turn, Turns, TurnState

GROUP = 5
"""Packets in one audio message at most."""

GROUPING_LEAD_MS = 200
"""With this lead or more, a message waits until it holds `GROUP` packets."""

LONGEST_QUOTE = 40
"""Characters of a client's own text that a warning repeats."""

_KINDS = {AudioFormat.OPUS: protocol.AudioKind.OPUS, AudioFormat.PCM: protocol.AudioKind.PCM}


class Speaker:
    """One session's voice.

    `run` must be a task beside whoever empties the outbox and calls `hand_over` with the audio in it. At most
    one piece of audio is in the outbox at a time; while there is no outbox, audio counts as sent at once, as
    far as the lead goes. `pacer` may be replaced before the first audio.
    """

    def __init__(
        self, turns: Turns, delivery: Delivery, *, idle_s: float, metrics: Metrics, clock: Callable[[], float]
    ) -> None:
        self.pacer = Pacer(clock)
        self.captions = True
        self._turns = turns
        self._delivery = delivery
        self._idle_s = idle_s
        self._metrics = metrics
        self._clock = clock
        self._changed = asyncio.Event()
        self._ordinal = 0
        self._sequence = 0
        self._listening: Turn | None = None
        self._idle_timer: asyncio.TimerHandle | None = None

    def wake(self) -> None:
        """Look again: an utterance was opened or has ended, the playhead or the connection has changed."""
        self._changed.set()
        self._watch_idle()

    def set_deadlines(self) -> None:
        """Tell every open utterance when the audio before it ends: more was sent, or less is left of it."""
        for waiting in self._turns.open:
            waiting.utterance.set_audio_end(self.pacer.audio_end)

    def stop(self) -> None:
        """Let go of the timer."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()

    async def run(self) -> None:
        """Say one utterance after the other until cancelled."""
        while True:
            turn = next(iter(self._turns.open), None)
            if turn is None:
                await self._wait_for_change()
            else:
                await self._speak(turn)

    def hand_over(self, turn: Turn, audio: AudioPackets) -> protocol.AudioMessage:
        """Count audio that goes to the socket now as sent, and give it its numbers."""
        now = self._clock()
        if not turn.sent:
            turn.start = self.pacer.sent
            turn.ttfb_s = now - turn.opened_at
            if not turn.waited:
                self._metrics.ttfb(turn.ttfb_s)
        samples = len(audio.packets) * FRAME_CONTENT_SAMPLES
        self.pacer.note_sent(samples)
        turn.sent += samples
        turn.touched_at = now
        self.set_deadlines()
        self._changed.set()
        numbered = self._numbered(turn, audio)
        self._delivery.sent(turn, numbered)
        return numbered

    def _numbered(self, turn: Turn, audio: AudioPackets) -> protocol.AudioMessage:
        sequence = self._sequence
        self._sequence = (sequence + len(audio.packets)) % protocol.SEQUENCES
        flags = protocol.AudioFlags.NONE
        if audio.first:
            flags |= protocol.AudioFlags.FIRST
        if audio.last:
            flags |= protocol.AudioFlags.LAST
        kind = _KINDS[turn.utterance.options.format]
        timestamp = audio.timestamp % protocol.SEQUENCES
        return protocol.AudioMessage(kind, flags, turn.ordinal, sequence, timestamp, audio.packets)

    async def _speak(self, turn: Turn) -> None:
        turn.state = TurnState.SPEAKING
        turn.ordinal = self._ordinal
        self._ordinal = (self._ordinal + 1) % protocol.ORDINALS
        utterance = turn.utterance
        started = protocol.Started(turn.id, turn.ordinal, utterance.options.voice, utterance.pre_skip)
        self._delivery.put(started, turn)
        last = False
        while turn.is_open:
            # Nothing that follows the last audio is held back by the pacer: `done` goes at once.
            if not last:
                await self._until_due(turn)
            message = await self._next_of(turn)
            if message is None:
                self._end_unheard(turn)
                return
            last = last or (isinstance(message, AudioPackets) and message.last)
            await self._say(turn, message)

    def _end_unheard(self, turn: Turn) -> None:
        """Tell of an utterance that the engine gave up, unless the session has ended it."""
        if turn.is_open:
            self._delivery.put(error_message(Draining(), turn.id))
            self._turns.end(turn)

    async def _until_due(self, turn: Turn) -> None:
        """Wait until the pacer lets the next audio of `turn` go, or `turn` has ended."""
        samples = self._least * FRAME_CONTENT_SAMPLES
        while turn.is_open and (wait_s := self.pacer.wait_s(samples, first=not turn.sent)) > 0:
            await self._wait_for_change(wait_s)

    async def _next_of(self, turn: Turn) -> Message | None:
        """Return what `turn` has to say next; None once it has ended."""
        if not turn.is_open:
            return None
        self._listening = turn
        self._watch_idle()
        try:
            if turn.sent:
                return await turn.utterance.next_message(least=self._least, most=self._most)
            return await turn.utterance.next_message(least=1, most=1)
        finally:
            self._listening = None

    @property
    def _least(self) -> int:
        return GROUP if self.pacer.lead_ms >= GROUPING_LEAD_MS else 1

    @property
    def _most(self) -> int:
        """Packets that may leave together now without exceeding the lead; `_least` may leave in any case."""
        least = self._least
        counts = range(GROUP, least, -1)
        return next((n for n in counts if self.pacer.wait_s(n * FRAME_CONTENT_SAMPLES) <= 0), least)

    async def _say(self, turn: Turn, message: Message) -> None:
        match message:
            case AudioPackets():
                await self._send(turn, message)
            case SegmentReady():
                self._delivery.put(self._segment(turn, message), turn)
            case Unreadable():
                words = f"This voice cannot read {message.text[:LONGEST_QUOTE]!r}; it was left out."
                self._delivery.put(protocol.WarningMessage("unreadable-text", words, turn.id), turn)
            case Finished():
                self._delivery.put(_done(turn, message), turn)
                self._turns.finish(turn, message.samples)
                if not turn.sent:
                    self._turns.end(turn)
            case Failed():
                self._delivery.put(error_message(message.error, turn.id))
                self._turns.end(turn)
            case _:
                assert_never(message)

    async def _send(self, turn: Turn, audio: AudioPackets) -> None:
        """Wait until audio has left, by the connection that is there or the one that comes after it."""
        while turn.is_open:
            outbox = self._delivery.outbox
            if outbox is None:
                self.hand_over(turn, audio)
                return
            outbox.put(audio, turn)
            while outbox is self._delivery.outbox and outbox.holds_audio(turn):
                await self._wait_for_change()
            if outbox is self._delivery.outbox or not outbox.holds_audio(turn):
                return
            outbox.take_back(turn)

    def _segment(self, turn: Turn, ready: SegmentReady) -> protocol.Segment:
        words = tuple(
            protocol.Word(word.text, word.offset, word.length, word.start, word.end)
            for word in (ready.words if self.captions else ())
        )
        return protocol.Segment(turn.id, ready.index, ready.text, ready.offset, ready.start, words)

    def _watch_idle(self) -> None:
        """Look again when the utterance being spoken may have kept the next one waiting for too long."""
        opened = self._turns.open
        if self._idle_timer is not None or len(opened) < 2 or opened[0].idle or self.pacer.paused:
            return
        delay_s = opened[0].touched_at + self._idle_s - self._clock()
        if delay_s <= 0 and opened[0] is not self._listening:
            delay_s = self._idle_s  # It still has audio to send, and no room for it.
        self._idle_timer = asyncio.get_running_loop().call_later(max(0.0, delay_s), self._end_idle)

    def _end_idle(self) -> None:
        """End an utterance that has nothing to say, got no text for too long and keeps another waiting."""
        self._idle_timer = None
        opened = self._turns.open
        if len(opened) > 1 and opened[0] is self._listening and not self.pacer.paused:
            turn = opened[0]
            if self._clock() - turn.touched_at >= self._idle_s:
                turn.idle = True
                turn.utterance.end_input(FinishReason.IDLE)
        self._watch_idle()

    async def _wait_for_change(self, seconds: float | None = None) -> None:
        """Wait until something happened that matters here, but no longer than `seconds`."""
        self._changed.clear()
        try:
            async with asyncio.timeout(None if seconds == math.inf else seconds):
                await self._changed.wait()
        except TimeoutError:
            return


def error_message(error: UtterError, utterance: str | None = None) -> protocol.ErrorMessage:
    """Return what a client is told of an error; it ends the utterance, if one is named."""
    retry_after_ms = getattr(error, "retry_after_ms", None)
    return protocol.ErrorMessage(error.code, str(error), error.retryable, utterance, retry_after_ms)


def _done(turn: Turn, finished: Finished) -> protocol.Done:
    reason = protocol.DoneReason(finished.reason.value)
    return protocol.Done(turn.id, finished.samples, _timings(turn, finished), reason)


def _timings(turn: Turn, finished: Finished) -> protocol.StationTimings:
    stations = finished.timings
    return protocol.StationTimings(
        split=_ms(stations.split),
        queue=_ms(stations.queue),
        begin=_ms(stations.begin),
        first_chunk=_ms(stations.first_chunk),
        encode=_ms(stations.encode),
        handover=_ms(stations.handover),
        ttfb=_ms(turn.ttfb_s),
        synthesis=_ms(stations.synthesis_seconds),
        audio=_ms(stations.audio_seconds),
    )


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else round(max(0.0, seconds) * 1000, 3)
