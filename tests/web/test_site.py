"""The HTTP side as a client on loopback sees it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import aiohttp
import pytest

from pipeline.speech import Voice
from web.site import PortInUse, Site, SiteSettings

HEART = Voice(name="heart", language="en", description="Warm", licence="Apache-2.0", source="a wheel")
OTHER = Voice(name="other", language="en", description="Cool", licence="Apache-2.0", source="a wheel")
SETTINGS = SiteSettings(port=0, ws_path="/v1/stream", longest_text=77)


@dataclass
class FakeServer:
    """What the site is told about the rest of the server."""

    ready: bool = True
    reason: str = "The voice is being loaded."
    voices: Sequence[Voice] = field(default_factory=lambda: (HEART, OTHER))
    content_type: str = "text/plain; version=1.0.0; charset=utf-8"

    def exposition(self) -> bytes:
        return b"utter_sessions 3.0\n"

    def site(self, settings: SiteSettings) -> Site:
        return Site(
            settings,
            is_ready=lambda: self.ready,
            voices=lambda: self.voices,
            metrics=self,
            why_not=lambda: self.reason,
        )


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


@pytest.fixture
async def page(server: FakeServer, tmp_path: Path) -> AsyncIterator[Site]:
    static = tmp_path / "static"
    (static / "vendor").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html><title>Utter</title>", encoding="utf-8")
    (static / "app.js").write_text("export {};", encoding="utf-8")
    (static / "vendor" / "decoder.js").write_text("export {};", encoding="utf-8")
    (tmp_path / "secret.js").write_text("no", encoding="utf-8")
    settings = replace(SETTINGS, ws_port=9999, static_dir=static, version="1.2.3")
    async with server.site(settings) as site:
        yield site


@pytest.fixture
async def client(page: Site) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(f"http://127.0.0.1:{page.port}") as session:
        yield session


async def test_the_page_comes_with_its_policy_and_must_be_revalidated(client: aiohttp.ClientSession) -> None:
    async with client.get("/") as response:
        assert response.status == 200
        assert response.content_type == "text/html"
        assert "<title>Utter</title>" in await response.text()
        policy = response.headers["Content-Security-Policy"]
        assert "ws://127.0.0.1:9999 wss://127.0.0.1:9999" in policy
        assert "unsafe-inline" not in policy
        assert response.headers["Cache-Control"] == "no-cache"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert "microphone=()" in response.headers["Permissions-Policy"]


async def test_an_unchanged_file_is_not_sent_again(client: aiohttp.ClientSession) -> None:
    async with client.get("/app.js") as response:
        tag = response.headers["ETag"]
    async with client.get("/app.js", headers={"If-None-Match": tag}) as response:
        assert response.status == 304
        assert await response.read() == b""
        assert response.headers["ETag"] == tag
    async with client.get("/app.js", headers={"If-None-Match": '"older"'}) as response:
        assert response.status == 200


CLIMBING = ["/../secret.js", "/%2e%2e/secret.js", "/vendor/..%2f..%2fsecret.js", "//secret.js", "/%00"]


@pytest.mark.parametrize("path", ["/vendor", "/vendor/", "/nothing.js", "/app.js/", *CLIMBING])
async def test_folders_and_files_outside_are_not_there(page: Site, path: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    assert answer.split(b" ")[1] in (b"404", b"400")
    assert b"decoder.js" not in answer


async def test_an_error_carries_the_same_headers_and_is_not_kept(client: aiohttp.ClientSession) -> None:
    async with client.get("/nothing") as response:
        assert response.status == 404
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]


async def test_nothing_but_reading_is_allowed(client: aiohttp.ClientSession) -> None:
    async with client.post("/config.json", data=b"{}") as response:
        assert response.status == 405
        assert response.headers["X-Content-Type-Options"] == "nosniff"


async def test_health_answers_while_not_ready_and_to_head(
    client: aiohttp.ClientSession, server: FakeServer
) -> None:
    server.ready = False
    async with client.get("/healthz") as response:
        assert (response.status, await response.text()) == (200, "ok\n")
    async with client.head("/healthz") as response:
        assert (response.status, await response.read()) == (200, b"")


async def test_readiness_says_why_not(client: aiohttp.ClientSession, server: FakeServer) -> None:
    async with client.get("/readyz") as response:
        assert response.status == 200
    server.ready, server.reason = False, "The server is shutting down."
    async with client.get("/readyz") as response:
        assert response.status == 503
        assert await response.text() == "The server is shutting down.\n"
        assert response.headers["Cache-Control"] == "no-store"


async def test_metrics_are_passed_on_in_their_own_type(client: aiohttp.ClientSession) -> None:
    async with client.get("/metrics") as response:
        assert response.headers["Content-Type"] == "text/plain; version=1.0.0; charset=utf-8"
        assert await response.read() == b"utter_sessions 3.0\n"


async def test_the_configuration_tells_the_page_where_and_what(
    client: aiohttp.ClientSession, page: Site
) -> None:
    async with client.get("/config.json") as response:
        config = await response.json()
        assert response.headers["Cache-Control"] == "no-store"
    assert config["version"] == "1.2.3"
    assert config["page"] == {"host": "127.0.0.1", "port": page.port}
    assert config["websocket"] == {"port": 9999, "path": "/v1/stream"}
    assert config["limits"] == {"text": 77, "speed": [0.5, 2.0], "pitch": [0.5, 2.0]}
    assert config["default_voice"] == "heart"
    assert [voice["name"] for voice in config["voices"]] == ["heart", "other"]


async def test_voices_are_listed_in_full_and_empty_while_loading(
    client: aiohttp.ClientSession, server: FakeServer
) -> None:
    async with client.get("/v1/voices") as response:
        assert (await response.json())["voices"][0] == {
            "name": "heart",
            "language": "en",
            "description": "Warm",
            "licence": "Apache-2.0",
            "source": "a wheel",
        }
    server.voices = ()
    async with client.get("/v1/voices") as response:
        assert await response.json() == {"voices": [], "default_voice": None}


async def test_a_port_in_use_is_one_sentence_naming_it(server: FakeServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortInUse, match=rf"Port {port} on 127\.0\.0\.1 is already in use") as caught:
            await server.site(replace(SETTINGS, port=port)).__aenter__()
        assert caught.value.port == port


async def test_a_closed_site_frees_its_port(server: FakeServer) -> None:
    async with server.site(SETTINGS) as site:
        port = site.port
    async with server.site(replace(SETTINGS, port=port)) as again:
        assert again.port == port


async def test_what_is_no_http_is_answered_and_not_logged(
    page: Site, caplog: pytest.LogCaptureFixture
) -> None:
    for nonsense in (
        b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 10_000 + b"\r\n\r\n",
        b"?? / HTTP/1.1\r\n\r\n",
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
        writer.write(nonsense)
        assert b" 400 " in await reader.readline()
        writer.close()
    assert caplog.records == []
