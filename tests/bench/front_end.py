"""`run.py bench text`: how long the front end takes from text to its spoken form, and from there to phonemes.

In this process, warm, one thread, no voice but its phonemizer. A measurement, never a test.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from models.phonemizer import Phonemizer
from pipeline.splitter import Sentence, Splitter
from pipeline.text.spoken import DEFAULT_READING, spoken_form
from tests.bench.first_packet import read_sentences

TEXTS = Path(__file__).resolve().parent.parent / "data" / "front_end_texts.json"
ROUNDS = 300
WARM_UP = 30


def run(options: argparse.Namespace) -> int:
    """Measure and print, as one JSON object or as a table."""
    texts: dict[str, str] = json.loads(TEXTS.read_text("utf-8"))
    if options.text:
        texts = {f"line {n}": text for n, text in enumerate(read_sentences(options.text), 1)}
    phonemizer = Phonemizer()
    cases = [{"name": name} | _measured(text, name, phonemizer) for name, text in texts.items()]
    report = {
        "cases": cases,
        "machine": {"cpu": platform.processor() or platform.machine(), "cores": os.cpu_count()},
    }
    print(json.dumps(report) if options.json else _table(cases))
    return 0


def _measured(text: str, name: str, phonemizer: Phonemizer) -> dict[str, Any]:
    language = "zh" if name == "mandarin" else "en"
    sentences = _split(text)
    forms = [spoken_form(sentence.passage, language, DEFAULT_READING) for sentence in sentences]
    return {
        "characters": len(text),
        "split_ms": _median_ms(lambda: _split(text)),
        "spoken_ms": _median_ms(
            lambda: [spoken_form(sentence.passage, language, DEFAULT_READING) for sentence in sentences]
        ),
        "phonemes_ms": _median_ms(lambda: [phonemizer.read(form) for form in forms]),
    }


def _split(text: str) -> list[Sentence]:
    splitter = Splitter()
    return splitter.push(text) + splitter.flush()


def _median_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(WARM_UP + ROUNDS):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return round(statistics.median(times[WARM_UP:]) * 1000, 3)


def _table(cases: list[dict[str, Any]]) -> str:
    lines = [f"{'text':<12}{'characters':>11}{'split':>9}{'spoken':>9}{'phonemes':>10}  (ms, median)"]
    lines += [
        f"{case['name']:<12}{case['characters']:>11}{case['split_ms']:>9.3f}{case['spoken_ms']:>9.3f}"
        f"{case['phonemes_ms']:>10.3f}"
        for case in cases
    ]
    return "\n".join(lines)
