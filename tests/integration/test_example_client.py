"""docs/examples/client.py and say.py: a whole server, a line that breaks, and a server that is scripted."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import wave
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from docs.examples.client import PACKET_SAMPLES, Speech, SpeechError
from tests.integration.scripted import Scripted
from tests.live import LiveServer

SAY = Path(__file__).resolve().parents[2] / "docs" / "examples" / "say.py"
TEXT = "The line may break at any moment, and nobody must notice. Nothing is lost, or heard twice."
SOME = 5
MOST = 64
"""Utterances that a client keeps in mind."""

NEXT = "This one waits behind it, and is heard after it."


@dataclass
class BreakingLine:
    """A way to a server that breaks, with a reset, each time so many bytes have come back over it."""

    server: str
    breaks: list[int] = field(default_factory=list)
    url: str = ""
    lines: set[asyncio.StreamWriter] = field(default_factory=set)
    laid: int = 0

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[BreakingLine]:
        """Listen on a free port."""
        listener = await asyncio.start_server(self._join, "127.0.0.1", 0)
        async with listener:
            port = listener.sockets[0].getsockname()[1]
            self.url = urlsplit(self.server)._replace(netloc=f"127.0.0.1:{port}").geturl()
            try:
                yield self
            finally:
                self.cut()
        # Whoever was cut off notices in the loop's next turns.
        while self.lines:  # noqa: ASYNC110
            await asyncio.sleep(0)

    def cut(self) -> None:
        """Break every line now."""
        for writer in self.lines:
            writer.transport.abort()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.laid += 1
        self.lines.add(writer)  # Before anything is waited for: a line being laid must be waited for, too.
        there = urlsplit(self.server)
        far_reader, far_writer = await asyncio.open_connection(there.hostname, there.port)
        ends = {writer, far_writer}
        self.lines |= ends
        limit = self.breaks.pop(0) if self.breaks else None
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(_carry(reader, far_writer, None), _carry(far_reader, writer, limit))
        for end in ends:
            end.transport.abort()
        self.lines -= ends


async def _carry(source: asyncio.StreamReader, target: asyncio.StreamWriter, limit: int | None) -> None:
    carried = 0
    while piece := await source.read(65_536 if limit is None else max(1, min(997, limit - carried))):
        target.write(piece)
        await target.drain()
        carried += len(piece)
        if limit is not None and carried >= limit:
            break
    raise ConnectionResetError


@dataclass
class Heard:
    """What a client has handed on: the utterance and timestamp of every packet. `some` is set after a few."""

    packets: list[tuple[str, int]] = field(default_factory=list)
    some: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, name: str, timestamp: int, packets: Sequence[bytes]) -> None:
        self.packets += [(name, timestamp + place * PACKET_SAMPLES) for place in range(len(packets))]
        if len(self.packets) >= SOME:
            self.some.set()

    def assert_whole(self, name: str, samples: int) -> None:
        """All of it came, in order, once."""
        times = [timestamp for heard, timestamp in self.packets if heard == name]
        assert times == [place * PACKET_SAMPLES for place in range(len(times))]
        beyond = len(times) * PACKET_SAMPLES - samples  # silence, to the end of a packet or of one more
        assert 0 <= beyond < 2 * PACKET_SAMPLES


def nothing(_message: object) -> None:
    """Take a message nobody needs."""


async def say(speech: Speech, name: str, text: str) -> None:
    """Push a text word by word, as a language model would write it."""
    for word in text.split(" "):
        await speech.push(name, f"{word} ")
        await asyncio.sleep(0)
    await speech.end(name)


def test_a_text_is_spoken_into_a_file(server: LiveServer, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(SAY), "Good morning.", "out.wav", server.socket]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60, stdout=subprocess.DEVNULL)
    with wave.open(str(tmp_path / "out.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 24_000)
        assert 0.5 < file.getnframes() / 24_000 < 3


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(250, 150_000), min_size=1, max_size=4))
@example([1])
def test_a_line_that_breaks_loses_nothing_and_says_nothing_twice(
    server: LiveServer, breaks: list[int]
) -> None:
    async def run() -> None:
        heard = Heard()
        async with (
            BreakingLine(server.socket, list(breaks)).open() as line,
            Speech(line.url, heard, nothing, format="pcm", lead_ms=None) as speech,
        ):
            await say(speech, "first", TEXT)
            await say(speech, "second", NEXT)
            for name in ("first", "second"):
                heard.assert_whole(name, (await speech.wait(name))["samples"])
        assert [name for name, _ in heard.packets] == sorted(name for name, _ in heard.packets)

    asyncio.run(run())


async def test_what_is_cancelled_while_away_stays_silent_and_its_text_is_told(server: LiveServer) -> None:
    heard = Heard()
    async with (
        BreakingLine(server.socket).open() as line,
        Speech(line.url, heard, nothing, format="pcm", lead_ms=400) as speech,
    ):
        await say(speech, "first", TEXT)
        await heard.some.wait()
        line.cut()
        count = len(heard.packets)
        spoken, remaining = await speech.cancel("first", played=count * PACKET_SAMPLES)
        assert spoken + remaining == "".join(f"{word} " for word in TEXT.split(" "))
        assert len(remaining) > len(spoken)
        assert len(heard.packets) == count
        await say(speech, "second", NEXT)
        heard.assert_whole("second", (await speech.wait("second"))["samples"])
        assert line.laid == 2


async def test_without_a_playhead_the_server_says_what_was_heard(server: LiveServer) -> None:
    async with Speech(server.socket, Heard(), nothing, format="pcm") as speech:
        await say(speech, "first", TEXT)
        await speech.send(type="progress", utterance="first", played=0)
        spoken, remaining = await speech.cancel("first")
        assert spoken + remaining == "".join(f"{word} " for word in TEXT.split(" "))
        assert remaining.startswith(TEXT[len(spoken) : len(spoken) + 3])


async def test_what_is_heard_to_the_end_can_no_longer_be_cut(server: LiveServer) -> None:
    async with Speech(server.socket, Heard(), nothing, format="pcm", lead_ms=None) as speech:
        await say(speech, "first", "Yes.")
        samples = (await speech.wait("first"))["samples"]
        await speech.send(type="progress", utterance="first", played=samples)
        assert await speech.cancel("first") == ("Yes. ", "")
        assert await speech.cancel("first") == ("Yes. ", "")


async def test_what_the_server_never_had_is_unheard(server: LiveServer) -> None:
    async with Speech(server.socket, Heard(), nothing) as speech:
        await speech.push("first", "")
        assert await speech.cancel("first") == ("", "")
        await speech.push("first", "late words")
        assert await speech.cancel("first") == ("", "")


async def test_a_text_of_nothing_is_done_at_once(server: LiveServer) -> None:
    async with Speech(server.socket, Heard(), nothing) as speech:
        await speech.push("first", "")
        await speech.end("first")
        assert (await speech.wait("first"))["samples"] == 0


async def test_a_failure_is_raised_to_who_waits_for_it(server: LiveServer) -> None:
    async with Speech(server.socket, Heard(), nothing) as speech:
        await speech.push("first", "Hello.", voice="nobody")
        with pytest.raises(SpeechError, match="unknown-voice"):
            await speech.wait("first")


async def test_settings_that_cannot_be_met_end_the_block(server: LiveServer) -> None:
    async def run() -> None:
        async with Speech(server.socket, Heard(), nothing, voice="nobody") as speech:
            await speech.push("first", "Hello.")
            await speech.wait("first")

    with pytest.raises(ExceptionGroup) as caught:
        await run()
    assert [str(error.args[0]) for error in caught.value.exceptions] == ["unknown-voice"]


async def test_who_leaves_before_the_session_is_there_closes_the_line() -> None:
    async with Scripted().open() as server:
        async with Speech(server.url, Heard(), nothing):
            await server.hears("start")
        assert server.line is not None
        assert server.line.close_code == 1000


async def test_a_warning_of_something_else_is_no_answer_to_a_cancel() -> None:
    async with (
        Scripted().open() as server,
        Speech(server.url, Heard(), nothing) as speech,
        asyncio.TaskGroup() as tasks,
    ):
        await speech.push("first", "One \u4f60\u597d two")
        cancelling = tasks.create_task(speech.cancel("first", played=960))
        await server.greet()
        assert (await server.hears("cancel"))["played"] == 960
        await server.say(type="warning", code="unreadable-text", message="", utterance="first")
        await server.say(type="cancelled", utterance="first", text_spoken="One ", text_remaining="")
        assert await cancelling == ("One ", "\u4f60\u597d two")


async def test_what_has_ended_already_was_heard_whole_and_what_never_came_not_at_all() -> None:
    async with (
        Scripted().open() as server,
        Speech(server.url, Heard(), nothing) as speech,
        asyncio.TaskGroup() as tasks,
    ):
        await server.greet()
        for code, told in (("utterance-ended", ("Words.", "")), ("unknown-utterance", ("", "Words."))):
            await speech.push(code, "Words.")
            await server.hears("text")
            cancelling = tasks.create_task(speech.cancel(code))
            await server.hears("cancel")
            await server.say(type="warning", code=code, message="", utterance=code)
            assert await cancelling == told


async def test_who_comes_back_tells_the_playhead_and_what_was_stopped_meanwhile() -> None:
    async with (
        Scripted().open() as server,
        Speech(server.url, Heard(), nothing, format="pcm") as speech,
        asyncio.TaskGroup() as tasks,
    ):
        assert "resume" not in await server.greet()
        await speech.push("first", "One ")
        await server.hears("text")
        await speech.push("second", "Three.")
        await server.hears("text")
        await speech.progress("first", 4_800)
        assert await server.hears("progress") == {"type": "progress", "utterance": "first", "played": 4_800}
        server.cut()
        await speech.push("first", "two.")
        await speech.progress("first", 9_600)
        cancelling = tasks.create_task(speech.cancel("first"))
        start = await server.greet({"utterance": "second", "received": 2, "ended": False}, resumed=True)
        assert start["resume"] == {
            "session": "token",
            "next": 0,
            "playing": "first",
            "played": 9_600,
            "cancel": ["first"],
        }
        await server.hears("cancel")
        assert (await server.hears("text"))["text"] == "ree."
        await server.say(type="cancelled", utterance="first", text_spoken="On", text_remaining="e ")
        assert await cancelling == ("On", "e two.")


async def test_what_is_said_while_away_goes_to_the_fresh_session_when_the_old_one_is_gone() -> None:
    async with Scripted().open() as server, Speech(server.url, Heard(), nothing) as speech:
        await server.greet()
        await speech.push("first", "Lost.")
        await server.hears("text")
        line = speech._line
        assert line is not None
        server.cut()
        await line.wait_closed()
        for _ in range(3):
            await asyncio.sleep(0)  # The client notices, and has not come back yet.
        assert speech._line is line
        await speech.push("second", "Said while away.")
        await server.hears("start")
        await server.say(type="ready", session="other", resumed=False)
        assert await server.hears("text") == {
            "type": "text",
            "utterance": "second",
            "text": "Said while away.",
        }
        with pytest.raises(SpeechError, match="session-lost"):
            await speech.wait("first")


async def test_only_what_is_over_is_forgotten_to_make_room() -> None:
    async with (
        Scripted().open() as server,
        Speech(server.url, Heard(), nothing) as speech,
        asyncio.TaskGroup() as tasks,
    ):
        await server.greet()
        for name in range(MOST):
            await speech.push(str(name), "Words.")
        with pytest.raises(SpeechError, match="too-many-utterances"):
            await speech.push("more", "Words.")
        waiting = tasks.create_task(speech.wait("7"))
        await server.say(type="done", utterance="7", samples=0)
        assert (await waiting)["samples"] == 0
        await speech.push("more", "Words.")
        with pytest.raises(KeyError):
            await speech.wait("7")
        waiting = tasks.create_task(speech.wait("0"))
        await server.say(type="done", utterance="0", samples=0)
        await waiting
