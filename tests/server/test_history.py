"""What can be told and sent again to a client that lost its connection."""

from __future__ import annotations

import random

import pytest

from pipeline.audio import FRAME_CONTENT_SAMPLES
from server.history import MAX_ENDED, TOLD_AGAIN_S, History
from server.protocol import AudioFlags, AudioKind, AudioMessage
from tests.fakes import FakeClock


class Line:
    """A history, and the packets that went through it: each holds its own sequence number."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.unheard: set[str] = set()
        self.history = History(self.clock, lambda: self.unheard)
        self.sequence = 0

    def send(self, name: str, ordinal: int, groups: list[int]) -> None:
        """Send an utterance in messages of so many packets each."""
        total, sent = sum(groups), 0
        for count in groups:
            flags = AudioFlags.FIRST if not sent else AudioFlags.NONE
            flags |= AudioFlags.LAST if sent + count == total else AudioFlags.NONE
            packets = tuple(str(self.sequence + k).encode() for k in range(count))
            timestamp = sent * FRAME_CONTENT_SAMPLES
            self.history.send(
                name, AudioMessage(AudioKind.OPUS, flags, ordinal, self.sequence, timestamp, packets)
            )
            self.sequence += count
            sent += count


def flat(messages: list[AudioMessage]) -> list[tuple[int, bytes, int, int]]:
    """Return sequence, bytes, ordinal and timestamp of every packet."""
    return [
        (one.sequence + k, packet, one.ordinal, one.timestamp + k * FRAME_CONTENT_SAMPLES)
        for one in messages
        for k, packet in enumerate(one.packets)
    ]


def flags_by_packet(messages: list[AudioMessage]) -> dict[int, AudioFlags]:
    return {one.sequence + k: one.flags for one in messages for k in range(len(one.packets))}


@pytest.mark.parametrize("seed", range(20))
def test_from_any_packet_on_every_later_packet_comes_once_and_unchanged(seed: int) -> None:
    chance, line = random.Random(seed), Line()
    for ordinal, name in enumerate("abc"):
        line.send(name, ordinal, [1] + [chance.randint(1, 5) for _ in range(chance.randint(1, 8))])
    everything = flat(line.history.audio_from(0, 0))
    assert [sequence for sequence, *_ in everything] == list(range(line.sequence))
    assert all(packet == str(sequence).encode() for sequence, packet, *_ in everything)
    for wanted in range(line.sequence + 1):
        assert flat(line.history.audio_from(wanted, 0)) == everything[wanted:]


def test_a_message_cut_in_two_keeps_first_and_last_where_they_belong() -> None:
    line = Line()
    line.send("a", 0, [4])
    cut = line.history.audio_from(1, 0)
    assert [one.flags for one in cut] == [AudioFlags.LAST]
    whole = line.history.audio_from(0, 2)
    assert [one.flags for one in whole] == [
        AudioFlags.FIRST | AudioFlags.PRE_ROLL | AudioFlags.DECODER_RESET,
        AudioFlags.LAST,
    ]


@pytest.mark.parametrize("seed", range(20))
def test_pre_roll_is_flagged_and_never_of_another_utterance_than_what_follows(seed: int) -> None:
    chance, line = random.Random(seed), Line()
    for ordinal, name in enumerate("ab"):
        line.send(name, ordinal, [1] + [chance.randint(1, 5) for _ in range(4)])
    everything = flat(line.history.audio_from(0, 0))
    for wanted in range(line.sequence - 8):
        again = line.history.audio_from(wanted, 8)
        target = everything[wanted + 8][2]
        expected = [one for one in everything[wanted : wanted + 8] if one[2] == target]
        assert flat(again) == expected + everything[wanted + 8 :]
        flags = flags_by_packet(again)
        assert all(
            bool(flag & AudioFlags.PRE_ROLL) == (sequence < wanted + 8) for sequence, flag in flags.items()
        )
        assert [bool(one.flags & AudioFlags.DECODER_RESET) for one in again] == [True] + [False] * (
            len(again) - 1
        )


def test_pre_roll_at_the_end_of_what_was_sent_prepares_for_what_is_to_come() -> None:
    line = Line()
    line.send("a", 0, [1, 5, 5])
    again = line.history.audio_from(line.sequence - 8, 8)
    assert [sequence for sequence, *_ in flat(again)] == list(range(line.sequence - 8, line.sequence))
    assert all(one.flags & AudioFlags.PRE_ROLL for one in again)


def test_audio_that_was_taken_back_is_a_gap_and_not_a_loss() -> None:
    line = Line()
    line.send("a", 0, [1, 5])
    line.send("b", 1, [1, 5])
    line.history.take_back("a")
    assert line.history.packets == 6
    assert line.history.has_all_from(2)
    assert [sequence for sequence, *_ in flat(line.history.audio_from(2, 0))] == list(range(6, 12))


def test_no_more_than_thirty_seconds_are_kept_and_what_is_gone_is_known_to_be() -> None:
    line = Line()
    line.send("a", 0, [1] + [5] * 400)
    assert 1_495 < line.history.packets <= 1_500
    oldest = line.sequence - line.history.packets
    assert line.history.has_all_from(oldest)
    assert not line.history.has_all_from(oldest - 1)
    assert line.history.has_all_from(line.sequence)
    assert not line.history.has_all_from(line.sequence + 1)


@pytest.mark.parametrize(("lead_ms", "packets"), [(100, 1_500), (20_000, 1_500), (60_000, 3_500)])
def test_a_long_lead_and_what_leaves_before_a_loss_is_noticed_are_kept(lead_ms: float, packets: int) -> None:
    line = Line()
    line.history.keep(lead_ms)
    line.send("a", 0, [1] + [5] * 800)
    assert packets - 5 < line.history.packets <= packets


def test_what_is_unheard_is_told_again_however_old_and_what_ended_only_for_a_while() -> None:
    line = Line()
    line.unheard = {"a", "b"}
    line.history.tell("a", "a started", ends=False)
    line.history.tell("a", "a done", ends=True)
    line.history.tell("b", "b started", ends=False)
    line.clock.advance(TOLD_AGAIN_S / 2)
    line.unheard = {"b"}
    assert list(line.history.messages()) == ["a started", "a done", "b started"]
    line.clock.advance(TOLD_AGAIN_S / 2 + 1)
    assert list(line.history.messages()) == ["b started"]


def test_of_what_ended_only_the_last_are_told_again() -> None:
    line = Line()
    for number in range(MAX_ENDED + 5):
        line.history.tell(str(number), str(number), ends=True)
    assert list(line.history.messages()) == [str(number) for number in range(5, MAX_ENDED + 5)]
