"""What a session knows of its utterances, from their first text until they are heard."""

from __future__ import annotations

from typing import cast

import pytest

from pipeline.utterance import Utterance
from server.turns import MAX_KEPT, MAX_REMEMBERED, Turn, Turns, TurnState


def add(turns: Turns, name: str, *, start: int = 0, sent: int = 0) -> Turn:
    turn = Turn(name, cast(Utterance, object()), 0.0, 0.0, waited=False)
    turn.start, turn.sent = start, sent
    turns.add(turn)
    return turn


def names(turns: Turns) -> list[str]:
    return [turn.id for turn in turns]


def test_utterances_are_kept_in_the_order_they_were_opened() -> None:
    turns = Turns()
    for name in ("b", "a", "c"):
        add(turns, name)
    assert names(turns) == ["b", "a", "c"]
    assert [turn.id for turn in turns.open] == ["b", "a", "c"]


def test_what_is_done_is_not_open_but_still_there() -> None:
    turns = Turns()
    first, second = add(turns, "a"), add(turns, "b")
    turns.finish(first, 960)
    assert turns.open == [second]
    assert turns.get("a") is first
    assert not turns.remembers("a")


def test_what_has_ended_is_remembered_by_its_id_only() -> None:
    turns = Turns()
    turn = add(turns, "a")
    turns.end(turn)
    assert turn.state is TurnState.ENDED
    assert turns.get("a") is None
    assert turns.remembers("a")


def test_the_oldest_beyond_those_kept_has_ended() -> None:
    turns = Turns()
    for number in range(MAX_KEPT + 2):
        turns.finish(add(turns, str(number)), 960)
    assert len(names(turns)) == MAX_KEPT
    assert turns.remembers("1")
    assert turns.get("2") is not None


def test_the_oldest_id_beyond_those_remembered_is_forgotten() -> None:
    turns = Turns()
    for number in range(MAX_REMEMBERED + 1):
        turns.remember(str(number))
    assert not turns.remembers("0")
    assert turns.remembers("1")
    assert turns.remembers(str(MAX_REMEMBERED))


def test_hearing_one_ends_all_that_is_done_before_it_and_nothing_open() -> None:
    turns = Turns()
    done, stuck, playing, after = (add(turns, name) for name in "abcd")
    for turn in (done, playing, after):
        turns.finish(turn, 960)
    turns.hear_before(playing)
    assert names(turns) == ["b", "c", "d"]
    turns.hear_before(None)
    assert list(turns) == [stuck]


def test_a_warning_is_due_once_for_an_id_whether_it_is_done_or_ended() -> None:
    turns = Turns()
    turn = add(turns, "a")
    turns.finish(turn, 960)
    warned = [turns.first_warning("a"), turns.first_warning("a")]
    turns.end(turn)
    assert [*warned, turns.first_warning("a")] == [True, False, False]
    turns.remember("b")
    assert [turns.first_warning("b"), turns.first_warning("b")] == [True, False]


@pytest.mark.parametrize(("position", "played"), [(0, 0), (1000, 0), (1500, 500), (3000, 2000), (9000, 2000)])
def test_a_session_position_is_a_place_in_an_utterance_within_what_was_sent(
    position: int, played: int
) -> None:
    turn = add(Turns(), "a", start=1000, sent=2000)
    assert turn.played_at(position) == played
    assert turn.end == 3000


def test_nothing_is_played_of_what_was_not_sent() -> None:
    assert add(Turns(), "a").played_at(5000) == 0
