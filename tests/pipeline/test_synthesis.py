"""Who is worked on when, what a fault costs, and that nobody waits for anybody."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from pipeline.audio import FRAME_CONTENT_SAMPLES
from pipeline.engine import Engine
from pipeline.job import PACKET_QUEUE, Job
from pipeline.metrics import Metrics
from pipeline.speech import SegmentRequest, SynthesisFailed, Voice
from pipeline.splitter import Boundary, Sentence
from pipeline.synthesis import Synthesis
from pipeline.text.passage import Passage
from pipeline.utterance import AudioPackets, Utterance, UtteranceOptions
from tests.fakes import FAKE_VOICE, FakeClock, FakeSynthesizer, Gate, until
from tests.pipeline.listening import PCM_OPTIONS, Heard, assert_exact, listen, say

SLOW_VOICE = Voice("slow", "en", "Does not stream.", "", "")
SLOW_OPTIONS = UtteranceOptions(SLOW_VOICE.name, format=PCM_OPTIONS.format)


def begun(voice: FakeSynthesizer) -> list[str]:
    return [request.text for request in voice.begun]


async def hold_worker(engine: Engine, gate: Gate) -> Utterance:
    """Bring the only worker to stand at `gate`."""
    utterance = say(engine, "Hold.")
    await gate.arrived()
    return utterance


# Whose turn it is


async def test_the_most_urgent_first_chunk_comes_first() -> None:
    gate = Gate()
    voice = FakeSynthesizer(before_begin=gate.wait)
    clock = FakeClock()
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], clock=clock) as engine:
        several = [await hold_worker(engine, gate)]
        for name, audio_ends_in in (("third", 9.0), ("first", 0.01), ("second", 2.0)):
            utterance = say(engine, f"{name}.")
            utterance.set_audio_end(clock() + audio_ends_in)
            several.append(utterance)
        gate.open(100)
        await asyncio.gather(*map(listen, several))
    assert begun(voice) == ["Hold.", "first.", "second.", "third."]


async def test_a_newcomer_goes_between_the_chunks_of_one_with_audio_in_hand() -> None:
    gate = Gate()
    voice = FakeSynthesizer(before_advance=gate.wait, samples_per_character=2_000)
    clock = FakeClock()
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], clock=clock) as engine:
        long = say(engine, "This one is long already.")
        for _ in range(2):
            await gate.arrived()
            gate.open()
        await gate.arrived()
        short = say(engine, "Quick.")
        gate.open(100)
        await asyncio.gather(listen(long), listen(short))
    turns = [texts[0] for texts in voice.steps]
    assert turns[:3] == ["This one is long already."] * 3
    assert turns[3] == "Quick."
    assert turns[-1] == "This one is long already."


async def test_whoever_runs_dry_first_is_advanced_first() -> None:
    gate = Gate()
    voice = FakeSynthesizer(before_begin=gate.wait, chunk_samples=4_800, samples_per_character=2_400)
    clock = FakeClock()
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], clock=clock) as engine:
        held = await hold_worker(engine, gate)
        rich, poor = say(engine, "Rich one."), say(engine, "Poor one.")
        rich.set_audio_end(clock() + 0.45)
        poor.set_audio_end(clock() + 0.1)
        gate.open(100)
        await asyncio.gather(listen(held), listen(rich), listen(poor))
    turns = [texts[0] for texts in voice.steps if texts != ("Hold.",)]
    # Each chunk is 0.2 s, so the poor one catches up with two of them before the rich one has its first.
    assert turns[:4] == ["Poor one.", "Poor one.", "Rich one.", "Poor one."]


async def test_a_segment_is_as_urgent_as_the_first_when_the_listener_has_run_dry() -> None:
    voice = FakeSynthesizer(samples_per_character=480)
    clock = FakeClock()
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], clock=clock) as engine:
        utterance = engine.open(PCM_OPTIONS)
        utterance.push_text("One two three. Four five six seven eight nine ten.\n")
        packets = 0
        while packets < 64:  # All there is: 49 characters of 20 ms and a pause of 300.
            message = await utterance.next_message()
            packets += len(message.packets) if isinstance(message, AudioPackets) else 0
        utterance.set_audio_end(clock())
        clock.advance(100)
        utterance.push_text("Late.")
        utterance.end_input()
        await listen(utterance)
    assert [(request.text, request.first) for request in voice.begun] == [
        ("One two three.", True),
        ("Four five six seven eight nine ten.", False),
        ("Late.", True),
    ]


# Backpressure


async def test_a_listener_that_takes_nothing_stops_its_own_synthesis_only() -> None:
    voice = FakeSynthesizer(chunk_samples=9_600)
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE]) as engine:
        idle = say(engine, "A long text that goes on. " * 30)
        for _ in range(20):
            assert_exact(await listen(say(engine, "Another.")), voice)
        # The packet queue, the PCM up to the high-water mark, the chunk that went over it, part of a frame.
        most = PACKET_QUEUE * 480 + 24_000 + 9_600 + 480
        assert idle.timings.audio_seconds * 24_000 <= most
        assert_exact(await listen(idle, least=5), voice)


async def next_audio(utterance: Utterance, *, least: int) -> AudioPackets:
    while not isinstance(
        message := await utterance.next_message(least=least, most=PACKET_QUEUE - 12), AudioPackets
    ):
        assert message is not None
    return message


async def test_until_the_first_packet_is_sent_no_other_is_encoded_and_then_all_are() -> None:
    voice = FakeSynthesizer(chunk_samples=9_600)
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE]) as engine:
        utterance = say(engine, "A long text that goes on. " * 10)
        first = await next_audio(utterance, least=1)
        for _ in range(5):
            assert_exact(await listen(say(engine, "Another.")), voice)
        assert (utterance._job.encoded, utterance._job.queued) == (FRAME_CONTENT_SAMPLES, 1)
        heard = await listen(utterance, least=5)
        heard.messages.insert(0, first)
        assert len(heard.packets) == heard.finished.samples // FRAME_CONTENT_SAMPLES + 1


async def test_an_utterance_whose_first_packet_is_never_sent_does_not_outlive_a_drain() -> None:
    voice = FakeSynthesizer(chunk_samples=9_600)
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE]) as engine:
        utterance = say(engine, "A long text that goes on. " * 10)
        await next_audio(utterance, least=1)
        await engine.drain(0.0)
        assert engine.open_utterances == 0
        assert await utterance.next_message() is None


async def test_no_more_packets_wait_than_the_queue_holds() -> None:
    voice = FakeSynthesizer(chunk_samples=100_000, samples_per_character=9_600)
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE]) as engine:
        utterance = say(engine, "A long text that goes on. " * 10)
        await until(lambda: utterance.timings.audio_seconds > 4)
        first = await next_audio(utterance, least=30)
        assert len(first.packets) == 1, "the very first packet comes alone"
        for _ in range(10):
            await listen(say(engine, "Another."))
        message = await next_audio(utterance, least=30)
        assert 30 <= len(message.packets) <= PACKET_QUEUE
        assert utterance._job.queued <= PACKET_QUEUE
        utterance.cancel()


async def test_a_chunk_longer_than_the_ring_buffer_comes_through_whole() -> None:
    voice = FakeSynthesizer(chunk_samples=10_000_000, samples_per_character=9_600)
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE]) as engine:
        assert_exact(await listen(say(engine, "This one chunk is twelve seconds long."), least=5), voice)


# Faults


def raising(word: str) -> Callable[[Sequence[SegmentRequest]], None]:
    def check(requests: Sequence[SegmentRequest]) -> None:
        if any(word in request.text for request in requests):
            raise ValueError(f"cannot say {word}")

    return check


@pytest.mark.parametrize("step", ["begin", "advance"])
async def test_a_step_that_raises_ends_that_utterance_alone(
    step: str, caplog: pytest.LogCaptureFixture
) -> None:
    check = raising("fault")
    voice = FakeSynthesizer(samples_per_character=480)
    if step == "begin":
        voice.before_begin = lambda request: check([request])
    else:
        voice.before_advance = check
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE]) as engine:
        several = [say(engine, text) for text in ("One two.", "Three four. A fault here. Five.", "Six.")]
        good, bad, other = await asyncio.gather(*map(listen, several))
        assert_exact(good, voice)
        assert_exact(other, voice)
        # What was spoken before it may have left already or be dropped; what comes after it never leaves.
        assert [segment.text for segment in bad.segments] in (
            [],
            ["Three four."],
            ["Three four.", "A fault here."],
        )
        error = bad.failed.error
        assert isinstance(error, SynthesisFailed)
        assert isinstance(error.__cause__, ValueError)
        assert_exact(await listen(say(engine, "Life goes on.")), voice)
        assert engine.open_utterances == 0
    records = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(records) == 1
    assert records[0].exc_info is not None
    assert "cannot say fault" not in records[0].getMessage()


async def test_text_for_an_utterance_that_failed_is_refused() -> None:
    voice = FakeSynthesizer(before_advance=raising("fault"))
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE]) as engine:
        utterance = engine.open(PCM_OPTIONS)
        utterance.push_text("A fault here.\n")
        assert isinstance((await listen(utterance)).failed.error, SynthesisFailed)
        cut = utterance.cancel()
        assert cut.text_spoken + cut.text_remaining == "A fault here.\n"


async def test_a_chunk_of_nonsense_is_a_fault_of_its_utterance_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    voice = FakeSynthesizer()
    plain = voice._next_chunk

    def nonsense(speech: object) -> object:
        chunk = plain(speech)  # type: ignore[arg-type]
        return None if "fault" in speech.request.text else chunk  # type: ignore[attr-defined]

    voice._next_chunk = nonsense  # type: ignore[method-assign,assignment]
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE]) as engine:
        bad, good = say(engine, "A fault."), say(engine, "Good.")
        heard = await asyncio.gather(listen(bad), listen(good))
    assert isinstance(heard[0].failed.error, SynthesisFailed)
    assert_exact(heard[1], voice)
    assert caplog.records


async def test_a_fault_of_our_own_ends_open_utterances_but_no_thread(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The clock stands for any code of ours that a worker runs outside a model step."""
    faulty = threading.Event()

    def clock() -> float:
        if faulty.is_set() and threading.current_thread().name.startswith("utter-worker"):
            faulty.clear()
            raise RuntimeError("the clock is broken")
        return time.monotonic()

    voice = FakeSynthesizer()
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], clock=clock) as engine:
        waiting = engine.open(PCM_OPTIONS)
        faulty.set()
        heard = await asyncio.gather(listen(waiting), listen(say(engine, "Hello.")))
        assert all(isinstance(one.failed.error, SynthesisFailed) for one in heard)
        assert_exact(await listen(say(engine, "Life goes on.")), voice)
    assert [record.levelno for record in caplog.records].count(logging.CRITICAL) == 1


# Batches


def distinct(voice: FakeSynthesizer) -> set[int]:
    return {len(texts) for texts in voice.steps}


async def say_together(
    voice: FakeSynthesizer, texts: Sequence[str], *, engine: Engine, gate: Gate
) -> list[Heard]:
    """Have all `texts` begun before any is advanced."""
    hold = await hold_worker(engine, gate)
    several = [say(engine, text) for text in texts]
    gate.open(1_000)
    return (await asyncio.gather(*map(listen, [hold, *several])))[1:]


async def test_states_are_advanced_together_up_to_what_the_synthesizer_takes() -> None:
    gate = Gate()
    voice = FakeSynthesizer(max_batch=3, before_begin=gate.wait, samples_per_character=2_400)
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], clock=FakeClock()) as engine:
        texts = [f"Number {n} speaks." for n in range(5)]
        for heard in await say_together(voice, texts, engine=engine, gate=gate):
            assert_exact(heard, voice)
    assert max(distinct(voice)) == 3


async def test_a_batch_that_raises_costs_only_the_one_to_blame() -> None:
    gate = Gate()
    voice = FakeSynthesizer(
        max_batch=8, before_begin=gate.wait, before_advance=raising("fault"), samples_per_character=2_400
    )
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], clock=FakeClock()) as engine:
        texts = ["One is fine.", "Two is a fault.", "Three is fine."]
        one, two, three = await say_together(voice, texts, engine=engine, gate=gate)
    assert max(distinct(voice)) > 1
    assert_exact(one, voice)
    assert_exact(three, voice)
    assert isinstance(two.failed.error, SynthesisFailed)


# Voices that do not stream


async def test_a_voice_that_does_not_stream_holds_nobody_up_and_nobody_waits_for_it() -> None:
    gate = Gate()
    quick = FakeSynthesizer()
    slow = FakeSynthesizer(streams=False, chunk_samples=10_000_000, before_advance=gate.wait)
    voices = {FAKE_VOICE.name: quick, SLOW_VOICE.name: slow}
    async with Engine(voices, [FAKE_VOICE, SLOW_VOICE]) as engine:
        spoken = say(engine, "This takes its time.", SLOW_OPTIONS)
        dropped = say(engine, "So does this.", SLOW_OPTIONS)
        await gate.arrived()
        assert_exact(await listen(say(engine, "Quick.")), quick)
        gate.open()
        assert_exact(await listen(spoken), slow)
        await gate.arrived()
        dropped.cancel()
        assert_exact(await listen(say(engine, "Quick again.")), quick)
    stuck = [thread for thread in threading.enumerate() if thread.name == "utter-slow-worker"]
    assert len(stuck) == 1
    gate.open()
    stuck[0].join()


async def test_both_kinds_of_voice_may_speak_in_one_utterance() -> None:
    quick = FakeSynthesizer(samples_per_character=480)
    slow = FakeSynthesizer(streams=False, chunk_samples=10_000_000, samples_per_character=480)
    voices = {FAKE_VOICE.name: quick, SLOW_VOICE.name: slow}
    async with Engine(voices, [FAKE_VOICE, SLOW_VOICE]) as engine:
        utterance = engine.open(PCM_OPTIONS)
        utterance.push_text("One two three. ")
        utterance.push_text("Four five six. ", voice=SLOW_VOICE.name)
        utterance.push_text("Seven eight nine.", voice=FAKE_VOICE.name)
        utterance.end_input()
        assert_exact(await listen(utterance), quick)
    assert begun(slow) == ["Four five six."]
    assert begun(quick) == ["One two three.", "Seven eight nine."]


# Numbers


async def test_model_time_is_counted_once_for_the_device_and_shared_in_a_batch() -> None:
    clock = FakeClock()
    voice = FakeSynthesizer(
        before_begin=lambda request: clock.advance(0.5),
        before_advance=lambda requests: clock.advance(0.25),
        chunk_samples=4_800,
        samples_per_character=1_200,
    )
    metrics = Metrics()
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], clock=clock, metrics=metrics) as engine:
        timings = (await listen(say(engine, "Four chunks long"))).finished.timings
    assert np.isclose(timings.synthesis_seconds, 0.5 + 4 * 0.25)
    assert timings.begin == 0.5
    assert timings.first_chunk == 0.25
    assert "utter_device_busy_seconds_total 1.5\n" in metrics.exposition().decode()


async def test_a_listener_woken_because_nothing_is_on_its_way_finds_it_said_so() -> None:
    seen: list[bool] = []

    def post(callback: Callable[..., object], /, *args: object) -> None:
        del args
        if callback == job.wake:
            seen.append(job.dry)
        elif not job.first_taken:
            synthesis.taken(job, 1)

    def wake() -> None:
        raise AssertionError("only the loop runs callbacks")

    job = Job(1, PCM_OPTIONS, arrival=0.0, deliver=lambda items: None, wake=wake)
    voices = {FAKE_VOICE.name: FakeSynthesizer()}
    synthesis = Synthesis(
        voices, workers=1, post=post, thread_ended=lambda: None, clock=time.monotonic, metrics=Metrics()
    )
    synthesis.start()
    synthesis.open(job)
    synthesis.push(job, [Sentence(Passage.plain("Hi."), 0, Boundary.SENTENCE)])
    await until(lambda: bool(seen))
    synthesis.stop()
    synthesis.join()
    assert seen == [True]


async def test_a_loop_that_closes_under_the_threads_does_them_no_harm() -> None:
    def run() -> list[str]:
        async def leave_early() -> Engine:
            engine = await Engine({FAKE_VOICE.name: FakeSynthesizer()}, [FAKE_VOICE]).__aenter__()
            say(engine, "Nobody listens any more.")
            return engine

        engine = asyncio.run(leave_early())
        engine._synthesis.stop()
        engine._synthesis.join()
        return [thread.name for thread in threading.enumerate() if thread.name.startswith("utter-worker")]

    assert await asyncio.to_thread(run) == []
