"""Earliest deadline first, over exactly those that can be worked on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.audio import CONTENT_RATE_HZ
from pipeline.scheduler import FIRST_PACKET_TARGET_S, Scheduler, Timeline


@given(st.dictionaries(st.integers(), st.floats(allow_nan=False), max_size=30))
def test_entries_come_out_by_deadline_each_once(deadlines: dict[int, float]) -> None:
    scheduler = Scheduler(deadlines.__getitem__)
    for entry in deadlines:
        assert scheduler.add(entry)
        assert not scheduler.add(entry)
    picked = []
    while (entry_or_none := scheduler.pick()) is not None:
        picked.append(entry_or_none)
    assert picked == sorted(deadlines, key=deadlines.__getitem__)
    assert len(scheduler) == 0


def test_deadlines_are_those_of_the_moment_of_picking() -> None:
    deadlines = {"a": 1.0, "b": 2.0}
    scheduler = Scheduler(deadlines.__getitem__)
    scheduler.add("a")
    scheduler.add("b")
    deadlines["a"] = 3.0
    assert scheduler.pick() == "b"


def test_an_entry_taken_out_is_not_picked() -> None:
    scheduler = Scheduler({"a": 1.0, "b": 2.0}.__getitem__)
    scheduler.add("a")
    scheduler.add("b")
    scheduler.remove("a")
    scheduler.remove("never there")
    assert "a" not in scheduler
    assert scheduler.pick() == "b"
    assert scheduler.pick() is None


@given(st.lists(st.floats(0, 100), unique=True, max_size=20), st.integers(-1, 25))
def test_pick_like_takes_the_most_urgent_of_a_kind_and_leaves_the_rest(
    deadlines: list[float], most: int
) -> None:
    scheduler: Scheduler[int] = Scheduler(deadlines.__getitem__)
    for entry in range(len(deadlines)):
        scheduler.add(entry)
    even = sorted(range(0, len(deadlines), 2), key=deadlines.__getitem__)
    picked = scheduler.pick_like(lambda entry: entry % 2 == 0, most)
    assert picked == even[: max(0, most)]
    assert all(entry not in scheduler for entry in picked)
    assert len(scheduler) == len(deadlines) - len(picked)


def test_the_first_chunk_is_due_at_the_first_packet_target() -> None:
    assert Timeline(50.0).due(0) == pytest.approx(50.0 + FIRST_PACKET_TARGET_S)


def test_afterwards_audio_is_due_when_the_listener_runs_dry() -> None:
    timeline = Timeline(50.0)
    taken = CONTENT_RATE_HZ
    timeline.audio_ends(60.0, taken)
    assert timeline.due(taken) == pytest.approx(60.0)
    inside = CONTENT_RATE_HZ // 2
    assert timeline.due(taken + inside) == pytest.approx(60.5)


def test_handing_audio_over_changes_no_deadline() -> None:
    timeline = Timeline(50.0)
    timeline.audio_ends(60.0, 0)
    before = timeline.due(96_000)
    timeline.audio_ends(60.0 + 0.5, 24_000)
    assert timeline.due(96_000) == pytest.approx(before)


def test_what_is_heard_lies_between_nothing_and_what_was_taken() -> None:
    timeline = Timeline(50.0)
    timeline.audio_ends(60.0, CONTENT_RATE_HZ)
    assert timeline.heard(58.0, CONTENT_RATE_HZ) == 0
    assert timeline.heard(59.25, CONTENT_RATE_HZ) == CONTENT_RATE_HZ // 4
    assert timeline.heard(99.0, CONTENT_RATE_HZ) == CONTENT_RATE_HZ
