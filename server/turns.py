"""The utterances of one session, in the order they were opened, from their first text until they are heard.

Knows no socket, no message and no time of its own. Event loop only; nothing here waits.

Two kinds of position are kept apart: `played` counts content samples of one utterance, a *session position*
counts the content samples sent in the whole session, one utterance after the other.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pipeline.utterance import Utterance

MAX_KEPT = 64
"""Utterances that are done and not known to be heard; beyond it the oldest counts as heard."""

MAX_REMEMBERED = 1024
"""Ids of ended utterances; beyond it the oldest is forgotten."""


class TurnState(enum.Enum):
    """Where an utterance stands in its session."""

    QUEUED = enum.auto()
    SPEAKING = enum.auto()
    DONE = enum.auto()
    ENDED = enum.auto()


@dataclass(slots=True, eq=False)
class Turn:
    """One utterance and its place in the session.

    `start` is the session position of its first sample, `sent` how many content samples of it were handed to
    the socket, `samples` how many it has in all once it is done. `touched_at` is when it last got text or
    audio of it left; `waited` tells that others were open before it, `idle` that it was ended for want of
    text, `warned` that the client was told that its text comes too late.
    """

    id: str
    utterance: Utterance
    opened_at: float
    touched_at: float
    waited: bool
    state: TurnState = TurnState.QUEUED
    ordinal: int = 0
    start: int = 0
    sent: int = 0
    samples: int | None = None
    ttfb_s: float | None = None
    idle: bool = False
    warned: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it may still say something."""
        return self.state in (TurnState.QUEUED, TurnState.SPEAKING)

    def played_at(self, position: int) -> int:
        """Return how much of it was played when the playhead stands at a session position."""
        return max(0, min(position - self.start, self.sent)) if self.sent else 0

    @property
    def end(self) -> int:
        """Session position behind the last of it that was sent."""
        return self.start + self.sent


class Turns:
    """All utterances of a session that can still be cancelled, and the ids of those that ended."""

    def __init__(self) -> None:
        self._turns: dict[str, Turn] = {}
        self._ended: dict[str, bool] = {}

    def __iter__(self) -> Iterator[Turn]:
        """Iterate over every utterance not known to be heard, in order, over a copy."""
        return iter(tuple(self._turns.values()))

    def names(self) -> Collection[str]:
        """Return the ids of every utterance not known to be heard: a view that follows."""
        return self._turns.keys()

    def get(self, name: str) -> Turn | None:
        """Return the utterance of this id, if it can still be cancelled."""
        return self._turns.get(name)

    def remembers(self, name: str) -> bool:
        """Tell whether an utterance of this id has ended."""
        return name in self._ended

    @property
    def open(self) -> list[Turn]:
        """Those that may still say something, in order."""
        return [turn for turn in self._turns.values() if turn.is_open]

    def add(self, turn: Turn) -> None:
        """Put an utterance behind all others."""
        self._turns[turn.id] = turn

    def finish(self, turn: Turn, samples: int) -> None:
        """Note that all of it is sent. It stays cancellable until heard, or `MAX_KEPT` others are done."""
        turn.state = TurnState.DONE
        turn.samples = samples
        done = [other for other in self if other.state is TurnState.DONE]
        for oldest in done[:-MAX_KEPT]:
            self.end(oldest)

    def hear_before(self, turn: Turn | None) -> None:
        """Forget everything done that was opened before `turn`; with None, everything done."""
        for other in self:
            if other is turn:
                return
            if other.state is TurnState.DONE:
                self.end(other)

    def end(self, turn: Turn) -> None:
        """Forget an utterance that was heard, cancelled or failed, but for its id."""
        turn.state = TurnState.ENDED
        self._turns.pop(turn.id, None)
        self.remember(turn.id, warned=turn.warned)

    def remember(self, name: str, *, warned: bool = False) -> None:
        """Take an id for ended: no text opens it again. The oldest beyond `MAX_REMEMBERED` is forgotten."""
        self._ended[name] = warned
        if len(self._ended) > MAX_REMEMBERED:
            del self._ended[next(iter(self._ended))]

    def first_warning(self, name: str) -> bool:
        """Tell, once for every id, that nobody was told yet that its text comes too late."""
        turn = self._turns.get(name)
        if turn is not None:
            warned, turn.warned = turn.warned, True
        else:
            warned, self._ended[name] = self._ended[name], True
        return not warned
