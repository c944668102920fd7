"""An utterance's text on its way to be spoken: split a piece at a time, and waited for where its end is open.

Knows no voice and no audio: sentences leave through `speak`, with what has come of the next one. Event loop
only. Splitting costs about a microsecond a character, in text made to be slow ten; a long text is therefore
split in pieces, one a turn of the loop, and what follows it waits its turn. What the timers wait for is said
at `SETTLE_S` and the two after it; they end with `stop`. One that fires gives way to messages that are in the
socket already.
"""

from __future__ import annotations

import asyncio
import unicodedata
from collections import deque
from collections.abc import Callable
from functools import partial

from pipeline.splitter import Sentence, Splitter, Unfinished
from pipeline.text.surrogates import ends_in_half

PIECE = 128
"""Code points split in one turn of the loop: about a millisecond at worst."""

SETTLE_S = 0.060
"""No text for this long: a stop at the very end of the text does end its sentence."""

IDLE_S = 0.300
"""No text for this long, unless told otherwise: what is held back is spoken, but not if it breaks off within
a word or number."""

IDLE_IN_WORD_S = 2.0
"""No text for this long: what is held back is spoken even so, and so is a link that is still open."""

GIVE_WAY_TURNS = 3
"""Turns of the loop in which a message gets here from the socket: one to be read, one for the task that waits
for it, and one because a loop may look at its timers before its sockets."""


class Intake:
    """Takes text in and gives sentences on. Holds what is not spoken yet; its owner bounds the text.

    `speak` gets the sentences that are new, none perhaps, and what has come of the next one. With `idle_s` 0
    text that stops in mid-sentence waits for more without limit.
    """

    def __init__(
        self,
        speak: Callable[[list[Sentence], Unfinished | None], None],
        *,
        idle_s: float = IDLE_S,
        plain: bool = False,
    ) -> None:
        """Begin with nothing. Event loop running; in `plain` text nothing is markup."""
        self._speak = speak
        self._idle_s = idle_s
        self._loop = asyncio.get_running_loop()
        self._splitter = Splitter(plain=plain)
        self._steps: deque[Callable[[], None]] = deque()
        self._turn: asyncio.Handle | None = None
        self._timer: asyncio.Handle | None = None
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

    def drop_half(self) -> None:
        """Forget half a surrogate pair at the very end of the text: its sender will send it whole."""
        self._queue(self._drop_half)

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
        self._speak(self._splitter.push(text), self._splitter.unfinished())
        if not self._steps:
            self._wait(SETTLE_S, self._settle)

    def _drop_half(self) -> None:
        self._splitter.drop_half()
        if not self._steps:
            self._wait(SETTLE_S, self._settle)

    def _flush(self, then: Callable[[], None]) -> None:
        self._speak(self._splitter.flush(), None)
        then()

    def _wait(self, quiet_s: float, then: Callable[[], None]) -> None:
        """Call `then` once no text has come for `quiet_s`, if something is held back."""
        self._stop_timer()
        if self._splitter.pending.strip():
            moment = self._last_text_at + quiet_s
            self._timer = self._loop.call_at(moment, self._give_way, GIVE_WAY_TURNS, then)

    def _give_way(self, turns: int, then: Callable[[], None]) -> None:
        """Call `then` some turns of the loop later. Text that comes meanwhile stops it, like any timer."""
        if turns:
            self._timer = self._loop.call_soon(self._give_way, turns - 1, then)
        else:
            self._timer = None
            then()

    def _settle(self) -> None:
        self._speak(self._splitter.settle(), self._splitter.unfinished(quiet=True))
        if self._idle_s:
            self._wait(self._idle_s, self._idle)

    def _idle(self) -> None:
        if self._splitter.pending_markup or _ends_in_word(self._splitter.pending):
            self._wait(max(self._idle_s, IDLE_IN_WORD_S), self._rest)
        else:
            self._rest()

    def _rest(self) -> None:
        self._speak(self._splitter.rest(), None)
        self.flushed = not self._splitter.pending

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _ends_in_word(text: str) -> bool:
    """Whether more of the same word, number or character may be on its way. Han and kana never wait."""
    end = text[-1:]
    return (
        ends_in_half(text)
        or end.isdigit()
        or (end.isalpha() and unicodedata.name(end, "").startswith("LATIN"))
    )
