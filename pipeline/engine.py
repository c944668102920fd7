"""Everything between text and packets, behind one door: opens utterances, drains, stops.

Knows no socket and no model, only synthesizers. Belongs to the event loop it was entered on; its threads are
`synthesis`'s, and end when it is left.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from pipeline.intake import IDLE_S
from pipeline.messages import UtteranceOptions
from pipeline.metrics import Metrics
from pipeline.speech import Draining, Overloaded, Synthesizer, UnknownVoice, Voice
from pipeline.synthesis import Synthesis
from pipeline.text.lexicon import Lexicon
from pipeline.utterance import Utterance

OVERLOADED_RETRY_MS = 1_000


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """Bounds of an engine: open utterances (`Overloaded` beyond), code points in one (`TextTooLong`)."""

    utterances: int = 1_000
    text: int = 5_000


class Engine:
    """Opens utterances on a set of voices while it is entered (`async with`).

    Text that stops in mid-sentence is spoken after `idle_s`, never if that is 0: `intake` says how exactly.
    """

    def __init__(
        self,
        synthesizers: Mapping[str, Synthesizer],
        voices: Sequence[Voice],
        *,
        workers: int = 1,
        limits: EngineLimits = EngineLimits(),
        idle_s: float = IDLE_S,
        lexicons: tuple[Lexicon, ...] = (),
        metrics: Metrics | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        assert voices, "an engine needs a voice"
        assert all(voice.name in synthesizers for voice in voices)
        self.voices = voices
        self.limits = limits
        self._idle_s = idle_s
        self._lexicons = lexicons
        self._names = frozenset(voice.name for voice in voices)
        self._metrics = metrics or Metrics()
        self._clock = clock
        self._numbers = itertools.count(1)
        self._open: set[Utterance] = set()
        self._none_open = asyncio.Event()
        self._none_open.set()
        self._accepting = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._threads_ended = asyncio.Semaphore(0)
        self._threads = 0
        self._synthesis = Synthesis(
            synthesizers,
            workers=workers,
            post=self._post,
            thread_ended=self._threads_ended.release,
            clock=clock,
            metrics=self._metrics,
        )

    async def __aenter__(self) -> Self:
        """Start the threads."""
        self._loop = asyncio.get_running_loop()
        self._threads = self._synthesis.start()
        self._accepting = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Cancel what is open and end the threads, each after the step it is in."""
        self._accepting = False
        self._cancel_all()
        self._synthesis.stop()
        for _ in range(self._threads):
            await self._threads_ended.acquire()
        self._synthesis.join()

    @property
    def default_voice(self) -> str:
        """Name of the voice that speaks when none is asked for: the first."""
        return self.voices[0].name

    @property
    def ready(self) -> bool:
        """True while utterances can be opened."""
        return self._accepting

    @property
    def open_utterances(self) -> int:
        """Utterances whose end has neither been taken nor brought about by `cancel`."""
        return len(self._open)

    def open(self, options: UtteranceOptions) -> Utterance:
        """Begin an utterance. Whoever opens it takes its messages to the end or cancels it.

        Raises:
            UnknownVoice: no such voice.
            Overloaded: as many utterances are open as the limits allow.
            Draining: the engine is about to stop.
        """
        if not self._accepting:
            raise Draining
        if options.voice not in self._names:
            raise UnknownVoice(options.voice, sorted(self._names))
        if len(self._open) >= self.limits.utterances:
            raise Overloaded(OVERLOADED_RETRY_MS)
        utterance = Utterance(
            next(self._numbers),
            options,
            synthesis=self._synthesis,
            voices=self._names,
            text_limit=self.limits.text,
            idle_s=self._idle_s,
            lexicons=self._lexicons,
            clock=self._clock,
            post=self._post,
            ended=self._ended,
        )
        self._open.add(utterance)
        self._none_open.clear()
        return utterance

    async def drain(self, grace_s: float) -> None:
        """Open nothing new, wait until what is open has ended, and after `grace_s` cancel the rest."""
        self._accepting = False
        try:
            async with asyncio.timeout(grace_s):
                await self._none_open.wait()
        except TimeoutError:
            self._cancel_all()

    def _cancel_all(self) -> None:
        for utterance in list(self._open):
            utterance.cancel()

    def _ended(self, utterance: Utterance, outcome: str) -> None:
        self._open.discard(utterance)
        self._metrics.utterance_ended(outcome)
        if not self._open:
            self._none_open.set()

    def _post(self, callback: Callable[..., object], /, *args: object) -> None:
        """Run `callback` on the loop, soon. A loop that is closed has nobody left to tell."""
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(callback, *args)
        except RuntimeError:
            if not self._loop.is_closed():
                raise
