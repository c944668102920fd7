"""Runs of phonemes fit the network, lose nothing and are cut where it is heard least."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from models.runs import LONGEST_RUN, NO_WORD, PAD, SPACE, PhonemeRun, runs_of

SYMBOLS = "abcdˈ ,.;—(“"
IDS = {symbol: number for number, symbol in enumerate(SYMBOLS, 1)}
NAMES = {number: symbol for symbol, number in IDS.items()}
sounds = st.lists(st.tuples(st.integers(0, 3), st.text(SYMBOLS + "x世", max_size=40)), max_size=60)


def symbols_of(run: PhonemeRun) -> str:
    return "".join(NAMES[number] for number in run.ids[1:-1])


@settings(deadline=None)
@given(sounds=sounds)
def test_runs_hold_every_sound_with_its_owner_and_fit_the_network(sounds: list[tuple[int, str]]) -> None:
    runs = runs_of(sounds, IDS)
    for run in runs:
        assert len(run.ids) == len(run.owners) == len(run.audible) <= LONGEST_RUN + 2
        assert run.ids[0] == run.ids[-1] == PAD
        assert run.owners[0] == run.owners[-1] == NO_WORD
        assert any(run.audible)
    heard = [(owner, symbol) for owner, symbols in sounds for symbol in symbols if symbol in "abcdˈ"]
    assert heard == [
        (owner, NAMES[number])
        for run in runs
        for number, owner, audible in zip(run.ids, run.owners, run.audible, strict=True)
        if audible
    ]


@given(sounds=sounds)
def test_spaces_are_single_and_stand_before_no_mark_that_closes(sounds: list[tuple[int, str]]) -> None:
    said = "".join(map(symbols_of, runs_of(sounds, IDS)))
    assert not any(pair in said for pair in ("  ", " ,", " .", " ;"))
    assert said == said.strip()


def test_a_run_too_long_is_cut_after_its_last_clause_or_else_between_words_or_else_anywhere() -> None:
    words = [(0, "ab" + SPACE)] * 120
    clauses = runs_of([*words, (1, "a," + SPACE), *words], IDS)
    assert symbols_of(clauses[0]).endswith(" a, ")
    between = runs_of(words * 2, IDS)
    assert [len(run.ids) - 2 for run in between] == [399, 720 - 399 - 1]
    anywhere = runs_of([(0, "a" * 900)], IDS)
    assert [len(run.ids) - 2 for run in anywhere] == [400, 400, 100]


def test_marks_alone_make_no_run() -> None:
    assert runs_of([(0, ", —"), (1, " ")], IDS) == ()
