"""What the bench in the browser makes of what it hears; it is run by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.bench.browser import silenced_ms
from tests.browser.tap import Key, Report

BEFORE = 960
"""Samples of each line before its Esc."""

SILENCE = 4_800
"""Samples after it: more than any line goes on for."""


@given(st.integers(0, 10_000), st.lists(st.integers(0, SILENCE), min_size=1, max_size=6))
def test_every_esc_is_measured_to_the_last_sample_of_its_own_line(first: int, late: list[int]) -> None:
    pieces, marks, keys = [], [], []
    for place, samples in enumerate(late):
        start = first + place * (BEFORE + SILENCE)
        marks.append({"type": "playing", "frame": start})
        keys += [Key("Enter", 0.0, start - 1, 0), Key("Escape", 0.0, start + BEFORE, 0)]
        pieces.append((np.arange(BEFORE + SILENCE) < BEFORE + samples).astype(np.float32))
    report = Report(first, np.concatenate(pieces), tuple(marks), tuple(keys), ())
    assert silenced_ms(report) == [samples / 48 for samples in late]


def test_what_goes_on_right_up_to_the_next_line_is_no_silence_of_that_line() -> None:
    marks = ({"type": "playing", "frame": 0}, {"type": "playing", "frame": 1_440})
    pcm = np.zeros(4_800, np.float32)
    pcm[:1_000] = 0.5
    pcm[1_440:] = 0.5
    report = Report(0, pcm, marks, (Key("Escape", 0.0, 520, 0),), ())
    assert silenced_ms(report) == [10.0]
