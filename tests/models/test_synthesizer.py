"""The served voice: total, exact in length, silent neither before nor after, and whole at its seams."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from models import timing, vocoder
from models.acoustic import ENERGY_ROW, HOP, SAMPLE_RATE_HZ, AcousticModel, Array, DecoderState, Plan
from models.synthesizer import (
    FIRST_SEGMENT_FRAMES,
    LATER_SEGMENT_FRAMES,
    ONSET_FRAMES,
    SHORTEST_CHUNK_FRAMES,
    StudentSynthesizer,
)
from pipeline.speech import LONGEST_SEGMENT, Spoken, Synthesizer, WordTime
from tests.models.spoken import (
    acoustic,
    join,
    phonemizer,
    request,
    sentences,
    snr_db,
    speak,
    spoken_of,
    synthesizer,
)

Floats = NDArray[np.float32]

SAMPLE = range(3, 50, 8)
"""Sentences spoken in every test run."""
VARIED = [(sentences()[index], 1.0, 1.0) for index in SAMPLE] + [
    ("Stop!", 1.0, 1.0),
    ("Hi", 1.0, 1.0),
    ("Fish and chips?", 2.0, 1.0),
    ("Half past five, perhaps.", 0.5, 1.0),
    ("(Whatever you say)", 1.0, 1.6),
    ("... and then, nothing...", 1.0, 0.7),
]
AUDIBLE = 1e-3
"""-60 dB of full scale."""


def audible_samples(pcm: Floats) -> NDArray[np.int64]:
    """Return where blocks of 2.5 ms that can be heard begin."""
    block = SAMPLE_RATE_HZ // 400
    level = np.sqrt(np.mean(np.square(pcm[: pcm.size // block * block].reshape(-1, block)), axis=1))
    return np.flatnonzero(level > AUDIBLE) * block


@dataclass(frozen=True)
class Offline:
    """One segment decoded in one go: the frames the served voice cuts it to, and its sound.

    `first` is the frame the served voice decodes from, `found` the first it hands out, `last` the one after
    its last. `whole` sounds from frame 0, `speech` from `found`.
    """

    first: int
    found: int
    last: int
    whole: Floats
    speech: Floats


def offline(text: str, speed: float = 1.0, pitch: float = 1.0) -> Offline:
    run = phonemizer().read(spoken_of(text)).runs[0]
    plan = acoustic().plan(run.ids, speed=speed, pitch=pitch)
    first, last = timing.speech_frames(plan.durations, run.audible, plan.features[ENERGY_ROW])
    spectra = acoustic().decode([acoustic().start(plan, 0)], [plan.f0.size])[0]
    whole = vocoder.synthesize(vocoder.start(plan.f0, 0, plan.f0.size, seed=0), spectra)
    speech = vocoder.synthesize(vocoder.start(plan.f0, first, last, seed=0), spectra[first:last])
    found = last - synthesizer().begin(request(text, speed=speed, pitch=pitch)).samples // HOP
    return Offline(first, found, last, whole, speech[(found - first) * HOP :])


def test_it_is_a_synthesizer() -> None:
    voice: Synthesizer = synthesizer()
    assert (voice.sample_rate, voice.streams, voice.max_batch) == (24_000, True, 1)


@settings(max_examples=25, deadline=None)
@given(
    text=st.one_of(
        st.text(max_size=40),
        st.lists(st.sampled_from(["yes,", "7", "—", "é", "$5.", "你好", "x9"])).map(" ".join),
    ),
    speed=st.sampled_from([0.5, 1.0, 2.0]),
    pitch=st.sampled_from([0.5, 1.0, 2.0]),
    first=st.booleans(),
)
@example(text="1" * LONGEST_SEGMENT, speed=2.0, pitch=1.0, first=True)
@example(text="", speed=1.0, pitch=1.0, first=True)
@example(text="?!", speed=1.0, pitch=1.0, first=False)
def test_any_text_is_spoken_with_all_its_words_timed(
    text: str, speed: float, pitch: float, first: bool
) -> None:
    state, chunks = speak(request(text, speed=speed, pitch=pitch, first=first))
    assert [chunk.last for chunk in chunks] == [False] * (len(chunks) - 1) + [True] * bool(chunks)
    assert all(chunk.pcm.dtype == np.float32 and chunk.pcm.ndim == 1 and chunk.pcm.size for chunk in chunks)
    pcm = join(chunks)
    assert pcm.size == state.samples
    assert np.abs(pcm).max(initial=0.0) <= 1.0
    check_words(text, state.words, state.samples)


def check_words(text: str, words: Sequence[WordTime], samples: int) -> None:
    assert "".join(word.text for word in words) == "".join(text.split())
    assert all(text[word.offset : word.offset + word.length] == word.text for word in words)
    bounds = [bound for word in words for bound in (word.start, word.end)]
    assert bounds == sorted(bounds)
    assert all(0 <= bound <= samples for bound in bounds)


@pytest.mark.parametrize(("text", "speed", "pitch"), VARIED)
def test_sound_begins_within_20_ms_and_ends_within_150_ms(text: str, speed: float, pitch: float) -> None:
    state, chunks = speak(request(text, speed=speed, pitch=pitch))
    heard = audible_samples(join(chunks))
    assert heard[0] <= SAMPLE_RATE_HZ * 20 // 1000
    assert state.samples - heard[-1] <= SAMPLE_RATE_HZ * 150 // 1000


@pytest.mark.parametrize(("text", "speed", "pitch"), VARIED)
def test_what_is_cut_away_holds_no_speech(text: str, speed: float, pitch: float) -> None:
    whole = offline(text, speed, pitch)
    cut = np.concatenate((whole.whole[: whole.found * HOP], whole.whole[whole.last * HOP :]))
    assert 10 * np.log10(np.sum(np.square(cut)) / np.sum(np.square(whole.whole)) + 1e-12) < -45


@pytest.mark.parametrize(("text", "speed", "pitch"), VARIED)
def test_chunks_sound_like_the_whole_and_do_not_click_where_they_meet(
    text: str, speed: float, pitch: float
) -> None:
    whole = offline(text, speed, pitch).speech
    _, chunks = speak(request(text, speed=speed, pitch=pitch))
    pcm = join(chunks)
    # The served voice fades in before the frames cut away, so that the rest equals the offline sound.
    assert snr_db(whole, pcm) > 20
    seams = list(itertools.accumulate(chunk.pcm.size for chunk in chunks))[:-1]
    steps = np.abs(np.diff(pcm))
    assert all(steps[seam - 1] <= np.abs(np.diff(whole)).max() for seam in seams)


@pytest.mark.parametrize(("first", "sizes"), [(True, FIRST_SEGMENT_FRAMES), (False, LATER_SEGMENT_FRAMES)])
def test_a_segment_comes_in_a_small_chunk_and_larger_ones(first: bool, sizes: tuple[int, ...]) -> None:
    state, chunks = speak(request(sentences()[-1], first=first))
    hops = [chunk.pcm.size // HOP for chunk in chunks]
    assert sum(hops) * HOP == state.samples
    assert abs(hops[0] - sizes[0]) <= ONSET_FRAMES
    assert hops[1:-1] == [*sizes[1:], *sizes[-1:] * len(hops)][: len(hops) - 2]
    assert SHORTEST_CHUNK_FRAMES <= hops[-1] <= sizes[-1] + SHORTEST_CHUNK_FRAMES + vocoder.DELAY


def test_the_same_request_gives_the_same_samples_and_another_seed_other_noise() -> None:
    segment = request(sentences()[7])
    once, again = join(speak(segment)[1]), join(speak(segment)[1])
    assert np.array_equal(once, again)
    other = join(speak(replace(segment, seed=1))[1])
    assert not np.array_equal(once, other)


def test_a_text_that_continues_sounds_as_up_to_a_comma_and_its_words_stay_its_own() -> None:
    text = "The committee decided to postpone the meeting"
    state, chunks = speak(replace(request(text), continues=True))
    up_to_comma, comma_chunks = speak(request(f"{text},"))
    assert np.array_equal(join(chunks), join(comma_chunks))
    check_words(text, state.words, state.samples)
    assert [(w.start, w.end) for w in state.words] == [(w.start, w.end) for w in up_to_comma.words]


@pytest.mark.parametrize("last", [Spoken("I", 14, 1, spelled=True), Spoken("win", 14, 3, phonemes="wˈɪn")])
def test_a_text_that_continues_may_end_in_a_letter_or_given_phonemes(last: Spoken) -> None:
    segment = request("They asked the FBI", (*spoken_of("They asked the"), last))
    comma = replace(segment, spoken=(*segment.spoken[:-1], replace(last, text=f"{last.text},")))
    assert speak(replace(segment, continues=True))[0].samples == speak(comma)[0].samples


def test_a_text_of_no_words_that_continues_has_no_sound() -> None:
    state, chunks = speak(replace(request("…"), spoken=(), continues=True))
    assert (state.samples, list(state.words), chunks) == (0, [], [])


def test_a_text_too_long_for_the_network_is_spoken_in_runs_with_a_pause_between() -> None:
    text = ", ".join(["twenty two thousand seven hundred"] * 9)
    assert len(text) <= LONGEST_SEGMENT + 20
    assert len(phonemizer().read(spoken_of(text)).runs) == 1
    state, _ = speak(request(text + ", " + text))
    alone, _ = speak(request(text))
    assert len(phonemizer().read(spoken_of(text + ", " + text)).runs) == 2
    assert state.samples > 1.8 * alone.samples
    check_words(text + ", " + text, state.words, state.samples)


@pytest.mark.parametrize(
    ("text", "word"),
    [("Before the pause, something else.", 2), ("He came; nobody saw him.", 1), ("Well then, indeed!", 1)],
)
def test_two_words_meet_in_the_pause_between_them(text: str, word: int) -> None:
    state, chunks = speak(request(text))
    before, after = state.words[word : word + 2]
    level = np.convolve(np.square(join(chunks)), np.ones(HOP), mode="same")
    middles = [(time.start + time.end) // 2 for time in (before, after)]
    quietest = middles[0] + int(np.argmin(level[slice(*middles)]))
    tolerance = SAMPLE_RATE_HZ * 60 // 1000
    assert before.end - tolerance < quietest < after.start + tolerance


def test_interleaved_segments_do_not_disturb_each_other() -> None:
    segments = [request(sentences()[index]) for index in (4, 11, 22)]
    alone = [join(speak(segment)[1]) for segment in segments]
    states = [synthesizer().begin(segment) for segment in segments]
    parts: list[list[Floats]] = [[] for _ in states]
    while not all(state.finished for state in states):
        for state, part in zip(states, parts, strict=True):
            if not state.finished:
                part.append(synthesizer().advance([state])[0].pcm)
    for expected, part in zip(alone, parts, strict=True):
        assert np.array_equal(expected, np.concatenate(part))


def test_states_advance_together_where_the_network_takes_several() -> None:
    voice = StudentSynthesizer(Batching(acoustic()), phonemizer())
    segments = [request(sentences()[index]) for index in (0, 11, 22)]
    states = [voice.begin(segment) for segment in segments]
    parts: list[list[Floats]] = [[] for _ in states]
    while waiting := [index for index, state in enumerate(states) if not state.finished]:
        for index, chunk in zip(waiting, voice.advance([states[index] for index in waiting]), strict=True):
            parts[index].append(chunk.pcm)
    for segment, part in zip(segments, parts, strict=True):
        assert np.array_equal(join(speak(segment)[1]), np.concatenate(part))


def test_workers_may_speak_at_once() -> None:
    segments = [request(sentences()[index]) for index in (0, 9, 14, 25, 3, 17)]
    alone = [join(speak(segment)[1]) for segment in segments]
    with ThreadPoolExecutor(4) as pool:
        together = [join(chunks) for _, chunks in pool.map(speak, segments)]
    for expected, found in zip(alone, together, strict=True):
        assert np.array_equal(expected, found)


class Batching:
    """The served network, saying that it takes eight states at once."""

    max_batch = 8

    def __init__(self, model: AcousticModel) -> None:
        self._model = model

    def plan(self, ids: Sequence[int], *, speed: float, pitch: float) -> Plan:
        return self._model.plan(ids, speed=speed, pitch=pitch)

    def start(self, plan: Plan, first_frame: int) -> DecoderState:
        return self._model.start(plan, first_frame)

    def decode(self, states: Sequence[DecoderState], counts: Sequence[int]) -> list[Array]:
        return self._model.decode(states, counts)
