"""When a lookout looks, and that it stops."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from pipeline.lookout import Lookout
from tests.fakes import FakeClock, pass_time, run_on_fake_time


def watch(
    answers: list[float | None],
    script: Callable[[FakeClock, Lookout, list[float]], Coroutine[Any, Any, None]],
) -> None:
    """Run `script` with a lookout that is told to wait so many seconds each time; None asks for no more."""

    async def main(clock: FakeClock) -> None:
        looked: list[float] = []

        def look() -> float | None:
            looked.append(clock())
            wait_s = answers.pop(0)
            return None if wait_s is None else clock() + wait_s

        lookout = Lookout(look, clock)
        await script(clock, lookout, looked)
        lookout.stop()

    run_on_fake_time(main)


def test_it_looks_at_the_moment_asked_for_and_again_as_long_as_it_is_asked_to() -> None:
    async def script(clock: FakeClock, lookout: Lookout, looked: list[float]) -> None:
        start = clock()
        lookout.look_at(start + 1)
        await pass_time(clock, 0.9)
        assert looked == []
        await pass_time(clock, 0.1)
        await pass_time(clock, 2)
        await pass_time(clock, 9)
        assert looked == [start + 1, start + 3]

    watch([2, None], script)


def test_another_moment_replaces_the_one_before_and_none_takes_it_back() -> None:
    async def script(clock: FakeClock, lookout: Lookout, looked: list[float]) -> None:
        lookout.look_at(clock() + 1)
        lookout.look_at(clock() + 5)
        await pass_time(clock, 2)
        lookout.look_at(None)
        await pass_time(clock, 9)
        assert looked == []

    watch([], script)


def test_it_looks_at_once_if_it_was_waiting_and_not_otherwise() -> None:
    async def script(clock: FakeClock, lookout: Lookout, looked: list[float]) -> None:
        lookout.look_if_waiting()
        assert looked == []
        lookout.look_at(clock() + 5)
        lookout.look_if_waiting()
        assert looked == [clock()]
        lookout.look_if_waiting()
        assert looked == [clock()]

    watch([None], script)


def test_a_moment_that_has_passed_is_looked_at_soon_but_not_in_the_same_breath() -> None:
    async def script(clock: FakeClock, lookout: Lookout, looked: list[float]) -> None:
        lookout.look_at(clock() - 1)
        await pass_time(clock, 0)
        assert looked == []
        await pass_time(clock, 0.01)
        assert looked == [clock()]

    watch([None], script)
