"""The stand-in for a language model, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import aiohttp.web
import pytest

from tests.fakes import FakeClock, until
from tests.web.test_site import SETTINGS, FakeServer
from web.chat_demo import PATH, ChatDemo, paced
from web.chat_script import TOPICS, tokens

STORY = TOPICS[2].answer


def asking(question: str = "Tell me a story.", **more: object) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": question}], **more}


async def serve(demo: ChatDemo) -> aiohttp.web.AppRunner:
    """Serve `demo` alone on a free port."""
    application = aiohttp.web.Application()
    application.router.add_post(PATH, demo.complete)
    runner = aiohttp.web.AppRunner(
        application, access_log=None, shutdown_timeout=1, handler_cancellation=True
    )
    await runner.setup()
    await aiohttp.web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner


@pytest.fixture
async def demo() -> ChatDemo:
    return ChatDemo(math.inf, most_streams=2)


@pytest.fixture
async def client(demo: ChatDemo) -> AsyncIterator[aiohttp.ClientSession]:
    runner = await serve(demo)
    async with aiohttp.ClientSession(f"http://127.0.0.1:{runner.addresses[0][1]}") as session:
        yield session
    await runner.cleanup()


async def deltas(response: aiohttp.ClientResponse) -> list[str]:
    """Return the content of every event of a stream that ends as it should."""
    events = [line.removeprefix(b"data: ").strip() async for line in response.content if line.strip()]
    assert events[-1] == b"[DONE]"
    choices = [choice for event in events[:-1] for choice in json.loads(event)["choices"]]
    return [choice["delta"]["content"] for choice in choices if choice["delta"].get("content")]


async def test_an_answer_streams_token_by_token(client: aiohttp.ClientSession) -> None:
    async with client.post(PATH, json=asking(stream=True)) as response:
        assert response.status == 200
        assert response.content_type == "text/event-stream"
        assert await deltas(response) == tokens(STORY)


async def test_an_answer_comes_in_one_piece_to_whom_asks_for_that(client: aiohttp.ClientSession) -> None:
    async with client.post(PATH, json=asking()) as response:
        assert response.content_type == "application/json"
        body = await response.json()
    assert body["choices"][0]["message"]["content"] == STORY


async def test_a_limit_of_tokens_cuts_the_answer_and_says_so(client: aiohttp.ClientSession) -> None:
    async with client.post(PATH, json=asking(max_tokens=5)) as response:
        (choice,) = (await response.json())["choices"]
    assert choice["message"]["content"] == "".join(tokens(STORY)[:5])
    assert choice["finish_reason"] == "length"


async def refused(client: aiohttp.ClientSession, **options: Any) -> tuple[int, dict[str, Any]]:
    async with client.post(PATH, **options) as response:
        assert response.content_type == "application/json"
        assert "Access-Control-Allow-Origin" not in response.headers
        return response.status, (await response.json())["error"]


async def test_errors_have_the_shape_of_the_api(client: aiohttp.ClientSession) -> None:
    status, error = await refused(client, json=asking(model=""))
    assert (status, error["type"], error["param"]) == (400, "invalid_request_error", "model")
    status, error = await refused(client, data=b"{}", headers={"Content-Type": "text/plain"})
    assert (status, error["type"]) == (415, "invalid_request_error")
    status, error = await refused(client, json=asking("x" * 70_000))
    assert (status, error["type"]) == (413, "invalid_request_error")


async def test_a_body_that_is_not_encoded_as_it_says_is_refused(client: aiohttp.ClientSession) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    status, error = await refused(client, data=b'{"no": "gzip"}', headers=headers)
    assert (status, error["type"]) == (400, "invalid_request_error")


async def test_a_body_that_does_not_come_takes_nobodys_place(
    client: aiohttp.ClientSession, demo: ChatDemo
) -> None:
    assert client._base_url is not None
    host, port = client._base_url.host, client._base_url.port
    headers = "Host: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n"
    header = f"POST {PATH} HTTP/1.1\r\n{headers}"
    slow = [await asyncio.open_connection(host, port) for _ in range(3)]
    for _, writer in slow:
        writer.write(header.encode() + b"{")
        await writer.drain()
    async with client.post(PATH, json=asking()) as response:
        assert response.status == 200
    assert demo.streams == 0
    for _, writer in slow:
        writer.close()


async def test_pages_of_other_origins_are_refused(client: aiohttp.ClientSession) -> None:
    for origin in ("https://example.org", "null", "http://127.0.0.1", "http://[", "http://127.0.0.1]:80"):
        status, error = await refused(client, json=asking(), headers={"Origin": origin})
        assert (status, error["type"]) == (403, "permission_error")
    own = str(client._base_url).rstrip("/")
    async with client.post(PATH, json=asking(), headers={"Origin": own}) as response:
        assert response.status == 200


async def test_too_many_answers_at_a_time_are_refused_until_one_is_over() -> None:
    demo = ChatDemo(0.001, most_streams=2)
    runner = await serve(demo)
    async with aiohttp.ClientSession(f"http://127.0.0.1:{runner.addresses[0][1]}") as session:
        held = [await session.post(PATH, json=asking(stream=True)) for _ in range(2)]
        status, error = await refused(session, json=asking())
        assert (status, error["code"]) == (429, "rate_limit_exceeded")
        for response in held:
            response.close()
        await until(lambda: demo.streams == 0)
        async with session.post(PATH, json=asking()) as response:
            assert response.status == 200
    await runner.cleanup()


@pytest.mark.parametrize("per_second", [0.001, 2_000.0])
async def test_a_client_that_leaves_ends_its_answer_whether_it_waits_or_writes(per_second: float) -> None:
    demo = ChatDemo(per_second)
    runner = await serve(demo)
    async with aiohttp.ClientSession(f"http://127.0.0.1:{runner.addresses[0][1]}") as session:
        response = await session.post(PATH, json=asking(stream=True))
        await response.content.readline()
        assert demo.streams == 1
        response.close()
        await until(lambda: demo.streams == 0)
    await runner.cleanup()


async def test_the_site_serves_it_behind_its_own_headers(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html>", encoding="utf-8")
    settings = FakeServer().site(SETTINGS)  # the shape of a site; its own files are not asked for
    async with settings as site, aiohttp.ClientSession(f"http://127.0.0.1:{site.port}") as session:
        async with session.post(PATH, json=asking(stream=True, max_tokens=1)) as response:
            assert await deltas(response) == tokens(STORY)[:1]
            assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"
            assert response.headers["Cache-Control"] == "no-store"
            assert "default-src 'none'" in response.headers["Content-Security-Policy"]
        async with session.get(PATH) as response:
            assert response.status == 404


async def test_the_pace_is_kept_and_time_lost_is_made_good() -> None:
    clock = FakeClock(0)
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(round(seconds, 6))
        clock.advance(seconds)

    events = paced([b"a", b"b", b"c", b"d", b"e"], 10, clock=clock, sleep=sleep)
    at = []
    async for event in events:
        at.append((event, round(clock.now, 6)))
        if event == b"b":
            clock.advance(0.25)  # whoever takes the events was held up
    assert at == [(b"a", 0), (b"b", 0.1), (b"c", 0.35), (b"d", 0.35), (b"e", 0.4)]
    assert slept == [0.1, 0.05]
