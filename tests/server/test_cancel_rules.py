"""Every rule of cancelling, over a real socket: what is told of a cut text, and that nothing follows it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.audio import CONTENT_RATE_HZ, FRAME_CONTENT_SAMPLES
from pipeline.speech import SegmentRequest
from server.protocol import (
    Cancel,
    Cancelled,
    ClientMessage,
    Done,
    End,
    ErrorMessage,
    Flush,
    Progress,
    Segment,
    Start,
    Started,
    StreamFormat,
    Text,
    WarningMessage,
)
from tests.fakes import FakeClock, FakeSynthesizer, Gate
from tests.server.hearing import AWKWARD_TEXTS, Hearing, about, joined
from tests.server.loopback import serving
from tests.server.test_session_rules import check_ends

TEXT = "One two three, four five. Six seven eight nine ten!"
OTHER = "Something else is said next."
UNPACED = Start(lead_ms=None)
FAR = 10**9


@dataclass(frozen=True, slots=True)
class Held:
    """A client of a server whose voice waits at `gate` before each text that `holds` says it shall."""

    hearing: Hearing
    gate: Gate


@contextlib.asynccontextmanager
async def hearing(
    *, clock: FakeClock | None = None, synthesizer: FakeSynthesizer | None = None
) -> AsyncIterator[Hearing]:
    """Serve, and connect one client."""
    timed = {} if clock is None else {"clock": clock}
    async with serving(synthesizer=synthesizer, **timed) as server, server.client() as client:  # type: ignore[arg-type]
        yield Hearing(client)


@contextlib.asynccontextmanager
async def held(holds: Callable[[str], bool], *, within: bool = False) -> AsyncIterator[Held]:
    """Serve one client, the voice being held before it begins such a text or, `within`, before each chunk."""
    gate = Gate()

    def before_begin(segment: SegmentRequest) -> None:
        if not within and holds(segment.text):
            gate.wait()

    def before_advance(segments: object) -> None:
        assert isinstance(segments, list)
        if within and any(holds(segment.text) for segment in segments):
            gate.wait()

    voice = FakeSynthesizer(before_begin=before_begin, before_advance=before_advance)
    async with hearing(synthesizer=voice) as client:
        try:
            yield Held(client, gate)
        finally:
            gate.open(1000)


async def assert_over(client: Hearing, cancelled: Cancelled) -> None:
    """Check, by an utterance spoken after it to its end, that nothing of a cancelled one was sent since."""
    await client.send(Text("after", OTHER), End("after"))
    await client.hear(Done, "after")
    await client.settle()
    name = cancelled.utterance
    assert not [message for message in client.after(cancelled) if about(message, name, client.ordinal(name))]
    assert len(client.all(Cancelled, name)) == 1


# One utterance.


@pytest.mark.parametrize("played", [0, 1, 8_640, 20_000, 40_000, 48_000])
async def test_one_is_cut_before_the_word_that_holds_played(played: int) -> None:
    async with hearing() as client:
        await client.send(UNPACED, Text("a", TEXT), Text("b", OTHER), End("b"))
        await client.hear_audio("a", 50)
        await client.send(Cancel("a", played))
        cancelled = await client.hear(Cancelled)
        assert cancelled.utterance == "a"
        client.assert_cut(cancelled, TEXT, played)
        await assert_over(client, cancelled)
        assert not client.all(Cancelled, "b")


async def test_played_beyond_what_was_sent_counts_as_all_that_was_sent() -> None:
    # The clock stands: of words already told of, no more than half a second is sent.
    async with hearing(clock=FakeClock()) as client:
        await client.send(Start(lead_ms=500), Text("a", TEXT), End("a"))
        await client.hear_audio("a", 21)
        await client.send(Cancel("a", FAR))
        cancelled = await client.hear(Cancelled)
        client.assert_cut(cancelled, TEXT, FAR)
        assert client.sent("a") < max(word.end for word in client.words("a"))


async def test_without_played_the_clock_says_how_much_of_one_was_heard() -> None:
    clock = FakeClock()
    async with hearing(clock=clock) as client:
        await client.send(UNPACED, Text("a", TEXT), End("a"))
        await client.hear(Done)
        clock.advance(1.4)
        await client.send(Cancel("a"))
        cancelled = await client.hear(Cancelled)
        client.assert_cut(cancelled, TEXT, CONTENT_RATE_HZ * 7 // 5)
        assert cancelled.text_spoken.split() == ["One", "two", "three,", "four"]


async def test_a_report_of_the_playhead_corrects_the_clock() -> None:
    clock = FakeClock()
    async with hearing(clock=clock) as client:
        await client.send(UNPACED, Text("a", TEXT), End("a"))
        await client.hear(Done)
        clock.advance(1.4)
        await client.send(Progress("a", 10_000), Cancel("a"))
        cancelled = await client.hear(Cancelled)
        client.assert_cut(cancelled, TEXT, 10_000)
        assert cancelled.text_spoken == "One "


async def test_one_that_waits_in_the_queue_ends_without_ever_having_started() -> None:
    async with hearing() as client:
        await client.send(UNPACED, Text("a", TEXT), Text("b", OTHER), End("b"), Cancel("b", FAR))
        cancelled = await client.hear(Cancelled)
        assert cancelled == Cancelled("b", "", OTHER)
        await client.send(End("a"))
        await client.hear(Done, "a")
        await assert_over(client, cancelled)
        assert not client.all(Started, "b")


async def test_before_its_first_packet_nothing_was_spoken() -> None:
    async with held(lambda text: text.startswith("One")) as kept:
        client = kept.hearing
        await client.send(UNPACED, Text("a", TEXT), End("a"))
        await kept.gate.arrived()
        await client.send(Cancel("a", FAR))
        cancelled = await client.hear(Cancelled)
        assert cancelled == Cancelled("a", "", TEXT)
        kept.gate.open()
        await assert_over(client, cancelled)
        assert not client.packets("a")


async def test_before_its_text_says_anything_it_can_be_cancelled_too() -> None:
    async with hearing() as client:
        await client.send(Text("a", ""), Cancel("a"))
        cancelled = await client.hear(Cancelled)
        assert cancelled == Cancelled("a", "", "")
        await assert_over(client, cancelled)


async def test_a_cancel_is_answered_while_the_voice_is_within_a_step_whose_sound_never_comes() -> None:
    async with held(lambda text: text.startswith("One"), within=True) as kept:
        client = kept.hearing
        await client.send(UNPACED, Text("a", TEXT), End("a"))
        await kept.gate.arrived()
        kept.gate.open()
        await client.hear_audio("a")
        await kept.gate.arrived()
        await client.send(Cancel("a"))
        cancelled = await client.hear(Cancelled)
        assert cancelled.text_spoken + cancelled.text_remaining == TEXT
        kept.gate.open()
        await assert_over(client, cancelled)


@pytest.mark.parametrize("played", [0, 1, 30_000, 60_000, FAR])
async def test_after_done_it_can_still_be_cut_while_it_is_being_heard(played: int) -> None:
    async with hearing() as client:
        await client.send(UNPACED, Text("a", TEXT), End("a"))
        done = await client.hear(Done)
        await client.send(Progress("a", min(played, done.samples - 1)), Cancel("a", played))
        cancelled = await client.hear(Cancelled)
        client.assert_cut(cancelled, TEXT, played)
        await assert_over(client, cancelled)


@pytest.mark.parametrize("trailing", ["", " \n"])
async def test_after_done_all_is_spoken_with_the_last_sample_and_not_before(trailing: str) -> None:
    text = TEXT.removesuffix("!") + trailing
    async with hearing() as client:
        await client.send(UNPACED, Text("a", text), End("a"), Text("b", text), End("b"))
        await client.hear(Done)
        samples = (await client.hear(Done)).samples
        await client.send(Cancel("a", samples - 1), Cancel("b", samples))
        first, second = await client.hear(Cancelled), await client.hear(Cancelled)
        client.assert_cut(first, text, samples - 1)
        assert first.text_remaining == "ten" + trailing
        assert second == Cancelled("b", text, "")


async def test_once_heard_to_the_end_there_is_nothing_left_to_cancel() -> None:
    async with hearing() as client:
        await client.send(UNPACED, Text("a", TEXT), End("a"))
        done = await client.hear(Done)
        await client.send(Progress("a", done.samples), Cancel("a", 0))
        warning = await client.hear(WarningMessage)
        assert (warning.code, warning.utterance) == ("utterance-ended", "a")
        assert not client.all(Cancelled)


async def test_a_playhead_in_a_later_one_says_that_the_earlier_was_heard() -> None:
    async with hearing() as client:
        await client.send(UNPACED, Text("a", TEXT), End("a"), Text("b", OTHER), End("b"))
        await client.hear(Done, "b")
        await client.send(Progress("b", 0), Cancel("a", 0), Cancel("b", 0))
        warning = await client.hear(WarningMessage)
        assert (warning.code, warning.utterance) == ("utterance-ended", "a")
        assert await client.hear(Cancelled) == Cancelled("b", "", OTHER)


async def test_a_second_cancel_is_warned_of_and_changes_nothing() -> None:
    async with hearing() as client:
        await client.send(UNPACED, Text("a", TEXT))
        await client.hear_audio("a", 20)
        await client.send(Cancel("a", 10_000), Cancel("a", 0))
        cancelled = await client.hear(Cancelled)
        client.assert_cut(cancelled, TEXT, 10_000)
        warning = await client.hear(WarningMessage)
        assert (warning.code, warning.utterance) == ("utterance-ended", "a")
        await assert_over(client, cancelled)


async def test_an_unknown_one_is_warned_of_and_may_still_be_opened() -> None:
    async with hearing() as client:
        await client.send(Cancel("a", 5))
        warning = await client.hear(WarningMessage)
        assert (warning.code, warning.utterance) == ("unknown-utterance", "a")
        await client.send(Text("a", OTHER), End("a"))
        assert (await client.hear(Done)).utterance == "a"


# Everything.


@pytest.mark.parametrize("played", [0, 30_000, 60_000, FAR])
async def test_of_everything_the_earlier_are_heard_the_named_one_is_cut_and_the_later_remain(
    played: int,
) -> None:
    async with held(lambda text: text == "Held back.") as kept:
        client = kept.hearing
        await client.send(UNPACED)
        for name, text in {"a": OTHER, "b": TEXT, "c": OTHER}.items():
            await client.send(Text(name, text), End(name))
        await client.hear(Done, "c")
        await client.send(Text("d", "Held back."), End("d"), Text("e", OTHER), End("e"))
        await kept.gate.arrived()
        await client.send(Cancel(played=played, playing="b"))
        await client.settle()
        cancelled = client.all(Cancelled)
        assert [one.utterance for one in cancelled] == ["b", "c", "d", "e"]
        client.assert_cut(cancelled[0], TEXT, played)
        assert [one.text_spoken for one in cancelled[1:]] == [""] * 3
        assert [one.text_remaining for one in cancelled[1:]] == [OTHER, "Held back.", OTHER]
        kept.gate.open()
        for one in cancelled:
            await client.send(Cancel(one.utterance))
        await assert_over(client, cancelled[-1])
        assert len(client.all(Cancelled)) == 4


@pytest.mark.parametrize("given_played", [None, 12_000])
async def test_of_everything_without_a_name_the_clock_says_which_is_being_heard(
    given_played: int | None,
) -> None:
    clock = FakeClock()
    async with hearing(clock=clock) as client:
        await client.send(UNPACED, Text("a", OTHER), End("a"), Text("b", TEXT), End("b"), Text("c", OTHER))
        await client.hear(Done, "b")
        clock.advance((client.packets("a") * FRAME_CONTENT_SAMPLES + 48_000) / CONTENT_RATE_HZ)
        await client.send(Cancel(played=given_played))
        await client.settle()
        second, third = client.all(Cancelled)
        assert (second.utterance, third.utterance) == ("b", "c")
        client.assert_cut(second, TEXT, 48_000 if given_played is None else given_played)
        assert third == Cancelled("c", "", OTHER)


async def test_the_later_remain_though_the_clock_took_them_for_heard() -> None:
    clock = FakeClock()
    async with hearing(clock=clock) as client:
        await client.send(UNPACED, *(Text(name, OTHER) for name in "abc"), *(End(name) for name in "abc"))
        await client.hear(Done, "c")
        clock.advance(3600)
        await client.send(Cancel(played=20_000, playing="b"))
        second, third = await client.hear(Cancelled), await client.hear(Cancelled)
        assert second.utterance == "b"
        client.assert_cut(second, OTHER, 20_000)
        assert third == Cancelled("c", "", OTHER)


async def test_cancelling_everything_when_all_was_heard_is_warned_of() -> None:
    async with hearing() as client:
        await client.send(UNPACED, Cancel(), Text("a", OTHER), End("a"))
        assert (await client.hear(WarningMessage)).code == "nothing-to-cancel"
        done = await client.hear(Done)
        await client.send(Progress("a", done.samples), Cancel())
        assert (await client.hear(WarningMessage)).code == "nothing-to-cancel"
        assert not client.all(Cancelled)


@pytest.mark.parametrize("cancel", [Cancel(), Cancel("a", 0), Cancel(played=0, playing="a")])
async def test_after_a_cancel_the_next_may_have_the_whole_lead(cancel: Cancel) -> None:
    # The clock stands: what comes at all comes within the lead, but for less than a group of five.
    async with hearing(clock=FakeClock()) as client:
        await client.send(Start(lead_ms=1000), Text("a", TEXT), End("a"))
        await client.hear_audio("a", 46)
        await client.send(cancel)
        await client.hear(Cancelled)
        await client.send(Text("b", TEXT), End("b"))
        await client.hear_audio("b", 46)
        assert client.packets("a") <= 50


async def test_a_cancelled_one_leaves_no_gap_in_the_numbers_of_what_is_sent_after_it() -> None:
    async with hearing() as client:
        await client.send(UNPACED, Text("a", TEXT))
        await client.hear_audio("a", 20)
        await client.send(Cancel("a"))
        await assert_over(client, await client.hear(Cancelled))
        check_ends(client.messages)
        assert client.ordinal("after") == 1


# What comes too late.


async def ended_by_cancel(client: Hearing) -> None:
    await client.send(Text("a", TEXT), Cancel("a"))
    await client.hear(Cancelled)


async def ended_in_the_queue(client: Hearing) -> None:
    await client.send(Text("first", TEXT), Text("a", TEXT), Cancel("a"), End("first"))
    await client.hear(Cancelled)


async def ended_with_everything(client: Hearing) -> None:
    await client.send(Text("first", TEXT), Text("a", TEXT), Cancel())
    await client.hear(Cancelled, "a")


async def ended_by_itself(client: Hearing) -> None:
    await client.send(Text("a", OTHER), End("a"))
    await client.hear(Done)


async def ended_and_heard(client: Hearing) -> None:
    await client.send(Text("a", OTHER), End("a"))
    await client.send(Progress("a", (await client.hear(Done)).samples))


async def ended_with_an_error(client: Hearing) -> None:
    await client.send(Text("a", "x", speed=99.0))
    await client.hear(ErrorMessage)


@pytest.mark.parametrize(
    "late",
    [[Text("a", "late")], [Flush("a")], [End("a")], [Text("a", "la"), Text("a", "te"), Flush("a"), End("a")]],
    ids=["text", "flush", "end", "all of it"],
)
@pytest.mark.parametrize(
    "ended",
    [
        ended_by_cancel,
        ended_in_the_queue,
        ended_with_everything,
        ended_by_itself,
        ended_and_heard,
        ended_with_an_error,
    ],
)
async def test_what_comes_after_the_end_is_dropped_with_one_warning_and_opens_nothing(
    ended: Callable[[Hearing], object], late: list[ClientMessage]
) -> None:
    async with hearing() as client:
        await client.send(UNPACED)
        await ended(client)  # type: ignore[misc]
        starts = len(client.all(Started, "a"))
        await client.send(*late, *late)
        warning = await client.hear(WarningMessage)
        assert (warning.code, warning.utterance) == ("utterance-ended", "a")
        await client.send(Text("after", OTHER), End("after"))
        await client.hear(Done, "after")
        await client.settle()
        assert client.all(WarningMessage) == [warning]
        assert len(client.all(Started, "a")) == starts


async def test_text_after_end_is_no_part_of_what_is_cut() -> None:
    async with held(lambda text: True) as kept:
        client = kept.hearing
        await client.send(Text("a", TEXT), End("a"), Text("a", " late"), Cancel("a"))
        assert (await client.hear(WarningMessage)).code == "utterance-ended"
        assert await client.hear(Cancelled) == Cancelled("a", "", TEXT)


# Every text, every cut.


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_text_in_any_pieces_cut_anywhere_is_told_whole(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(AWKWARD_TEXTS))
    units = [text[i : i + 1] for i in range(len(text))]
    halves = [half for unit in units for half in utf16(unit)]
    at = sorted(data.draw(st.sets(st.integers(0, len(halves)), max_size=6)) | {0, len(halves)})
    pieces = ["".join(halves[a:b]) for a, b in itertools.pairwise(at)]
    packets = data.draw(st.integers(0, len(text)))
    played = data.draw(st.integers(0, 3 * len(text)).map(lambda k: k * FRAME_CONTENT_SAMPLES))

    async def script() -> None:
        async with hearing(synthesizer=FakeSynthesizer(samples_per_character=480)) as client:
            await client.send(Start(format=StreamFormat.PCM, lead_ms=None))
            await client.send(*(Text("a", piece) for piece in pieces), End("a"))
            while client.packets("a") < packets and not client.all(Done):
                await client.next()
            await client.send(Cancel("a", played))
            await client.settle()
            if any(not done.samples for done in client.all(Done)):
                return  # Without sound it was heard as soon as it was done.
            (cancelled,) = client.all(Cancelled)
            client.assert_cut(cancelled, text, played)
            for segment in client.all(Segment):
                assert text[segment.offset : segment.offset + len(segment.text)] == segment.text

    asyncio.run(script())


def utf16(character: str) -> list[str]:
    """Return a character in the one or two pieces that a client of UTF-16 may cut it in."""
    units = character.encode("utf-16-le", "surrogatepass")
    return [units[i : i + 2].decode("utf-16-le", "surrogatepass") for i in range(0, len(units), 2)]


ids = st.sampled_from("abcd")
acts = st.one_of(
    st.builds(Text, ids, st.sampled_from(["One. ", "Two, three and four; ", "\ud83d", "\ude00", "5.5 "])),
    st.builds(End, ids),
    st.builds(Flush, ids),
    st.builds(Cancel, st.none() | ids, st.none() | st.integers(0, 20_000), st.none() | ids),
    st.builds(Progress, ids, st.integers(0, 20_000)),
    st.integers(1, 8),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(acts, max_size=30))
def test_whatever_a_client_does_every_utterance_ends_once_with_all_of_its_text(
    script: list[ClientMessage | int],
) -> None:
    async def run() -> Hearing:
        async with hearing(synthesizer=FakeSynthesizer(samples_per_character=480)) as client:
            await client.send(Start(format=StreamFormat.PCM, lead_ms=None))
            for act in script:
                if isinstance(act, int):
                    await client.settle()
                else:
                    await client.send(act)
            await client.send(Cancel(), Text("after", OTHER), End("after"))
            await client.hear(Done, "after")
            await client.settle()
            return client

    client = asyncio.run(run())
    check_ends(client.messages)
    for cancelled in client.all(Cancelled):
        whole = cancelled.text_spoken + cancelled.text_remaining
        assert joined(whole) == joined(text_until_cut(script, cancelled.utterance))
    opened = {act.utterance for act in script if isinstance(act, Text)}
    ended = {one.utterance for one in client.all(Done)} | {one.utterance for one in client.all(Cancelled)}
    assert ended - {"after"} == opened


def text_until_cut(script: list[ClientMessage | int], name: str) -> str:
    """Return what a client sent of an utterance before its end or the first cancel that may have met it."""
    text, opened = "", False
    for act in script:
        if isinstance(act, Text) and act.utterance == name:
            text, opened = text + act.text, True
        elif opened and (
            (isinstance(act, End) and act.utterance == name)
            or (isinstance(act, Cancel) and act.utterance in (None, name))
        ):
            break
    return text


async def test_where_the_one_that_was_playing_is_over_nothing_of_the_others_was_heard() -> None:
    async with hearing() as client:
        await client.send(UNPACED, Text("a", TEXT), End("a"), Text("b", OTHER), End("b"))
        done = await client.hear(Done, "a")
        await client.hear(Done, "b")
        await client.send(Progress("a", done.samples), Cancel(playing="a", played=200_000))
        client.assert_cut(await client.hear(Cancelled, "b"), OTHER, 0)


async def test_the_playhead_in_an_utterance_that_never_was_counts_in_no_other() -> None:
    async with hearing(clock=FakeClock()) as client:
        await client.send(UNPACED, Text("a", TEXT), End("a"))
        await client.hear(Done, "a")
        await client.send(Cancel(playing="nobody", played=200_000))
        client.assert_cut(await client.hear(Cancelled, "a"), TEXT, 0)
