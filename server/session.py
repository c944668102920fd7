"""One client's stream: its settings, its utterances, and what every message does to them.

Messages go in by `receive`; `next_message` yields what leaves; the speaker says the utterances in between.
Knows no socket: a connection carries messages between the two. Event loop only.
"""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from pipeline.encoder import AudioFormat
from pipeline.engine import Engine
from pipeline.messages import AudioPackets, UtteranceOptions
from pipeline.metrics import Metrics
from pipeline.pacer import Pacer
from pipeline.speech import TooManyUtterances, UnknownVoice, UtteranceEnded, UtterError
from server import protocol
from server.outbox import Outbox
from server.protocol import ClientMessage, ProtocolError
from server.speaker import Speaker, error_message
from server.turns import Turn, Turns

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """Open utterances, and for how many seconds an idle one may keep the next waiting."""

    utterances: int = 16
    idle_s: float = 10.0


class Session:
    """Serves one client until `close`.

    `speak` must be a task beside whoever calls `receive` and `next_message`. What waits for the client is
    bounded by the outbox. `clock` is monotonic, in seconds.
    """

    def __init__(
        self, engine: Engine, limits: SessionLimits, *, metrics: Metrics, clock: Callable[[], float]
    ) -> None:
        self.token = secrets.token_urlsafe(16)
        """Whoever holds it is this client; it is told to nobody else and never logged."""

        self.number = next(_numbers)
        """What the session is called in logs."""

        self.quiet = asyncio.Event()
        """Set while no utterance is open and nothing waits for the client."""

        self._engine = engine
        self._limits = limits
        self._metrics = metrics
        self._clock = clock
        self._options = UtteranceOptions(engine.default_voice)
        self._turns = Turns()
        self._outbox = Outbox()
        self._speaker = Speaker(self._turns, self._outbox, idle_s=limits.idle_s, metrics=metrics, clock=clock)
        self._begun = False
        self._closed = False
        self.quiet.set()
        metrics.session_opened()

    async def speak(self) -> None:
        """Say one utterance after the other until cancelled."""
        await self._speaker.run()

    async def next_message(self) -> str | bytes:
        """Wait for the next message to the client and return it; audio counts as sent by that.

        One caller at a time. Cancelling loses nothing.
        """
        outgoing = await self._outbox.get()
        message = outgoing.message
        if isinstance(message, AudioPackets):
            assert outgoing.turn is not None, "audio belongs to an utterance"
            return protocol.pack_audio(self._speaker.hand_over(outgoing.turn, message))
        self._note_quiet()
        return protocol.serialize(message)

    def receive(self, message: ClientMessage) -> None:
        """Act on a client's message.

        Raises:
            ProtocolError: The client does not read what it asks for; the connection must close.
        """
        if isinstance(message, protocol.Start):
            self._receive_start(message)
        else:
            self._begin()
            self._dispatch(message)
        self._note_quiet()

    def reject(self, error: ProtocolError) -> None:
        """Tell the client of a message that was none; an utterance that lost text by it ends."""
        name = error.utterance
        if name is not None and self._is_over(name):
            name = None
        refusal = protocol.ErrorMessage(error.code, str(error), retryable=False, utterance=name)
        if name is None:
            self._outbox.put(refusal)
        else:
            self._fail(name, refusal)
        self._note_quiet()

    def close(self) -> None:
        """Cancel every utterance and drop what was not sent. Idempotent; nothing may be received after it."""
        if self._closed:
            return
        self._closed = True
        self._speaker.stop()
        for turn in self._turns:
            turn.utterance.cancel()
            self._turns.end(turn)
        self._outbox.clear()
        self._metrics.session_closed()

    def _dispatch(self, message: ClientMessage) -> None:
        match message:
            case protocol.Text():
                self._receive_text(message)
            case protocol.Flush() | protocol.End():
                self._receive_mark(message)
            case protocol.Cancel():
                self._receive_cancel(message)
            case protocol.Progress():
                self._receive_progress(message)
            case protocol.Ping():
                self._outbox.put(protocol.Pong())
            case protocol.Start():
                raise AssertionError("start is handled before the session begins")
            case _:
                assert_never(message)

    # Starting.

    def _begin(self) -> None:
        """Begin the session with `ready`, unless it has begun."""
        if self._begun:
            return
        self._begun = True
        limits = protocol.Limits(self._engine.limits.text, self._limits.utterances)
        self._outbox.put(protocol.Ready(self.token, protocol.VERSION, self._options.voice, limits))

    def _receive_start(self, start: protocol.Start) -> None:
        """Take a session's settings. A refused `start` counts for nothing: another may follow."""
        if self._begun:
            late = "start must be a session's first message."
            self._outbox.put(protocol.ErrorMessage("start-late", late, retryable=False))
            return
        try:
            self._options = self._options_of(start)
        except UtterError as error:
            self._outbox.put(error_message(error))
            return
        self._speaker.pacer = Pacer(self._clock, lead_ms=start.lead_ms)
        self._speaker.captions = start.captions
        if start.resume is not None:
            refusal = "That session is gone; this is a fresh one."
            self._outbox.put(protocol.ErrorMessage("resume-refused", refusal, retryable=False))
        self._begin()

    def _options_of(self, start: protocol.Start) -> UtteranceOptions:
        voice = start.voice or self._engine.default_voice
        known = [known.name for known in self._engine.voices]
        if voice not in known:
            raise UnknownVoice(voice, known)
        return UtteranceOptions(
            voice,
            language=start.language,
            speed=start.speed,
            pitch=start.pitch,
            format=AudioFormat(start.format.value),
            sample_rate=start.sample_rate,
            bitrate=start.bitrate,
        )

    # Text.

    def _receive_text(self, text: protocol.Text) -> None:
        received_at = self._clock()
        name = text.utterance
        if self._is_over(name):
            self._warn_ended(name)
            return
        try:
            turn = self._turns.get(name)
            if turn is None:
                turn = self._open(text, received_at)
            turn.touched_at = received_at
            turn.utterance.push_text(
                text.text, voice=text.voice, language=text.language, speed=text.speed, pitch=text.pitch
            )
        except UtteranceEnded:
            self._warn_ended(name)
        except UtterError as error:
            self._fail(name, error_message(error, name))

    def _open(self, text: protocol.Text, received_at: float) -> Turn:
        """Open an utterance behind all others, in the manner of its first text."""
        waiting = self._turns.open
        if len(waiting) >= self._limits.utterances:
            raise TooManyUtterances(self._limits.utterances)
        options = dataclasses.replace(
            self._options,
            voice=text.voice or self._options.voice,
            language=text.language or self._options.language,
            speed=self._options.speed if text.speed is None else text.speed,
            pitch=self._options.pitch if text.pitch is None else text.pitch,
        )
        utterance = self._engine.open(options)
        turn = Turn(text.utterance, utterance, received_at, received_at, waited=bool(waiting))
        pacer = self._speaker.pacer
        if pacer.lead_ms > 0:
            utterance.set_audio_end(pacer.audio_end)
        self._turns.add(turn)
        self._speaker.wake()
        return turn

    def _receive_mark(self, mark: protocol.Flush | protocol.End) -> None:
        turn = self._turns.get(mark.utterance)
        if self._is_over(mark.utterance):
            self._warn_ended(mark.utterance)
        elif turn is None:
            self._warn_unknown(mark.utterance)
        elif isinstance(mark, protocol.End):
            turn.utterance.end_input()
        else:
            turn.utterance.flush()

    def _is_over(self, name: str) -> bool:
        """Tell whether an utterance of this id is done or has ended."""
        turn = self._turns.get(name)
        return self._turns.remembers(name) if turn is None else not turn.is_open

    # Playing and stopping.

    def _receive_progress(self, progress: protocol.Progress) -> None:
        self._metrics.underruns(progress.underruns)
        turn = self._turns.get(progress.utterance)
        if turn is None:
            # The playhead of an utterance that was cancelled meanwhile is no mistake.
            if not self._turns.remembers(progress.utterance):
                self._warn_unknown(progress.utterance)
            return
        if not turn.sent:
            return
        self._speaker.pacer.progress(turn.start + min(progress.played, turn.sent))
        self._turns.hear_before(turn)
        if turn.samples is not None and progress.played >= turn.samples:
            self._turns.end(turn)
        self._speaker.wake()

    def _receive_cancel(self, cancel: protocol.Cancel) -> None:
        if cancel.utterance is None:
            self._cancel_all(cancel)
            return
        turn = self._turns.get(cancel.utterance)
        if turn is not None:
            self._cancel(turn, cancel.played)
        elif self._turns.remembers(cancel.utterance):
            self._warn("utterance-ended", "This utterance has ended already.", cancel.utterance)
        else:
            self._warn_unknown(cancel.utterance)

    def _cancel_all(self, cancel: protocol.Cancel) -> None:
        """Cancel what is not fully heard: all that is done before the playhead is, what is behind is not."""
        playing = self._playing(cancel)
        self._turns.hear_before(playing)
        turns = list(self._turns)
        if not turns:
            self._warn("nothing-to-cancel", "Everything was heard.")
        behind = False
        for turn in turns:
            played = cancel.played if turn is playing else None
            self._cancel(turn, 0 if behind else played)
            behind = behind or turn is playing
        self._speaker.pacer.cancel()

    def _playing(self, cancel: protocol.Cancel) -> Turn | None:
        """Return the utterance being heard: the one the client names, else the one the playhead stands in."""
        if cancel.playing is not None and (named := self._turns.get(cancel.playing)) is not None:
            return named
        position = self._speaker.pacer.played
        sent = [turn for turn in self._turns if turn.sent]
        for turn in sent:
            if position < turn.end:
                return turn
        # All is played by the estimate. A client that says where it stands knows better.
        return sent[-1] if sent and cancel.played is not None else None

    def _cancel(self, turn: Turn, played: int | None) -> None:
        """Cancel one utterance, heard up to `played` or, with None, up to the estimated playhead."""
        pacer = self._speaker.pacer
        position = pacer.played
        cut = turn.utterance.cancel(turn.played_at(position) if played is None else min(played, turn.sent))
        if turn.sent and turn.start <= position < turn.end:
            pacer.progress(turn.end)
        self._leave(turn)
        self._outbox.put(protocol.Cancelled(turn.id, cut.text_spoken, cut.text_remaining))

    # Ends and warnings.

    def _fail(self, name: str, error: protocol.ErrorMessage) -> None:
        """End an utterance, opened or not, with an error."""
        turn = self._turns.get(name)
        if turn is None:
            self._turns.remember(name)
        else:
            turn.utterance.cancel()
            self._leave(turn)
        self._outbox.put(error)

    def _leave(self, turn: Turn) -> None:
        """Forget an utterance and all of it that was not sent."""
        self._outbox.take_back(turn)
        self._turns.end(turn)
        self._speaker.wake()

    def _warn_ended(self, name: str) -> None:
        if self._turns.first_warning(name):
            self._warn("utterance-ended", str(UtteranceEnded()), name)

    def _warn_unknown(self, name: str) -> None:
        self._warn("unknown-utterance", "No utterance of this id was opened.", name)

    def _warn(self, code: str, text: str, name: str | None = None) -> None:
        self._outbox.put(protocol.WarningMessage(code, text, name))

    def _note_quiet(self) -> None:
        if len(self._outbox) or self._turns.open:
            self.quiet.clear()
        else:
            self.quiet.set()
