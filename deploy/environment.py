"""Makes `.venv` beside run.py, fills it, and starts the running command anew inside it.

Knows what pyproject.toml asks for, and nothing of what is done with it. Imports the standard library and
`deploy.lock` only, and can be imported by Python 3.8, because run.py must get far enough there to name the
version it needs.
Main thread only, before any event loop.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NoReturn

from deploy.lock import held

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXTRAS = ("torch", "test")
MAKING, FILLING = "making", "filling"
"""What stands in `utter-installing`."""

UNITS_MB = {"kB": 0.001, "MB": 1.0, "GB": 1000.0}
NETWORK_SIGNS = ("connection broken by", "Max retries exceeded", "ConnectTimeout", "Network is unreachable")
"""What pip prints, whatever its version, when it cannot reach the package index."""


class CannotStart(Exception):
    """The one sentence that the person at the terminal is told before the process ends with status 1."""


def project_table(root: pathlib.Path = ROOT) -> dict[str, Any]:
    """Return the `[project]` table of pyproject.toml."""
    import tomllib  # noqa: PLC0415 - not there before Python 3.11

    with (root / "pyproject.toml").open("rb") as file:
        table: dict[str, Any] = tomllib.load(file)["project"]
    return table


def requirements(extras: Iterable[str]) -> list[str]:
    """Return what pip must install: the light set and the named extras."""
    project = project_table()
    return [
        *project["dependencies"],
        *(line for extra in extras for line in project["optional-dependencies"][extra]),
    ]


def has_nvidia_gpu() -> bool:
    """Tell whether an NVIDIA driver is here, without importing anything that is not installed yet."""
    return shutil.which("nvidia-smi") is not None or pathlib.Path("/dev/nvidia0").exists()


def prepare(extras: Sequence[str]) -> None:
    """See to it that this process runs in `.venv` with all it needs, starting it anew there if need be.

    `UTTER_NO_VENV=1` leaves everything as it is: whoever sets it has installed the packages.

    Raises:
        CannotStart: something is missing that only the user can supply.
    """
    if os.environ.get("UTTER_NO_VENV", "") not in ("", "0"):
        return
    environment = Environment(ROOT / ".venv")
    wanted = requirements(extras)
    environment.complete(wanted)
    if not environment.entered:
        environment.enter()
    os.environ.pop("UTTER_ENTERED", None)


class Environment:
    """A virtual environment that is complete, or is made so.

    `utter.json` in it records what was installed, so that a later start asks pip nothing. `utter-installing`
    stands in it while it is being made or filled, and says which: found by whoever holds the lock, it means
    that the last start was interrupted. What was only half filled is mended by pip, as a server may be
    running from it; what was only half made, or has no Python that works, is made anew.
    """

    def __init__(self, path: pathlib.Path) -> None:
        """Look at nothing yet; `path` need not exist."""
        self.path = path
        self.python = path / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        self._stamp = path / "utter.json"
        self._installing = path / "utter-installing"
        self._lock = path.with_name(path.name + ".lock")

    @property
    def entered(self) -> bool:
        """Whether this process runs in it."""
        return pathlib.Path(sys.prefix).resolve() == self.path.resolve()

    def holds(self, wanted: Iterable[str]) -> bool:
        """Tell whether everything `wanted` was installed, and for the Python that is in here now."""
        python, installed = self._read_stamp()
        return set(wanted) <= installed and not self._installing.exists() and self._version() == python != ""

    def complete(self, wanted: Sequence[str]) -> None:
        """Let the environment hold `wanted`: nothing is done where it does, else it is made or filled.

        One process does so at a time; the others wait for it.

        Raises:
            CannotStart: no venv module, no network, no room, no right to write.
        """
        if self.holds(wanted):
            return
        try:
            with held(self._lock, lambda: tell("Another start is installing; waiting.")):
                if not self.holds(wanted):
                    self._complete(wanted)
        except OSError as error:
            raise CannotStart(
                f"Cannot write to {self.path} ({error.strerror}): make the folder writable, "
                "or set UTTER_NO_VENV=1 to run with the packages of this Python."
            ) from error

    def _complete(self, wanted: Sequence[str]) -> None:
        progress = Progress()
        interrupted = self._interrupted()
        if interrupted == MAKING or not self._version():
            self._create()
        elif interrupted:
            tell("The last installation was interrupted: finishing it")
            self._discard_half_installed()
        self._install(wanted, progress, mending=interrupted == FILLING)
        self._write_stamp(wanted)

    def enter(self) -> NoReturn:
        """Start this very command anew with the environment's Python; interpreter flags are kept.

        Raises:
            CannotStart: it was done already and had no effect.
        """
        if os.environ.get("UTTER_ENTERED") == str(self.path):
            raise CannotStart(
                f"{self.path} does not work as a virtual environment: delete it and start again."
            )
        os.environ["UTTER_ENTERED"] = str(self.path)
        command = [str(self.python), *sys.orig_argv[1:]]
        if os.name != "nt":
            os.execv(command[0], command)
        process = subprocess.Popen(command)  # exec on Windows would give the console back at once.
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # The child hears Ctrl-C too and ends in its own time.
        raise SystemExit(process.wait())

    def _read_stamp(self) -> tuple[str, set[str]]:
        """Return the Python version and the requirements recorded; nothing where no record can be read."""
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            stamp = json.loads(self._stamp.read_text("utf-8"))
            return str(stamp["python"]), set(stamp["requirements"])
        return "", set()

    def _write_stamp(self, wanted: Iterable[str]) -> None:
        # Lines that pyproject.toml no longer has are dropped: should one come back, it is installed again.
        kept = self._read_stamp()[1] & set(requirements(EXTRAS))
        stamp = {"python": self._version(), "requirements": sorted(kept | set(wanted))}
        self._stamp.write_text(json.dumps(stamp, indent=1) + "\n", "utf-8")
        self._installing.unlink()

    def _version(self) -> str:
        """Return the version of a Python in here that works, has pip and is new enough; else nothing."""
        probe = (
            "import sys, pip; print('%d.%d' % sys.version_info[:2] if sys.version_info >= (3, 11) else '')"
        )
        with contextlib.suppress(OSError):
            command = [str(self.python), "-I", "-c", probe]
            return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
        return ""

    def _interrupted(self) -> str:
        """Return what a start was interrupted in, MAKING or FILLING; nothing where none was."""
        with contextlib.suppress(FileNotFoundError):
            return MAKING if self._installing.read_text("utf-8") == MAKING else FILLING
        return ""

    def _discard_half_installed(self) -> None:
        """Let pip see that a package is missing which it had begun, but not ended, to unpack.

        pip goes by the package's folder of metadata, which is unpacked with the rest; that it put INSTALLER
        there is what it writes into RECORD at the very end.
        """
        for folder in ("lib/python*/site-packages", "Lib/site-packages"):
            for metadata in self.path.glob(f"{folder}/*.dist-info"):
                record = metadata / "RECORD"
                if not record.exists() or "/INSTALLER," not in record.read_text("utf-8"):
                    shutil.rmtree(metadata)

    def _create(self) -> None:
        if find_spec("venv") is None or find_spec("ensurepip") is None:
            raise CannotStart(
                "This Python has no venv module: install it (on Debian and Ubuntu: "
                "apt-get install python3-venv) and start again."
            )
        tell(f"Making {self.path}")
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True, exist_ok=True)
        self._installing.write_text(MAKING, "utf-8")
        # The base interpreter: sys.executable may lie in the environment that was just removed.
        base = getattr(sys, "_base_executable", sys.executable)
        made = subprocess.run(
            [base, "-m", "venv", str(self.path)], capture_output=True, text=True, check=False
        )
        if made.returncode:
            reason = " ".join((made.stderr.strip() or made.stdout.strip()).splitlines()[-1:])
            raise CannotStart(f"The virtual environment could not be made: {reason}")

    def _install(self, wanted: Sequence[str], progress: Progress, *, mending: bool) -> None:
        self._installing.write_text(FILLING, "utf-8")
        pip = [str(self.python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        command = [*pip, "--progress-bar", "off", "--retries", "2", *wanted]
        tell("Installing the packages (once)")
        lines = []
        with subprocess.Popen(
            command, close_fds=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace",
        ) as process:  # fmt: skip
            assert process.stdout is not None
            for line in process.stdout:
                lines.append(line)
                progress.read(line)
        if process.returncode:
            if not mending:
                self._installing.unlink()  # pip gave up in order: what was installed before still stands.
            log = self.path / "install.log"
            log.write_text("".join(lines), "utf-8")
            raise CannotStart(install_failure("".join(lines), log))
        progress.end()


class Progress:
    """pip's output as one line that changes in place on a terminal, and as one line at the end elsewhere."""

    def __init__(self) -> None:
        """Begin to count."""
        self._live = sys.stderr.isatty()
        self._packages = 0
        self._megabytes = 0.0
        self._begun = time.monotonic()

    def read(self, line: str) -> None:
        """Take in one line of pip's output."""
        found = re.match(r"\s*(Collecting|Processing|Downloading|Installing collected packages:) (\S+)", line)
        if found is None:
            return
        what, name = found[1], found[2].split("/")[-1]
        unpacking = what.startswith("Installing")
        self._packages = line.count(",") + 1 if unpacking else self._packages + (what != "Downloading")
        size = re.search(r"\(([\d.]+) (kB|MB|GB)\)", line)
        if size and what == "Downloading":
            self._megabytes += float(size[1]) * UNITS_MB[size[2]]
        if self._live:
            doing = "unpacking" if unpacking else f"{name[:40]} {size[0] if size else ''}"
            print(f"\r\x1b[2K  {self.summary} … {doing}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the count standing, and how long everything took."""
        start = "\r\x1b[2K" if self._live else ""
        tell(f"{start}  {self.summary}, {time.monotonic() - self._begun:.0f} s in all")

    @property
    def summary(self) -> str:
        """The count so far."""
        return f"{self._packages} packages, {self._megabytes:.0f} MB downloaded"


def install_failure(output: str, log: pathlib.Path) -> str:
    """Return one sentence for what pip's output says went wrong."""
    if any(sign in output for sign in NETWORK_SIGNS):
        return "No network: the packages could not be downloaded. Connect, and start again."
    if "No space left on device" in output:
        return "The disk is full: the packages could not be installed."
    errors = [line[6:].strip() for line in output.splitlines() if line.startswith("ERROR:")]
    return (
        f"The packages could not be installed: {errors[-1] if errors else 'pip failed'} (pip's output: {log})"
    )


def tell(line: str) -> None:
    """Print a line for the person at the terminal; standard output belongs to the commands' results."""
    print(line, file=sys.stderr, flush=True)
