"""Text that arrives word by word while it is spoken: early, without gaps, and nothing lost or repeated."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.audio import CONTENT_RATE_HZ, FRAME_CONTENT_SAMPLES
from pipeline.engine import Engine
from pipeline.segments import LOW_LEAD_MS, PATIENCE_MS, PAUSE_MS, SHORTAGE_MS
from pipeline.splitter import Boundary
from pipeline.text.characters import is_speakable
from pipeline.utterance import AudioPackets, Message, Utterance
from tests.fakes import FAKE_VOICE, FakeClock, FakeSynthesizer, pass_time, run_on_fake_time, until
from tests.pipeline.listening import PCM_OPTIONS, Heard, assert_exact

PER_CHARACTER = 1_440
"""Samples at 24 kHz: 60 ms a character, about the rate of speech."""


class Listener:
    """Takes what an utterance says, plays it on a fake clock, and notes when it has run dry."""

    def __init__(self, utterance: Utterance, voice: FakeSynthesizer, clock: FakeClock) -> None:
        self.utterance = utterance
        self.voice = voice
        self.heard = Heard()
        self.dry_s = 0.0
        self._clock = clock
        self._audio_end: float | None = None
        self._taking = asyncio.create_task(self._take())

    async def _take(self) -> None:
        async for message in self.utterance.packets():
            self._hear(message)

    def _hear(self, message: Message) -> None:
        self.heard.messages.append(message)
        if isinstance(message, AudioPackets):
            now = self._clock()
            end = now if self._audio_end is None else max(now, self._audio_end)
            if self._audio_end is not None:
                self.dry_s += max(0.0, now - self._audio_end)
            self._audio_end = end + len(message.packets) * FRAME_CONTENT_SAMPLES / CONTENT_RATE_HZ
            self.utterance.set_audio_end(self._audio_end)

    @property
    def texts(self) -> list[str]:
        """What was asked of the voice so far."""
        return [request.text for request in self.voice.begun]

    @property
    def lead_s(self) -> float:
        """Seconds of sound in hand."""
        return 0.0 if self._audio_end is None else self._audio_end - self._clock()

    async def quiesce(self) -> None:
        """Wait until the threads have nothing more to do, whatever the time."""
        before = -1
        while before != len(self.heard.messages):
            before = len(self.heard.messages)
            await until(self._is_dry)

    def _is_dry(self) -> bool:
        job = self.utterance._job
        idle = job.dry and not job.queued and not job.busy
        return idle or job.closed or not self.utterance.text

    async def pass_time(self, seconds: float) -> None:
        """Let time pass, a little at a time."""
        steps = max(1, round(seconds / 0.01))
        for _ in range(steps):
            await pass_time(self._clock, seconds / steps)
            await self.quiesce()

    async def end(self) -> Heard:
        """End the text and take everything."""
        self.utterance.end_input()
        await self._taking
        return self.heard


@asynccontextmanager
async def listening(clock: FakeClock) -> AsyncIterator[Listener]:
    """Give a listener to a new utterance."""
    voice = FakeSynthesizer(samples_per_character=PER_CHARACTER)
    async with Engine({FAKE_VOICE.name: voice}, [FAKE_VOICE], clock=clock) as engine:
        yield Listener(engine.open(PCM_OPTIONS), voice, clock)


def on_fake_time(script: Callable[[Listener], Coroutine[Any, Any, None]]) -> None:
    """Run `script` with a listener on an engine whose clock and timers stand until moved."""

    async def main(clock: FakeClock) -> None:
        async with listening(clock) as listener:
            await script(listener)

    run_on_fake_time(main)


async def stream(listener: Listener, text: str, *, per_s: float) -> None:
    """Push the words of a text one by one."""
    for word in text.replace(" ", "\0 ").split("\0"):
        listener.utterance.push_text(word)
        await listener.pass_time(1 / per_s)


def test_the_first_clause_is_spoken_while_its_sentence_is_being_written() -> None:
    async def script(listener: Listener) -> None:
        listener.utterance.push_text("When it is late,")
        await listener.pass_time(0)
        assert listener.texts == []
        listener.utterance.push_text(" we")
        await until(lambda: listener.texts == ["When it is late,"])
        assert listener.utterance.timings.split == 0
        await listener.quiesce()
        assert listener.lead_s > 0.9
        listener.utterance.cancel()

    on_fake_time(script)


def test_with_sound_in_hand_the_rest_waits_for_its_end_and_is_spoken_at_once_then() -> None:
    async def script(listener: Listener) -> None:
        listener.utterance.push_text("When it is very late, in the night, we go")
        await listener.quiesce()
        assert listener.texts == ["When it is very late,"]
        listener.utterance.push_text(" home. A")
        await listener.quiesce()
        assert listener.texts == ["When it is very late,", "in the night, we go home."]
        listener.utterance.cancel()

    on_fake_time(script)


def test_no_text_is_needed_for_the_lead_to_be_noticed_running_low() -> None:
    async def script(listener: Listener) -> None:
        listener.utterance.push_text("When it is very late, all through the night, we")
        await listener.quiesce()
        pause_s = PAUSE_MS[Boundary.CLAUSE] / 1000
        assert abs(listener.lead_s - (len(listener.texts[0]) * 0.06 + pause_s)) < 0.021
        await listener.pass_time(listener.lead_s - LOW_LEAD_MS / 1000 - 0.05)
        assert listener.texts == ["When it is very late,"]
        await listener.pass_time(0.15)
        assert listener.texts == ["When it is very late,", "all through the night,"]
        assert listener.dry_s == 0
        listener.utterance.cancel()

    on_fake_time(script)


def test_without_punctuation_it_is_noticed_a_little_later() -> None:
    async def script(listener: Listener) -> None:
        listener.utterance.push_text("When it is very late, all of us go home and sl")
        await listener.quiesce()
        await listener.pass_time(listener.lead_s - SHORTAGE_MS / 1000 - 0.05)
        assert len(listener.texts) == 1
        await listener.pass_time(0.15)
        assert listener.texts[1:] == ["all of us go home"]
        assert [request.continues for request in listener.voice.begun] == [False, True]
        assert listener.dry_s == 0
        listener.utterance.cancel()

    on_fake_time(script)


def test_the_first_sound_of_a_sentence_without_punctuation_comes_after_a_while() -> None:
    async def script(listener: Listener) -> None:
        listener.utterance.push_text("the quick brown fox jumps over the lazy do")
        await listener.pass_time(PATIENCE_MS / 1000)
        assert listener.texts == []
        await listener.pass_time(0.06)
        assert listener.texts == ["the quick brown fox jumps"]
        listener.utterance.cancel()

    on_fake_time(script)


def test_when_the_sound_before_it_is_cut_short_a_waiting_sentence_is_looked_at_again() -> None:
    async def script(listener: Listener) -> None:
        utterance = listener.utterance
        utterance.set_audio_end(utterance._clock() + 30)
        utterance.push_text("the quick brown fox jumps over the lazy do")
        await listener.pass_time(1)
        assert listener.texts == []
        utterance.set_audio_end(utterance._clock() - 1)
        await listener.quiesce()
        assert listener.texts == ["the quick brown fox jumps"]
        utterance.cancel()

    on_fake_time(script)


def test_a_stream_of_words_without_any_punctuation_never_runs_dry() -> None:
    text = "the old man and his dog walked slowly " + "over the hills and into the woods near the lake " * 4

    async def script(listener: Listener) -> None:
        await stream(listener, text, per_s=12)
        heard = await listener.end()
        assert listener.dry_s == 0
        assert len(heard.segments) > 2
        assert_exact(heard, listener.voice)

    on_fake_time(script)


def test_a_short_sentence_before_a_long_one_does_not_run_dry_and_keeps_its_pause() -> None:
    async def script(listener: Listener) -> None:
        await stream(listener, "Yes it is. You may bring back the", per_s=12)
        await stream(listener, " old one if you like to do that now", per_s=12)
        heard = await listener.end()
        first, second = heard.segments[:2]
        assert first.text == "Yes it is."
        assert second.start - first.end == PAUSE_MS[Boundary.SENTENCE] * CONTENT_RATE_HZ // 1000
        assert listener.dry_s == 0

    on_fake_time(script)


def test_a_pause_of_five_seconds_in_mid_sentence_loses_and_repeats_nothing() -> None:
    before, after = "When it rains all day, we stay at home and", " play cards by the fire. Then we sleep."

    async def script(listener: Listener) -> None:
        await stream(listener, before, per_s=20)
        await listener.pass_time(5)
        await stream(listener, after, per_s=20)
        heard = await listener.end()
        assert " ".join(segment.text for segment in heard.segments) == before + after
        assert [word.text for segment in heard.segments for word in segment.words] == [
            word.strip(",.") for word in (before + after).split()
        ]
        assert_exact(heard, listener.voice)

    on_fake_time(script)


@settings(max_examples=30, deadline=None)
@given(
    words=st.lists(
        st.sampled_from(["we", "and", "over", "house", "late,", "home.", "3.14", "3,", "Dr.", "😀", "so -"]),
        min_size=1,
        max_size=40,
    ),
    data=st.data(),
)
def test_whatever_the_pieces_and_the_pauses_every_word_is_spoken_once(
    words: list[str], data: st.DataObject
) -> None:
    text = " ".join(words)
    units = text.encode("utf-16-le", "surrogatepass")
    places = sorted(data.draw(st.lists(st.integers(0, len(units) // 2), max_size=8)))
    pieces = [
        units[2 * a : 2 * b].decode("utf-16-le", "surrogatepass")
        for a, b in zip([0, *places], [*places, len(units) // 2], strict=True)
    ]

    async def script(listener: Listener) -> None:
        for piece in pieces:
            listener.utterance.push_text(piece)
            await listener.pass_time(data.draw(st.sampled_from([0.0, 0.05, 0.2])))
        heard = await listener.end()
        assert listener.utterance.text == text
        assert list(filter(is_speakable, "".join(listener.texts))) == list(filter(is_speakable, text))
        for segment in heard.segments:
            assert text[segment.offset :].startswith(segment.text)

    on_fake_time(script)
