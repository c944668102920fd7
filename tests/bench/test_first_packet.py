"""The bench's arithmetic is right; the bench itself is run by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deploy.environment import CannotStart
from tests.bench.first_packet import cases, lag_percentile_ms, percentiles, read_sentences
from tests.bench.speaking import Spoken


@given(st.lists(st.floats(0, 1e4), min_size=1, max_size=300))
def test_the_99th_percentile_is_the_smallest_value_that_99_percent_do_not_exceed(values: list[float]) -> None:
    p99 = percentiles(values)["p99"]
    assert sum(round(value, 2) <= p99 for value in values) >= 0.99 * len(values)
    assert sum(round(value, 2) < p99 for value in values) < 0.99 * len(values)


def test_lag_is_counted_from_the_first_reading_to_the_second() -> None:
    before = [(0.001, 900.0), (0.005, 950.0), (float("inf"), 1000.0)]
    after = [(0.001, 950.0), (0.005, 1040.0), (float("inf"), 1100.0)]
    assert lag_percentile_ms(before, after, 0.5) == 1.0
    assert lag_percentile_ms(before, after, 0.7) == 3.0
    assert lag_percentile_ms(before, after, 1.0) == 5.0
    assert lag_percentile_ms(before, before, 0.99) == 0.0


def test_cases_go_by_length_shortest_first() -> None:
    spoken = [Spoken(30, 5.0, 1.0, 6.0), Spoken(10, 3.0, 1.0, 4.0), Spoken(30, 7.0, 1.0, 8.0)]
    assert cases(spoken) == [{"characters": 10, "ttfb_ms_p50": 3.0}, {"characters": 30, "ttfb_ms_p50": 6.0}]
    assert spoken[0].ttfa_ms == 6.0


def test_a_file_of_sentences_may_have_empty_lines_but_not_only_those(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("One.\n\n  Two. \n", "utf-8")
    assert read_sentences(path) == ["One.", "Two."]
    path.write_text("\n", "utf-8")
    with pytest.raises(CannotStart, match="holds no sentence"):
        read_sentences(path)


def test_sentences_that_cannot_be_read_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=r"Cannot read .*: No such file"):
        read_sentences(tmp_path / "nope")
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    with pytest.raises(CannotStart, match="no UTF-8 text"):
        read_sentences(tmp_path / "latin")
