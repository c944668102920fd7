"""One client's stream: its settings, its utterances, and what every message does to them.

Messages go in by `receive`; `next_message` yields what leaves; the speaker says the utterances in between.
Knows no socket: a connection carries messages between the two, and another may go on where the first one
broke off. Event loop only.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from pipeline.engine import Engine
from pipeline.messages import AudioPackets, UtteranceOptions
from pipeline.metrics import Metrics
from pipeline.pacer import Pacer
from pipeline.speech import TooManyUtterances, UtteranceEnded, UtterError
from server import protocol
from server.delivery import Delivery, TakenOver
from server.outbox import Outbox
from server.playback import Playback
from server.protocol import ClientMessage, ProtocolError, Resume
from server.settings import options_for, options_of
from server.speaker import Speaker, error_message
from server.turns import Turn, Turns, TurnState

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """What a session may hold, and how long it may last.

    `utterances` may be open; an idle one keeps the next waiting for `idle_s` seconds at most. Without a
    connection a session lasts `resume_window_s`; 0 ends it with its connection. `detached` sessions may be
    without one at the same time; beyond it the oldest ends.
    """

    utterances: int = 16
    idle_s: float = 10.0
    resume_window_s: float = 60.0
    detached: int = 100


class Session:
    """Serves one client until `close`.

    `speak` must be a task beside whoever calls `receive` and `next_message`: a connection, which calls
    `attach` or `resume` first. What waits for the client is bounded by the outbox. `clock` is monotonic, in
    seconds.
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
        self._delivery = Delivery(clock, self._turns.names)
        self._speaker = Speaker(
            self._turns, self._delivery, idle_s=limits.idle_s, metrics=metrics, clock=clock
        )
        self._playback = Playback(self._turns, self._speaker, self._delivery)
        self._begun = False
        self._closed = False
        self.quiet.set()
        metrics.session_opened()

    async def speak(self) -> None:
        """Say one utterance after the other until cancelled."""
        await self._speaker.run()

    async def next_message(self, outbox: Outbox) -> str | bytes:
        """Wait for the next message to the client and return it; audio counts as sent by that.

        One caller at a time, with the outbox it was given. Cancelling loses nothing.

        Raises:
            ProtocolError: The connection must end, as when another has taken over.
        """
        outgoing = await outbox.get()
        message = outgoing.message
        if isinstance(message, AudioPackets):
            assert outgoing.turn is not None, "new audio belongs to an utterance"
            message = self._speaker.hand_over(outgoing.turn, message)
        self._note_quiet()
        return message if isinstance(message, str) else protocol.pack_audio(message)

    # Connections.

    @property
    def begun(self) -> bool:
        """Whether the client has its token."""
        return self._begun

    @property
    def kept_packets(self) -> int:
        """Packets that could be sent again."""
        return self._delivery.kept_packets

    @property
    def open_utterances(self) -> int:
        """How many of its utterances may still say something."""
        return len(self._turns.open)

    def attach(self) -> Outbox:
        """Serve a first connection."""
        return self._delivery.attach()

    def detach(self, outbox: Outbox) -> bool:
        """Go on without the connection that had this outbox; False when another has taken over from it."""
        if self._delivery.outbox is not outbox:
            return False
        self._delivery.detach()
        self._speaker.pacer.pause()
        self._speaker.wake()
        return True

    def break_off(self, why: ProtocolError) -> None:
        """Send the connection away, if there is one."""
        self._delivery.break_off(why)

    def resume(self, resume: Resume) -> Outbox | None:
        """Serve another connection from where the client says it stands; one still there is sent away.

        None when audio that the client lacks is kept no more: nothing has happened then.
        """
        if self._closed or not self._delivery.can_resume(resume):
            return None
        # What an old connection would still tell is told by the new one.
        self._delivery.break_off(TakenOver())
        self._delivery.detach()
        self._speaker.pacer.go()
        self._catch_up(resume)
        unheard = tuple(self._unheard(turn) for turn in self._turns)
        again = self._delivery.again(self._ready(resumed=True, unheard=unheard), resume, self._turns)
        outbox = self._delivery.attach(*again)
        self._speaker.wake()
        self._note_quiet()
        return outbox

    def _catch_up(self, resume: Resume) -> None:
        """Do what the client would have told meanwhile."""
        self._playback.catch_up(resume)
        now = self._clock()
        for turn in self._turns.open:
            turn.touched_at = now

    def _unheard(self, turn: Turn) -> protocol.Unheard:
        """Return what the client must know of an utterance, to send what is missing of its text."""
        turn.utterance.drop_half()
        state = protocol.UtteranceState[turn.state.name]
        ordinal = None if turn.state is TurnState.QUEUED else turn.ordinal
        utterance = turn.utterance
        return protocol.Unheard(turn.id, len(utterance.text), utterance.input_ended, state, ordinal)

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
            self._delivery.put(refusal)
        else:
            self._playback.fail(name, refusal)
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
        self._delivery.detach()
        self._metrics.session_closed()

    def _dispatch(self, message: ClientMessage) -> None:
        match message:
            case protocol.Text():
                self._receive_text(message)
            case protocol.Flush() | protocol.End():
                self._receive_mark(message)
            case protocol.Cancel():
                self._playback.cancel(message)
            case protocol.Progress():
                self._metrics.underruns(message.underruns)
                self._playback.progress(message)
            case protocol.Ping():
                self._delivery.put(protocol.Pong())
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
        self._delivery.put(self._ready(resumed=False, unheard=None))

    def _ready(self, *, resumed: bool, unheard: tuple[protocol.Unheard, ...] | None) -> protocol.Ready:
        limits = protocol.Limits(self._engine.limits.text, self._limits.utterances)
        return protocol.Ready(self.token, protocol.VERSION, self._options.voice, limits, resumed, unheard)

    def _receive_start(self, start: protocol.Start) -> None:
        """Take a session's settings. A refused `start` counts for nothing: another may follow."""
        if self._begun:
            late = "start must be a session's first message."
            self._delivery.put(protocol.ErrorMessage("start-late", late, retryable=False))
            return
        try:
            self._options = options_of(start, self._engine)
        except UtterError as error:
            self._delivery.put(error_message(error))
            return
        self._speaker.pacer = Pacer(self._clock, lead_ms=start.lead_ms)
        self._delivery.keep(start.lead_ms)
        self._speaker.captions = start.captions
        if start.resume is not None:
            refusal = "That session is gone; this is a fresh one."
            self._delivery.put(protocol.ErrorMessage("resume-refused", refusal, retryable=False))
        self._begin()

    # Text.

    def _receive_text(self, text: protocol.Text) -> None:
        received_at = self._clock()
        name = text.utterance
        if self._is_over(name):
            self._playback.warn_ended(name)
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
            self._playback.warn_ended(name)
        except UtterError as error:
            self._playback.fail(name, error_message(error, name))

    def _open(self, text: protocol.Text, received_at: float) -> Turn:
        """Open an utterance behind all others, in the manner of its first text."""
        waiting = self._turns.open
        if len(waiting) >= self._limits.utterances:
            raise TooManyUtterances(self._limits.utterances)
        utterance = self._engine.open(options_for(text, self._options))
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
            self._playback.warn_ended(mark.utterance)
        elif turn is None:
            self._playback.warn_unknown(mark.utterance)
        elif isinstance(mark, protocol.End):
            turn.utterance.end_input()
        else:
            turn.utterance.flush()

    def _is_over(self, name: str) -> bool:
        """Tell whether an utterance of this id is done or has ended."""
        turn = self._turns.get(name)
        return self._turns.remembers(name) if turn is None else not turn.is_open

    def _note_quiet(self) -> None:
        if self._delivery.waiting or self._turns.open:
            self.quiet.clear()
        else:
            self.quiet.set()
