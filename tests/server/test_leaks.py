"""Clients that come and go in every state leave nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
import sys
import threading
from collections import Counter
from collections.abc import Awaitable, Callable

from websockets.exceptions import WebSocketException

from pipeline.job import Job
from pipeline.ring_buffer import RingBuffer
from pipeline.utterance import Utterance
from server.connection import Connection
from server.listener import ServerSettings
from server.protocol import (
    AudioMessage,
    Cancel,
    Done,
    End,
    Flush,
    Ping,
    Pong,
    Progress,
    Ready,
    Start,
    Text,
)
from server.session import Session, SessionLimits
from server.turns import Turn
from tests.fakes import until
from tests.server.loopback import Client, Loopback, serving

CONNECTIONS = 500
AT_ONCE = 25
LONG_TEXT = "This one goes on and on. " * 4
COUNTED = (Connection, Session, Turn, Utterance, Job, RingBuffer)
SLACK_BLOCKS = CONNECTIONS
"""Python objects that caches of the standard library may grow by: fewer than one a client."""

Act = Callable[[Client], Awaitable[None]]


async def says_nothing(client: Client) -> None:
    """Connect and leave."""


async def is_ready(client: Client) -> None:
    """Begin a session."""
    await client.send(Start())
    await client.until(Ready)


async def sends_text(client: Client) -> None:
    """Leave before anything could be said."""
    await client.send(Text("a", LONG_TEXT))


async def listens(client: Client) -> None:
    """Leave in mid-sentence."""
    await client.send(Text("a", LONG_TEXT), Flush("a"))
    await client.until(AudioMessage)
    await client.send(Progress("a", 960))


async def hears_all(client: Client) -> None:
    """Leave when one utterance is sent but not known to be heard, and the next has not ended."""
    await client.send(Start(lead_ms=None), Text("a", "Hello."), End("a"), Text("b", "And"))
    await client.until(Done)


async def queues(client: Client) -> None:
    """Leave with a full queue."""
    for number in range(17):
        await client.send(Text(str(number), "Hello."))
    await client.until(AudioMessage)


async def interrupts(client: Client) -> None:
    """Leave after a cancel, with late text behind it."""
    await client.send(Text("a", LONG_TEXT), Text("b", LONG_TEXT))
    await client.until(AudioMessage)
    await client.send(Cancel(), Text("a", "late"), Ping())
    await client.until(Pong)


async def breaks_the_protocol(client: Client) -> None:
    """Be thrown out in mid-sentence."""
    await client.send(Text("a", LONG_TEXT))
    await client.until(AudioMessage)
    await client.socket.send("{")
    await client.closed()


ACTS: tuple[Act, ...] = (
    says_nothing,
    is_ready,
    sends_text,
    listens,
    hears_all,
    queues,
    interrupts,
    breaks_the_protocol,
)


async def one_client(server: Loopback, act: Act, *, vanish: bool) -> None:
    """Connect, act, and close or vanish."""
    with contextlib.suppress(WebSocketException):
        async with server.client() as client:
            await act(client)
            if vanish:
                client.socket.transport.abort()


async def half_a_handshake(server: Loopback) -> None:
    """Connect, begin a handshake, and vanish."""
    _, writer = await asyncio.open_connection("127.0.0.1", server.listener.port)
    writer.write(b"GET /v1/stream HTTP/1.1\r\n")
    writer.transport.abort()


async def come_and_go(server: Loopback, count: int, chance: random.Random) -> None:
    """Have `count` clients come and go, some at a time, in a random order of states."""
    for _ in range(0, count, AT_ONCE):
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE - 1):
                act, vanish = chance.choice(ACTS), chance.random() < 0.5
                group.create_task(one_client(server, act, vanish=vanish))
            group.create_task(half_a_handshake(server))
    await until(lambda: not server.listener.connections and not server.engine.open_utterances)


def alive() -> Counter[str]:
    """Count what must be gone when no client is there."""
    gc.collect()
    # By their types: some libraries' objects warn when asked for their class.
    return Counter(type(thing).__name__ for thing in gc.get_objects() if issubclass(type(thing), COUNTED))


def allocated_blocks(server: Loopback) -> int:
    """Return the pieces of memory in use, without what the fake synthesizer keeps for the test.

    Not resident memory, which holds what an allocator keeps of what was freed.
    """
    server.synthesizer.begun.clear()
    server.synthesizer.steps.clear()
    gc.collect()
    return sys.getallocatedblocks()


def server_tasks() -> list[asyncio.Task[object]]:
    """Return the tasks running beside this one."""
    return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]


async def test_500_clients_in_mixed_states_leave_nothing_behind() -> None:
    chance = random.Random(1)
    no_resume = ServerSettings(port=0, limits=SessionLimits(resume_window_s=0))
    async with serving(settings=no_resume) as server:
        await come_and_go(server, CONNECTIONS // 2, chance)
        before = (set(threading.enumerate()), len(server_tasks()), allocated_blocks(server))
        await come_and_go(server, CONNECTIONS, chance)
        await until(lambda: len(server_tasks()) <= before[1])
        # A worker may still be in the step of somebody who has left.
        await until(lambda: alive() == Counter())
        assert set(threading.enumerate()) == before[0]
        assert allocated_blocks(server) - before[2] < SLACK_BLOCKS
        assert b"utter_sessions 0.0" in server.metrics.exposition()
    assert not server_tasks()
