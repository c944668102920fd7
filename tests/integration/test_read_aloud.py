"""Numbers, dates and their kin, spoken by the voice, are understood by somebody who listens.

Speech recognition writes "$5" for "five dollars", so what it heard is put into its spoken form too. What
ought to be said stands in the test data, in words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from pipeline.speech import SegmentRequest
from pipeline.splitter import Splitter
from pipeline.text.passage import Passage
from pipeline.text.spoken import DEFAULT_READING, joined, spoken_form
from tests.models.listener import Floats, words_timed
from tests.models.spoken import speak

DATA = Path(__file__).parents[1] / "data" / "read_aloud.jsonl"
UNDERSTOOD = 0.95
"""Of the items' words, at least."""


@dataclass(frozen=True, slots=True)
class Line:
    """A text, and what a listener must hear of it: each item in one of several wordings."""

    text: str
    items: tuple[tuple[str, ...], ...]


def lines() -> list[Line]:
    """Return the sixty lines."""
    told = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    return [Line(one["text"], tuple(tuple(item.split("|")) for item in one["items"])) for one in told]


def said(text: str) -> Floats:
    """Speak a text: 24 kHz PCM."""
    splitter = Splitter()
    pcm = []
    for sentence in splitter.push(text) + splitter.flush():
        spoken = spoken_form(sentence.passage, "en", DEFAULT_READING)
        _, chunks = speak(SegmentRequest(sentence.text, "heart", spoken))
        pcm += [chunk.pcm for chunk in chunks]
    return np.concatenate(pcm)


def heard(texts: Sequence[str]) -> list[list[str]]:
    """Speak texts, and return for each the words a listener hears."""
    transcripts = (
        "".join(word.text for word in one).strip() for one in words_timed([said(text) for text in texts])
    )
    return [
        words(joined(spoken_form(Passage.plain(transcript), "en", DEFAULT_READING)))
        for transcript in transcripts
    ]


def words(text: str) -> list[str]:
    """Return the words of a text, without case or punctuation."""
    return re.sub(r"[^\w\s]|_", " ", text.lower()).split()


def missed(line: Line, there: list[str]) -> tuple[int, int]:
    """Return how many words the items have, and how many of them are not there, item by item."""
    total = lost = 0
    for item in line.items:
        wanted = max((words(wording) for wording in item), key=lambda wording: _in_a_row(wording, there))
        total += len(wanted)
        lost += len(wanted) - _in_a_row(wanted, there)
    return total, lost


def _in_a_row(wanted: list[str], there: list[str]) -> int:
    """Return how many of the words wanted stand at their places in the stretch that has most of them."""
    return max(
        (
            sum(a == b for a, b in zip(wanted, there[at : at + len(wanted)], strict=False))
            for at in range(len(there))
        ),
        default=0,
    )


def assert_understood(some: list[Line]) -> None:
    """Assert that a listener gets nearly all of the items' words."""
    total = lost = 0
    faults = []
    for line, there in zip(some, heard([line.text for line in some]), strict=True):
        count, missing = missed(line, there)
        total, lost = total + count, lost + missing
        if missing:
            faults.append(f"{line.text!r}: {missing} of {count} missing in {' '.join(there)!r}")
    assert (total - lost) / total >= UNDERSTOOD, "\n".join(faults)


def test_items_of_a_few_lines_are_understood() -> None:
    assert_understood(lines()[26:36])


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_items_of_all_lines_are_understood() -> None:
    assert_understood(lines())


def test_there_are_sixty_lines() -> None:
    assert len(lines()) == 60
