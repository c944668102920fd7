"""Who may import what, where a tool for packages does not look: run.py, deploy/ and the standard library."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("server", "pipeline", "web", "models")
STDLIB = sys.stdlib_module_names
BARE = ("run.py", "deploy/command_line.py", "deploy/environment.py", "deploy/lock.py")
"""What is read before `.venv` is entered, and by older Pythons too."""

THREADED = {"pipeline/ring_buffer.py", "pipeline/synthesis.py", "models/loader.py"}
THREAD_MODULES = {"threading", "_thread", "concurrent", "multiprocessing", "queue"}
LOOP_HELPERS = {"to_thread", "run_in_executor"}


def sources() -> list[Path]:
    """Return every module that ships, run.py included."""
    found = [
        ROOT / "run.py",
        *(path for name in (*PACKAGES, "deploy") for path in (ROOT / name).rglob("*.py")),
    ]
    assert len(found) > 10
    return found


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield the full name of every module that `tree` imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            assert node.module is not None
            yield node.module


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def at_the_top(module: ast.Module) -> Iterator[str]:
    """Yield what is imported when the module is: outside functions, and not for type checkers only."""
    for node in module.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from imports(node)


@pytest.mark.parametrize("name", BARE)
def test_a_bare_python_can_start(name: str) -> None:
    foreign = {top for top in at_the_top(parse(ROOT / name)) if top.split(".")[0] not in STDLIB}
    assert foreign <= {"deploy.command_line", "deploy.environment", "deploy.lock"}


@pytest.mark.parametrize("name", BARE)
def test_an_older_python_gets_far_enough_to_be_told(name: str) -> None:
    ast.parse((ROOT / name).read_text("utf-8"), feature_version=(3, 8))


def test_the_composition_root_leaves_models_wire_and_http_to_their_packages() -> None:
    tops = {module.split(".")[0] for module in imports(parse(ROOT / "run.py"))}
    assert not tops & {
        "torch",
        "onnxruntime",
        "onnx",
        "hibari",
        "websockets",
        "aiohttp",
        "opuslib_next",
        "numpy",
    }


def test_the_packages_know_neither_the_composition_root_nor_what_starts_it() -> None:
    for path in sources():
        if path.relative_to(ROOT).parts[0] in PACKAGES:
            assert not {"run", "deploy", "tests"} & {name.split(".")[0] for name in imports(parse(path))}, (
                path
            )


def test_only_three_files_touch_threads() -> None:
    users = {
        path.relative_to(ROOT).as_posix()
        for path in sources()
        if THREAD_MODULES & {module.split(".")[0] for module in imports(parse(path))}
    }
    assert users <= THREADED


def test_nothing_is_handed_to_the_loops_own_threads() -> None:
    for path in sources():
        names = {node.attr for node in ast.walk(parse(path)) if isinstance(node, ast.Attribute)}
        assert not names & LOOP_HELPERS, path


def test_aiohttp_is_imported_by_its_full_name() -> None:
    for path in sources():
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] != "aiohttp", path


def test_torch_is_not_needed_on_a_cpu() -> None:
    users = [
        path for path in sources() if "torch" in {name.split(".")[0] for name in at_the_top(parse(path))}
    ]
    assert {path.relative_to(ROOT).as_posix() for path in users} <= {"models/student.py"}


def test_the_environment_is_read_by_the_composition_root_only() -> None:
    for path in sources():
        if path.name == "run.py" or path.parent.name == "deploy":
            continue
        names = {ast.unparse(node) for node in ast.walk(parse(path)) if isinstance(node, ast.Attribute)}
        assert not names & {"os.environ", "os.getenv"}, path


def test_packages_have_no_code_in_their_init() -> None:
    for package in PACKAGES:
        for path in (ROOT / package).rglob("__init__.py"):
            assert not parse(path).body, path
