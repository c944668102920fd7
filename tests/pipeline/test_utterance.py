"""What an utterance does with its text, its timers and its listener."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from itertools import pairwise
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.audio import CONTENT_RATE_HZ
from pipeline.engine import Engine, EngineLimits
from pipeline.speech import InvalidOption, TextTooLong, UnknownVoice, UtteranceEnded, Voice
from pipeline.utterance import (
    AudioPackets,
    Finished,
    FinishReason,
    SegmentReady,
    Unreadable,
    Utterance,
    UtteranceOptions,
)
from tests.fakes import FAKE_VOICE, FakeClock, FakeSynthesizer, pass_time, run_on_fake_time, until
from tests.pipeline.listening import PCM_OPTIONS, assert_exact, listen, say

TEXT = "Hello there, my friend. How are you today? Very well, thank you!"


@pytest.fixture
def voice() -> FakeSynthesizer:
    return FakeSynthesizer(samples_per_character=480, chunk_samples=3_000)


@pytest_asyncio.fixture
async def engine(voice: FakeSynthesizer) -> AsyncIterator[Engine]:
    limits = EngineLimits(text=1_000)
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], limits=limits) as engine:
        yield engine


def on_fake_time(
    script: Callable[[FakeClock, FakeSynthesizer, Utterance], Coroutine[Any, Any, None]],
) -> None:
    """Run `script` with an utterance of an engine whose clock and timers stand until moved."""

    async def main(clock: FakeClock) -> None:
        voice = FakeSynthesizer(samples_per_character=480)
        async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], clock=clock) as engine:
            await script(clock, voice, engine.open(PCM_OPTIONS))

    run_on_fake_time(main)


def begun(voice: FakeSynthesizer) -> list[str]:
    return [request.text for request in voice.begun]


def determined(utterance: Utterance) -> bool:
    """Whether anything is to be spoken yet."""
    return utterance.timings.split is not None


# When held back text is spoken


def test_a_stop_at_the_end_of_the_text_ends_its_sentence_after_the_settle_time() -> None:
    async def script(clock: FakeClock, voice: FakeSynthesizer, utterance: Utterance) -> None:
        utterance.push_text("Hello there.")
        await pass_time(clock, 0.055)
        assert begun(voice) == []
        await pass_time(clock, 0.010)
        await until(lambda: begun(voice) == ["Hello there."])

    on_fake_time(script)


def test_more_text_starts_the_wait_again() -> None:
    async def script(clock: FakeClock, voice: FakeSynthesizer, utterance: Utterance) -> None:
        utterance.push_text("Version 3.")
        for _ in range(10):
            await pass_time(clock, 0.055)
            utterance.push_text("1")
        assert begun(voice) == []
        assert not determined(utterance)

    on_fake_time(script)


@pytest.mark.parametrize("text", ["Well, then -", "Hello, there,", "你好，世界"])
def test_text_that_breaks_off_between_words_is_spoken_after_the_idle_time(text: str) -> None:
    async def script(clock: FakeClock, voice: FakeSynthesizer, utterance: Utterance) -> None:
        utterance.push_text(text)
        await pass_time(clock, 0.065)
        await pass_time(clock, 0.225)
        assert not determined(utterance)
        await pass_time(clock, 0.020)
        assert determined(utterance)
        await until(lambda: begun(voice) != [])

    on_fake_time(script)


@pytest.mark.parametrize("text", ["Hello wor", "It costs 12", "Un café", "So what \ud83d"])
def test_text_that_breaks_off_within_a_word_or_number_waits_two_seconds(text: str) -> None:
    async def script(clock: FakeClock, voice: FakeSynthesizer, utterance: Utterance) -> None:
        utterance.push_text(text)
        for seconds in (0.065, 0.3, 1.6):
            await pass_time(clock, seconds)
            assert not determined(utterance)
        await pass_time(clock, 0.050)
        await until(lambda: begun(voice) == [text])

    on_fake_time(script)


def test_flush_speaks_what_is_held_back_at_once() -> None:
    async def script(clock: FakeClock, voice: FakeSynthesizer, utterance: Utterance) -> None:
        del clock
        utterance.push_text("Hello wor")
        utterance.flush()
        await until(lambda: begun(voice) == ["Hello wor"])
        utterance.push_text("ld. And more.")
        utterance.end_input()
        heard = await listen(utterance)
        assert "".join(begun(voice)) == "Hello world.And more."
        assert_exact(heard, voice)

    on_fake_time(script)


@pytest.mark.parametrize("end", [Utterance.cancel, Utterance.end_input])
def test_no_timer_outlives_the_input(end: Callable[[Utterance], object]) -> None:
    async def script(clock: FakeClock, voice: FakeSynthesizer, utterance: Utterance) -> None:
        del clock, voice
        utterance.push_text("Hello wor")
        end(utterance)
        timers = asyncio.get_running_loop()._scheduled  # type: ignore[attr-defined]
        assert [timer for timer in timers if not timer.cancelled()] == []

    on_fake_time(script)


# Text and settings


@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.integers(0, len(TEXT)), max_size=8))
def test_the_same_is_said_however_the_text_was_cut(cuts: list[int]) -> None:
    async def main() -> None:
        voice = FakeSynthesizer(samples_per_character=96)
        async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE]) as engine:
            utterance = engine.open(PCM_OPTIONS)
            places = [0, *sorted(cuts), len(TEXT)]
            for start, end in pairwise(places):
                utterance.push_text(TEXT[start:end])
            utterance.end_input()
            heard = await listen(utterance)
            assert utterance.text == TEXT
            assert [(s.text, s.offset) for s in heard.segments] == [
                (s.text, s.offset) for s in (await listen(say(engine, TEXT))).segments
            ]
            assert_exact(heard, voice)

    asyncio.run(main())


async def test_text_after_the_end_is_refused(engine: Engine) -> None:
    utterance = engine.open(PCM_OPTIONS)
    utterance.push_text("Hello.")
    utterance.end_input()
    utterance.end_input(FinishReason.IDLE)
    with pytest.raises(UtteranceEnded):
        utterance.push_text("More.")
    assert (await listen(utterance)).finished.reason is FinishReason.COMPLETE
    with pytest.raises(UtteranceEnded):
        utterance.push_text("More.")
    cancelled = engine.open(PCM_OPTIONS)
    cancelled.cancel()
    with pytest.raises(UtteranceEnded):
        cancelled.push_text("More.")
    cancelled.flush()
    cancelled.end_input()


async def test_too_much_text_is_refused_whole_and_what_was_there_is_spoken(
    engine: Engine, voice: FakeSynthesizer
) -> None:
    utterance = engine.open(PCM_OPTIONS)
    utterance.push_text("Hello there. ")
    with pytest.raises(TextTooLong) as caught:
        utterance.push_text("x" * 990)
    assert (caught.value.length, caught.value.limit) == (1_003, 1_000)
    utterance.push_text("x" * 987)
    utterance.end_input()
    heard = await listen(utterance)
    assert len(utterance.text) == 1_000
    assert heard.segments[0].text == "Hello there."
    assert_exact(heard, voice)


async def test_a_surrogate_pair_cut_in_two_is_one_character(engine: Engine) -> None:
    utterance = engine.open(PCM_OPTIONS)
    for piece in ("Look \ud83d", "\ude00 here. ", "Then there."):
        utterance.push_text(piece)
    utterance.end_input()
    heard = await listen(utterance)
    assert utterance.text == "Look \U0001f600 here. Then there."
    for segment in heard.segments:
        assert utterance.text[segment.offset :].startswith(segment.text)


@pytest.mark.parametrize(
    ("given_", "option"),
    [
        ({"speed": 0.49}, "speed"),
        ({"speed": float("nan")}, "speed"),
        ({"pitch": 2.01}, "pitch"),
        ({"language": ""}, "language"),
        ({"sample_rate": 44_100}, "sample_rate"),
        ({"bitrate": 5_999}, "bitrate"),
    ],
)
def test_options_outside_their_range_are_refused_by_name(given_: dict[str, Any], option: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        UtteranceOptions(FAKE_VOICE.name, **given_)
    assert caught.value.option == option


async def test_an_impossible_setting_takes_no_text(engine: Engine) -> None:
    utterance = engine.open(PCM_OPTIONS)
    with pytest.raises(UnknownVoice):
        utterance.push_text("Hello.", voice="nobody")
    with pytest.raises(InvalidOption):
        utterance.push_text("Hello.", speed=9)
    assert utterance.text == ""
    utterance.cancel()


async def test_settings_hold_from_the_next_segment_on(engine: Engine, voice: FakeSynthesizer) -> None:
    utterance = engine.open(PCM_OPTIONS)
    utterance.push_text("One two three. Four fi", pitch=1.5)
    utterance.push_text("ve six. Seven eight.", speed=1.25)
    utterance.push_text(" Nine ten. Eleven.", language="de")
    utterance.end_input()
    await listen(utterance)
    said = {request.text: (request.pitch, request.speed, request.language) for request in voice.begun}
    assert said == {
        "One two three.": (1.5, 1.0, "en"),
        "Four five six.": (1.5, 1.0, "en"),
        "Seven eight.": (1.5, 1.25, "en"),
        "Nine ten.": (1.5, 1.25, "de"),
        "Eleven.": (1.5, 1.25, "de"),
    }


async def test_another_voice_at_another_rate_may_take_over() -> None:
    first = FakeSynthesizer(samples_per_character=240)
    second = FakeSynthesizer(samples_per_character=160, sample_rate=16_000)
    voices = [FAKE_VOICE, Voice("second", "en", "", "", "")]
    async with Engine({FAKE_VOICE.name: first, "second": second}, voices) as engine:
        utterance = engine.open(PCM_OPTIONS)
        utterance.push_text("One two three. ")
        utterance.push_text("Four five six. ", voice="second")
        utterance.push_text("Seven eight.", voice=FAKE_VOICE.name)
        utterance.end_input()
        heard = await listen(utterance)
    assert [request.text for request in second.begun] == ["Four five six."]
    lengths = [segment.end - segment.start for segment in heard.segments]
    assert lengths == [len(segment.text) * CONTENT_RATE_HZ // 100 for segment in heard.segments]
    assert heard.finished.samples == sum(lengths) + 2 * 300 * 48


# Messages


@pytest.mark.parametrize("text", ["你好，世界。", "Hello 世界 there. 你好。", "你好。 Hello there, 世界!"])
async def test_what_the_voice_cannot_read_is_told_once_before_the_end(engine: Engine, text: str) -> None:
    heard = await listen(say(engine, text), least=5)
    told = [message for message in heard.messages if isinstance(message, Unreadable)]
    assert len(told) == 1
    assert told[0].text in ("你好", "世界")
    assert isinstance(heard.end, Finished)
    assert heard.audio == [] or heard.audio[-1].last


async def test_nothing_is_told_of_text_without_letters_or_digits(engine: Engine) -> None:
    heard = await listen(say(engine, "Hi you. 🎉 ... !"))
    assert not any(isinstance(message, Unreadable) for message in heard.messages)


async def test_audio_waits_for_the_least_number_of_packets(engine: Engine) -> None:
    heard = await listen(say(engine, TEXT), least=5, most=5)
    for message, after in pairwise(heard.messages):
        if isinstance(message, AudioPackets) and isinstance(after, AudioPackets):
            assert len(message.packets) == (1 if message.first else 5), "the very first comes alone"


async def test_packets_do_not_wait_for_company_when_nothing_is_on_its_way(voice: FakeSynthesizer) -> None:
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE]) as engine:
        utterance = engine.open(PCM_OPTIONS)
        utterance.push_text("Hi you.")
        utterance.flush()
        packets = 0
        while packets < voice.length("Hi you.") // 480:
            message = await utterance.next_message(least=5, most=5)
            packets += len(message.packets) if isinstance(message, AudioPackets) else 0
        assert packets == 7
        utterance.cancel()


async def test_giving_up_a_wait_loses_nothing(engine: Engine, voice: FakeSynthesizer) -> None:
    utterance = say(engine, TEXT)
    heard = []
    while True:
        waiting = asyncio.ensure_future(utterance.next_message(least=3, most=4))
        await asyncio.sleep(0)
        if not waiting.done():
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            continue
        message = waiting.result()
        if message is None:
            break
        heard.append(message)
    whole = await listen(say(engine, TEXT), least=3, most=4)
    assert b"".join(p for m in heard if isinstance(m, AudioPackets) for p in m.packets) == b"".join(
        whole.packets
    )


async def test_iterating_gives_every_message_once(engine: Engine) -> None:
    messages = [message async for message in say(engine, TEXT).packets()]
    assert sum(isinstance(message, SegmentReady) for message in messages) >= 3
    assert [message for message in messages if isinstance(message, AudioPackets)][-1].last


async def test_after_the_end_there_is_nothing_more(engine: Engine) -> None:
    utterance = say(engine, "Hello.")
    await listen(utterance)
    assert await utterance.next_message() is None
    assert engine.open_utterances == 0


async def test_a_cancel_on_another_thread_ends_the_wait(engine: Engine) -> None:
    utterance = engine.open(PCM_OPTIONS)
    waiting = asyncio.create_task(utterance.next_message())
    await asyncio.sleep(0)
    thread = threading.Thread(target=utterance.cancel)
    thread.start()
    assert await waiting is None
    thread.join()
    assert engine.open_utterances == 0


# The cut


async def heard_until(engine: Engine, text: str, messages: int) -> tuple[Utterance, list[SegmentReady], int]:
    """Take `messages` messages, return the utterance, its segments so far and the samples taken."""
    utterance = say(engine, text)
    segments = []
    taken = 0
    for _ in range(messages):
        message = await utterance.next_message()
        if isinstance(message, SegmentReady):
            segments.append(message)
        elif isinstance(message, AudioPackets):
            taken = message.timestamp + len(message.packets) * 960
    return utterance, segments, taken


@settings(max_examples=60, deadline=None)
@given(messages=st.integers(0, 20), played=st.integers(-10, 200_000))
def test_the_word_being_heard_is_not_spoken_and_every_word_before_it_is(messages: int, played: int) -> None:
    async def main() -> None:
        voice = FakeSynthesizer(samples_per_character=480)
        async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE]) as engine:
            utterance, segments, taken = await heard_until(engine, TEXT, messages)
            cut = utterance.cancel(played)
            assert cut.text_spoken + cut.text_remaining == TEXT
            heard = max(0, min(played, taken))
            for word in (word for segment in segments for word in segment.words):
                spoken = word.offset + word.length <= len(cut.text_spoken)
                assert spoken == (word.end <= heard) or word.start >= taken
                if not spoken:
                    assert word.offset >= len(cut.text_spoken)

    asyncio.run(main())


async def test_heard_to_the_end_all_is_spoken_and_a_sample_short_of_it_not(engine: Engine) -> None:
    utterance = say(engine, TEXT + " ")
    samples = (await listen(utterance)).finished.samples
    assert utterance.cancel(samples).text_spoken == TEXT + " "
    utterance = say(engine, "One two")
    samples = (await listen(utterance)).finished.samples
    assert utterance.cancel(samples - 1).text_remaining == "two"


async def test_without_word_times_the_segment_being_heard_remains(
    engine: Engine, voice: FakeSynthesizer
) -> None:
    plain = voice.begin

    def begin_without_words(segment: Any) -> Any:
        state = plain(segment)
        state.words = ()
        return state

    voice.begin = begin_without_words  # type: ignore[method-assign]
    utterance = say(engine, "One two three. Four five six.")
    heard = await listen(utterance)
    assert utterance.cancel(heard.segments[1].start + 960).text_remaining == "Four five six."


def test_without_a_report_the_clock_says_how_much_was_heard() -> None:
    async def script(clock: FakeClock, voice: FakeSynthesizer, utterance: Utterance) -> None:
        utterance.push_text("One two three four.")
        utterance.end_input()
        samples = (await listen(utterance)).finished.samples
        utterance.set_audio_end(clock() + samples / CONTENT_RATE_HZ)
        # Two words and a half: "One two th".
        clock.advance(10 * voice.samples_per_character / voice.sample_rate)
        assert utterance.cancel().text_remaining == "three four."

    on_fake_time(script)


async def test_before_anything_was_taken_all_of_the_text_remains(engine: Engine) -> None:
    utterance = say(engine, TEXT)
    await until(lambda: utterance.timings.encode is not None)
    assert utterance.cancel(10**9).text_remaining == TEXT
