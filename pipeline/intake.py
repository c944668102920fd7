"""An utterance's text on its way to be spoken: split a piece at a time, and waited for where its end is open.

Knows no voice and no audio: sentences leave through `speak`. Event loop only. Splitting costs about a
microsecond a character, in text made to be slow ten; a long text is therefore split in pieces, one a turn of
the loop, and what follows it waits its turn. What the timers wait for is said at `SETTLE_S` and the two after
it; they end with `stop`.
"""

from __future__ import annotations

import asyncio
import unicodedata
from collections import deque
from collections.abc import Callable
from functools import partial

from pipeline.splitter import Sentence, Splitter

PIECE = 128
"""Code points split in one turn of the loop: about a millisecond at worst."""

SETTLE_S = 0.060
"""No text for this long: a stop at the very end of the text does end its sentence."""

IDLE_S = 0.300
"""No text for this long: what is held back is spoken, unless it breaks off within a word or number."""

IDLE_IN_WORD_S = 2.0
"""No text for this long: what is held back is spoken even so."""


class Intake:
    """Takes text in and gives sentences on. Holds what is not spoken yet; its owner bounds the text."""

    def __init__(self, speak: Callable[[list[Sentence]], None]) -> None:
        self._speak = speak
        self._loop = asyncio.get_running_loop()
        self._splitter = Splitter()
        self._steps: deque[Callable[[], None]] = deque()
        self._turn: asyncio.Handle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._last_text_at = 0.0
        self.flushed = True
        """Whether all text so far is spoken, or will be before any other: no more of it is held back."""

    def push(self, text: str) -> None:
        """Take text, one character at least; the first piece of it at once if nothing waits."""
        self.flushed = False
        self._last_text_at = self._loop.time()
        self._queue(*(partial(self._split, text[at : at + PIECE]) for at in range(0, len(text), PIECE)))

    def flush(self, then: Callable[[], None] = lambda: None) -> None:
        """Speak all that came before and call `then`: at once if nothing waits."""
        self.flushed = True
        self._queue(partial(self._flush, then))

    def stop(self) -> None:
        """Drop what waits; nothing is spoken any more."""
        self._stop_timer()
        self._steps.clear()
        if self._turn is not None:
            self._turn.cancel()

    def _queue(self, *steps: Callable[[], None]) -> None:
        self._stop_timer()
        self._steps.extend(steps)
        if self._turn is None:
            self._take_turn()

    def _take_turn(self) -> None:
        self._turn = None
        self._steps.popleft()()
        if self._steps:
            self._turn = self._loop.call_soon(self._take_turn)

    def _split(self, text: str) -> None:
        self._pass_on(self._splitter.push(text))
        if not self._steps:
            self._wait(SETTLE_S, self._settle)

    def _flush(self, then: Callable[[], None]) -> None:
        self._pass_on(self._splitter.flush())
        then()

    def _pass_on(self, sentences: list[Sentence]) -> None:
        if sentences:
            self._speak(sentences)

    def _wait(self, quiet_s: float, then: Callable[[], None]) -> None:
        """Call `then` once no text has come for `quiet_s`, if something is held back."""
        self._stop_timer()
        if self._splitter.pending.strip():
            self._timer = self._loop.call_at(self._last_text_at + quiet_s, then)

    def _settle(self) -> None:
        self._pass_on(self._splitter.settle())
        self._wait(IDLE_S, self._idle)

    def _idle(self) -> None:
        if _ends_in_word(self._splitter.pending):
            self._wait(IDLE_IN_WORD_S, self.flush)
        else:
            self.flush()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _ends_in_word(text: str) -> bool:
    """Whether more of the same word or number may be on its way. Scripts without spaces never wait."""
    end = text[-1:]
    return end.isdigit() or (end.isalpha() and unicodedata.name(end, "").startswith("LATIN"))
