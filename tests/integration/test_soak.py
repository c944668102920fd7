"""2,000 utterances of the real voice, cut, cancelled and resumed at random, leave nothing behind.

Server and clients share this process: what a client holds counts too.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise

import pytest

from models.catalog import HEART
from pipeline.engine import Engine
from pipeline.metrics import Metrics
from server.history import History
from server.listener import Listener, ServerSettings
from server.outbox import Outbox
from server.protocol import PATH, AudioMessage, Cancel, End, Progress, Text
from server.session import SessionLimits
from tests.bench.first_packet import resident_mb
from tests.bench.playback import lost_and_repeated
from tests.bench.talker import Talker
from tests.fakes import until
from tests.models.spoken import sentences, synthesizer
from tests.server.hearing import AWKWARD_TEXTS
from tests.server.test_leaks import COUNTED

UTTERANCES = 2_000
BEFORE = 200
"""Utterances after which memory is first looked at."""

CLIENTS = 4
SPEECHES = 8
"""What a session does before it ends."""

PACED_MS = 5_000
SHORT = 60
"""Code points of the longest text that is said within a lead: longer ones would be waited for."""

MOST_GROWTH = 1.05
WINDOW_S = 5.0

HELD = (*COUNTED, History, Outbox, AudioMessage)


async def say_in_pieces(talker: Talker, name: str, text: str, chance: random.Random) -> None:
    """Say a text cut anywhere."""
    at = sorted({0, len(text), *chance.choices(range(len(text) + 1), k=4)})
    await talker.send(*(Text(name, text[a:b]) for a, b in pairwise(at)), End(name))


async def some_packets(talker: Talker, name: str, chance: random.Random) -> None:
    """Wait for a random number of packets, or for all there are."""
    wanted, heard = chance.randrange(1, 60), talker.heard[name]
    await talker.until(lambda: len(heard.arrivals) >= wanted or heard.is_over)


async def hear_all(talker: Talker, name: str) -> None:
    """Wait for the end, check that nothing is missing, and say that it was heard."""
    heard = await talker.over(name)
    assert heard.done is not None
    assert lost_and_repeated([at for _, _, at in heard.arrivals]) == (0, 0)
    await talker.send(Progress(name, heard.done.samples))


async def is_cut(talker: Talker, name: str) -> None:
    """Wait until a cancel is answered, unless all had been heard, and check both parts of the text."""
    heard = await talker.over(name)
    if heard.cancelled is not None:
        assert heard.cancelled.text_spoken + heard.cancelled.text_remaining == heard.text


async def listens(talker: Talker, name: str, text: str, chance: random.Random) -> None:
    await say_in_pieces(talker, name, text, chance)
    await hear_all(talker, name)


async def interrupts(talker: Talker, name: str, text: str, chance: random.Random) -> None:
    await say_in_pieces(talker, name, text, chance)
    await some_packets(talker, name, chance)
    await talker.send(Cancel(name, chance.choice([None, 0, 20_000, 10**6])))
    await is_cut(talker, name)


async def gives_up(talker: Talker, name: str, text: str, chance: random.Random) -> None:
    await say_in_pieces(talker, name, text, chance)
    await talker.send(Cancel(name))
    await is_cut(talker, name)


async def stops_everything(talker: Talker, name: str, text: str, chance: random.Random) -> None:
    await say_in_pieces(talker, name, text, chance)
    await talker.say(f"{name}, queued", text)
    await some_packets(talker, name, chance)
    await talker.send(Cancel(played=chance.randrange(50_000), playing=name))
    await is_cut(talker, name)
    await is_cut(talker, f"{name}, queued")


async def loses_its_line(talker: Talker, name: str, text: str, chance: random.Random) -> None:
    await say_in_pieces(talker, name, text, chance)
    await some_packets(talker, name, chance)
    talker.lose(reset=chance.random() < 0.5)
    await talker.resume()
    await hear_all(talker, name)


async def loses_its_line_and_interest(talker: Talker, name: str, text: str, chance: random.Random) -> None:
    await say_in_pieces(talker, name, text, chance)
    await some_packets(talker, name, chance)
    talker.lose(reset=chance.random() < 0.5)
    await talker.resume(name)
    await is_cut(talker, name)


Speech = Callable[[Talker, str, str, random.Random], Awaitable[None]]
SPEECH: Sequence[Speech] = (
    listens,
    listens,
    interrupts,
    interrupts,
    gives_up,
    stops_everything,
    loses_its_line,
    loses_its_line_and_interest,
)


class Crowd:
    """Clients that speak until `said` utterances are enough."""

    def __init__(self, address: str, chance: random.Random) -> None:
        self.said = 0
        self.heard = 0
        self._address = address
        self._chance = chance

    async def speak(self, utterances: int) -> None:
        """Speak so many in all, several clients at a time, each session a few of them."""
        async with asyncio.TaskGroup() as group:
            for _ in range(CLIENTS):
                group.create_task(self._speak_until(utterances))

    async def _speak_until(self, utterances: int) -> None:
        while self.said < utterances:
            lead_ms = self._chance.choice([None, PACED_MS])
            async with Talker(self._address, lead_ms=lead_ms) as talker:
                for number in range(SPEECHES):
                    speech = self._chance.choice(SPEECH)
                    await speech(talker, str(number), self._text(lead_ms), self._chance)
                self.said += len(talker.heard)
                self.heard += sum(one.is_whole for one in talker.heard.values())
                if self._chance.random() < 0.3:
                    talker.lose(reset=True)

    def _text(self, lead_ms: float | None) -> str:
        texts = (*sentences(), *AWKWARD_TEXTS)
        return self._chance.choice([text for text in texts if lead_ms is None or len(text) < SHORT])


async def settled(listener: Listener, engine: Engine, tasks: int) -> float:
    """Wait until every session has ended, check that nothing is left of any, and return resident MB."""
    await until(lambda: not listener.sessions and not listener.connections and not engine.open_utterances)
    # Connections may take a moment longer to go, and a worker may be in the step of somebody who has left.
    await until(lambda: len(asyncio.all_tasks()) <= tasks)
    await until(lambda: not held())
    return resident_mb(os.getpid()) or 0.0


def held() -> Counter[str]:
    """Count what must be gone when no session is there."""
    gc.collect()
    # By their types: some libraries' objects warn when asked for their class.
    return Counter(type(thing).__name__ for thing in gc.get_objects() if issubclass(type(thing), HELD))


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_2000_utterances_in_every_manner_leave_the_server_as_it_was_after_200() -> None:
    metrics, chance = Metrics(), random.Random(3)
    settings = ServerSettings(port=0, limits=SessionLimits(resume_window_s=WINDOW_S))
    async with (
        Engine({HEART.name: synthesizer()}, [HEART], metrics=metrics) as engine,
        Listener(engine, settings, metrics=metrics) as listener,
    ):
        tasks, threads = len(asyncio.all_tasks()), set(threading.enumerate())
        crowd = Crowd(f"ws://127.0.0.1:{listener.port}{PATH}", chance)
        await crowd.speak(BEFORE)
        before_mb = await settled(listener, engine, tasks)
        await crowd.speak(UTTERANCES)
        after_mb = await settled(listener, engine, tasks)
        assert crowd.heard > UTTERANCES / 4
        assert set(threading.enumerate()) == threads
        assert b"utter_sessions 0.0" in metrics.exposition()
        print(f"{crowd.said} utterances: {before_mb} MB after {BEFORE}, {after_mb} MB at the end")
        assert after_mb <= before_mb * MOST_GROWTH
