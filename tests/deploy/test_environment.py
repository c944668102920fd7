"""The environment is made once, kept while good, repaired when not; every failure is one sentence."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy import environment
from deploy.environment import (
    FILLING,
    MAKING,
    CannotStart,
    Environment,
    Progress,
    install_failure,
    requirements,
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the fake interpreters are shell scripts")

ROOT = Path(__file__).resolve().parents[2]
WANTED = ["first>=1,<2", "second==2"]


class FakePython:
    """An interpreter that answers the probe with `version`, and pip's command with `output` and `status`."""

    def __init__(self, directory: Path) -> None:
        self.calls = directory / "calls"
        self._script = directory / "bin" / "python"
        self.be()

    def be(self, version: str = "3.11", output: str = "", status: int = 0, pip: str = ":") -> None:
        """Behave like this from now on; `pip` is what the shell does when packages are to be installed."""
        self._script.parent.mkdir(parents=True, exist_ok=True)
        self._script.write_text(
            f'#!/bin/sh\nif [ "$1" = -I ]; then echo "{version}"; exit; fi\n'
            f"echo \"$@\" >> '{self.calls}'\n{pip}\ncat <<'END'\n{output}\nEND\nexit {status}\n"
        )
        self._script.chmod(0o755)

    @property
    def installed(self) -> list[str]:
        """The command lines pip got."""
        return self.calls.read_text().splitlines() if self.calls.exists() else []


@pytest.fixture
def python(tmp_path: Path) -> FakePython:
    return FakePython(tmp_path / "with space" / ".venv")


@pytest.fixture
def venv(python: FakePython, tmp_path: Path) -> Environment:
    return Environment(tmp_path / "with space" / ".venv")


def test_what_was_installed_is_not_installed_again(venv: Environment, python: FakePython) -> None:
    assert not venv.holds(WANTED)
    venv.complete(WANTED)
    assert venv.holds(WANTED)
    assert venv.holds(WANTED[:1])
    assert len(python.installed) == 1
    assert python.installed[0].endswith(" ".join(WANTED))


def test_a_new_requirement_is_noticed(venv: Environment, python: FakePython) -> None:
    venv.complete(WANTED)
    assert not venv.holds([*WANTED, "third"])
    assert not venv.holds(["first>=1.5,<2", "second==2"])


def test_extras_are_remembered_beside_the_light_set(
    venv: Environment, python: FakePython, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = [*WANTED, "extra"]
    monkeypatch.setattr(environment, "requirements", lambda _extras: known)
    venv.complete(known)
    venv.complete(WANTED)
    assert venv.holds(known)


def test_a_requirement_that_is_no_longer_known_is_forgotten(venv: Environment, python: FakePython) -> None:
    venv.complete(["gone==1"])
    venv.complete(WANTED)
    assert not venv.holds(["gone==1"])


def test_an_environment_of_another_python_is_not_good_enough(venv: Environment, python: FakePython) -> None:
    venv.complete(WANTED)
    python.be(version="3.13")
    assert not venv.holds(WANTED)


@pytest.mark.parametrize("stamp", ["", "{", "[]", "{}", '{"python": "3.11", "requirements": 5}'])
def test_an_unreadable_record_counts_as_none(stamp: str, venv: Environment, python: FakePython) -> None:
    (venv.path / "utter.json").write_text(stamp)
    assert not venv.holds(WANTED)


def interrupt(venv: Environment, what: str = FILLING) -> None:
    (venv.path / "utter-installing").write_text(what)


def test_an_interrupted_installation_is_finished_where_it_stands(
    venv: Environment, python: FakePython
) -> None:
    venv.complete(WANTED)
    (venv.path / "in use by a server").touch()
    interrupt(venv)
    assert not venv.holds(WANTED)
    venv.complete(WANTED)
    assert venv.holds(WANTED)
    assert len(python.installed) == 2
    assert (venv.path / "in use by a server").exists()


def test_an_interrupted_extra_is_left_to_whoever_needs_it(
    venv: Environment, python: FakePython, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "requirements", lambda _extras: [*WANTED, "extra"])
    venv.complete(WANTED)
    interrupt(venv)
    venv.complete(WANTED)
    assert venv.holds(WANTED)
    assert not venv.holds([*WANTED, "extra"])


def test_an_interrupted_making_begins_anew(
    venv: Environment, python: FakePython, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[bool] = []
    monkeypatch.setattr(Environment, "_create", lambda _self: made.append(True))
    interrupt(venv, MAKING)
    venv.complete(WANTED)
    assert made == [True]
    assert venv.holds(WANTED)


def test_a_package_that_was_half_unpacked_is_no_longer_taken_for_installed(
    venv: Environment, python: FakePython
) -> None:
    packages = venv.path / "lib" / "python3.11" / "site-packages"
    for name, record in (
        ("whole", "whole-1.dist-info/INSTALLER,,\n"),
        ("half", "half.py,,\n"),
        ("begun", None),
    ):
        metadata = packages / f"{name}-1.dist-info"
        metadata.mkdir(parents=True)
        if record is not None:
            (metadata / "RECORD").write_text(record)
    interrupt(venv)
    venv.complete(WANTED)
    assert [path.name for path in packages.iterdir()] == ["whole-1.dist-info"]


def test_what_could_not_be_mended_is_mended_at_the_next_start(venv: Environment, python: FakePython) -> None:
    venv.complete(WANTED)
    interrupt(venv)
    python.be(output="ERROR: No matching distribution found for first", status=1)
    with pytest.raises(CannotStart):
        venv.complete(WANTED)
    assert not venv.holds(WANTED)
    python.be()
    venv.complete(WANTED)
    assert venv.holds(WANTED)


class Starts:
    """Processes that complete `venv`, whose pip waits until it is told to go on."""

    def __init__(self, venv: Environment, python: FakePython) -> None:
        self._started, self._go_on = venv.path / "started", venv.path / "go-on"
        os.mkfifo(self._started)
        os.mkfifo(self._go_on)
        python.be(pip=f"echo > '{self._started}'; cat '{self._go_on}'")
        complete = f"Environment(pathlib.Path({str(venv.path)!r})).complete({WANTED})"
        self._command = [sys.executable, "-c", f"from deploy.environment import *; {complete}"]

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(self._command, cwd=ROOT, stderr=subprocess.PIPE, text=True)

    def wait_for_pip(self) -> None:
        self._started.read_text()

    def let_pip_end(self) -> None:
        self._go_on.write_text("")


def test_a_second_start_waits_for_the_first_and_installs_nothing(
    venv: Environment, python: FakePython
) -> None:
    starts = Starts(venv, python)
    with starts.start() as first:
        starts.wait_for_pip()
        with starts.start() as second:
            assert second.stderr is not None
            assert second.stderr.readline() == "Another start is installing; waiting.\n"
            starts.let_pip_end()
            assert second.communicate()[1] == ""
        first.communicate()
    assert (first.returncode, second.returncode) == (0, 0)
    assert venv.holds(WANTED)
    assert len(python.installed) == 1


def test_a_pip_that_outlives_its_start_is_waited_for(venv: Environment, python: FakePython) -> None:
    starts = Starts(venv, python)
    with starts.start() as first:
        starts.wait_for_pip()
        first.kill()
    with starts.start() as second:
        assert second.stderr is not None
        assert second.stderr.readline() == "Another start is installing; waiting.\n"
        starts.let_pip_end()
        assert "interrupted" in second.stderr.readline()
        starts.wait_for_pip()
        starts.let_pip_end()
        second.communicate()
    assert second.returncode == 0
    assert venv.holds(WANTED)


def test_a_failed_installation_leaves_what_was_there_before(venv: Environment, python: FakePython) -> None:
    venv.complete(WANTED)
    python.be(output="ERROR: No matching distribution found for third", status=1)
    with pytest.raises(CannotStart, match="No matching distribution found for third"):
        venv.complete([*WANTED, "third"])
    assert venv.holds(WANTED)
    assert "No matching distribution" in (venv.path / "install.log").read_text()


def test_a_missing_venv_module_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "find_spec", lambda name: None if name == "ensurepip" else object())
    with pytest.raises(CannotStart, match="apt-get install python3-venv"):
        Environment(tmp_path / ".venv").complete(WANTED)
    assert not (tmp_path / ".venv").exists()


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotStart, match=r"Cannot write to .*file.*UTTER_NO_VENV=1"):
        Environment(tmp_path / "file" / ".venv").complete(WANTED)


def test_entering_twice_without_effect_ends_instead_of_looping(
    venv: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UTTER_ENTERED", str(venv.path))
    with pytest.raises(CannotStart, match="delete it and start again"):
        venv.enter()


def test_entering_keeps_interpreter_flags_and_arguments(
    venv: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(sys, "orig_argv", ["python3", "-X", "utf8", "run.py", "say", "two words"])
    monkeypatch.setattr(os, "execv", lambda _path, command: commands.append(command))
    monkeypatch.setattr(subprocess, "Popen", _refuse)
    monkeypatch.delenv("UTTER_ENTERED", raising=False)
    with pytest.raises(AssertionError, match="only Windows"):
        venv.enter()
    del os.environ["UTTER_ENTERED"]
    assert commands == [[str(venv.python), "-X", "utf8", "run.py", "say", "two words"]]


def _refuse(*_arguments: object) -> None:
    raise AssertionError("only Windows starts a child")


def test_nothing_is_made_where_the_user_brings_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UTTER_NO_VENV", "1")
    monkeypatch.setattr(environment, "Environment", _refuse)
    environment.prepare([])


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        (
            "WARNING: Retrying after connection broken by 'NewConnectionError'\nERROR: No matching",
            "No network",
        ),
        ("ERROR: Could not install: [Errno 28] No space left on device", "The disk is full"),
        ("ERROR: first\nERROR: second\n", "could not be installed: second"),
        ("", "could not be installed: pip failed"),
    ],
)
def test_what_pip_says_becomes_one_sentence(output: str, sentence: str) -> None:
    told = install_failure(output, Path("install.log"))
    assert sentence in told
    assert "\n" not in told


def test_progress_counts_packages_and_megabytes(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    for line in (
        "Collecting aiohttp<4,>=3.11",
        "  Downloading aiohttp-3.14.whl (1.5 MB)",
        "Collecting numpy",
        "  Downloading numpy-2.whl (500 kB)",
        "some warning",
        "Installing collected packages: numpy, idna, aiohttp",
    ):
        progress.read(line)
    progress.end()
    assert progress.summary == "3 packages, 2 MB downloaded"
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_light_set_holds_no_torch() -> None:
    assert not [line for line in requirements([]) if line.startswith("torch")]
    assert [line for line in requirements(["torch"]) if line.startswith("torch")]


class Clone:
    """What a bare start needs, copied to a folder with a space in its name."""

    def __init__(self, place: Path) -> None:
        self.venv = place / ".venv"
        self._place = place
        ignore = shutil.ignore_patterns("__pycache__", "node_modules")
        for name in ("deploy", "models", "pipeline", "server", "static", "web"):
            shutil.copytree(ROOT / name, place / name, ignore=ignore)
        for name in ("run.py", "pyproject.toml"):
            shutil.copy(ROOT / name, place)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command there with a Python that has no packages of ours."""
        bare = getattr(sys, "_base_executable", sys.executable)
        environ = {key: value for key, value in os.environ.items() if not key.startswith("UTTER_")}
        command = [bare, "run.py", *arguments]
        return subprocess.run(
            command, cwd=self._place, env=environ, capture_output=True, text=True, check=False
        )


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_bare_python_gets_from_nothing_to_a_running_command(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "a clone")
    first = clone.run("voices")
    assert first.returncode == 0, first.stderr
    assert "heart" in first.stdout
    assert len(first.stderr.splitlines()) == 3

    second = clone.run("voices")
    assert (second.returncode, second.stderr, second.stdout) == (0, "", first.stdout)

    (record,) = clone.venv.glob("lib/python*/site-packages/aiohttp-*.dist-info/RECORD")
    record.unlink()
    (clone.venv / "utter-installing").touch()
    third = clone.run("voices")
    assert third.returncode == 0, third.stderr
    assert record.exists()
    assert not (clone.venv / "utter-installing").exists()
    assert json.loads((clone.venv / "utter.json").read_text())["requirements"] == sorted(requirements([]))
