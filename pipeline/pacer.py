"""When may the next message go? Bounds how much audio a client holds that it has not played.

Knows no socket and never waits: it answers how long to wait. Pure; the clock is passed in. One pacer belongs
to one session and is called by one thread. All sample counts are content samples (48 kHz) over all the
session's audio, in the order it is sent.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from pipeline.audio import CONTENT_RATE_HZ

DEFAULT_LEAD_MS = 5_000


class Pacer:
    """Keeps the lead, audio sent and not yet played, at or below `lead_ms`; None lets everything go.

    Playback is taken to run in real time from the first audio sent, and to stand while nothing is left to
    play. A report of the client corrects that. Between `pause` and `go` the clock stands: nobody is there to
    play, and even a pacer that lets everything go stops at `DEFAULT_LEAD_MS`.
    """

    def __init__(self, clock: Callable[[], float], *, lead_ms: float | None = DEFAULT_LEAD_MS) -> None:
        self._clock = clock
        self._lead_ms = lead_ms
        self._sent = 0
        self._played = 0.0
        self._at = clock()
        self._paused = False

    @property
    def paused(self) -> bool:
        """Whether the clock stands."""
        return self._paused

    @property
    def sent(self) -> int:
        """Samples sent since the session began, less what was taken back."""
        return self._sent

    @property
    def played(self) -> int:
        """Samples played by now, as far as is known; never more than were sent."""
        self._play()
        return int(self._played)

    @property
    def lead_ms(self) -> float:
        """Milliseconds of audio sent and not yet played."""
        self._play()
        return (self._sent - self._played) * 1000 / CONTENT_RATE_HZ

    @property
    def audio_end(self) -> float:
        """The moment, on the clock, when everything sent will have been played; now, if it has been."""
        return self._clock() + self.lead_ms / 1000

    def note_sent(self, samples: int) -> None:
        """Count `samples` as sent."""
        self._play()
        self._sent += samples

    def progress(self, played: int) -> None:
        """Take the client's word for how much it has played; more than was sent counts as all of it."""
        self._at = self._clock()
        self._played = float(min(max(played, 0), self._sent))

    def wait_s(self, samples: int, *, first: bool = False) -> float:
        """Return the seconds until a message of `samples` may go: 0 is now, infinity not before `go`.

        The `first` message of an utterance never waits, and a message longer than the whole lead waits only
        until everything before it is played.
        """
        limit_ms = DEFAULT_LEAD_MS if self._paused and self._lead_ms is None else self._lead_ms
        if first or limit_ms is None:
            return 0.0
        lead_ms = self.lead_ms
        over_ms = lead_ms + samples * 1000 / CONTENT_RATE_HZ - limit_ms
        wait_s = max(0.0, min(over_ms, lead_ms) / 1000)
        return math.inf if wait_s and self._paused else wait_s

    def pause(self) -> None:
        """Let the clock stand."""
        self._play()
        self._paused = True

    def go(self) -> None:
        """Let the clock run again."""
        self._play()
        self._paused = False

    def take_back(self, samples: int) -> None:
        """Count so many samples, sent and not played, as never sent."""
        self._play()
        self._sent -= samples
        self._played = min(self._played, float(self._sent))

    def cancel(self) -> None:
        """Forget the lead: what was sent will not be played."""
        self._at = self._clock()
        self._played = float(self._sent)

    def _play(self) -> None:
        """Move the estimated playhead to now."""
        now = self._clock()
        if not self._paused:
            self._played = min(float(self._sent), self._played + (now - self._at) * CONTENT_RATE_HZ)
        self._at = now
