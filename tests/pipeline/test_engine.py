"""Text in, packets out: exact, bounded, and nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import pairwise

import opuslib_next
import pytest
import pytest_asyncio

from pipeline.audio import DEFAULT_RATE_HZ, STREAM_RATES_HZ, content_samples, frame_samples
from pipeline.engine import Engine, EngineLimits
from pipeline.job import Job
from pipeline.metrics import Metrics
from pipeline.ring_buffer import RingBuffer
from pipeline.speech import Draining, Overloaded, UnknownVoice, Voice
from pipeline.utterance import AudioFormat, FinishReason, SegmentReady, Utterance, UtteranceOptions
from tests.fakes import FAKE_VOICE, FakeSynthesizer, Gate, until
from tests.pipeline.listening import PCM_OPTIONS, Heard, assert_exact, listen, say

TEXT = "Hello there, my friend. How are you today?\n\nVery well, thank you."


@pytest.fixture
def voice() -> FakeSynthesizer:
    return FakeSynthesizer(samples_per_character=480, chunk_samples=3_000)


@pytest_asyncio.fixture
async def engine(voice: FakeSynthesizer) -> AsyncIterator[Engine]:
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE]) as engine:
        yield engine


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("chunk_samples", [100, 479, 9_600, 500_000])
async def test_every_sample_comes_out_once_and_in_place(workers: int, chunk_samples: int) -> None:
    voice = FakeSynthesizer(chunk_samples=chunk_samples)
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], workers=workers) as engine:
        several = [say(engine, f"{TEXT} Number {n}.") for n in range(3)]
        for heard in await asyncio.gather(*map(listen, several)):
            assert_exact(heard, voice)
            assert "".join(segment.text for segment in heard.segments).startswith("Hello there")


async def test_pauses_stand_between_segments_by_their_boundary_and_nowhere_else(engine: Engine) -> None:
    heard = await listen(say(engine, "One two three, four. Five six seven.\n\nEight nine ten."))
    gaps = [(b.start - a.end) // 48 for a, b in pairwise(heard.segments)]
    assert [segment.text for segment in heard.segments][-1] == "Eight nine ten."
    assert gaps[-2:] == [300, 500]
    assert all(gap == 120 for gap in gaps[:-2])
    assert heard.segments[0].start == 0
    assert heard.finished.samples == heard.segments[-1].end


async def test_what_has_no_sound_is_not_announced_and_leaves_the_longer_pause() -> None:
    voice = FakeSynthesizer(samples_per_character=480)
    voice.length = lambda text: 0 if "%" in text else len(text) * 480  # type: ignore[method-assign]
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE]) as engine:
        heard = await listen(say(engine, "One two.\n\n% % %.\nThree four."))
    assert [(segment.index, segment.text) for segment in heard.segments] == [
        (0, "One two."),
        (1, "Three four."),
    ]
    assert heard.segments[1].start - heard.segments[0].end == 500 * 48


async def test_a_segment_is_announced_before_the_packet_that_begins_it(engine: Engine) -> None:
    heard = await listen(say(engine, TEXT), most=1)
    announced_at = []
    packets = 0
    for message in heard.messages:
        if isinstance(message, SegmentReady):
            announced_at.append((message.start, packets * 960))
        elif message in heard.audio:
            packets += 1
    assert len(announced_at) >= 3
    assert all(start - 960 < position <= start for start, position in announced_at)


async def test_words_carry_the_text_their_offsets_point_at(engine: Engine) -> None:
    heard = await listen(say(engine, TEXT))
    words = [word for segment in heard.segments for word in segment.words]
    assert [word.text for word in words][:3] == ["Hello", "there", "my"]
    assert all(TEXT[word.offset : word.offset + word.length] == word.text for word in words)
    assert all(a.end <= b.start for a, b in pairwise(words))
    for segment in heard.segments:
        assert all(segment.start <= word.start < word.end <= segment.end for word in segment.words)


async def test_timestamps_count_packets_and_flags_mark_the_first_and_the_last(engine: Engine) -> None:
    heard = await listen(say(engine, TEXT))
    packets = 0
    for group in heard.audio:
        assert group.timestamp == packets * 960
        assert 1 <= len(group.packets) <= 5
        packets += len(group.packets)
    assert [group.first for group in heard.audio] == [True] + [False] * (len(heard.audio) - 1)
    assert [group.last for group in heard.audio] == [False] * (len(heard.audio) - 1) + [True]


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "...", "?!"])
async def test_text_with_nothing_to_say_finishes_without_audio(engine: Engine, text: str) -> None:
    heard = await listen(say(engine, text))
    assert heard.messages == [heard.finished]
    assert heard.finished.samples == 0
    assert heard.finished.reason is FinishReason.COMPLETE


@pytest.mark.parametrize("rate_hz", STREAM_RATES_HZ)
@pytest.mark.parametrize("audio_format", AudioFormat)
async def test_every_format_and_rate_holds_the_whole_length(
    engine: Engine, voice: FakeSynthesizer, audio_format: AudioFormat, rate_hz: int
) -> None:
    options = UtteranceOptions(FAKE_VOICE.name, format=audio_format, sample_rate=rate_hz)
    utterance = say(engine, "Hello there, my friend.", options)
    heard = await listen(utterance)
    spoken = content_samples(voice.length("Hello there, my friend."), DEFAULT_RATE_HZ)
    assert sum(segment.end - segment.start for segment in heard.segments) == spoken
    needed = heard.finished.samples + utterance.pre_skip
    assert needed <= len(heard.packets) * 960 <= needed + 960
    if audio_format is AudioFormat.OPUS:
        assert utterance.pre_skip == 120
        decoder = opuslib_next.Decoder(rate_hz, 1)
        for packet in heard.packets:
            assert len(decoder.decode_float(packet, frame_samples(rate_hz))) == frame_samples(rate_hz) * 4
    else:
        assert utterance.pre_skip == 0
        assert {len(packet) for packet in heard.packets} == {2 * frame_samples(rate_hz)}


async def test_every_station_reports_its_time_and_the_totals_add_up(
    engine: Engine, voice: FakeSynthesizer
) -> None:
    heard = await listen(say(engine, TEXT))
    timings = heard.finished.timings
    stations = (
        timings.split,
        timings.queue,
        timings.begin,
        timings.first_chunk,
        timings.encode,
        timings.handover,
    )
    assert all(seconds is not None and seconds >= 0 for seconds in stations)
    assert timings.audio_seconds == pytest.approx(heard.finished.samples / 48_000)
    assert timings.synthesis_seconds > 0


async def test_metrics_follow_outcomes_and_work() -> None:
    metrics = Metrics()
    broken = FakeSynthesizer(before_begin=lambda request: 1 / 0)  # type: ignore[arg-type]
    other = Voice("broken", "en", "", "", "")
    voices = {FAKE_VOICE.name: FakeSynthesizer(), "broken": broken}
    async with Engine(voices, [FAKE_VOICE, other], metrics=metrics) as engine:
        await listen(say(engine, "Hello."))
        await listen(say(engine, "Hello.", UtteranceOptions("broken")))
        say(engine, "Hello.").cancel()
        idle = engine.open(PCM_OPTIONS)
        idle.end_input(FinishReason.IDLE)
        assert (await listen(idle)).finished.reason is FinishReason.IDLE
    text = metrics.exposition().decode()
    for outcome in ("complete", "failed", "cancelled", "idle"):
        assert f'utter_utterances_total{{outcome="{outcome}"}} 1.0' in text
    assert "utter_rtf_count 1.0" in text
    assert "utter_queue_wait_seconds_count" in text
    assert "utter_device_busy_seconds_total 0.0\n" not in text


async def test_an_unknown_voice_is_refused_by_name(engine: Engine) -> None:
    with pytest.raises(UnknownVoice, match="nobody"):
        engine.open(UtteranceOptions("nobody"))
    assert engine.open_utterances == 0


async def test_no_more_utterances_are_open_than_the_limit_allows(voice: FakeSynthesizer) -> None:
    limits = EngineLimits(utterances=2)
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], limits=limits) as engine:
        first, _ = engine.open(PCM_OPTIONS), engine.open(PCM_OPTIONS)
        with pytest.raises(Overloaded):
            engine.open(PCM_OPTIONS)
        first.cancel()
        third = engine.open(PCM_OPTIONS)
        third.end_input()
        await listen(third)
        assert engine.open_utterances == 1


async def test_it_is_ready_from_entering_until_draining(voice: FakeSynthesizer) -> None:
    engine = Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE])
    assert engine.default_voice == FAKE_VOICE.name
    readiness = [engine.ready]
    with pytest.raises(Draining):
        engine.open(PCM_OPTIONS)
    async with engine:
        readiness.append(engine.ready)
        await engine.drain(0)
        readiness.append(engine.ready)
        with pytest.raises(Draining):
            engine.open(PCM_OPTIONS)
    assert readiness == [False, True, False]


async def test_draining_lets_open_utterances_finish(engine: Engine) -> None:
    utterance = say(engine, "Hello there.")
    draining = asyncio.create_task(engine.drain(60))
    await asyncio.sleep(0)
    assert not draining.done()
    heard = await listen(utterance)
    await draining
    assert heard.finished.samples > 0


async def test_draining_cancels_what_is_open_after_the_grace(engine: Engine) -> None:
    utterance = engine.open(PCM_OPTIONS)
    await engine.drain(0)
    assert engine.open_utterances == 0
    assert await utterance.next_message() is None


async def test_leaving_ends_waiting_listeners_and_all_threads(voice: FakeSynthesizer) -> None:
    before = threading.active_count()
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], workers=2) as engine:
        assert threading.active_count() == before + 3
        waiting = asyncio.create_task(listen(engine.open(PCM_OPTIONS)))
        await asyncio.sleep(0)
    assert (await waiting).messages == []
    assert threading.active_count() == before


class Stage:
    """An engine with one worker that a test can stop before any step."""

    def __init__(self) -> None:
        self.begin, self.advance = Gate(), Gate()
        self.voice = FakeSynthesizer(
            samples_per_character=480,
            chunk_samples=2_400,
            before_begin=self.begin.wait,
            before_advance=self.advance.wait,
        )

    def let_all_through(self) -> None:
        self.begin.open(10_000)
        self.advance.open(10_000)


async def before_any_text(stage: Stage, utterance: Utterance) -> None:
    del stage, utterance


async def before_begin(stage: Stage, utterance: Utterance) -> None:
    del stage
    utterance.push_text(TEXT)


async def in_begin(stage: Stage, utterance: Utterance) -> None:
    utterance.push_text(TEXT)
    await stage.begin.arrived()


async def in_the_first_chunk(stage: Stage, utterance: Utterance) -> None:
    await in_begin(stage, utterance)
    stage.begin.open()
    await stage.advance.arrived()


async def between_chunks(stage: Stage, utterance: Utterance) -> None:
    await in_the_first_chunk(stage, utterance)
    stage.advance.open(2)
    await stage.advance.arrived()
    await stage.advance.arrived()
    assert await utterance.next_message() is not None
    assert await utterance.next_message() is not None


async def after_the_last_chunk(stage: Stage, utterance: Utterance) -> None:
    stage.let_all_through()
    utterance.push_text("Hello there.")
    utterance.end_input()
    await until(lambda: utterance.timings.audio_seconds == 12 * 480 / 24_000)


async def after_everything_was_taken(stage: Stage, utterance: Utterance) -> None:
    stage.let_all_through()
    utterance.push_text("Hello there.")
    utterance.end_input()
    assert (await listen(utterance)).finished.samples > 0


@pytest.mark.parametrize(
    "reach",
    [
        before_any_text,
        before_begin,
        in_begin,
        in_the_first_chunk,
        between_chunks,
        after_the_last_chunk,
        after_everything_was_taken,
    ],
)
async def test_cancel_stops_an_utterance_in_any_state_and_harms_no_other(
    reach: Callable[[Stage, Utterance], Awaitable[None]],
) -> None:
    stage = Stage()
    async with Engine({FAKE_VOICE.name: stage.voice}, [FAKE_VOICE]) as engine:
        utterance = engine.open(PCM_OPTIONS)
        await reach(stage, utterance)
        begun, steps = len(stage.voice.begun), len(stage.voice.steps)
        cut = utterance.cancel()
        assert engine.open_utterances == 0
        assert await utterance.next_message() is None
        assert cut.text_spoken + cut.text_remaining == utterance.text
        assert utterance.cancel(10**9) == cut
        stage.let_all_through()
        other = await listen(say(engine, "Good day."))
        assert_exact(other, stage.voice)
        # At most the step that was under way.
        assert [request.text for request in stage.voice.begun[begun:]] == ["Good day."]
        assert [texts for texts in stage.voice.steps[steps:] if texts != ("Good day.",)] == []
        assert await utterance.next_message() is None


async def test_a_thousand_cancelled_utterances_leave_nothing(engine: Engine) -> None:
    threads, tasks = threading.active_count(), len(asyncio.all_tasks())
    for n in range(1_000):
        utterance = engine.open(PCM_OPTIONS)
        utterance.push_text(TEXT if n % 3 else "Hello, this is not yet")
        if n % 2:
            utterance.end_input()
        if n % 5 == 0 and n % 3:
            await utterance.next_message()
        utterance.cancel()
    del utterance
    assert_exact(await listen(say(engine, TEXT)), FakeSynthesizer(samples_per_character=480))
    assert engine.open_utterances == 0
    assert threading.active_count() == threads
    assert len(asyncio.all_tasks()) == tasks

    def nothing_left() -> bool:
        gc.collect()
        # By their types: some libraries' objects warn when asked for their class.
        return not any(issubclass(type(thing), Utterance | Job | RingBuffer) for thing in gc.get_objects())

    await until(nothing_left)
    loop = asyncio.get_running_loop()
    live = [timer for timer in getattr(loop, "_scheduled", []) if not timer.cancelled()]
    assert not [timer for timer in live if isinstance(getattr(timer._callback, "__self__", None), Utterance)]


async def test_cancelling_from_other_threads_at_random_moments_breaks_nothing() -> None:
    voice = FakeSynthesizer(samples_per_character=480, chunk_samples=2_400)
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], workers=2) as engine:
        for round_ in range(20):
            several = [say(engine, TEXT) for _ in range(4)]
            listening = [asyncio.create_task(listen(utterance)) for utterance in several]
            for _ in range(round_):
                await asyncio.sleep(0)
            threads = [threading.Thread(target=utterance.cancel) for utterance in several[::2] * 2]
            for thread in threads:
                thread.start()
            heard: list[Heard] = await asyncio.gather(*listening)
            for thread in threads:
                thread.join()
            for complete in heard[1::2]:
                assert_exact(complete, voice)
        await until(lambda: engine.open_utterances == 0)
