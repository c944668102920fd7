"""Several utterances on one socket: their order, their own voices, their limits, and who makes way."""

from __future__ import annotations

import pytest

from pipeline.audio import content_samples
from server.listener import ServerSettings
from server.protocol import (
    AudioMessage,
    Cancel,
    Cancelled,
    Done,
    DoneReason,
    End,
    ErrorMessage,
    Progress,
    Segment,
    Start,
    Started,
    Text,
    WarningMessage,
)
from server.session import SessionLimits
from tests.fakes import FakeSynthesizer, Gate
from tests.server.hearing import Hearing
from tests.server.loopback import OTHER_VOICE, serving
from tests.server.test_session_rules import check_ends, check_numbers

UNPACED = Start(lead_ms=None)
SOON = ServerSettings(port=0, limits=SessionLimits(idle_s=0.05))
MOST_OPEN = 16


async def test_utterances_are_spoken_one_after_the_other_in_the_order_they_were_opened() -> None:
    names = [f"u{number}" for number in range(6)]
    async with serving() as server, server.client() as socket:
        client = Hearing(socket)
        await client.send(UNPACED, *(Text(name, "Hello there. ") for name in names))
        await client.send(*(End(name) for name in reversed(names)))
        await client.hear(Done, names[-1])
        assert [started.utterance for started in client.all(Started)] == names
        assert [done.utterance for done in client.all(Done)] == names
        check_ends(client.messages)
        check_numbers(client.messages)


async def test_each_utterance_has_its_own_voice_and_manner_and_the_next_has_those_of_the_session() -> None:
    async with serving() as server, server.client() as socket:
        client = Hearing(socket)
        await client.send(Start(speed=1.25, lead_ms=None), Text("a", "One."), End("a"))
        await client.send(Text("b", "Two.", voice=OTHER_VOICE.name, speed=0.5, pitch=1.5), End("b"))
        await client.send(Text("c", "Three."), End("c"))
        await client.hear(Done, "c")
        asked = {one.text: (one.voice, one.speed, one.pitch) for one in server.synthesizer.begun}
        assert asked == {"One.": ("fake", 1.25, 1), "Two.": ("other", 0.5, 1.5), "Three.": ("fake", 1.25, 1)}
        assert [started.voice for started in client.all(Started)] == ["fake", "other", "fake"]


async def test_settings_in_later_text_hold_from_the_next_segment_on_and_stay() -> None:
    async with serving() as server, server.client() as socket:
        client = Hearing(socket)
        await client.send(UNPACED, Text("a", "First one here. Second"))
        await client.hear_audio("a")
        await client.send(Text("a", " one here. Third one.", voice=OTHER_VOICE.name, speed=2.0))
        await client.send(Text("a", " Fourth one."), End("a"))
        await client.hear(Done)
        asked = [(one.text, one.voice, one.speed) for one in server.synthesizer.begun]
        assert asked == [
            ("First one here.", "fake", 1.0),
            ("Second one here.", "fake", 1.0),
            ("Third one.", "other", 2.0),
            ("Fourth one.", "other", 2.0),
        ]


async def test_an_impossible_setting_ends_that_utterance_alone() -> None:
    async with serving() as server, server.client() as socket:
        client = Hearing(socket)
        await client.send(UNPACED, Text("a", "One. "), Text("b", "Two."), End("b"))
        await client.send(Text("a", "Three.", voice="nobody"))
        error = await client.hear(ErrorMessage)
        assert (error.code, error.utterance) == ("unknown-voice", "a")
        await client.hear(Done, "b")
        check_ends(client.messages)


async def test_one_that_got_no_text_for_long_makes_way_for_the_next_with_all_it_had_said() -> None:
    async with serving(settings=SOON) as server, server.client() as socket:
        client = Hearing(socket)
        await client.send(UNPACED, Text("a", "Hello there. "), Text("b", "Next."), End("b"))
        done = await client.hear(Done)
        assert (done.utterance, done.reason) == ("a", DoneReason.IDLE)
        assert done.samples == content_samples(server.synthesizer.length("Hello there."), 24_000)
        done = await client.hear(Done)
        assert (done.utterance, done.reason) == ("b", DoneReason.COMPLETE)
        await client.send(Text("a", "late"))
        warning = await client.hear(WarningMessage)
        assert (warning.code, warning.utterance) == ("utterance-ended", "a")


async def test_one_that_breaks_off_in_mid_word_says_that_too_before_it_makes_way() -> None:
    async with serving(settings=SOON) as server, server.client() as socket:
        client = Hearing(socket)
        await client.send(UNPACED, Text("a", "Hello there and the"), Text("b", "Next."), End("b"))
        await client.hear(Done, "b")
        assert "".join(segment.text for segment in client.all(Segment, "a")) == "Hello there and the"


async def test_the_last_one_is_never_ended_for_being_idle() -> None:
    at_once = ServerSettings(port=0, limits=SessionLimits(idle_s=0.001))
    async with serving(settings=at_once) as server, server.client() as socket:
        client = Hearing(socket)
        await client.send(UNPACED, Text("a", "Hello. "), Text("b", "Next. "))
        await client.hear(Done, "a")
        await client.hear_audio("b", 10)
        await client.send(Text("b", "And more."), End("b"))
        done = await client.hear(Done)
        assert (done.utterance, done.reason) == ("b", DoneReason.COMPLETE)


async def test_one_more_than_sixteen_is_an_error_until_one_has_ended() -> None:
    gate = Gate()
    voice = FakeSynthesizer(before_begin=gate.wait)
    async with serving(synthesizer=voice) as server, server.client() as socket:
        client = Hearing(socket)
        await client.send(UNPACED, *(Text(f"u{number}", "Hello.") for number in range(MOST_OPEN)))
        await client.send(Text("over", "Hello."))
        error = await client.hear(ErrorMessage)
        assert (error.code, error.utterance, error.retryable) == ("too-many-utterances", "over", True)
        await client.send(Text("over", "late"))
        assert (await client.hear(WarningMessage)).utterance == "over"
        await client.send(Cancel("u3"), Text("next", "Hello."))
        await client.hear(Cancelled)
        await client.settle()
        assert len(client.all(ErrorMessage)) == 1
        gate.open(1000)
        await client.send(*(End(f"u{number}") for number in range(MOST_OPEN) if number != 3), End("next"))
        await client.hear(Done, "next")
        assert len(client.all(Done)) == MOST_OPEN
        check_ends(client.messages)


async def test_one_that_is_done_and_not_heard_counts_as_open_no_more() -> None:
    async with serving() as server, server.client() as socket:
        client = Hearing(socket)
        await client.send(UNPACED)
        for number in range(MOST_OPEN + 4):
            await client.send(Text(f"u{number}", "Hello."), End(f"u{number}"))
            await client.hear(Done, f"u{number}")
        await client.send(Progress("u0", 0))
        await client.settle()
        assert not client.all(ErrorMessage)


@pytest.mark.parametrize("ends", [[End("a")], [Cancel("a")]], ids=["end", "cancel"])
async def test_the_next_speaks_as_soon_as_the_one_before_has_ended(ends: list[End | Cancel]) -> None:
    async with serving() as server, server.client() as socket:
        client = Hearing(socket)
        await client.send(UNPACED, Text("a", "Hello there. "), Text("b", "Next."))
        await client.hear_audio("a")
        await client.settle()
        assert not client.all(Started, "b")
        await client.send(*ends)
        await client.hear(Started, "b")
        await client.hear_audio("b")
        ordinals = [message.ordinal for message in client.messages if isinstance(message, AudioMessage)]
        assert ordinals == sorted(ordinals)
