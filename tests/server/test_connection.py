"""Clients that behave, misbehave, vanish and never read, over real sockets on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import socket
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

import server.connection
from pipeline.audio import int16_from_float
from pipeline.messages import UtteranceOptions
from server.connection import BURST_MESSAGES, MESSAGES_PER_S, TokenBucket
from server.listener import ServerSettings
from server.protocol import (
    AudioFlags,
    AudioMessage,
    Cancel,
    Cancelled,
    CloseCode,
    Done,
    End,
    ErrorMessage,
    Ping,
    Pong,
    Progress,
    Ready,
    Segment,
    Start,
    Started,
    StreamFormat,
    Text,
    serialize_client,
)
from server.session import SessionLimits
from tests.fakes import FakeClock, FakeSynthesizer, Gate, fake_pcm, until
from tests.server.loopback import PATIENCE_S, serving

ABNORMAL_CLOSURE = 1006
"""What a client sees of a socket that was cut off."""

NO_RESUME = ServerSettings(port=0, limits=SessionLimits(resume_window_s=0))
"""A session ends with its connection, whatever that ends with."""

LONG_TEXT = "This one goes on and on. " * 40


async def test_what_was_synthesized_arrives_sample_for_sample() -> None:
    async with serving() as server, server.client() as client:
        await client.send(Start(format=StreamFormat.PCM), Text("u", "Hello there."), End("u"))
        done, messages = await client.until(Done)
        ready, started, segment, *audio = messages
        assert isinstance(ready, Ready)
        assert isinstance(started, Started)
        assert (started.ordinal, started.pre_skip) == (0, 0)
        assert isinstance(segment, Segment)
        assert [word.text for word in segment.words] == ["Hello", "there"]
        packets = (message.packets for message in audio if isinstance(message, AudioMessage))
        played = np.frombuffer(b"".join(itertools.chain(*packets)), "<i2")
        expected = int16_from_float(fake_pcm("Hello there.", server.synthesizer.length("Hello there.")))
        assert done.samples == 2 * len(expected)
        np.testing.assert_array_equal(played[: len(expected)], expected)
        assert not played[len(expected) :].any()


async def test_audio_messages_number_every_packet_once() -> None:
    async with serving() as server, server.client() as client:
        await client.send(Start(lead_ms=None), Text("a", "Hello there."), End("a"), Text("b", "And again."))
        await client.send(End("b"))
        _, first = await client.until(Done)
        _, second = await client.until(Done)
        audio = [message for message in first + second if isinstance(message, AudioMessage)]
        sequence = [message.sequence + k for message in audio for k in range(len(message.packets))]
        assert sequence == list(range(len(sequence)))
        for ordinal in (0, 1):
            mine = [message for message in audio if message.ordinal == ordinal]
            times = [message.timestamp + 960 * k for message in mine for k in range(len(message.packets))]
            assert times == [960 * k for k in range(len(times))]
            assert AudioFlags.FIRST in mine[0].flags
            assert AudioFlags.LAST in mine[-1].flags
            assert len(mine[0].packets) == 1


async def test_done_tells_the_time_spent_in_every_station() -> None:
    async with serving() as server, server.client() as client:
        await client.send(Text("u", "Hello there."), End("u"))
        done, _ = await client.until(Done)
        timings = done.timings
        stations = (timings.split, timings.queue, timings.begin, timings.first_chunk, timings.encode)
        assert None not in (*stations, timings.handover, timings.ttfb, timings.synthesis)
        assert timings.ttfb is not None
        assert timings.ttfb >= sum(station or 0.0 for station in stations) - 0.01
        assert timings.audio == pytest.approx(done.samples / 48)


async def test_a_cancelled_utterance_sends_nothing_more_and_the_next_is_spoken() -> None:
    async with serving() as server, server.client() as client:
        await client.send(Text("a", LONG_TEXT), Text("b", "Hello there."), End("b"))
        await client.until(AudioMessage)
        await client.send(Cancel("a", played=960))
        cancelled, _ = await client.until(Cancelled)
        assert cancelled.text_spoken + cancelled.text_remaining == LONG_TEXT
        done, messages = await client.until(Done)
        assert done.utterance == "b"
        assert {message.ordinal for message in messages if isinstance(message, AudioMessage)} == {1}


async def test_a_client_is_held_to_its_lead() -> None:
    async with serving() as server, server.client() as client:
        await client.send(Start(lead_ms=1000), Text("u", LONG_TEXT), End("u"))
        packets = 0
        while packets < 40:
            audio, _ = await client.until(AudioMessage)
            packets += len(audio.packets)
            await client.send(Progress("u", 0))
        await client.send(Ping())
        _, messages = await client.until(Pong)
        packets += sum(len(message.packets) for message in messages if isinstance(message, AudioMessage))
        assert packets <= 50


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("{", CloseCode.INVALID_DATA),
        ('{"type":"ping","x":NaN}', CloseCode.INVALID_DATA),
        ('{"type":"ping","x":' + "[" * 20_000 + "]" * 20_000 + "}", CloseCode.INVALID_DATA),
        (b"\x01\x02", CloseCode.UNSUPPORTED_DATA),
        ('{"type":"text","utterance":"u","text":"' + "x" * 65_536 + '"}', CloseCode.TOO_BIG),
    ],
    ids=["malformed", "NaN", "deep", "binary", "too big"],
)
async def test_what_breaks_the_protocol_closes_the_socket_with_its_code(data: Any, code: CloseCode) -> None:
    async with serving() as server, server.client() as client:
        await client.send(Text("u", LONG_TEXT))
        await client.until(AudioMessage)
        await client.socket.send(data)
        assert (await client.closed())[0] == code
        await until(lambda: not server.listener.connections)
        assert not server.engine.open_utterances


async def test_text_that_is_not_utf_8_closes_with_1007() -> None:
    async with serving() as server, server.client() as client:
        await client.socket.send(b'{"type":"ping\xff"}', text=True)
        assert (await client.closed())[0] == CloseCode.INVALID_DATA


async def test_unknown_types_and_wrong_fields_are_answered_and_the_socket_stays() -> None:
    async with serving() as server, server.client() as client:
        for text in ('{"type":"dance"}', '{"type":"text","utterance":"u"}', '{"type":"text","utterance":7}'):
            await client.socket.send(text)
        await client.send(Ping())
        _, messages = await client.until(Pong)
        errors = [(m.code, m.utterance) for m in messages if isinstance(m, ErrorMessage)]
        assert errors == [("unknown-type", None), ("invalid-message", "u"), ("invalid-message", None)]


async def test_a_flood_closes_with_1008_and_a_burst_within_the_limit_does_not() -> None:
    async with serving() as server, server.client() as client:
        await client.send(*[Ping()] * BURST_MESSAGES)
        for _ in range(BURST_MESSAGES):
            await client.until(Pong)
        closed = asyncio.create_task(client.closed())
        with contextlib.suppress(ConnectionClosed):
            while True:
                await client.send(*[Ping()] * 100)
                await asyncio.sleep(0)
        assert await closed == (CloseCode.FLOOD, "too many messages")


async def test_a_flood_of_pings_is_cut_off_and_a_burst_within_the_limit_is_not() -> None:
    async with serving() as server, server.client() as client, server.client() as other:
        pongs = [await client.socket.ping() for _ in range(BURST_MESSAGES)]
        await asyncio.wait_for(asyncio.gather(*pongs), PATIENCE_S)
        with contextlib.suppress(ConnectionClosed):
            while True:
                await client.socket.ping()
                await asyncio.sleep(0)
        assert client.socket.close_code == ABNORMAL_CLOSURE
        await other.send(Ping())
        await other.until(Pong)


async def test_a_message_in_more_fragments_than_are_allowed_is_cut_off() -> None:
    async with serving() as server, server.client() as client:

        async def fragments() -> AsyncIterator[str]:
            while True:
                yield ""
                await asyncio.sleep(0)

        with pytest.raises(ConnectionClosed):
            await client.socket.send(fragments())
        assert client.socket.close_code == ABNORMAL_CLOSURE


def test_the_bucket_lets_a_burst_through_and_then_its_rate() -> None:
    clock = FakeClock()
    bucket = TokenBucket(BURST_MESSAGES, MESSAGES_PER_S, clock)
    assert all(bucket.take() for _ in range(BURST_MESSAGES))
    assert not bucket.take()
    clock.advance(0.5)
    assert [bucket.take() for _ in range(101)] == [True] * 100 + [False]
    clock.advance(3600)
    assert sum(bucket.take() for _ in range(2 * BURST_MESSAGES)) == BURST_MESSAGES


async def test_a_client_that_vanishes_in_mid_sentence_is_let_go_within_one_chunk() -> None:
    gate = Gate()
    synthesizer = FakeSynthesizer(before_advance=gate.wait)
    async with serving(synthesizer=synthesizer) as server:
        async with server.client() as client:
            await client.send(Text("u", LONG_TEXT))
            await gate.arrived()
            client.socket.transport.abort()
            await until(lambda: not server.engine.open_utterances)
        await until(lambda: not server.listener.connections)
        gate.open()
        # Another client's text is the next thing that the worker does.
        async with server.client() as other:
            await other.send(Text("v", "Hello."), End("v"))
            await gate.arrived()
            gate.open(100)
            await other.until(Done)
        assert [texts[0] for texts in synthesizer.steps[:2]] == [synthesizer.begun[0].text, "Hello."]


async def test_a_client_that_closes_normally_is_let_go() -> None:
    async with serving() as server:
        async with server.client() as client:
            await client.send(Text("u", LONG_TEXT))
            await client.until(AudioMessage)
        await until(lambda: not server.listener.connections)
        assert not server.engine.open_utterances


async def test_a_client_that_never_reads_is_cut_off_though_the_write_buffer_is_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server.connection, "PING_INTERVAL_S", 0.3)
    monkeypatch.setattr(server.connection, "PONG_TIMEOUT_S", 0.3)
    synthesizer = FakeSynthesizer(samples_per_character=24_000, chunk_samples=48_000)
    async with serving(synthesizer=synthesizer, settings=NO_RESUME) as live:
        deaf = socket.create_connection(("127.0.0.1", live.listener.port))
        with deaf:
            deaf.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(deaf, handshake(live.listener.port))
            await loop.sock_recv(deaf, 1)
            start = Start(format=StreamFormat.PCM, sample_rate=48_000, lead_ms=None)
            for message in (start, Text("u", LONG_TEXT), End("u")):
                await loop.sock_sendall(deaf, masked(serialize_client(message).encode()))
            await until(lambda: live.engine.open_utterances == 1)
            await until(lambda: not live.listener.connections)
        assert not live.engine.open_utterances


@pytest.mark.skipif(not hasattr(socket, "TCP_NOTSENT_LOWAT"), reason="the system has no such option")
async def test_no_more_than_a_moment_of_audio_waits_unsent_in_the_system() -> None:
    """On a slow line it would delay the ping until the client counts as gone."""
    async with serving() as live, live.client() as client:
        await client.send(Ping())
        await client.until(Pong)
        assert live.listener._server is not None
        (accepted,) = live.listener._server.connections
        raw = accepted.transport.get_extra_info("socket")
        unsent = raw.getsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT)
        assert unsent == server.connection.UNSENT_BYTES


async def test_a_client_that_answers_pings_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.connection, "PING_INTERVAL_S", 0.01)
    async with serving() as live, live.client() as client:
        for _ in range(20):
            await client.send(Ping())
            await client.until(Pong)
            await asyncio.sleep(0.01)
        assert live.listener.connections == 1


async def test_our_own_fault_closes_with_1011_and_tells_no_internals(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(options: UtteranceOptions) -> None:
        raise RuntimeError("the secret")

    async with serving() as live, live.client() as client:
        monkeypatch.setattr(live.engine, "open", fail)
        await client.send(Text("u", "Hello."))
        assert await client.closed() == (CloseCode.INTERNAL_ERROR, "")
        assert "the secret" in caplog.text


def handshake(port: int) -> bytes:
    return (
        f"GET /v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def masked(text: bytes) -> bytes:
    """Return a client's text frame, masked with zeros."""
    length = len(text).to_bytes(1) if len(text) < 126 else b"\x7e" + len(text).to_bytes(2)
    return b"\x81" + bytes([length[0] | 0x80]) + length[1:] + bytes(4) + text
