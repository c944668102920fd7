"""A whole server in a process of its own, as a user starts it, and a browser to visit it with.

Knows the command line and the one line that says a server is ready; nothing of what is inside.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
READY = re.compile(r"Utter speaks at (\w+)://(\S+):(\d+) \(socket (\d+), voice ")
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
STOP_TIMEOUT_S = 20.0
"""More than the server's own grace; past it the process is killed and the caller told."""


def find_chromium() -> str | None:
    """Return the path of a Chromium, if there is one."""
    return next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), None)


@dataclass(frozen=True, slots=True)
class LiveServer:
    """A server that has said it is ready. `page` is its http address, `socket` that of the stream."""

    process: subprocess.Popen[str]
    ready_line: str
    page: str
    socket: str

    def stop(self) -> int:
        """Ask it to end, wait until it has, and return its exit status."""
        self.process.terminate()
        return self.process.wait(STOP_TIMEOUT_S)


@contextlib.contextmanager
def live_server(*flags: str) -> Iterator[LiveServer]:
    """Start a server on two free ports with this very Python; it is stopped on leaving, if it still runs.

    Raises:
        RuntimeError: it ended before it was ready; the message is what it said.
    """
    environ = {key: value for key, value in os.environ.items() if not key.startswith("UTTER_")}
    environ["UTTER_NO_VENV"] = "1"
    command = [sys.executable, str(ROOT / "run.py"), "serve", "--no-browser", "--port", "0", "--ws-port", "0"]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            [*command, *flags], env=environ, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        try:
            yield _ready(process)
        except _NeverReady:
            errors.seek(0)
            raise RuntimeError(f"The server ended with {process.wait()}: {errors.read()}") from None
        finally:
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


class _NeverReady(Exception):
    """The server's output ended without the line."""


def _ready(process: subprocess.Popen[str]) -> LiveServer:
    assert process.stdout is not None
    for line in process.stdout:
        if found := READY.search(line):
            scheme, host, port, ws_port = found.groups()
            ws = "wss" if scheme == "https" else "ws"
            page, stream = f"{scheme}://{host}:{port}", f"{ws}://{host}:{ws_port}/v1/stream"
            return LiveServer(process, line.strip(), page, stream)
    raise _NeverReady
