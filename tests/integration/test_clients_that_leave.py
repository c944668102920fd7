"""Clients of the real voice that vanish, never read, or come and go: each is let go and leaves nothing."""

from __future__ import annotations

import asyncio
import os
import random
import select
import socket
import struct
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from models.catalog import HEART
from models.synthesizer import StudentSynthesizer
from pipeline.audio import CONTENT_RATE_HZ, FRAME_CONTENT_SAMPLES, FRAME_MS, ms_from_samples
from pipeline.engine import Engine
from pipeline.metrics import Metrics
from pipeline.speech import Chunk, SegmentRequest, SpeechState
from server.listener import Listener, ServerSettings
from server.protocol import (
    PATH,
    AudioMessage,
    Done,
    End,
    Start,
    Text,
    serialize_client,
    unpack_audio,
)
from server.speaker import GROUP
from tests.bench.first_packet import resident_mb
from tests.fakes import until
from tests.live import LiveServer, live_server
from tests.models.spoken import synthesizer
from tests.server.loopback import Client
from tests.server.test_leaks import ACTS, Act

LONG_TEXT = "This one goes on and on, and then on, until nobody listens any more. " * 70
LEAD_MS = 1000
CUT_OFF_WITHIN_MS = 30_000

ROUND = 50
AT_ONCE = 10
SLACK_MB = 20
"""What the allocators of three runtimes may keep beyond the first round."""


class WatchedSynthesizer:
    """The real voice; `begun` are the texts it was given, `steps` the text of each step, in order."""

    def __init__(self, voice: StudentSynthesizer) -> None:
        self.sample_rate, self.streams, self.max_batch = voice.sample_rate, voice.streams, voice.max_batch
        self.begun: list[str] = []
        self.steps: list[str] = []
        self._voice = voice
        self._texts: dict[int, str] = {}
        self._lock = threading.Lock()

    def begin(self, segment: SegmentRequest) -> SpeechState:
        """As the voice does."""
        self.begun.append(segment.text)
        self.steps.append(segment.text)
        state = self._voice.begin(segment)
        with self._lock:
            self._texts[id(state)] = segment.text
        return state

    def advance(self, states: Sequence[SpeechState]) -> list[Chunk]:
        """As the voice does."""
        with self._lock:
            self.steps += [self._texts[id(state)] for state in states]
        return self._voice.advance(states)


async def test_whoever_vanishes_in_mid_sentence_is_let_go_within_one_step_of_the_voice() -> None:
    voice, metrics = WatchedSynthesizer(synthesizer()), Metrics()
    async with (
        Engine({HEART.name: voice}, [HEART], metrics=metrics) as engine,
        Listener(engine, ServerSettings(port=0), metrics=metrics) as listener,
    ):
        address = f"ws://127.0.0.1:{listener.port}{PATH}"
        async with connect(address, compression=None) as socket:
            client = Client(socket)
            await client.send(Start(lead_ms=None), Text("a", LONG_TEXT))
            await client.until(AudioMessage)
            assert engine.open_utterances == 1
            socket.transport.abort()
            await until(lambda: not engine.open_utterances)
            let_go = len(voice.steps)
        async with connect(address, compression=None) as socket:
            client = Client(socket)
            await client.send(Text("b", "Hello."), End("b"))
            await client.until(Done)
        assert sum(text != "Hello." for text in voice.steps[let_go:]) <= 1
        assert sum(map(len, voice.begun)) < len(LONG_TEXT) / 2


@pytest.mark.skipif(not hasattr(select, "POLLRDHUP"), reason="the system does not tell of a close unread")
def test_whoever_never_reads_is_held_to_its_lead_and_cut_off(server: LiveServer) -> None:
    address = urlsplit(server.socket)
    with socket.create_connection((str(address.hostname), address.port or 0)) as deaf:
        began = time.monotonic()
        deaf.sendall(handshake(address.netloc))
        for message in (Start(lead_ms=LEAD_MS), Text("a", LONG_TEXT), End("a")):
            deaf.sendall(masked(serialize_client(message).encode()))
        closed = select.poll()
        closed.register(deaf, select.POLLRDHUP)
        assert closed.poll(CUT_OFF_WITHIN_MS)
        elapsed_ms = (time.monotonic() - began) * 1000
        sent = sum(len(message.packets) for message in audio(everything_from(deaf)))
    sent_ms = ms_from_samples(sent * FRAME_CONTENT_SAMPLES, CONTENT_RATE_HZ)
    assert LEAD_MS < sent_ms <= LEAD_MS + elapsed_ms + GROUP * FRAME_MS


def handshake(host: str) -> bytes:
    """Return a client's request for the stream."""
    return (
        f"GET {PATH} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def masked(text: bytes) -> bytes:
    """Return a client's text frame of up to 64 KiB, masked with zeros."""
    length = bytes([0x80 | len(text)]) if len(text) < 126 else struct.pack(">BH", 0x80 | 126, len(text))
    return b"\x81" + length + bytes(4) + text


def everything_from(closed: socket.socket) -> bytes:
    """Return what is left to read of a socket that the other side has closed."""
    data = b""
    with suppress(ConnectionResetError):
        while more := closed.recv(1 << 20):
            data += more
    return data


def audio(stream: bytes) -> Iterator[AudioMessage]:
    """Yield the audio messages in what a server sent, its answer to the handshake included."""
    at = stream.index(b"\r\n\r\n") + 4
    while at < len(stream):
        opcode, length = stream[at] & 0x0F, stream[at + 1]
        at += 2
        if length == 126:
            (length,) = struct.unpack_from(">H", stream, at)
            at += 2
        if opcode == 2:
            yield unpack_audio(stream[at : at + length])
        at += length


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="the system does not tell what a process holds"
)
async def test_50_clients_in_mixed_states_leave_the_server_as_large_as_50_before_them() -> None:
    chance = random.Random(2)
    with live_server() as server:
        await come_and_go(server, chance)
        before, rss_mb = held(server), resident_mb(server.process.pid)
        await come_and_go(server, chance)
        # The connection that told of it may take a moment longer.
        await until(lambda: all(now <= then for now, then in zip(held(server), before, strict=True)))
        assert rss_mb is not None
        assert (resident_mb(server.process.pid) or 0) - rss_mb < SLACK_MB


async def come_and_go(server: LiveServer, chance: random.Random) -> None:
    """Have a round of clients come and go, some at a time, in random states; return when all are gone."""
    for _ in range(0, ROUND, AT_ONCE):
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(one_client(server, chance.choice(ACTS), vanish=chance.random() < 0.5))
    while "utter_sessions 0.0" not in await asyncio.to_thread(metrics_of, server):
        pass


async def one_client(server: LiveServer, act: Act, *, vanish: bool) -> None:
    """Connect, act, and close or vanish."""
    with suppress(WebSocketException):
        async with connect(server.socket, compression=None) as client:
            await act(Client(client))
            if vanish:
                client.transport.abort()


def metrics_of(server: LiveServer) -> str:
    """Return what the server counts."""
    with urllib.request.urlopen(f"{server.page}/metrics") as response:
        return str(response.read().decode())


def held(server: LiveServer) -> tuple[int, int]:
    """Return how many threads and open files a server has."""
    process = Path(f"/proc/{server.process.pid}")
    return len(os.listdir(process / "task")), len(os.listdir(process / "fd"))
