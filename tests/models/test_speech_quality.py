"""The served voice is understood, and sounds no worse than the float32 network it stems from."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from models.synthesizer import StudentSynthesizer
from tests.models.listener import overall_quality, word_error_rate, words_heard
from tests.models.spoken import join, phonemizer, request, sentences, speak

SAMPLE = sentences()[4::5]
"""Ten sentences, short and long."""

MOST_WORD_ERRORS = 0.05
MOST_QUALITY_LOST = 0.1
"""In points of the overall score, which runs from 1 to 5."""


def spoken(texts: Sequence[str]) -> list[NDArray[np.float32]]:
    """Speak the texts in the served voice."""
    return [join(speak(request(text))[1]) for text in texts]


@functools.cache
def reference() -> StudentSynthesizer:
    """The same voice on the float32 network."""
    student = pytest.importorskip("models.student", reason="the reference needs torch")
    return StudentSynthesizer(student.TorchAcoustic(), phonemizer())


def spoken_by_reference(texts: Sequence[str]) -> list[NDArray[np.float32]]:
    """Speak the texts in the reference voice."""
    speech = []
    for text in texts:
        state, chunks = reference().begin(request(text)), []
        while not state.finished:
            chunks += reference().advance([state])
        speech.append(join(chunks))
    return speech


def test_ten_sentences_are_understood() -> None:
    assert word_error_rate(SAMPLE, words_heard(spoken(SAMPLE))) <= MOST_WORD_ERRORS


def test_the_served_voice_sounds_no_worse_than_the_reference() -> None:
    few = SAMPLE[3:7]
    served, exact = spoken(few), spoken_by_reference(few)
    assert overall_quality(served) >= overall_quality(exact) - MOST_QUALITY_LOST


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_all_sentences_are_understood_no_worse_than_the_reference() -> None:
    served = word_error_rate(sentences(), words_heard(spoken(sentences())))
    exact = word_error_rate(sentences(), words_heard(spoken_by_reference(sentences())))
    assert served <= MOST_WORD_ERRORS
    assert served <= exact + 0.01


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_all_sentences_sound_no_worse_than_the_reference() -> None:
    served, exact = overall_quality(spoken(sentences())), overall_quality(spoken_by_reference(sentences()))
    assert served >= exact - MOST_QUALITY_LOST


def test_the_listener_counts_wrong_missing_and_added_words() -> None:
    assert word_error_rate(["At 7, four men came."], ["at seven four men came"]) == 0
    assert word_error_rate(["one two three four"], ["one too four five"]) == 0.75
