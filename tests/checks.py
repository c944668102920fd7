"""Every check of the project, one after the other: what `run.py test` and continuous integration run.

Knows the tools' command lines and nothing of what they check. A step that fails does not stop the others;
pytest comes last, so that its summary is what remains on the screen.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
NODE_MODULES = TESTS / "node_modules"
LOCK = TESTS / "package-lock.json"
IN_PARALLEL = ("--numprocesses=2", "--dist=loadfile")
"""Two processes, each with whole files of tests: every file loads a voice or starts a server at most once."""

STAMP = NODE_MODULES / ".utter-lock"


@dataclass(frozen=True, slots=True)
class Step:
    """One tool. What it prints is shown only when it fails, unless `shown`."""

    name: str
    command: tuple[str, ...]
    shown: bool = False


def run(pytest_arguments: Sequence[str]) -> int:
    """Run every step and return 0 when all of them passed, else 1."""
    failed = [] if install_node_tools() else ["npm ci"]
    failed += [step.name for step in steps(pytest_arguments) if not passes(step)]
    if failed:
        print(f"Failed: {', '.join(failed)}", flush=True)
    return 1 if failed else 0


def steps(pytest_arguments: Sequence[str]) -> list[Step]:
    """Return what to run, in order."""
    python = sys.executable
    lint_imports = str(Path(sysconfig.get_path("scripts")) / "lint-imports")
    found = [
        Step("ruff format", (python, "-m", "ruff", "format", "--check", ".")),
        Step("ruff check", (python, "-m", "ruff", "check", ".")),
        Step("mypy", (python, "-m", "mypy")),
        Step("lint-imports", (lint_imports,)),
    ]
    if node := shutil.which("node"):
        tsc = str(NODE_MODULES / "typescript" / "bin" / "tsc")
        scripts = sorted(str(path) for path in (TESTS / "js").glob("*.test.js"))
        found += [
            Step("tsc --checkJs", (node, tsc, "--project", str(TESTS / "tsconfig.json"))),
            Step("node --test", (node, "--test", *scripts)),
        ]
    pytest = (python, "-m", "pytest", *IN_PARALLEL, *pytest_arguments)
    return [*found, Step("pytest", pytest, shown=True)]


def passes(step: Step) -> bool:
    """Run one step and say how it went and how long it took."""
    begun = time.monotonic()
    output = None if step.shown else subprocess.PIPE
    done = subprocess.run(
        step.command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode and done.stdout:
        print(done.stdout, flush=True)
    verdict = f"exit status {done.returncode}" if done.returncode else "ok"
    print(f"{step.name}: {verdict}, {time.monotonic() - begun:.1f} s", flush=True)
    return done.returncode == 0


def install_node_tools() -> bool:
    """Install the development tools that package-lock.json names, unless they are there. True when they are.

    Without Node the JavaScript checks are left out, which only continuous integration counts as a failure.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        print("Node.js is missing: the JavaScript checks are left out.", flush=True)
        return not in_continuous_integration()
    lock = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text("ascii") == lock:
        return True
    if not passes(Step("npm ci", (npm, "ci", "--prefix", str(TESTS), "--no-audit", "--no-fund"))):
        return False
    STAMP.write_text(lock, "ascii")
    return True


def in_continuous_integration() -> bool:
    """Tell whether what is missing must fail instead of being left out."""
    return os.environ.get("CI", "") not in ("", "0", "false")
