"""The bench's arithmetic is right, and it runs to its end; what it measures is measured by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.bench import converse
from tests.bench.first_packet import SENTENCES, read_sentences
from tests.bench.playback import START_PACKETS, lost_and_repeated, underruns
from tests.bench.talker import Heard
from tests.server.loopback import serving

ROOT = Path(__file__).resolve().parents[2]
arrivals = st.lists(st.floats(0, 2), min_size=1, max_size=60).map(sorted)


@given(arrivals)
def test_playback_runs_dry_at_most_once_for_every_moment_something_came(arrived: list[float]) -> None:
    assert underruns([max(arrived)] * len(arrived)) == 0
    assert underruns(arrived) < len(set(arrived))


@given(arrivals, st.floats(0, 100))
@example([0.0, 0.0, 0.0, 0.0, 0.0, 0.1], 64.0)
def test_when_it_all_began_does_not_matter(arrived: list[float], later: float) -> None:
    shifted = [round(at, 3) + round(later) for at in arrived]
    assert underruns(shifted) == underruns([round(at, 3) for at in arrived])


@given(st.integers(START_PACKETS, 30), st.integers(1, 30), st.floats(0.001, 5))
def test_one_pause_longer_than_what_is_in_hand_is_one_underrun(there: int, rest: int, over_s: float) -> None:
    in_hand_s = there * 0.02
    assert underruns([0.0] * there + [in_hand_s - 0.001] * rest) == 0
    assert underruns([0.0] * there + [in_hand_s + over_s] * rest) == 1


@given(st.integers(1, 40), st.data())
def test_what_is_missing_and_what_came_again_is_counted(packets: int, data: st.DataObject) -> None:
    whole = [k * 960 for k in range(packets)]
    lost = data.draw(st.sets(st.sampled_from(whole[:-1]))) if packets > 1 else set()
    again = data.draw(st.lists(st.sampled_from([at for at in whole if at not in lost]), max_size=5))
    assert lost_and_repeated([at for at in whole if at not in lost] + again) == (len(lost), len(again))


@given(st.text("ab .,\n", max_size=80))
def test_the_tokens_of_a_text_are_the_text(text: str) -> None:
    assert "".join(converse.TOKEN.findall(text)) == text.rstrip()


def test_a_packet_that_came_before_the_cancel_counts_for_nothing() -> None:
    heard = Heard(arrivals=[(1.0, 0, 0), (3.0, 1, 960)], cancelled_at=3.5)
    assert converse.last_packet_ms(heard, 4.0) == 0
    assert converse.last_packet_ms(heard, 2.5) == 500
    assert converse.answer_ms(heard, 2.5) == 1000


async def test_it_measures_what_the_page_of_figures_explains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(converse, "CUTS", 4)
    monkeypatch.setattr(converse, "STREAMS", 1)
    monkeypatch.setattr(converse, "TOKENS_PER_S", (2000,))
    async with serving() as server:
        report = await converse.converse(server.url(), read_sentences(SENTENCES))
    assert (report["resume"]["lost"], report["resume"]["repeated"]) == (0, 0)
    assert converse.words(report).count("\n") > 5
    page = (ROOT / "docs" / "performance.md").read_text("utf-8")
    section = page.partition("## Conversation\n")[2].partition("\n## ")[0]
    explained = {key for row in section.splitlines() for key in re.findall(r"`([a-z_.]+)`", row)}
    assert keys(report) - explained - {"machine"} == set()


def keys(report: dict[str, Any]) -> set[str]:
    """Return the keys of a report, those within others as `outer.inner`."""
    found = set()
    for key, value in report.items():
        inner = value[0] if isinstance(value, list) else value
        named = isinstance(inner, dict) and "p50" not in inner and key != "machine"
        found |= {f"{key}.{name}" for name in inner} if named else {key}
    return found
