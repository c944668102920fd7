"""A session against utterances that say what the test tells them to, on a clock moved by hand."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pipeline.audio import FRAME_CONTENT_SAMPLES, FRAME_MS
from pipeline.encoder import AudioFormat
from pipeline.messages import Failed, FinishReason, SegmentReady, SpokenWord, Unreadable
from pipeline.speech import Overloaded, SynthesisFailed
from pipeline.text.spoken import ReadingOptions
from server.protocol import (
    AudioFlags,
    AudioKind,
    AudioMessage,
    Cancel,
    Cancelled,
    CloseCode,
    Done,
    DoneReason,
    EmojiMode,
    End,
    ErrorMessage,
    Flush,
    MarkupMode,
    Ping,
    Pong,
    Progress,
    ProtocolError,
    Ready,
    Resume,
    Segment,
    Start,
    Started,
    StreamFormat,
    Text,
    WarningMessage,
    Word,
    parse_client,
)
from server.session import SessionLimits
from tests.server.fake_engine import Client, with_client

PACKETS_PER_S = 50


def kinds(messages: list[Any]) -> list[str]:
    return [type(message).__name__ for message in messages]


# Starting.


def test_start_is_answered_by_ready() -> None:
    async def script(client: Client) -> None:
        await client.send(Start())
        (ready,) = client.take()
        assert isinstance(ready, Ready)
        assert (ready.version, ready.voice, ready.resumed) == (1, "heart", False)
        assert (ready.limits.text, ready.limits.utterances, ready.limits.message_bytes) == (100, 16, 65_536)
        assert len(ready.session) >= 16

    with_client(script)


def test_without_start_the_first_message_begins_the_session() -> None:
    async def script(client: Client) -> None:
        await client.send(Ping())
        assert kinds(client.take()) == ["Ready", "Pong"]
        await client.send(Ping())
        assert client.take() == [Pong()]

    with_client(script)


def test_a_later_start_is_refused_and_changes_nothing() -> None:
    async def script(client: Client) -> None:
        await client.send(Ping(), Start(voice="other"))
        error = client.take()[-1]
        assert isinstance(error, ErrorMessage)
        assert error.code == "start-late"
        await client.send(Text("u", "Hello."))
        assert client.engine.opened[0].options.voice == "heart"

    with_client(script)


def test_the_settings_of_start_reach_the_utterance() -> None:
    async def script(client: Client) -> None:
        start = Start(
            "other", "en-GB", 1.5, 0.8, StreamFormat.PCM, sample_rate=16_000, bitrate=24_000, lead_ms=None
        )
        await client.send(start, Text("u", "Hello."))
        options = client.engine.opened[0].options
        assert (options.voice, options.language, options.speed, options.pitch) == ("other", "en-GB", 1.5, 0.8)
        assert (options.format, options.sample_rate, options.bitrate) == (AudioFormat.PCM, 16_000, 24_000)

    with_client(script)


def test_how_text_is_read_reaches_the_utterance() -> None:
    async def script(client: Client) -> None:
        start = Start(markup=MarkupMode.PLAIN, emoji=EmojiMode.NAME, lexicon={"afk": "away"})
        await client.send(start, Text("u", "Hello."))
        reading = client.engine.opened[0].options.reading
        assert (reading.markup, reading.names_emoji) == (False, True)
        assert [mark.value for mark in reading.lexicons[0].marks("I am afk")] == ["away"]

    with_client(script)


def test_the_first_text_of_an_utterance_may_say_how_it_is_read() -> None:
    async def script(client: Client) -> None:
        await client.send(Start(emoji=EmojiMode.NAME, lexicon={"afk": "away"}))
        await client.send(Text("u", "One.", markup=MarkupMode.PLAIN, lexicon={"gg": "good game"}))
        await client.send(Text("u", " Two.", markup=MarkupMode.AUTO), Text("v", "Three."))
        first, second = (utterance.options.reading for utterance in client.engine.opened)
        assert (first.markup, first.names_emoji) == (False, True)
        assert [len(lexicon.marks("afk gg")) for lexicon in first.lexicons] == [1]
        assert (second.markup, second.lexicons[0].marks("afk")[0].value) == (True, "away")

    with_client(script)


def test_a_text_with_a_lexicon_that_is_none_is_an_error_of_its_utterance() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("u", "One.", lexicon={"": "x"}))
        (error,) = [message for message in client.take() if isinstance(message, ErrorMessage)]
        assert (error.code, error.utterance) == ("invalid-option", "u")

    with_client(script)


def test_text_may_hold_markup_and_emoji_are_dropped_unless_told_otherwise() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("u", "Hello."))
        assert client.engine.opened[0].options.reading == ReadingOptions()

    with_client(script)


@pytest.mark.parametrize(
    ("start", "code"),
    [
        (Start(voice="nobody"), "unknown-voice"),
        (Start(speed=3.0), "invalid-option"),
        (Start(sample_rate=44_100), "invalid-option"),
        (Start(bitrate=1), "invalid-option"),
        (Start(lexicon={"": "nothing"}), "invalid-option"),
    ],
)
def test_a_start_that_cannot_be_met_is_refused_and_may_be_sent_again(start: Start, code: str) -> None:
    async def script(client: Client) -> None:
        await client.send(start)
        (error,) = client.take()
        assert isinstance(error, ErrorMessage)
        assert (error.code, error.utterance, error.retryable) == (code, None, False)
        await client.send(Start(voice="other"))
        (ready,) = client.take()
        assert isinstance(ready, Ready)
        assert ready.voice == "other"

    with_client(script)


def test_a_resume_is_refused_and_a_fresh_session_follows() -> None:
    async def script(client: Client) -> None:
        await client.send(Start(resume=Resume("gone")))
        error, ready = client.take()
        assert isinstance(error, ErrorMessage)
        assert error.code == "resume-refused"
        assert isinstance(ready, Ready)
        assert not ready.resumed

    with_client(script)


# Speaking.


def test_an_utterance_is_started_spoken_and_done() -> None:
    async def script(client: Client) -> None:
        await client.send(Start(), Text("u", "Hello "), Text("u", "there."), End("u"))
        utterance = client.engine.opened[0]
        assert (utterance.text, utterance.ended) == ("Hello there.", FinishReason.COMPLETE)
        word = SpokenWord("Hello", 0, 5, 0, 960)
        utterance.tell(SegmentReady(0, "Hello there.", 0, 0, 1920, (word,)))
        utterance.say(2)
        utterance.finish(1900)
        await client.settle()
        ready, started, segment, first, second, done = client.take()
        assert isinstance(ready, Ready)
        assert started == Started("u", 0, "heart", 312)
        assert segment == Segment("u", 0, "Hello there.", 0, 0, (Word("Hello", 0, 5, 0, 960),))
        assert isinstance(first, AudioMessage)
        assert isinstance(second, AudioMessage)
        assert isinstance(done, Done)
        assert (done.utterance, done.samples, done.reason) == ("u", 1900, DoneReason.COMPLETE)

    with_client(script)


def test_text_without_words_is_done_without_audio() -> None:
    async def script(client: Client) -> None:
        await client.speak("u", "  ")
        assert kinds(client.take()) == ["Ready", "Started", "Done"]
        await client.send(Cancel("u"))
        (warning,) = client.take()
        assert isinstance(warning, WarningMessage)

    with_client(script)


def test_the_first_packet_leaves_alone_and_later_ones_in_fives_once_the_lead_allows_it() -> None:
    async def script(client: Client) -> None:
        utterance = await client.speak("u", "Hello.", packets=1, finish=False)
        assert [len(message.packets) for message in client.audio()] == [1]
        for _ in range(30):
            utterance.say(1)
            await client.settle()
        lengths = [len(message.packets) for message in client.audio()]
        assert lengths == [1] * 10 + [5] * 4
        utterance.finish()
        await client.settle()
        assert [len(message.packets) for message in client.audio()][14:] == [1]

    with_client(script)


def test_packets_that_have_piled_up_leave_together_even_with_a_small_lead() -> None:
    async def script(client: Client) -> None:
        await client.speak("u", "Hello.", packets=12)
        assert [len(message.packets) for message in client.audio()] == [1, 5, 5, 1]

    with_client(script)


def test_audio_messages_carry_flags_numbers_and_times() -> None:
    async def script(client: Client) -> None:
        await client.speak("a", "Hello.", packets=8)
        await client.speak("b", "Hello.", packets=1)
        numbers = [(m.ordinal, m.sequence, m.timestamp, m.flags) for m in client.audio()]
        assert numbers == [
            (0, 0, 0, AudioFlags.FIRST),
            (0, 1, 960, AudioFlags.NONE),
            (0, 6, 5760, AudioFlags.LAST),
            (1, 8, 0, AudioFlags.FIRST | AudioFlags.LAST),
        ]

    with_client(script)


def test_pcm_is_marked_as_such() -> None:
    async def script(client: Client) -> None:
        await client.send(Start(format=StreamFormat.PCM))
        await client.speak("a", "Hello.", packets=1)
        assert client.audio()[0].kind is AudioKind.PCM

    with_client(script)


def test_ordinals_wrap_and_sequence_numbers_go_on() -> None:
    async def script(client: Client) -> None:
        client.session._speaker._ordinal = 65_535
        await client.speak("a", "Hello.", packets=1)
        await client.speak("b", "Hello.", packets=1)
        assert [(message.ordinal, message.sequence) for message in client.audio()] == [(65_535, 0), (0, 1)]

    with_client(script)


def test_without_captions_segments_carry_no_words() -> None:
    async def script(client: Client) -> None:
        await client.send(Start(captions=False), Text("u", "Hello."))
        client.engine.opened[0].tell(SegmentReady(0, "Hello.", 0, 0, 9, (SpokenWord("Hello", 0, 5, 0, 9),)))
        await client.settle()
        segment = client.take()[-1]
        assert isinstance(segment, Segment)
        assert segment.words == ()

    with_client(script)


def test_done_carries_the_milliseconds_of_every_station_and_to_the_first_audio() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("u", "Hello."), End("u"))
        client.clock.advance(0.0125)
        client.engine.opened[0].say(1)
        client.engine.opened[0].finish()
        await client.settle()
        done = client.take()[-1]
        assert isinstance(done, Done)
        timings = done.timings
        assert (timings.split, timings.queue, timings.begin, timings.first_chunk) == (1.0, 2.0, 3.0, 4.0)
        assert (timings.encode, timings.handover, timings.ttfb) == (0.5, 0.0, 12.5)
        assert b"utter_ttfb_seconds_count 1.0" in client.metrics.exposition()

    with_client(script)


def test_settings_of_later_text_are_passed_on_and_those_of_the_first_open_the_utterance() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("u", "Hello. ", voice="other", speed=0.5), Text("u", "Faster.", speed=2.0))
        utterance = client.engine.opened[0]
        assert (utterance.options.voice, utterance.options.speed) == ("other", 0.5)
        assert utterance.settings[1] == {"voice": None, "language": None, "speed": 2.0, "pitch": None}
        started = client.take()[1]
        assert isinstance(started, Started)
        assert started.voice == "other"

    with_client(script)


def test_flush_is_passed_on() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("u", "Hello"), Flush("u"))
        assert client.engine.opened[0].flushed == 1

    with_client(script)


# Pacing.


def test_what_is_sent_ahead_of_playback_is_bounded_by_the_lead() -> None:
    async def script(client: Client) -> None:
        await client.send(Start(lead_ms=1000))
        await client.speak("u", "Hello.", packets=1000)
        sent = sum(len(message.packets) for message in client.audio())
        assert 45 <= sent <= PACKETS_PER_S
        await client.pass_time(2.0)
        later = sum(len(message.packets) for message in client.audio())
        assert 95 <= later <= 2 * PACKETS_PER_S

    with_client(script)


@pytest.mark.parametrize("lead_ms", [100, 150, 205, 290, 1000])
def test_at_no_moment_is_more_sent_ahead_than_the_lead(lead_ms: int) -> None:
    async def script(client: Client) -> None:
        await client.send(Start(lead_ms=lead_ms))
        await client.speak("u", "Hello.", packets=1000)
        for step in range(40):
            sent_ms = sum(len(message.packets) for message in client.audio()) * FRAME_MS
            played_ms = step * 30
            assert lead_ms - 5 * FRAME_MS - 30 <= sent_ms - played_ms <= lead_ms
            await client.pass_time(0.030)

    with_client(script)


def test_a_client_that_reports_that_it_stands_still_gets_nothing_more() -> None:
    async def script(client: Client) -> None:
        await client.send(Start(lead_ms=1000))
        await client.speak("u", "Hello.", packets=1000)
        for _ in range(10):
            await client.send(Progress("u", 0))
            await client.pass_time(0.05)
        sent = sum(len(message.packets) for message in client.audio())
        assert sent <= PACKETS_PER_S + 5
        await client.send(Progress("u", 40 * FRAME_CONTENT_SAMPLES))
        assert sum(len(message.packets) for message in client.audio()) >= sent + 35

    with_client(script)


def test_without_a_lead_everything_goes_at_once() -> None:
    async def script(client: Client) -> None:
        await client.send(Start(lead_ms=None))
        await client.speak("u", "Hello.", packets=1001)
        assert sum(len(message.packets) for message in client.audio()) == 1001
        assert isinstance(client.take()[-1], Done)

    with_client(script)


def test_the_first_message_of_the_next_utterance_is_not_held_back() -> None:
    async def script(client: Client) -> None:
        await client.send(Start(lead_ms=1000))
        await client.speak("a", "Hello.", packets=46)
        await client.speak("b", "Hello.", packets=50)
        assert [message.ordinal for message in client.audio()][-1] == 1

    with_client(script)


def test_done_follows_the_last_audio_at_once_however_large_the_lead() -> None:
    async def script(client: Client) -> None:
        await client.send(Start(lead_ms=1000))
        await client.speak("a", "Hello.", packets=51)
        await client.pass_time(0.1)
        assert kinds(client.take())[-1] == "Done"

    with_client(script)


def test_utterances_know_when_their_listener_runs_dry() -> None:
    async def script(client: Client) -> None:
        first = await client.speak("a", "Hello.", packets=51, finish=False)
        second = await client.speak("b", "Hello.", finish=False)
        assert first.audio_end == pytest.approx(client.clock() + 1.02)
        assert second.audio_end == pytest.approx(client.clock() + 1.02)

    with_client(script)


# The queue.


def test_utterances_are_spoken_in_the_order_they_were_opened() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("a", "One."), Text("b", "Two."))
        first, second = client.engine.opened
        second.say(1)
        second.finish()
        await client.settle()
        assert kinds(client.take()) == ["Ready", "Started"]
        first.say(1)
        first.finish()
        await client.settle()
        messages = client.take()
        assert kinds(messages) == ["AudioMessage", "Done", "Started", "AudioMessage", "Done"]
        assert [m.utterance for m in messages if isinstance(m, Started | Done)] == ["a", "b", "b"]

    with_client(script)


def test_one_more_open_utterance_than_allowed_is_an_error() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("a", "One."), Text("b", "Two."))
        await client.send(Text("c", "Three."))
        error = client.take()[-1]
        assert isinstance(error, ErrorMessage)
        assert (error.code, error.utterance, error.retryable) == ("too-many-utterances", "c", True)

    with_client(script, SessionLimits(utterances=2))


def test_an_idle_utterance_makes_way_when_another_waits() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("a", "One."))
        utterance = client.engine.opened[0]
        ended = []
        await client.send(Text("b", "Two."))
        await client.pass_time(9.9)
        ended.append(utterance.ended)
        await client.pass_time(0.2)
        assert [*ended, utterance.ended] == [None, FinishReason.IDLE]
        utterance.finish()
        await client.settle()
        done = next(message for message in client.take() if isinstance(message, Done))
        assert done.reason is DoneReason.IDLE
        await client.send(Text("a", "Late."))
        (warning,) = (message for message in client.take() if isinstance(message, WarningMessage))
        assert warning.code == "utterance-ended"

    with_client(script)


def test_an_utterance_that_is_idle_already_makes_way_as_soon_as_another_is_opened() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("a", "One."))
        utterance = client.engine.opened[0]
        await client.pass_time(60)
        ended = [utterance.ended]
        await client.send(Text("b", "Two."))
        await client.pass_time(0.001)
        assert [*ended, utterance.ended] == [None, FinishReason.IDLE]

    with_client(script)


def test_every_utterance_in_the_queue_makes_way_when_its_turn_has_come_to_nothing() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("a", "One."), Text("b", "Two."), Text("c", "Three."))
        first, second, third = client.engine.opened
        await client.pass_time(11)
        first.finish()
        await client.settle()
        await client.pass_time(0.001)
        assert [first.ended, second.ended, third.ended] == [FinishReason.IDLE, FinishReason.IDLE, None]

    with_client(script)


def test_text_puts_off_the_end_of_an_idle_utterance() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("a", "One."), Text("b", "Two."))
        for _ in range(4):
            await client.pass_time(6)
            await client.send(Text("a", "More."))
        assert client.engine.opened[0].ended is None

    with_client(script)


def test_an_utterance_that_still_has_audio_to_send_is_not_idle() -> None:
    async def script(client: Client) -> None:
        await client.send(Start(lead_ms=1000), Text("a", "One."), Text("b", "Two."))
        utterance = client.engine.opened[0]
        utterance.say(1000)
        await client.settle()
        for _ in range(15):
            await client.pass_time(1)
        assert utterance.ended is None

    with_client(script)


# Cancelling.


def test_cancel_stops_one_utterance_and_tells_both_parts_of_its_text() -> None:
    async def script(client: Client) -> None:
        utterance = await client.speak("u", "Hello there.", packets=10, finish=False)
        client.take()
        await client.send(Cancel("u", played=1920))
        utterance.say(10)
        await client.settle()
        assert client.take() == [Cancelled("u", "Hello ", "there.")]
        assert utterance.cancelled == [1920]

    with_client(script)


def test_played_is_clamped_to_what_was_sent() -> None:
    async def script(client: Client) -> None:
        utterance = await client.speak("u", "Hello there.", packets=2, finish=False)
        await client.send(Cancel("u", played=10**9))
        assert utterance.cancelled == [2 * FRAME_CONTENT_SAMPLES]

    with_client(script)


def test_without_played_the_estimated_playhead_counts() -> None:
    async def script(client: Client) -> None:
        utterance = await client.speak("u", "Hello there.", packets=50, finish=False)
        await client.pass_time(0.5)
        await client.send(Cancel("u"))
        assert utterance.cancelled == [24_000]

    with_client(script)


def test_nothing_of_a_cancelled_utterance_is_sent_though_it_was_ready_to_leave() -> None:
    async def script(client: Client) -> None:
        await client.send(Ping())
        client.reading.clear()
        utterance = await client.speak("u", "Hello there.", packets=10)
        await client.send(Cancel("u", played=0))
        client.reading.set()
        await client.settle()
        assert client.take()[-1] == Cancelled("u", "", "Hello there.")
        assert not client.audio()
        assert utterance.cancelled == [0]

    with_client(script)


def test_the_next_utterance_begins_at_once_after_a_cancel() -> None:
    async def script(client: Client) -> None:
        await client.send(Start(lead_ms=1000))
        await client.speak("a", "One.", packets=1000, finish=False)
        await client.speak("b", "Two.", packets=100)
        client.take()
        await client.send(Cancel("a"))
        messages = client.take()
        assert kinds(messages)[:3] == ["Cancelled", "Started", "AudioMessage"]
        assert sum(len(m.packets) for m in messages if isinstance(m, AudioMessage)) >= 45

    with_client(script)


def test_a_queued_utterance_can_be_cancelled_before_it_was_started() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("a", "One."), Text("b", "Two."))
        await client.send(Cancel("b"))
        assert client.take()[-1] == Cancelled("b", "", "Two.")
        client.engine.opened[0].finish()
        await client.settle()
        assert kinds(client.take()) == ["Done"]

    with_client(script)


def test_an_utterance_that_is_done_can_be_cancelled_until_it_is_heard() -> None:
    async def script(client: Client) -> None:
        await client.speak("a", "One two.", packets=10)
        await client.send(Progress("a", 9 * FRAME_CONTENT_SAMPLES), Cancel("a", played=960))
        assert client.take()[-1] == Cancelled("a", "One ", "two.")
        await client.speak("b", "One two.", packets=10)
        await client.send(Progress("b", 10 * FRAME_CONTENT_SAMPLES), Cancel("b"))
        warning = client.take()[-1]
        assert isinstance(warning, WarningMessage)
        assert (warning.code, warning.utterance) == ("utterance-ended", "b")

    with_client(script)


def test_only_the_last_64_that_are_done_stay_cancellable() -> None:
    async def script(client: Client) -> None:
        await client.send(Start(lead_ms=None))
        for number in range(65):
            await client.speak(str(number), "One.", packets=1)
        client.take()
        await client.send(Cancel("0"), Cancel("1"))
        assert kinds(client.take()) == ["WarningMessage", "Cancelled"]

    with_client(script)


def test_a_second_cancel_and_an_unknown_one_are_warned_of() -> None:
    async def script(client: Client) -> None:
        await client.speak("u", "One.", packets=1, finish=False)
        await client.send(Cancel("u"))
        client.take()
        await client.send(Cancel("u"), Cancel("x"), Cancel())
        codes = [message.code for message in client.take() if isinstance(message, WarningMessage)]
        assert codes == ["utterance-ended", "unknown-utterance", "nothing-to-cancel"]

    with_client(script)


def test_cancel_of_everything_ends_all_that_is_not_heard_in_order() -> None:
    async def script(client: Client) -> None:
        heard = await client.speak("a", "One.", packets=10)
        playing = await client.speak("b", "Two three.", packets=10)
        await client.send(Text("c", "Four."), Text("d", "Five."))
        client.take()
        await client.send(Cancel(played=1920, playing="b"))
        assert client.take() == [
            Cancelled("b", "Two t", "hree."),
            Cancelled("c", "", "Four."),
            Cancelled("d", "", "Five."),
        ]
        assert heard.cancelled == []
        assert playing.cancelled == [1920]
        assert [utterance.cancelled for utterance in client.engine.opened[2:]] == [[0], [0]]

    with_client(script)


def test_cancel_of_everything_without_a_playhead_takes_the_estimate() -> None:
    async def script(client: Client) -> None:
        await client.speak("a", "One.", packets=50)
        second = await client.speak("b", "Two.", packets=50)
        await client.pass_time(1.5)
        client.take()
        await client.send(Cancel())
        assert kinds(client.take()) == ["Cancelled"]
        assert second.cancelled == [24_000]

    with_client(script)


def test_a_client_that_says_where_it_stands_knows_better_than_the_estimate() -> None:
    async def script(client: Client) -> None:
        utterance = await client.speak("a", "One.", packets=50)
        await client.pass_time(5)
        await client.send(Cancel(played=960))
        assert utterance.cancelled == [960]

    with_client(script)


def test_what_was_long_played_by_the_estimate_is_not_cancelled() -> None:
    async def script(client: Client) -> None:
        await client.speak("a", "One.", packets=50)
        await client.pass_time(5)
        client.take()
        await client.send(Cancel())
        (warning,) = client.take()
        assert isinstance(warning, WarningMessage)
        assert warning.code == "nothing-to-cancel"

    with_client(script)


# Too late, unknown, wrong.


def test_late_text_is_warned_of_once_and_never_opens_the_utterance_again() -> None:
    async def script(client: Client) -> None:
        await client.speak("u", "One.", packets=1, finish=False)
        await client.send(Cancel("u"))
        client.take()
        await client.send(Text("u", "more"), Text("u", "tokens"), Flush("u"), End("u"))
        (warning,) = client.take()
        assert isinstance(warning, WarningMessage)
        assert (warning.code, warning.utterance) == ("utterance-ended", "u")
        assert len(client.engine.opened) == 1

    with_client(script)


def test_text_after_end_is_warned_of_once_before_and_after_done() -> None:
    async def script(client: Client) -> None:
        utterance = await client.speak("u", "One.", packets=1, finish=False)
        client.take()
        await client.send(Text("u", "more"), Text("u", "tokens"))
        assert kinds(client.take()) == ["WarningMessage"]
        utterance.finish()
        await client.send(Text("u", "still"), Cancel("u"), Text("u", "more"))
        assert [kind for kind in kinds(client.take()) if kind == "WarningMessage"] == []

    with_client(script)


def test_ids_of_the_last_1024_ended_utterances_are_remembered() -> None:
    async def script(client: Client) -> None:
        for number in range(1025):
            await client.send(Text(str(number), "x"))
            await client.send(Cancel(str(number)))
        client.take()
        await client.send(Text("1", "late"))
        assert kinds(client.take()) == ["WarningMessage"]
        await client.send(Text("0", "again"))
        assert kinds(client.take()) == ["Started"]

    with_client(script)


def test_flush_end_and_progress_of_an_unknown_utterance_are_warned_of() -> None:
    async def script(client: Client) -> None:
        await client.send(Flush("x"), End("x"), Progress("x", 0))
        _, *warnings = client.take()
        assert [message.code for message in warnings if isinstance(message, WarningMessage)] == [
            "unknown-utterance"
        ] * 3

    with_client(script)


def test_progress_of_an_utterance_cancelled_meanwhile_is_no_mistake() -> None:
    async def script(client: Client) -> None:
        await client.speak("u", "One.", packets=1, finish=False)
        await client.send(Cancel("u"))
        client.take()
        await client.send(Progress("u", 960))
        assert client.take() == []

    with_client(script)


def test_underruns_are_counted() -> None:
    async def script(client: Client) -> None:
        await client.speak("u", "One.", packets=1, finish=False)
        await client.send(Progress("u", 0, underruns=3))
        assert b"utter_underruns_total 3.0" in client.metrics.exposition()

    with_client(script)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (Text("u", "One.", voice="nobody"), "unknown-voice"),
        (Text("u", "One.", speed=2.1), "invalid-option"),
        (Text("u", "x" * 101), "text-too-long"),
    ],
)
def test_text_that_cannot_be_spoken_ends_the_utterance_and_not_the_session(text: Text, code: str) -> None:
    async def script(client: Client) -> None:
        await client.send(Start(), text)
        _, *errors = client.take()
        assert isinstance(errors[-1], ErrorMessage)
        assert (errors[-1].code, errors[-1].utterance, errors[-1].retryable) == (code, "u", False)
        await client.send(Text("u", "more"))
        assert kinds(client.take()) == ["WarningMessage"]
        await client.speak("v", "Fine.", packets=1)
        assert kinds(client.take()) == ["Started", "AudioMessage", "Done"]

    with_client(script)


def test_an_utterance_that_grows_too_long_is_cancelled() -> None:
    async def script(client: Client) -> None:
        utterance = await client.speak("v", "x", finish=False)
        await client.send(Text("u", "x" * 60), Text("u", "x" * 60))
        error = client.take()[-1]
        assert isinstance(error, ErrorMessage)
        assert (error.code, error.utterance) == ("text-too-long", "u")
        assert client.engine.opened[1].cancelled
        assert not utterance.cancelled

    with_client(script)


def test_an_overloaded_engine_says_when_to_come_back() -> None:
    async def script(client: Client) -> None:
        client.engine.refuse = Overloaded(750)
        await client.send(Text("u", "One."))
        error = client.take()[-1]
        assert isinstance(error, ErrorMessage)
        assert (error.code, error.retryable, error.retry_after_ms) == ("overloaded", True, 750)

    with_client(script)


def test_an_utterance_that_fails_ends_with_an_error_and_the_next_one_is_spoken() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("a", "One."), Text("b", "Two."))
        client.take()
        client.engine.opened[0].say(1)
        client.engine.opened[0].tell(Failed(SynthesisFailed()))
        await client.settle()
        messages = client.take()
        assert kinds(messages) == ["AudioMessage", "ErrorMessage", "Started"]
        assert isinstance(messages[1], ErrorMessage)
        assert (messages[1].code, messages[1].utterance) == ("synthesis-failed", "a")

    with_client(script)


def test_text_that_the_voice_cannot_read_is_a_warning_and_ends_nothing() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("a", "你好 One."))
        client.take()
        client.engine.opened[0].tell(Unreadable("你" * 60))
        client.engine.opened[0].say(1)
        await client.settle()
        warning, audio = client.take()
        assert isinstance(warning, WarningMessage)
        assert (warning.code, warning.utterance) == ("unreadable-text", "a")
        assert warning.message == f"This voice cannot read '{'你' * 40}'; it was left out."
        assert isinstance(audio, AudioMessage)

    with_client(script)


def test_an_utterance_that_the_engine_gives_up_ends_with_an_error() -> None:
    async def script(client: Client) -> None:
        utterance = await client.speak("a", "One.", packets=1, finish=False)
        client.take()
        utterance.cancel()
        await client.settle()
        (error,) = client.take()
        assert isinstance(error, ErrorMessage)
        assert (error.code, error.utterance, error.retryable) == ("draining", "a", True)

    with_client(script)


def test_a_message_that_was_none_is_answered_and_ends_the_utterance_that_lost_text() -> None:
    async def script(client: Client) -> None:
        await client.speak("u", "One.", packets=1, finish=False)
        client.take()
        for text in ('{"type":"dance"}', '{"type":"text","utterance":"u","text":1}'):
            with pytest.raises(ProtocolError) as caught:
                parse_client(text)
            client.session.reject(caught.value)
            client.session.reject(caught.value)
        await client.settle()
        errors = [message for message in client.take() if isinstance(message, ErrorMessage)]
        assert [error.code for error in errors] == ["unknown-type"] * 2 + ["invalid-message"] * 2
        assert [error.utterance for error in errors] == [None, None, "u", None]

    with_client(script)


# Leaving.


def test_closing_cancels_every_utterance_and_is_idempotent() -> None:
    async def script(client: Client) -> None:
        await client.send(Text("a", "One."), Text("b", "Two."))
        assert b"utter_sessions 1.0" in client.metrics.exposition()
        client.session.close()
        client.session.close()
        assert [len(utterance.cancelled) for utterance in client.engine.opened] == [1, 1]
        assert b"utter_sessions 0.0" in client.metrics.exposition()

    with_client(script)


def test_a_session_is_quiet_when_nothing_is_open_and_nothing_waits_for_the_client() -> None:
    async def script(client: Client) -> None:
        quiet = client.session.quiet
        assert quiet.is_set()
        client.session.receive(Ping())
        assert not quiet.is_set()
        await client.settle()
        assert quiet.is_set()
        await client.send(Text("a", "One."))
        assert not quiet.is_set()
        client.engine.opened[0].finish()
        await client.settle()
        assert quiet.is_set()

    with_client(script)


def test_a_client_that_asks_without_reading_is_cut_off() -> None:
    async def script(client: Client) -> None:
        def ask_for_ever() -> None:
            while True:
                client.session.receive(Ping())

        with pytest.raises(ProtocolError) as caught:
            ask_for_ever()
        assert caught.value.close is CloseCode.FLOOD

    with_client(script)


def test_waiting_for_a_message_can_be_cancelled_without_losing_one() -> None:
    async def script(client: Client) -> None:
        await client.send(Ping())
        waiting = asyncio.ensure_future(client.session.next_message(client.outbox))
        await client.settle()
        waiting.cancel()
        await client.send(Ping())
        assert kinds(client.take()).count("Pong") == 2

    with_client(script)
