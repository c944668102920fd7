"""Looks again later: at an unfinished sentence, whose turn comes as the listener's sound runs out.

Knows neither sound nor text; whoever looks says when to look next. Event loop only; at most one timer, which
ends with `stop`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

SHORTEST_WAIT_S = 0.005
"""Timers may be a little early; without a wait, looking again at once would keep the loop busy."""


class Lookout:
    """Calls `look` at the moments it asks for, on `clock`, in seconds; None asks for no more."""

    def __init__(self, look: Callable[[], float | None], clock: Callable[[], float]) -> None:
        self._look = look
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def look_at(self, moment: float | None) -> None:
        """Look at that moment and not at any other that was asked for before."""
        self.stop()
        if moment is not None:
            wait_s = max(SHORTEST_WAIT_S, moment - self._clock())
            self._timer = self._loop.call_later(wait_s, self.look)

    def look(self) -> None:
        """Look now, and then when that asks for it."""
        self.look_at(self._look())

    def look_if_waiting(self) -> None:
        """Look now if a later moment is waited for: it may have become an earlier one."""
        if self._timer is not None:
            self.look()

    def stop(self) -> None:
        """Wait for no moment any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
