"""The rules of the wire hold for every order in which clients and utterances may act."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.messages import Failed
from pipeline.speech import SynthesisFailed
from server.protocol import (
    AudioMessage,
    Cancel,
    Cancelled,
    Done,
    End,
    ErrorMessage,
    Flush,
    Progress,
    ServerMessage,
    Started,
    Text,
)
from server.session import SessionLimits
from tests.server.fake_engine import Client, FakeUtterance, with_client

Act = Callable[[Client], Awaitable[None]]

ids = st.sampled_from("abcd")
played = st.none() | st.integers(0, 20_000)
messages = st.one_of(
    st.builds(Text, ids, st.sampled_from(["", "One. ", "Two"])),
    st.builds(Text, ids, st.just("x"), speed=st.just(9.0)),
    st.builds(Text, ids, st.just("x" * 101)),
    st.builds(End, ids),
    st.builds(Flush, ids),
    st.builds(Cancel, st.none() | ids, played, st.none() | ids),
    st.builds(Progress, ids, st.integers(0, 20_000)),
)


def sends(batch: Sequence[Text | End | Flush | Cancel | Progress]) -> Act:
    async def act(client: Client) -> None:
        await client.send(*batch)

    return act


def says(which: int, packets: int) -> Act:
    async def act(client: Client) -> None:
        with_some(client, which, lambda utterance: utterance.say(packets))
        await client.settle()

    return act


def ends(which: int, fails: bool) -> Act:
    async def act(client: Client) -> None:
        def end(utterance: FakeUtterance) -> None:
            if fails:
                utterance.tell(Failed(SynthesisFailed()))
            elif utterance.ended:
                utterance.finish()

        with_some(client, which, end)
        await client.settle()

    return act


def waits(seconds: float) -> Act:
    async def act(client: Client) -> None:
        await client.pass_time(seconds)

    return act


def reads(enabled: bool) -> Act:
    async def act(client: Client) -> None:
        (client.reading.set if enabled else client.reading.clear)()
        await client.settle()

    return act


def with_some(client: Client, which: int, then: Callable[[FakeUtterance], None]) -> None:
    """Call `then` with one of the utterances that have not been told to end."""
    going = [utterance for utterance in client.engine.opened if not utterance.is_ending]
    if going:
        then(going[which % len(going)])


acts = st.one_of(
    st.builds(sends, st.lists(messages, min_size=1, max_size=4)),
    st.builds(says, st.integers(0, 3), st.integers(1, 30)),
    st.builds(ends, st.integers(0, 3), st.booleans()),
    st.builds(waits, st.sampled_from([0.02, 0.5, 11.0])),
    st.builds(reads, st.booleans()),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(acts, max_size=40))
def test_every_utterance_ends_once_and_says_nothing_after_that(steps: list[Act]) -> None:
    heard: list[ServerMessage | AudioMessage] = []

    async def script(client: Client) -> None:
        for step in steps:
            await step(client)
        client.reading.set()
        await client.send(Cancel())
        for utterance in client.engine.opened:
            assert utterance.cancelled or utterance.ended or utterance.is_ending
        heard.extend(client.take())

    with_client(script, SessionLimits(utterances=3))
    check_ends(heard)
    check_numbers(heard)


def check_ends(heard: list[ServerMessage | AudioMessage]) -> None:
    """Every `started` has one end; only `cancelled` follows `done`; audio comes between."""
    ordinals: dict[int, str] = {}
    speaking: set[str] = set()
    ended: dict[str, type] = {}
    for message in heard:
        match message:
            case Started():
                assert message.utterance not in ended
                assert not speaking, "utterances are spoken one after the other"
                ordinals[message.ordinal] = message.utterance
                speaking.add(message.utterance)
            case AudioMessage():
                assert ordinals[message.ordinal] in speaking
            case Done() | Cancelled() | ErrorMessage():
                name = message.utterance
                assert name is not None
                assert name not in ended or (ended[name] is Done and isinstance(message, Cancelled))
                assert not isinstance(message, Done) or name in speaking
                ended[name] = type(message)
                speaking.discard(name)
            case _:
                pass
    assert not speaking


def check_numbers(heard: list[ServerMessage | AudioMessage]) -> None:
    """Sequence numbers and timestamps leave nothing out."""
    audio = [message for message in heard if isinstance(message, AudioMessage)]
    sequence = [message.sequence + k for message in audio for k in range(len(message.packets))]
    assert sequence == list(range(len(sequence)))
    for ordinal in {message.ordinal for message in audio}:
        mine = [message for message in audio if message.ordinal == ordinal]
        times = [message.timestamp + 960 * k for message in mine for k in range(len(message.packets))]
        assert times == [960 * k for k in range(len(times))]
