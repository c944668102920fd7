"""An engine whose utterances say what a test tells them to, and a client that reads a session's messages."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, cast

from pipeline.audio import FRAME_CONTENT_SAMPLES
from pipeline.engine import Engine, EngineLimits
from pipeline.messages import (
    AudioPackets,
    Cut,
    Failed,
    Finished,
    FinishReason,
    Message,
    Timings,
    UtteranceOptions,
)
from pipeline.metrics import Metrics
from pipeline.speech import TextTooLong, UnknownVoice, UtteranceEnded, UtterError, Voice
from server.protocol import (
    AudioMessage,
    ClientMessage,
    End,
    ServerMessage,
    Text,
    parse_server,
    unpack_audio,
)
from server.session import Session, SessionLimits
from tests.fakes import FakeClock, pass_time, run_on_fake_time

DEFAULT_LIMITS = SessionLimits()


class FakeUtterance:
    """Says what `say`, `tell` and `finish` put in; records what the session does with it."""

    pre_skip = 312

    def __init__(self, options: UtteranceOptions, limit: int) -> None:
        self.options = options
        self.text = ""
        self.settings: list[dict[str, Any]] = []
        self.flushed = 0
        self.ended: FinishReason | None = None
        self.cancelled: list[int | None] = []
        self.audio_end: float | None = None
        self.asked: list[tuple[int, int]] = []
        self._limit = limit
        self._said: deque[bytes | Message] = deque()
        self._packets = 0
        self._taken = 0
        self._over = False
        self._news = asyncio.Event()

    def say(self, packets: int) -> None:
        """Have this many more packets ready."""
        self._said.extend(
            b"\x01" + index.to_bytes(2) for index in range(self._packets, self._packets + packets)
        )
        self._packets += packets
        self._news.set()

    def tell(self, message: Message) -> None:
        """Have a message ready behind what was said."""
        self._said.append(message)
        self._news.set()

    def finish(self, samples: int | None = None) -> None:
        """Be complete: all packets are content unless `samples` says otherwise."""
        exact = self._packets * FRAME_CONTENT_SAMPLES if samples is None else samples
        reason = self.ended or FinishReason.COMPLETE
        timings = Timings(
            split=0.001, queue=0.002, begin=0.003, first_chunk=0.004, encode=0.0005, handover=0.0
        )
        self.tell(Finished(exact, reason, timings))

    @property
    def is_ending(self) -> bool:
        """Whether it was told to finish or fail, or is over."""
        return self._over or any(isinstance(item, Finished | Failed) for item in self._said)

    def push_text(self, text: str, **settings: Any) -> None:
        if self.ended is not None or self._over:
            raise UtteranceEnded
        if len(self.text) + len(text) > self._limit:
            raise TextTooLong(len(self.text) + len(text), self._limit)
        self.text += text
        self.settings.append(settings)

    def flush(self) -> None:
        self.flushed += 1

    def end_input(self, reason: FinishReason = FinishReason.COMPLETE) -> None:
        self.ended = self.ended or reason

    def drop_half(self) -> None:
        """Nothing here cuts characters in two."""

    def set_audio_end(self, at: float) -> None:
        self.audio_end = at

    def cancel(self, played: int | None = None) -> Cut:
        self.cancelled.append(played)
        self._over = True
        self._news.set()
        half = len(self.text) // 2 if played else 0
        return Cut(self.text[:half], self.text[half:])

    async def next_message(self, *, least: int = 1, most: int = 5) -> Message | None:
        self.asked.append((least, most))
        while not self._over:
            packets = self._leading_packets()[:most]
            if packets and (len(packets) >= least or len(self._said) > len(packets)):
                return self._take(packets)
            if self._said and not packets:
                head = self._said.popleft()
                assert not isinstance(head, bytes)
                self._over = isinstance(head, Finished | Failed)
                return head
            self._news.clear()
            await self._news.wait()
        return None

    def _leading_packets(self) -> list[bytes]:
        packets = []
        for item in self._said:
            if not isinstance(item, bytes):
                break
            packets.append(item)
        return packets

    def _take(self, packets: list[bytes]) -> AudioPackets:
        for _ in packets:
            self._said.popleft()
        first, self._taken = self._taken, self._taken + len(packets)
        last = bool(self._said) and isinstance(self._said[0], Finished)
        return AudioPackets(tuple(packets), first * FRAME_CONTENT_SAMPLES, first == 0, last)


class FakeEngine:
    """Opens fake utterances; `refuse` makes the next `open` raise."""

    default_voice = "heart"
    voices = tuple(Voice(name, "en", "", "", "") for name in ("heart", "other"))
    limits = EngineLimits(text=100)

    def __init__(self) -> None:
        self.opened: list[FakeUtterance] = []
        self.refuse: UtterError | None = None

    def open(self, options: UtteranceOptions) -> FakeUtterance:
        if self.refuse is not None:
            raise self.refuse
        if options.voice not in ("heart", "other"):
            raise UnknownVoice(options.voice, ["heart", "other"])
        self.opened.append(FakeUtterance(options, self.limits.text))
        return self.opened[-1]


class Client:
    """A session with a client that reads everything at once, unless told to stop reading."""

    def __init__(self, clock: FakeClock, limits: SessionLimits = DEFAULT_LIMITS) -> None:
        self.clock = clock
        self.engine = FakeEngine()
        self.metrics = Metrics()
        self.session = Session(cast(Engine, self.engine), limits, metrics=self.metrics, clock=clock)
        self.outbox = self.session.attach()
        self.heard: list[ServerMessage | AudioMessage] = []
        self.reading = asyncio.Event()
        self.reading.set()

    async def settle(self) -> None:
        """Let everything that can happen without time passing happen."""
        heard = -1
        while heard != len(self.heard):
            heard = len(self.heard)
            for _ in range(20):
                await asyncio.sleep(0)

    async def pass_time(self, seconds: float) -> None:
        """Move the clock on, and let everybody run."""
        await pass_time(self.clock, seconds)
        await self.settle()

    async def send(self, *messages: ClientMessage) -> None:
        """Have the session receive messages, one after the other, and let everybody run."""
        for message in messages:
            self.session.receive(message)
        await self.settle()

    async def speak(self, name: str, text: str, *, packets: int = 0, finish: bool = True) -> FakeUtterance:
        """Open an utterance, end its text, and have it say something."""
        await self.send(Text(name, text), End(name))
        utterance = self.engine.opened[-1]
        if packets:
            utterance.say(packets)
        if finish:
            utterance.finish()
        await self.settle()
        return utterance

    def take(self) -> list[ServerMessage | AudioMessage]:
        """Return what was heard since the last call."""
        heard, self.heard = self.heard, []
        return heard

    def audio(self) -> list[AudioMessage]:
        """Return all audio heard since the last `take`."""
        return [message for message in self.heard if isinstance(message, AudioMessage)]

    async def read(self) -> None:
        """Read until cancelled, while `reading` is set."""
        while True:
            data = await self.session.next_message(self.outbox)
            self.heard.append(unpack_audio(data) if isinstance(data, bytes) else parse_server(data))
            await self.reading.wait()

    async def run(self, script: Callable[[Client], Coroutine[Any, Any, None]]) -> None:
        """Run `script` while the session speaks."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self.session.speak()), group.create_task(self.read())]
            await script(self)
            self.session.close()
            for task in tasks:
                task.cancel()


def with_client(
    script: Callable[[Client], Coroutine[Any, Any, None]], limits: SessionLimits = DEFAULT_LIMITS
) -> None:
    """Run `script(client)` on fake time."""

    async def main(clock: FakeClock) -> None:
        await Client(clock, limits).run(script)

    run_on_fake_time(main)
