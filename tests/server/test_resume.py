"""A lost connection loses nothing: sessions that are gone on with, over real sockets on loopback."""

from __future__ import annotations

import asyncio
import logging
import random

import numpy as np
import pytest
from numpy.typing import NDArray
from websockets.asyncio.client import connect
from websockets.frames import Frame, Opcode

from pipeline.audio import int16_from_float
from pipeline.engine import EngineLimits
from server.listener import ServerSettings
from server.protocol import (
    AudioFlags,
    AudioMessage,
    Cancel,
    Cancelled,
    CloseCode,
    Done,
    ErrorMessage,
    Progress,
    Ready,
    Resume,
    Start,
    Started,
    StreamFormat,
    Text,
    UtteranceState,
    serialize_client,
)
from server.session import SessionLimits
from tests.fakes import FakeClock, FakeSynthesizer, Gate, fake_pcm, until
from tests.server.caller import Caller, Loss
from tests.server.loopback import Loopback, serving

CUTS = 100
TEXTS = {
    "playing": "This one plays, with 3 clauses. And it has a second sentence.",
    "queued": "This one waits for its turn, and is heard whole.",
    "dropped": "This one is stopped while nobody is there to stop it.",
    "lost": "This one goes into a dead socket.",
}


def settings(**limits: float) -> ServerSettings:
    return ServerSettings(port=0, limits=SessionLimits(**limits))  # type: ignore[arg-type]


def expected_pcm(server: Loopback, caller: Caller, name: str) -> NDArray[np.int16]:
    """Put together what the voice spoke for an utterance, from what its segments say."""
    said = caller.said[name]
    assert said.done is not None
    pcm = np.zeros(said.done.samples // 2, np.int16)
    for segment in said.segments.values():
        request = next(one for one in server.synthesizer.begun if one.text == segment.text)
        spoken = fake_pcm(segment.text, server.synthesizer.length(segment.text), request.seed)
        pcm[segment.start // 2 :][: len(spoken)] = int16_from_float(spoken)
    return pcm


def assert_heard_whole(server: Loopback, caller: Caller, name: str) -> None:
    """Every sample of an utterance arrived, once, in its place, and no other."""
    said = caller.said[name]
    assert set(said.ends) == {Done}
    heard = np.frombuffer(caller.pcm(name), np.int16)
    expected = expected_pcm(server, caller, name)
    np.testing.assert_array_equal(heard[: len(expected)], expected)
    assert not heard[len(expected) :].any()
    joined = "".join(said.segments[index].text for index in sorted(said.segments))
    assert joined.replace(" ", "") == said.text.replace(" ", "")


async def test_cut_at_100_random_moments_nothing_is_lost_and_nothing_heard_twice() -> None:
    async with serving(settings=settings()) as server:
        for seed in range(CUTS):
            await lose_and_go_on(server, random.Random(seed))
        await until(lambda: not server.listener.sessions)
        assert not server.engine.open_utterances


async def lose_and_go_on(server: Loopback, chance: random.Random) -> None:
    """Play one, queue one, stop one and write one while the connection is away, up to three times."""
    caller = Caller(server.url())
    await caller.call()
    for name in ("playing", "queued", "dropped"):
        await caller.say(name, TEXTS[name])
    for _ in range(chance.randint(0, 45)):
        if not all(caller.said[name].ends for name in caller.said):
            await caller.read()
        if caller.last is not None and chance.random() < 0.2:
            await caller.send(Progress(caller.last, caller.playhead(chance.random())))
    await caller.lose(chance.choice(list(Loss)))
    was_over = bool(caller.said["dropped"].ends)
    await caller.cancel("dropped", arrives=False)
    await caller.say("lost", TEXTS["lost"], arrives=False)
    late = len(caller.late)
    for _ in range(chance.randint(0, 2)):
        assert (await caller.call(playing=caller.last, played=caller.playhead(chance.random()))).resumed
        for _ in range(chance.randint(0, 12)):
            if not all(said.ends for said in caller.said.values()):
                await caller.read()
        await caller.lose(chance.choice(list(Loss)))
    assert (await caller.call()).resumed
    await caller.read_ends("playing", "queued", "lost")
    for name in ("playing", "queued", "lost"):
        assert_heard_whole(server, caller, name)
    assert len(caller.late) == late, "audio of an utterance that was cancelled"
    if not was_over:
        await caller.read_ends("dropped")
        assert caller.said["dropped"].ends[Cancelled]
    await caller.hang_up()


async def test_a_resumed_session_tells_what_is_unheard_and_how_much_of_its_text_arrived() -> None:
    gate = Gate()
    synthesizer = FakeSynthesizer(
        before_begin=lambda request: gate.wait() if "hold" in request.text else None
    )
    async with serving(synthesizer=synthesizer) as server:
        caller = Caller(server.url())
        await caller.call()
        await caller.say("a", "Hello.")
        await caller.say("b", "Do hold the line, ", ends=False)
        await caller.say("c", "Later \N{PILE OF POO}.", ends=True)
        await caller.read_until(lambda message: isinstance(message, Started) and message.utterance == "b")
        await caller.lose(Loss.RESET)
        ready = await caller.call()
        assert ready.session == caller.token
        assert ready.utterances is not None
        states = {
            one.utterance: (one.state, one.received, one.ended, one.ordinal) for one in ready.utterances
        }
        assert states == {
            "a": (UtteranceState.DONE, 6, True, 0),
            "b": (UtteranceState.SPEAKING, 18, False, 1),
            "c": (UtteranceState.QUEUED, 8, True, None),
        }
        gate.open()
        await caller.hang_up()


async def test_what_was_heard_is_not_listed_but_its_end_is_told_again() -> None:
    async with serving() as server:
        caller = Caller(server.url())
        await caller.call()
        await caller.say("a", "Hello.")
        await caller.read_ends("a")
        await caller.lose(Loss.RESET)
        done = caller.said["a"].done
        assert done is not None
        ready = await caller.call(playing="a", played=done.samples)
        assert ready.utterances == ()
        await caller.read_until(lambda message: isinstance(message, Done))
        assert caller.said["a"].ends[Done] == 2
        assert caller.heard[-1] == done
        await caller.hang_up()


@pytest.mark.parametrize("loss", [Loss.RESET, Loss.GOING_AWAY, Loss.NO_CODE])
async def test_while_detached_no_more_than_the_lead_is_spoken_and_nothing_waits_for_the_client(
    loss: Loss,
) -> None:
    async with serving(clock=FakeClock()) as server:
        caller = Caller(server.url(), lead_ms=1_000)
        await caller.call()
        await caller.say("a", "On and on it goes and never ends. " * 12)
        await caller.read_until(lambda message: isinstance(message, AudioMessage))
        await caller.lose(loss)
        await until(lambda: server.metrics_value("utter_sessions_detached") == 1)
        session = next(iter(server.sessions))
        await until(lambda: session.kept_packets >= 40)
        other = Caller(server.url())
        await other.call()
        await other.say("b", "Hello there.")
        await other.read_ends("b")
        assert session.kept_packets <= 50
        assert (await caller.call()).resumed
        await caller.read_until(lambda message: isinstance(message, AudioMessage))
        assert server.metrics_value("utter_sessions_detached") == 0
        await caller.hang_up()
        await other.hang_up()


async def test_the_connection_that_resumes_takes_over_and_the_older_is_closed_with_4001() -> None:
    async with serving() as server:
        caller = Caller(server.url())
        await caller.call()
        await caller.say("a", "Hello there, this goes on.")
        await caller.lose(Loss.BLACK_HOLE)
        assert (await caller.call()).resumed
        await caller.read_ends("a")
        older = caller.lost[0]
        await asyncio.wait_for(older.wait_closed(), 5)
        assert older.close_code == CloseCode.TAKEN_OVER
        assert_heard_whole(server, caller, "a")
        await caller.hang_up()


@pytest.mark.parametrize("number", range(20))
async def test_text_on_its_way_by_the_older_connection_is_spoken_once(number: int) -> None:
    async with serving() as server:
        caller = Caller(server.url())
        await caller.call()
        await caller.say("a", "Hello there. ", ends=False)
        await caller.lose(Loss.BLACK_HOLE)
        older = caller.lost[0]
        await caller.say("a", "And on it goes.", arrives=False)

        async def speak_late() -> None:
            for _ in range(number):
                await asyncio.sleep(0)
            older.transport.write(text_frame(serialize_client(Text("a", "And on it goes."))))

        async with asyncio.TaskGroup() as group:
            group.create_task(speak_late())
            await caller.call()
        await caller.read_ends("a")
        assert_heard_whole(server, caller, "a")
        await caller.hang_up()


def text_frame(text: str) -> bytes:
    """Return the bytes a client sends a short message in."""
    return Frame(Opcode.TEXT, text.encode()).serialize(mask=True)


@pytest.mark.parametrize("why", ["unknown", "closed with 1000", "expired", "turned off"])
async def test_a_resume_that_cannot_be_is_refused_and_a_fresh_session_follows(why: str) -> None:
    window = {"expired": 0.01, "turned off": 0.0}.get(why, 60.0)
    async with serving(settings=settings(resume_window_s=window)) as server:
        caller = Caller(server.url())
        await caller.call()
        await caller.say("a", "Hello there.")
        await caller.read_ends("a")
        token = caller.token
        if why == "closed with 1000":
            await caller.hang_up()
        else:
            await caller.lose(Loss.RESET)
        if why == "unknown":
            caller.token = "no such token"
        else:
            await until(lambda: why == "unknown" or not server.listener.sessions)
        ready = await caller.call()
        assert not ready.resumed
        assert ready.session != token
        assert isinstance(caller.heard[-2], ErrorMessage)
        assert caller.heard[-2].code == "resume-refused"
        caller.said.clear()
        caller.next = 0
        await caller.say("a", "The same id is free again.")
        await caller.read_ends("a")
        await caller.hang_up()


async def test_a_client_that_lacks_more_than_is_kept_is_refused_and_nothing_is_skipped_silently() -> None:
    async with serving() as server:
        caller = Caller(server.url())
        await caller.call()
        await caller.say("a", "On and on it goes and never ends. " * 20)
        await caller.read_ends("a")
        await caller.lose(Loss.RESET)
        caller.next = 5
        assert not (await caller.call()).resumed
        await caller.hang_up()


async def test_beyond_its_limit_the_longest_detached_session_ends() -> None:
    async with serving(settings=settings(detached=2)) as server:
        callers = [Caller(server.url()) for _ in range(3)]
        for caller in callers:
            await caller.call()
            await caller.lose(Loss.RESET)
            await until(lambda: server.metrics_value("utter_sessions_detached") == server.listener.sessions)
        assert [(await caller.call()).resumed for caller in callers] == [False, True, True]
        for caller in callers:
            await caller.hang_up()


async def test_pre_roll_prepares_a_new_decoder_and_is_not_heard_again() -> None:
    async with serving() as server:
        caller = Caller(server.url())
        await caller.call()
        await caller.say("a", TEXTS["playing"])
        await caller.read_until(lambda message: caller.next >= 20)
        await caller.lose(Loss.RESET)
        joins_at = caller.next
        assert (await caller.call(pre_roll=8)).resumed
        await caller.read_ends("a")
        flags = [message.flags for message in caller.pre_roll]
        packets = [packet.sequence + k for packet in caller.pre_roll for k in range(len(packet.packets))]
        assert packets == list(range(joins_at - 8, joins_at))
        assert flags[0] & AudioFlags.DECODER_RESET
        assert_heard_whole(server, caller, "a")
        await caller.hang_up()


async def test_a_cancel_made_while_detached_says_what_was_heard_by_the_clients_own_playhead() -> None:
    async with serving() as server:
        caller = Caller(server.url())
        await caller.call()
        text = "One two three four five six."
        await caller.say("a", text)
        await caller.say("b", "Never heard.")
        await caller.read_ends("a")
        await caller.lose(Loss.RESET)
        words = caller.said["a"].segments[0].words
        await caller.cancel("a", arrives=False)
        await caller.cancel("b", arrives=False)
        await caller.call(playing="a", played=words[2].start + 1)
        await caller.read_until(lambda message: isinstance(message, Cancelled) and message.utterance == "b")
        cut = next(message for message in caller.heard if isinstance(message, Cancelled))
        assert (cut.text_spoken, cut.text_remaining) == (text[: words[2].offset], text[words[2].offset :])
        assert caller.heard[-1] == Cancelled("b", "", "Never heard.")
        await caller.hang_up()


async def test_a_done_utterance_stopped_while_away_before_the_one_that_plays_is_told_to_be_cancelled() -> (
    None
):
    async with serving() as server:
        caller = Caller(server.url())
        await caller.call()
        await caller.say("a", "One two three four five six.")
        await caller.say("b", "Seven eight nine.")
        await caller.read_ends("a", "b")
        await caller.lose(Loss.RESET)
        await caller.cancel("a", arrives=False)
        await caller.call(playing="b", played=960)
        await caller.read_until(lambda message: isinstance(message, Cancelled))
        cut = caller.heard[-1]
        assert isinstance(cut, Cancelled)
        assert cut.text_spoken + cut.text_remaining == "One two three four five six."
        assert cut.text_remaining
        await caller.hang_up()


async def test_what_is_sent_again_stops_with_a_cancel_as_new_audio_does() -> None:
    async with serving() as server:
        caller = Caller(server.url())
        await caller.call()
        await caller.say("a", "On and on it goes and never ends. " * 10)
        await caller.read_ends("a")
        await caller.lose(Loss.RESET)
        caller.next = 0
        caller.said["a"].packets.clear()
        assert caller.token is not None
        caller.socket = await connect(caller.url, compression=None, close_timeout=0.2)
        await caller.send(
            Start(format=StreamFormat.PCM, lead_ms=None, resume=Resume(caller.token)), Cancel("a")
        )
        await caller.read_until(lambda message: isinstance(message, Cancelled))
        await caller.say("b", "Next.")
        await caller.read_ends("b")
        assert len(caller.said["a"].packets) < 1_000
        await caller.hang_up()


async def test_a_first_message_that_is_none_does_not_cost_the_session() -> None:
    async with serving() as server:
        caller = Caller(server.url())
        await caller.call()
        await caller.lose(Loss.RESET)
        assert caller.token is not None
        async with server.client() as client:
            await client.socket.send('{"type":"start","lead_ms":1}')
            error = await client.next()
            assert isinstance(error, ErrorMessage)
            await client.send(Start(resume=Resume(caller.token)))
            ready, before = await client.until(Ready)
            assert not before
            assert ready.resumed


async def test_sessions_without_a_connection_leave_room_for_those_with_one() -> None:
    async with serving(limits=EngineLimits(utterances=20), settings=settings()) as server:
        callers = [Caller(server.url(), lead_ms=100) for _ in range(6)]
        for number, caller in enumerate(callers):
            await caller.call()
            for name in "abcd":
                await caller.say(name, "On and on it goes and never ends. " * 12, ends=False)
            await caller.read_until(lambda message: isinstance(message, AudioMessage))
            await caller.lose(Loss.RESET)
            await until(lambda: server.metrics_value("utter_sessions_detached") == server.listener.sessions)
            assert server.engine.open_utterances <= 10, number
        assert (await callers[-1].call()).resumed
        assert not (await callers[0].call()).resumed
        for caller in callers:
            await caller.hang_up()


async def test_an_utterance_cancelled_before_the_loss_stays_cancelled_and_silent() -> None:
    async with serving() as server:
        caller = Caller(server.url())
        await caller.call()
        await caller.say("a", TEXTS["playing"])
        await caller.read_until(lambda message: isinstance(message, AudioMessage))
        await caller.cancel("a")
        await caller.lose(Loss.BLACK_HOLE)
        caller.next = 0
        late = len(caller.late)
        ready = await caller.call()
        assert ready.utterances == ()
        await caller.say("b", "And on.")
        await caller.read_ends("b")
        assert len(caller.late) == late
        assert caller.said["a"].ends == {Cancelled: 1}
        await caller.hang_up()


async def test_a_session_can_be_lost_again_before_its_ready_was_read() -> None:
    async with serving() as server:
        caller = Caller(server.url())
        await caller.call()
        await caller.say("a", TEXTS["playing"])
        await caller.lose(Loss.RESET)
        assert caller.token is not None
        for _ in range(5):
            async with server.client() as hasty:
                await hasty.send(Start(resume=Resume(caller.token)))
                hasty.socket.transport.abort()
        assert (await caller.call()).resumed
        await caller.read_ends("a")
        assert_heard_whole(server, caller, "a")
        await caller.hang_up()


async def test_half_a_character_that_arrived_before_the_loss_is_sent_again_whole() -> None:
    async with serving() as server:
        caller = Caller(server.url())
        await caller.call()
        text = "Hello \N{PILE OF POO} there."
        await caller.say("a", text, arrives=False)
        await caller.send(Text("a", "Hello \ud83d"))
        await caller.lose(Loss.BLACK_HOLE)
        ready = await caller.call()
        assert ready.utterances is not None
        assert [one.received for one in ready.utterances] == [6]
        await caller.read_ends("a")
        assert "".join(segment.text for segment in caller.said["a"].segments.values()) == text
        assert_heard_whole(server, caller, "a")
        await caller.hang_up()


async def test_a_later_start_with_a_resume_is_told_that_it_comes_late() -> None:
    async with serving() as server, server.client() as client:
        await client.send(Progress("a", 0), Start(resume=Resume("token")))
        error, _ = await client.until(ErrorMessage)
        assert error.code == "start-late"


async def test_a_connection_that_never_said_anything_leaves_no_session() -> None:
    async with serving() as server:
        async with server.client() as client:
            client.socket.transport.abort()
        await until(lambda: not server.listener.connections)
        assert not server.listener.sessions


async def test_tokens_are_long_all_different_and_never_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="server")
    tokens = []
    async with serving() as server:
        for _ in range(5):
            caller = Caller(server.url())
            tokens.append((await caller.call()).session)
            await caller.say("a", "Hello.")
            await caller.lose(Loss.RESET)
            await caller.call()
            await caller.hang_up()
    assert len(set(tokens)) == 5
    assert all(len(token) >= 22 for token in tokens)
    assert caplog.records
    assert not any(token in record.getMessage() for token in tokens for record in caplog.records)


async def test_shutting_down_ends_detached_sessions_at_once() -> None:
    async with serving() as server:
        caller = Caller(server.url(), lead_ms=1_000)
        await caller.call()
        await caller.say("a", "On and on it goes and never ends. " * 12)
        await caller.lose(Loss.RESET)
        await until(lambda: server.metrics_value("utter_sessions_detached") == 1)
        await asyncio.wait_for(server.listener.drain(30.0), 5.0)
        assert not server.engine.open_utterances
