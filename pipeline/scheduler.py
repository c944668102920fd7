"""Whose audio runs out first? Earliest deadline first, over those that can be worked on.

Knows no lock, no thread and no model: `synthesis` calls it under its lock and decides what can be worked on.
Times are seconds on the clock that is passed in to whoever asks. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from pipeline.audio import CONTENT_RATE_HZ

FIRST_PACKET_TARGET_S = 0.040
"""How long after its text an utterance's first packet should leave: the deadline of its first chunk."""

Entry = TypeVar("Entry")


class Timeline:
    """Maps an utterance's content samples (48 kHz) to the moments they are heard.

    Until somebody says when the audio handed over runs out, playback is assumed to begin at the first-packet
    target. Audio made and still inside needs no counting: when sample *n* is wanted depends on *n* alone.
    """

    def __init__(self, arrival: float) -> None:
        self._origin = arrival + FIRST_PACKET_TARGET_S

    def audio_ends(self, at: float, taken: int) -> None:
        """Note that the `taken` samples handed over so far will have been heard at the moment `at`."""
        self._origin = at - taken / CONTENT_RATE_HZ

    def due(self, sample: int) -> float:
        """Return the moment sample `sample` is wanted: the deadline of whoever has made all before it."""
        return self._origin + sample / CONTENT_RATE_HZ

    def heard(self, now: float, taken: int) -> int:
        """Return how many of the `taken` samples have been heard by `now`."""
        return min(taken, max(0, round((now - self._origin) * CONTENT_RATE_HZ)))


class Scheduler(Generic[Entry]):
    """The entries that can be worked on; `pick` takes out the one that is due first.

    Holds at most one place per entry, so it is bounded by the open utterances.
    """

    def __init__(self, due: Callable[[Entry], float]) -> None:
        self._due = due
        self._runnable: dict[Entry, None] = {}

    def __len__(self) -> int:
        return len(self._runnable)

    def __contains__(self, entry: object) -> bool:
        return entry in self._runnable

    def add(self, entry: Entry) -> bool:
        """Make `entry` runnable; False when it was already."""
        if entry in self._runnable:
            return False
        self._runnable[entry] = None
        return True

    def remove(self, entry: Entry) -> None:
        """Make `entry` not runnable; nothing happens when it was not."""
        self._runnable.pop(entry, None)

    def pick(self) -> Entry | None:
        """Take out the entry due first, of equals the one added first; None when nothing can be worked on."""
        if not self._runnable:
            return None
        entry = min(self._runnable, key=self._due)
        del self._runnable[entry]
        return entry

    def pick_like(self, alike: Callable[[Entry], bool], most: int) -> list[Entry]:
        """Take out up to `most` more entries for which `alike` holds, those due first."""
        picked = sorted(filter(alike, self._runnable), key=self._due)[: max(0, most)]
        for entry in picked:
            del self._runnable[entry]
        return picked
