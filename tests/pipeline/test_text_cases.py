"""Every text case holds, however its text is cut on its way here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from pipeline.splitter import Sentence, Splitter
from pipeline.text.spoken import DEFAULT_READING, joined, spoken_form
from tests.text_cases import Case, cases

MOST_CUTS = 60
"""Two-piece cuts tried of a text."""

CASES = cases()


def split(pieces: Sequence[str]) -> list[Sentence]:
    """Return the sentences of a text that arrives in pieces and then ends."""
    splitter = Splitter()
    sentences = [sentence for piece in pieces for sentence in splitter.push(piece)]
    return sentences + splitter.flush()


def arrivals(text: str) -> Iterator[Sequence[str]]:
    """Yield ways in which a text can arrive."""
    yield list(text)
    for at in range(1, len(text), max(1, len(text) // MOST_CUTS)):
        yield text[:at], text[at:]


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.kind}-{case.id}") for case in CASES])
def test_a_case_holds(case: Case) -> None:
    sentences = split([case.text])
    spoken = " ".join(
        joined(spoken_form(sentence.passage, case.language, DEFAULT_READING)) for sentence in sentences
    )
    assert not list(case.faults([sentence.text for sentence in sentences], spoken))
    for pieces in arrivals(case.text):
        assert split(pieces) == sentences, f"arriving as {pieces}"


def test_there_are_many_cases_and_no_two_of_one_name() -> None:
    assert len(CASES) >= 300
    assert max(Counter(case.id for case in CASES).values()) == 1
