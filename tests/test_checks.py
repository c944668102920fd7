"""Every tool is run, whatever the ones before it said; what is missing fails only where it must not be."""

from __future__ import annotations

import shutil
import sys

import pytest

from tests import checks
from tests.checks import Step, in_continuous_integration, install_node_tools, passes, steps


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def test_a_step_that_passes_says_no_more_than_that(capfd: pytest.CaptureFixture[str]) -> None:
    assert passes(Step("tool", python("print('much')")))
    output = capfd.readouterr().out
    assert output.startswith("tool: ok, ")
    assert "much" not in output


def test_a_step_that_fails_shows_what_it_found(capfd: pytest.CaptureFixture[str]) -> None:
    assert not passes(Step("tool", python("print('found'); raise SystemExit(3)")))
    assert capfd.readouterr().out.startswith("found\n\ntool: exit status 3")


def test_all_steps_run_even_if_one_fails(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checks, "install_node_tools", lambda: True)
    monkeypatch.setattr(
        checks,
        "steps",
        lambda _arguments: [Step("one", python("raise SystemExit(1)")), Step("two", python("pass"))],
    )
    assert checks.run([]) == 1
    output = capfd.readouterr().out
    assert "two: ok" in output
    assert output.endswith("Failed: one\n")


def test_pytest_comes_last_and_gets_the_arguments() -> None:
    last = steps(["-k", "ring"])[-1]
    assert last.name == "pytest"
    assert last.command[-2:] == ("-k", "ring")


@pytest.mark.parametrize(("ci", "passed"), [("true", False), ("", True)])
def test_a_missing_node_fails_in_continuous_integration_only(
    ci: str, passed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert install_node_tools() is passed
    assert [step.name for step in steps([]) if "node" in step.name or "tsc" in step.name] == []


@pytest.mark.parametrize(("value", "inside"), [("true", True), ("1", True), ("", False), ("false", False)])
def test_ci_is_a_variable_that_is_set(value: str, inside: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", value)
    assert in_continuous_integration() is inside
