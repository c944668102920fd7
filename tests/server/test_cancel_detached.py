"""What is cancelled while the line is down is cancelled as ever: told once, and never heard again."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from websockets.asyncio.client import connect

from server.protocol import (
    AudioMessage,
    Cancel,
    Cancelled,
    Done,
    End,
    Ready,
    Resume,
    Start,
    Started,
    Text,
    WarningMessage,
)
from tests.server.hearing import Hearing
from tests.server.loopback import Client, Loopback, serving
from tests.server.test_cancel_rules import FAR, OTHER, TEXT, UNPACED


class Line:
    """A client whose connection breaks and comes back."""

    def __init__(self, server: Loopback) -> None:
        self._server = server
        self._token = ""

    async def connect(self) -> Hearing:
        """Begin an unpaced session."""
        self._client = Client(await connect(self._server.url(), compression=None))
        self._hearing = Hearing(self._client)
        await self._hearing.send(UNPACED)
        ready = await self._hearing.next()
        assert isinstance(ready, Ready)
        self._token = ready.session
        return self._hearing

    def lose(self) -> None:
        """Break the connection; what was not read of it is lost."""
        self._client.socket.transport.abort()

    async def resume(
        self, cancel: Iterable[str] = (), *, playing: str | None = None, played: int = 0
    ) -> Hearing:
        """Go on from the first packet not received."""
        audio = [message for message in self._hearing.messages if isinstance(message, AudioMessage)]
        following = audio[-1].sequence + len(audio[-1].packets) if audio else 0
        self._client = Client(await connect(self._server.url(), compression=None))
        self._hearing = Hearing(self._client)
        resume = Resume(self._token, following, tuple(cancel), playing=playing, played=played)
        await self._hearing.send(Start(lead_ms=None, resume=resume))
        ready = await self._hearing.next()
        assert isinstance(ready, Ready)
        assert ready.resumed
        self.unheard = {one.utterance: one for one in ready.utterances or ()}
        return self._hearing

    async def close(self) -> None:
        """End the session."""
        await self._client.socket.close()


@pytest.mark.parametrize("played", [0, 20_000, 40_000, FAR])
async def test_the_one_being_heard_is_cut_at_the_playhead_and_the_next_is_spoken(played: int) -> None:
    async with serving() as server:
        line = Line(server)
        before = await line.connect()
        await before.send(Text("a", TEXT), Text("b", OTHER), End("b"))
        await before.hear_audio("a", 40)
        line.lose()
        after = await line.resume(["a"], playing="a", played=played)
        assert list(line.unheard) == ["b"]
        await after.hear(Done, "b")
        (cancelled,) = after.all(Cancelled)
        assert cancelled.utterance == "a"
        if played < 40 * 960:
            before.assert_cut(cancelled, TEXT, played)
        assert cancelled.text_spoken + cancelled.text_remaining == TEXT
        assert not after.packets("a")
        await line.close()


async def test_one_that_waits_in_the_queue_ends_without_having_started() -> None:
    async with serving() as server:
        line = Line(server)
        before = await line.connect()
        await before.send(Text("a", TEXT), Text("b", OTHER), Text("c", TEXT), End("c"))
        await before.hear_audio("a")
        line.lose()
        after = await line.resume(["b"])
        await after.send(End("a"))
        await after.hear(Done, "c")
        assert after.all(Cancelled) == [Cancelled("b", "", OTHER)]
        assert not after.all(Started, "b")
        await line.close()


async def test_one_that_was_done_is_cut_and_the_audio_it_still_lacked_is_not_sent() -> None:
    async with serving() as server:
        line = Line(server)
        before = await line.connect()
        await before.send(Text("a", TEXT), End("a"))
        await before.hear_audio("a", 20)
        line.lose()
        after = await line.resume(["a"], playing="a", played=10_000)
        await after.send(Text("after", OTHER), End("after"))
        await after.hear(Done, "after")
        (cancelled,) = after.all(Cancelled)
        assert (cancelled.text_spoken, cancelled.text_remaining) == ("One ", TEXT.removeprefix("One "))
        assert not after.packets("a")
        await line.close()


@pytest.mark.parametrize("again", [[], ["a"]], ids=["not mentioned again", "mentioned again"])
async def test_a_cancel_whose_answer_was_lost_is_answered_once_more_and_the_same(again: list[str]) -> None:
    async with serving() as server:
        line = Line(server)
        before = await line.connect()
        await before.send(Text("a", TEXT))
        await before.hear_audio("a", 20)
        await before.send(Cancel("a", 10_000))
        told = await before.hear(Cancelled)
        line.lose()
        after = await line.resume(again)
        assert not line.unheard
        await after.settle()
        assert after.all(Cancelled) == [told]
        assert not after.all(WarningMessage)
        await line.close()


async def test_of_all_that_is_cancelled_meanwhile_each_is_told_once_in_order() -> None:
    async with serving() as server:
        line = Line(server)
        before = await line.connect()
        await before.send(*(Text(name, OTHER) for name in "abcd"))
        await before.hear_audio("a", 3)
        line.lose()
        after = await line.resume("abc")
        await after.send(End("d"))
        await after.hear(Done)
        assert [cancelled.utterance for cancelled in after.all(Cancelled)] == ["a", "b", "c"]
        assert [done.utterance for done in after.all(Done)] == ["d"]
        await line.close()


async def test_late_text_is_dropped_with_one_warning_though_the_cancel_came_with_the_resume() -> None:
    async with serving() as server:
        line = Line(server)
        before = await line.connect()
        await before.send(Text("a", TEXT))
        await before.hear_audio("a", 3)
        line.lose()
        after = await line.resume(["a"])
        await after.send(Text("a", "late"), Text("a", "later"), End("a"))
        await after.settle()
        assert [(one.code, one.utterance) for one in after.all(WarningMessage)] == [("utterance-ended", "a")]
        assert not after.all(Done)
        await line.close()


async def test_one_the_server_never_got_is_no_mistake() -> None:
    async with serving() as server:
        line = Line(server)
        await line.connect()
        line.lose()
        after = await line.resume(["a"])
        await after.send(Text("b", OTHER), End("b"))
        await after.hear(Done, "b")
        assert not after.all(Cancelled)
        assert not after.all(WarningMessage)
        await line.close()
