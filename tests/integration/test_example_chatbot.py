"""docs/examples/chatbot.py: a language model over HTTP, a whole server, and somebody who types."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp.web

from server.protocol import AudioFlags, AudioKind, AudioMessage, pack_audio
from tests.integration.scripted import Scripted
from tests.live import LiveServer
from web.chat_completions import ChatRequest, Completion, parse_request
from web.chat_script import TOPICS, Message

CHATBOT = Path(__file__).resolve().parents[2] / "docs" / "examples" / "chatbot.py"
STORY = TOPICS[2].answer
KEPT = "import shutil, sys; shutil.copyfileobj(sys.stdin.buffer, open('kept.pcm', 'ab'))"
PATIENCE_S = 60


@dataclass
class Model:
    """A language model over HTTP that gives `answers` in order, at once, and keeps what it was asked."""

    answers: Sequence[str]
    asked: list[ChatRequest] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    async def complete(self, request: aiohttp.web.Request) -> aiohttp.web.StreamResponse:
        """Stream the next answer."""
        self.keys.append(request.headers["Authorization"])
        self.asked.append(parse_request(await request.read()))
        text = self.answers[len(self.asked) - 1]
        response = aiohttp.web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        answer = Completion(id="c", created=0, model="m", tokens=re.findall(r"\s*\S+", text))
        for event in answer.events(usage=False):
            await response.write(event)
        return response

    @contextlib.asynccontextmanager
    async def serve(self) -> AsyncIterator[str]:
        """Yield the base URL."""
        application = aiohttp.web.Application()
        application.router.add_post("/v1/chat/completions", self.complete)
        runner = aiohttp.web.AppRunner(application, access_log=None)
        await runner.setup()
        await aiohttp.web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        await runner.cleanup()


@dataclass
class Talk:
    """A chatbot that runs, its screen and its keyboard."""

    process: asyncio.subprocess.Process
    screen: str = ""

    async def type(self, line: str) -> None:
        """Type a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        await self.process.stdin.drain()

    async def sees(self, pattern: str) -> re.Match[str]:
        """Wait until this is on the screen."""
        assert self.process.stdout is not None
        while not (seen := re.search(pattern, self.screen, re.DOTALL)):
            piece = await self.process.stdout.read(4096)
            assert piece, self.screen
            self.screen += piece.decode()
        return seen

    async def leaves(self) -> str:
        """Let the keyboard end, and return what else appears until the program has ended well."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        rest = (await self.process.stdout.read()).decode()
        assert await self.process.wait() == 0
        return self.screen + rest


@contextlib.asynccontextmanager
async def talk(*flags: str, folder: Path, socket: str) -> AsyncIterator[Talk]:
    """Run the chatbot in `folder`."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", str(CHATBOT), "--socket", socket, *flags,
        cwd=folder, env={**os.environ, "OPENAI_API_KEY": "secret"},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield Talk(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_an_answer_is_spoken_to_its_end_and_the_model_is_asked_as_it_wants(
    server: LiveServer, tmp_path: Path
) -> None:
    model = Model(["Good morning."])
    player = f'{sys.executable} -c "{KEPT}"'
    async with model.serve() as url:
        flags = ("--base-url", url, "--model", "large", "--player", player)
        async with talk(*flags, folder=tmp_path, socket=server.socket) as chat:
            await chat.type("Hello?")
            assert await chat.leaves() == "Good morning.\n"
    assert model.keys == ["Bearer secret"]
    assert (model.asked[0].model, model.asked[0].stream) == ("large", True)
    assert model.asked[0].messages == (Message("user", "Hello?"),)
    pcm = memoryview((tmp_path / "kept.pcm").read_bytes()).cast("h")
    assert 0.5 < len(pcm) / 24_000 < 3
    assert max(map(abs, pcm)) > 3_000


async def test_what_is_typed_while_it_speaks_cuts_the_answer_to_what_was_heard(
    server: LiveServer, tmp_path: Path
) -> None:
    model = Model([STORY, "Yes?"])
    async with (
        model.serve() as url,
        talk("--base-url", url, folder=tmp_path, socket=server.socket) as chat,
    ):
        await chat.type("A story!")
        await chat.sees("interrupt it")  # all of it is written, and next to nothing was heard
        await chat.type("Wait.")
        await chat.sees("You have heard.*Yes")
    question, *answered, interruption = model.asked[1].messages
    assert (question, interruption) == (Message("user", "A story!"), Message("user", "Wait."))
    heard = "".join(message.text for message in answered)
    assert STORY.startswith(heard)
    assert len(heard) < 40


async def test_the_stand_in_goes_on_exactly_where_it_was_interrupted(
    server: LiveServer, tmp_path: Path
) -> None:
    flags = ("--base-url", f"{server.page}/demo/v1")
    async with talk(*flags, folder=tmp_path, socket=server.socket) as chat:
        await chat.type("Tell me a story.")
        await chat.sees("never wrong,")  # by then the first words were heard: it writes at a model's pace
        await chat.type("Go on.")
        heard, reply = (await chat.sees(r"\[You have heard: (In a town.*?)\]\n(.{40})")).groups()
    assert STORY.startswith(heard)
    assert STORY[len(heard) :].lstrip().startswith(reply.lstrip())


async def test_a_model_that_refuses_ends_it_with_its_words(server: LiveServer, tmp_path: Path) -> None:
    flags = ("--base-url", f"{server.page}/nowhere")
    async with talk(*flags, folder=tmp_path, socket=server.socket) as chat:
        await chat.type("Hello?")
        assert await chat.process.wait() == 1


async def test_the_server_is_told_how_much_was_played_and_never_more_than_it_sent(tmp_path: Path) -> None:
    model = Model([STORY, "Yes?"])
    sound = pack_audio(AudioMessage(AudioKind.PCM, AudioFlags.FIRST, 0, 0, 0, (bytes(960),) * 10))
    async with (
        Scripted().open() as server,
        model.serve() as url,
        talk("--base-url", url, folder=tmp_path, socket=server.url) as chat,
    ):
        await server.greet()
        await chat.type("A story!")
        await server.hears_at_last("end")
        await server.say(type="started", utterance="0", ordinal=0)
        await server.play(sound)
        told = [await server.hears("progress")]
        while told[-1]["played"] < 10 * 960:
            told.append(await server.hears("progress"))
        assert all(0 < one["played"] <= 10 * 960 and one["utterance"] == "0" for one in told)
        await chat.type("Wait.")
        assert (await server.hears_at_last("cancel"))["played"] == 10 * 960
        await server.say(type="cancelled", utterance="0", text_spoken="In a town", text_remaining="")
        await chat.sees("You have heard: In a town.*Yes")
    assert [message.text for message in model.asked[1].messages] == ["A story!", "In a town", "Wait."]


async def test_a_model_that_is_not_there_is_told_in_one_line(server: LiveServer, tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(CHATBOT), "--socket", server.socket, "--base-url", f"{server.page}/nowhere",
        cwd=tmp_path, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(PATIENCE_S):
        _, errors = await process.communicate(b"Hello?\n")
    assert process.returncode == 1
    assert re.fullmatch(r"http://\S+ answers 40\d: .*\n", errors.decode())
