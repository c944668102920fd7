"""`run.py bench first-packet`: how soon a sentence is heard, how fast speech is made, in how much memory.

The times are measured over a real socket on loopback with the server in a process of its own, warm and
unpaced. `x_realtime` is measured in this process, through the engine alone: text to Opus packets with one
worker, before any pacer. A measurement, never a test.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import platform
import statistics
import subprocess
import time
import urllib.request
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from deploy.environment import CannotStart
from models import loader
from pipeline.audio import CONTENT_RATE_HZ
from pipeline.engine import Engine
from pipeline.utterance import Failed, Finished, UtteranceOptions
from tests.bench.speaking import Spoken, speak_all
from tests.live import live_server

SENTENCES = Path(__file__).resolve().parent.parent / "data" / "sentences.txt"
ROUNDS = 5
"""How often each session speaks every sentence."""

WARM_UP = 5
"""Sentences spoken first and not counted."""

AT_ONCE = 4
"""Utterances open at once while throughput is measured, so that the worker never waits for this process."""

LAG_BUCKET = 'utter_event_loop_lag_seconds_bucket{le="'


def run(options: argparse.Namespace) -> int:
    """Measure and print, as one JSON object or as a table."""
    sentences = read_sentences(options.text or SENTENCES)
    flags = ["--device", options.device, "--threads", str(options.threads)]
    with live_server(*flags) as server:
        asyncio.run(speak_all(server.socket, "warm", sentences[:WARM_UP]))
        lag_before = read_lag(server.page)
        spoken = asyncio.run(_speak_in_sessions(server.socket, sentences, options.sessions))
        lag_after = read_lag(server.page)
        rss_mb = resident_mb(server.process.pid)
    report = {
        "ttfb_ms": percentiles([one.ttfb_ms for one in spoken]),
        "ttfa_ms": percentiles([one.ttfa_ms for one in spoken]),
        "client_ms": percentiles([one.client_ms for one in spoken]),
        "x_realtime": round(asyncio.run(_x_realtime(sentences, options.device)), 1),
        "rss_mb": rss_mb,
        "loop_lag_ms": {"p99": lag_percentile_ms(lag_before, lag_after, 0.99)},
        "sessions": options.sessions,
        "utterances": len(spoken),
        "cases": cases(spoken),
        "machine": machine(),
    }
    print(json.dumps(report) if options.json else table(report), flush=True)
    return 0


def read_sentences(path: Path) -> list[str]:
    """Return the lines of a file that say something.

    Raises:
        CannotStart: there are none, or no such file of UTF-8.
    """
    try:
        sentences = [line.strip() for line in path.read_text("utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise CannotStart(f"Cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise CannotStart(f"{path} is no UTF-8 text.") from error
    if not sentences:
        raise CannotStart(f"{path} holds no sentence.")
    return sentences


async def _speak_in_sessions(address: str, sentences: list[str], sessions: int) -> list[Spoken]:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(speak_all(address, f"{n}", sentences * ROUNDS)) for n in range(sessions)]
    return [one for task in tasks for one in task.result()]


async def _x_realtime(sentences: list[str], device: str) -> float:
    loaded = loader.load(device, 1, lambda _progress: None)
    async with Engine(loaded.synthesizers, loaded.voices, workers=1) as engine:
        await asyncio.gather(*(_audio_seconds(engine, text) for text in sentences[:WARM_UP]))
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(text: str) -> float:
            async with gate:
                return await _audio_seconds(engine, text)

        begun = time.monotonic()
        seconds = await asyncio.gather(*(one(text) for text in sentences * 2))
        rate = sum(seconds) / (time.monotonic() - begun)
    loaded.close()
    return rate


async def _audio_seconds(engine: Engine, text: str) -> float:
    utterance = engine.open(UtteranceOptions(engine.default_voice))
    utterance.push_text(text)
    utterance.end_input()
    samples = 0
    async for message in utterance.packets():
        if isinstance(message, Failed):
            raise message.error
        if isinstance(message, Finished):
            samples = message.samples
    return samples / CONTENT_RATE_HZ


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Return the median and the 99th percentile (the smallest value that 99 % do not exceed)."""
    ordered = sorted(values)
    p99 = ordered[-(-len(ordered) * 99 // 100) - 1]
    return {"p50": round(statistics.median(ordered), 2), "p99": round(p99, 2)}


def cases(spoken: Sequence[Spoken]) -> list[dict[str, float]]:
    """Return the median TTFB by length of sentence, shortest first."""
    by_length: dict[int, list[float]] = {}
    for one in spoken:
        by_length.setdefault(one.characters, []).append(one.ttfb_ms)
    return [
        {"characters": length, "ttfb_ms_p50": round(statistics.median(times), 2)}
        for length, times in sorted(by_length.items())
    ]


Buckets = list[tuple[float, float]]
"""Upper bounds in seconds, and how many observations did not exceed them; ascending."""


def read_lag(page: str) -> Buckets:
    """Return the server's histogram of the event loop's lag."""
    with urllib.request.urlopen(f"{page}/metrics") as response:
        lines = response.read().decode("utf-8").splitlines()
    parts = (line.removeprefix(LAG_BUCKET).split('"} ') for line in lines if line.startswith(LAG_BUCKET))
    return [(float(bound), float(count)) for bound, count in parts]


def lag_percentile_ms(before: Buckets, after: Buckets, share: float) -> float:
    """Return the percentile of what was observed between the two, interpolated within its bucket.

    Of what lies beyond the last bound it can only be said that it does: then that bound is returned.
    """
    counts = [(bound, new - old) for (bound, new), (_, old) in zip(after, before, strict=True)]
    wanted = share * counts[-1][1]
    for (low, below), (high, upto) in pairwise([(0.0, 0.0), *counts]):
        if upto >= wanted and upto > below:
            width = 0.0 if math.isinf(high) else high - low
            return round(1000 * (low + width * (wanted - below) / (upto - below)), 2)
    return 0.0


def resident_mb(pid: int) -> float | None:
    """Return a process's resident memory in megabytes, where the system tells it."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    except OSError:
        return _resident_mb_by_ps(pid)
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


def _resident_mb_by_ps(pid: int) -> float | None:
    try:
        told = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return round(int(told.stdout) * 1024 / 1e6, 1)


def machine() -> dict[str, Any]:
    """Name what this was measured on."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        name = next((line.split(": ")[1] for line in lines if line.startswith("model name")), name)
    except OSError:
        pass
    return {
        "cpu": name,
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def table(report: dict[str, Any]) -> str:
    """Lay a report out for reading."""
    rows = [f"{'':10}{'p50':>10}{'p99':>10}"]
    rows += [
        f"{name:10}{report[key]['p50']:>7} ms{report[key]['p99']:>7} ms"
        for name, key in (("TTFB", "ttfb_ms"), ("TTFA", "ttfa_ms"), ("at client", "client_ms"))
    ]
    rows += [
        f"{report['x_realtime']} x real time on one worker, {report['rss_mb']} MB resident, "
        f"event loop late by {report['loop_lag_ms']['p99']} ms (p99)",
        "characters: TTFB p50 in ms",
        *(f"{case['characters']:>10}: {case['ttfb_ms_p50']}" for case in report["cases"]),
        "{cpu}, {cores} cores, Python {python}".format(**report["machine"]),
    ]
    return "\n".join(rows)
