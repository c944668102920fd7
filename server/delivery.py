"""From a session to its client: to the connection that is there now, and again to the one that comes back.

Knows what is told again after a lost connection, and nothing of what the messages mean. Event loop only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from server import protocol
from server.history import History
from server.outbox import Outbox, Outgoing
from server.protocol import AudioMessage, CloseCode, ProtocolError, Resume, ServerMessage
from server.turns import Turn


class TakenOver(ProtocolError):
    """Another connection has gone on with the session."""

    def __init__(self) -> None:
        super().__init__("taken-over", "another connection took over", close=CloseCode.TAKEN_OVER)


class Delivery:
    """Where a session puts its messages. `outbox` is None while no connection is there.

    What concerns an utterance is kept by a bounded history; the rest, while nobody is there, is dropped.
    """

    def __init__(self, clock: Callable[[], float], unheard: Callable[[], Collection[str]]) -> None:
        self.outbox: Outbox | None = None
        self._history = History(clock, unheard)

    @property
    def waiting(self) -> int:
        """Messages that wait for the client."""
        return 0 if self.outbox is None else len(self.outbox)

    @property
    def kept_packets(self) -> int:
        """Packets that could be sent again."""
        return self._history.packets

    def attach(self, *first: Outgoing) -> Outbox:
        """Deliver to a new connection from now on, `first` before all else; no other is there."""
        assert self.outbox is None, "a connection is there"
        self.outbox = Outbox(first)
        return self.outbox

    def can_resume(self, resume: Resume) -> bool:
        """Tell whether all packets a client asks for can be sent."""
        return self._history.has_all_from(resume.next)

    def keep(self, lead_ms: float | None) -> None:
        """Keep so many sent packets that a client lacks none of them, however far ahead of it they are.

        None, a lead without limit, keeps what the default lead does.
        """
        self._history.keep(0.0 if lead_ms is None else lead_ms)

    def again(self, ready: ServerMessage, resume: Resume, turns: Iterable[Turn]) -> list[Outgoing]:
        """Return all that a client that comes back must be told, `ready` first.

        Audio of one of `turns` can be taken back like any other.
        """
        by_ordinal = {turn.ordinal: turn for turn in turns if turn.sent}
        control = [Outgoing(message) for message in (protocol.serialize(ready), *self._history.messages())]
        audio = self._history.audio_from(resume.next, resume.pre_roll)
        return control + [Outgoing(message, by_ordinal.get(message.ordinal)) for message in audio]

    def detach(self) -> None:
        """Keep what comes from now on, for the next connection."""
        self.outbox = None

    def break_off(self, why: ProtocolError) -> None:
        """Send the connection away, if one is there."""
        if self.outbox is not None:
            self.outbox.close(why)

    def put(self, message: ServerMessage, turn: Turn | None = None) -> None:
        """Tell the client. With `turn`, `Outbox.take_back` may still take the message back.

        Raises:
            ProtocolError: The client does not read; its connection must close.
        """
        text = protocol.serialize(message)
        match message:
            case protocol.Started() | protocol.Segment():
                self._history.tell(message.utterance, text, ends=False)
            case protocol.Done() | protocol.Cancelled() | protocol.ErrorMessage(utterance=str()):
                assert message.utterance is not None
                self._history.tell(message.utterance, text, ends=True)
            case _:
                pass
        if self.outbox is not None:
            self.outbox.put(text, turn)

    def sent(self, turn: Turn, audio: AudioMessage) -> None:
        """Keep audio that has got its numbers."""
        self._history.send(turn.id, audio)

    def take_back(self, turn: Turn) -> None:
        """Drop everything about `turn` that has not left."""
        if self.outbox is not None:
            self.outbox.take_back(turn)

    def forget_audio(self, turn: Turn) -> None:
        """Never send audio of `turn` again."""
        self._history.take_back(turn.id)
