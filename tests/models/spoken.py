"""The served voice, loaded once for all tests of models/, and segments spoken by it."""

from __future__ import annotations

import functools
import re
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from models.phonemizer import Phonemizer
from models.student_onnx import OnnxAcoustic
from models.synthesizer import StudentState, StudentSynthesizer
from pipeline.speech import Chunk, SegmentRequest, Spoken
from tests.models.wheel import SENTENCES


@functools.cache
def sentences() -> tuple[str, ...]:
    """Return the fifty test sentences."""
    return tuple(SENTENCES.read_text(encoding="utf-8").splitlines())


@functools.cache
def phonemizer() -> Phonemizer:
    """Return the phonemizer, loaded."""
    return Phonemizer()


@functools.cache
def acoustic() -> OnnxAcoustic:
    """Return the served network, loaded."""
    return OnnxAcoustic()


@functools.cache
def synthesizer() -> StudentSynthesizer:
    """Return the served voice, loaded."""
    return StudentSynthesizer(acoustic(), phonemizer())


def spoken_of(text: str) -> tuple[Spoken, ...]:
    """Return the words of plain prose, which is read as it stands."""
    return tuple(Spoken(word.group(), word.start(), len(word.group())) for word in re.finditer(r"\S+", text))


def spelled(letters: str, offset: int = 0) -> tuple[Spoken, ...]:
    """Return letters to be named that stand side by side from `offset`."""
    return tuple(Spoken(letter, offset + at, 1, spelled=True) for at, letter in enumerate(letters))


def read_as(*words: tuple[str, str]) -> tuple[str, tuple[Spoken, ...]]:
    """Return the text of words a space apart, each with what is said for it, and its spoken form."""
    offsets = accumulate((len(shown) + 1 for shown, _ in words), initial=0)
    spoken = (
        Spoken(word, offset, len(shown))
        for (shown, said), offset in zip(words, offsets, strict=False)
        for word in said.split()
    )
    return " ".join(shown for shown, _ in words), tuple(spoken)


def request(
    text: str,
    spoken: tuple[Spoken, ...] | None = None,
    *,
    speed: float = 1.0,
    pitch: float = 1.0,
    first: bool = True,
) -> SegmentRequest:
    """Return a request for `text` in the served voice, read as it stands or as `spoken` says."""
    words = spoken_of(text) if spoken is None else spoken
    return SegmentRequest(text, "heart", words, speed=speed, pitch=pitch, first=first)


def speak(segment: SegmentRequest) -> tuple[StudentState, list[Chunk]]:
    """Begin and advance a segment to its end; return its state and all of its chunks."""
    state = synthesizer().begin(segment)
    chunks = []
    while not state.finished:
        chunks += synthesizer().advance([state])
    return state, chunks


def join(chunks: list[Chunk]) -> NDArray[np.float32]:
    """Return the PCM of all chunks together."""
    return np.concatenate([chunk.pcm for chunk in chunks]) if chunks else np.zeros(0, np.float32)


def snr_db(reference: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Return the level of `reference` over that of its difference from `other`, in dB."""
    noise = np.sum(np.square(other - reference, dtype=np.float64))
    return float(10 * np.log10(np.sum(np.square(reference, dtype=np.float64)) / max(noise, 1e-20)))
