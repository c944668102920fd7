"""Who may connect, how many, and how it all ends."""

from __future__ import annotations

import asyncio
import http
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from server.listener import Listener, ServerSettings, may_connect
from server.protocol import AudioMessage, CloseCode, Done, End, ErrorMessage, Ping, Pong, Start, Text
from tests.fakes import FakeSynthesizer, Gate, until
from tests.server.loopback import Client, serving

LONG_TEXT = "This one goes on and on. " * 40


@pytest.mark.parametrize("path", ["/", "/v1/stream/", "/v1", "/v2/stream", "/v1/stream%20"])
async def test_any_other_path_is_not_found(path: str) -> None:
    async with serving() as server:
        with pytest.raises(InvalidStatus) as caught:
            await connect(server.url(path))
        assert caught.value.response.status_code == http.HTTPStatus.NOT_FOUND


async def test_a_query_does_not_matter() -> None:
    async with serving() as server, connect(server.url("/v1/stream?x=1")) as socket:
        client = Client(socket)
        await client.send(Ping())
        await client.until(Pong)


async def test_a_foreign_page_is_refused_in_the_handshake_and_our_own_is_not() -> None:
    async with serving() as server:
        with pytest.raises(InvalidStatus) as caught:
            await connect(server.url(), origin="https://evil.example")  # type: ignore[arg-type]
        assert caught.value.response.status_code == http.HTTPStatus.FORBIDDEN
        async with server.client(origin="http://127.0.0.1:8080") as client:
            await client.send(Ping())
            await client.until(Pong)


async def test_a_request_with_two_hosts_is_refused() -> None:
    async with serving() as server:
        with pytest.raises(InvalidStatus) as caught:
            await connect(server.url(), additional_headers={"Host": "elsewhere.example"})
        assert caught.value.response.status_code == http.HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize(
    ("origin", "host_header", "bound", "allowed"),
    [
        ("http://127.0.0.1:8080", "127.0.0.1:8765", "127.0.0.1", True),
        ("http://localhost:3000", "127.0.0.1:8765", "127.0.0.1", True),
        ("https://localhost", "localhost:8765", "127.0.0.1", True),
        ("http://[::1]:8080", "[::1]:8765", "::1", True),
        ("http://evil.example", "127.0.0.1:8765", "127.0.0.1", False),
        ("http://evil.example:8080", "evil.example:8765", "127.0.0.1", False),
        ("http://localhost.evil.example", "127.0.0.1:8765", "127.0.0.1", False),
        ("http://localhost@evil.example", "127.0.0.1:8765", "127.0.0.1", False),
        ("null", "127.0.0.1:8765", "127.0.0.1", False),
        ("file://", "127.0.0.1:8765", "127.0.0.1", False),
        ("", "127.0.0.1:8765", "127.0.0.1", False),
        ("http://[", "127.0.0.1:8765", "127.0.0.1", False),
        ("http://host:1:2", "host[:8765", "0.0.0.0", False),
        ("http://nas.local:8080", "nas.local:8765", "0.0.0.0", True),
        ("https://NAS.local", "nas.local:8765", "0.0.0.0", True),
        ("http://192.168.1.7:8080", "192.168.1.7:8765", "0.0.0.0", True),
        ("http://evil.example", "nas.local:8765", "0.0.0.0", False),
        ("http://evil.example", "", "0.0.0.0", False),
        ("https://app.example", "nas.local:8765", "0.0.0.0", True),
        ("https://app.example:444", "nas.local:8765", "0.0.0.0", False),
    ],
)
def test_pages_of_this_machine_this_host_and_those_configured_may_connect(
    origin: str, host_header: str, bound: str, allowed: bool
) -> None:
    settings = ServerSettings(host=bound, origins=("https://app.example",))
    assert may_connect(origin, host_header, settings) is allowed


async def test_one_client_more_than_allowed_is_told_when_to_come_back() -> None:
    async with serving(settings=ServerSettings(port=0, max_connections=1)) as server:
        async with server.client() as first, server.client() as second:
            assert await second.closed() == (CloseCode.OVERLOADED, "overloaded; retry_after_ms=2000")
            await first.send(Ping())
            await first.until(Pong)
        await until(lambda: not server.listener.connections)
        async with server.client() as third:
            await third.send(Ping())
            await third.until(Pong)


async def test_a_port_in_use_is_an_os_error() -> None:
    async with serving() as server:
        listener = Listener(server.engine, ServerSettings(port=server.listener.port), metrics=server.metrics)
        with pytest.raises(OSError, match="address already in use"):
            await listener.__aenter__()
        await listener.stop()


async def test_stopping_closes_every_client_with_1001_and_cancels_what_is_open() -> None:
    async with serving() as server, server.client() as idle, server.client() as listening:
        await listening.send(Text("u", LONG_TEXT))
        await listening.until(AudioMessage)
        closed = asyncio.gather(idle.closed(), listening.closed())
        await server.listener.stop()
        assert [code for code, _ in await closed] == [CloseCode.GOING_AWAY] * 2
        assert not server.engine.open_utterances
        assert not server.listener.connections


async def test_stopping_cuts_off_a_client_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.connection.CLOSE_TIMEOUT_S", 0.1)
    async with serving() as server, server.client(close_timeout=0.1) as client:
        await client.send(Ping())
        await client.until(Pong)
        client.socket.transport.pause_reading()
        await server.listener.stop()
        assert not server.listener.connections


async def test_stopping_does_not_wait_long_for_half_a_handshake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.listener.OPEN_TIMEOUT_S", 0.1)
    async with serving() as server:
        _, writer = await asyncio.open_connection("127.0.0.1", server.listener.port)
        writer.write(b"GET /v1/stream HTTP/1.1\r\n")
        await writer.drain()
        await server.listener.stop()
        writer.close()


async def test_draining_lets_what_is_open_end_and_takes_nothing_new() -> None:
    gate = Gate()
    async with (
        serving(synthesizer=FakeSynthesizer(before_begin=gate.wait)) as server,
        server.client() as client,
    ):
        url = server.url()
        await client.send(Start(lead_ms=None), Text("u", "Hello there."), End("u"))
        await gate.arrived()
        draining = asyncio.create_task(server.listener.drain(60))
        await until(lambda: not server.engine.ready)
        await client.send(Text("v", "Too late."))
        error, _ = await client.until(ErrorMessage)
        gate.open()
        assert (error.code, error.utterance, error.retryable) == ("draining", "v", True)
        with pytest.raises(OSError, match=r"refused|Connect call failed"):
            await connect(url)
        await client.until(Done)
        await draining
        closed = asyncio.create_task(client.closed())
        await server.listener.stop()
        assert (await closed)[0] == CloseCode.GOING_AWAY


async def test_what_is_still_open_after_the_grace_is_ended_with_an_error() -> None:
    async with serving() as server, server.client() as client:
        await client.send(Text("u", LONG_TEXT))
        await client.until(AudioMessage)
        draining = asyncio.create_task(server.listener.drain(0.0))
        error, _ = await client.until(ErrorMessage)
        assert (error.code, error.utterance) == ("draining", "u")
        await draining


def make_certificate(key: Path, certificate: Path) -> None:
    options = "-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    command = ["openssl", "req", *options.split(), *names, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")
async def test_with_a_certificate_the_socket_is_encrypted(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    make_certificate(key, certificate)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate, key)
    trusting = ssl.create_default_context(cafile=certificate)
    async with (
        serving(settings=ServerSettings(port=0, tls=tls)) as server,
        connect(server.url().replace("ws:", "wss:"), ssl=trusting) as socket,
    ):
        client = Client(socket)
        await client.send(Text("u", "Hello."), End("u"))
        await client.until(Done)
