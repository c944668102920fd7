"""`run.py bench converse`: interruptions, text that is still arriving, and a line that is lost and found.

Measured over a real socket on loopback with the server in a process of its own, warm, with the real voice. A
measurement, never a test.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

from server.protocol import Cancel, End, Text
from tests.bench.first_packet import SENTENCES, WARM_UP, machine, percentiles, read_sentences
from tests.bench.playback import lost_and_repeated, underruns
from tests.bench.speaking import speak_all
from tests.bench.talker import Heard, Talker
from tests.live import live_server

Report = dict[str, Any]

CUTS = 100
"""Interruptions, and lost lines; each random, from the same seed in every run."""

LATEST_CANCEL_S = 0.2
"""How long after the first packet an interruption comes at most: the lead is being filled until then."""

LONG = 8
"""Sentences in a text that is interrupted."""

TOKENS_PER_S = (20, 30, 50)
STREAMS = 8
"""Texts streamed at each of these rates."""

STREAMED = 4
"""Sentences in each."""

TOKEN = re.compile(r"\s*\S{1,4}")
"""About what a language model's token is: four characters, with the space before it."""


def run(options: argparse.Namespace) -> int:
    """Measure and print, as one JSON object or in words."""
    sentences = read_sentences(options.text or SENTENCES)
    flags = ["--device", options.device, "--threads", str(options.threads)]
    with live_server(*flags) as server:
        asyncio.run(speak_all(server.socket, "warm", sentences[:WARM_UP]))
        report = asyncio.run(converse(server.socket, sentences))
    print(json.dumps(report) if options.json else words(report), flush=True)
    return 0


async def converse(address: str, sentences: Sequence[str]) -> Report:
    """Measure everything, one after the other."""
    chance = random.Random(1)
    tell(f"{CUTS} interruptions; about a minute ...")
    report = await interrupt(address, sentences, chance)
    report["streams"] = []
    for rate in TOKENS_PER_S:
        tell(f"{STREAMS} texts at {rate} tokens/s ...")
        report["streams"].append(await stream(address, sentences, rate))
    tell(f"{CUTS} lost lines ...")
    report["resume"] = await lose_lines(address, sentences, chance)
    report["machine"] = machine()
    return report


def tell(progress: str) -> None:
    """Say on the side what is being measured; it takes about three minutes in all."""
    print(progress, file=sys.stderr, flush=True)


def text_of(sentences: Sequence[str], first: int, count: int) -> str:
    """Return `count` sentences in one, from the `first` on and round again."""
    return " ".join(sentences[(first + k) % len(sentences)] for k in range(count))


# Interruptions.


async def interrupt(address: str, sentences: Sequence[str], chance: random.Random) -> Report:
    """Say a sentence on an idle session, then again right after interrupting a long text; many times."""
    idle, after, cut = [], [], []
    async with Talker(address) as talker:
        for turn in range(CUTS):
            sentence = sentences[turn % len(sentences)]
            await talker.say(f"idle-{turn}", sentence)
            idle.append(await talker.done(f"idle-{turn}"))
            await talker.send(Cancel())
            await talker.say(f"long-{turn}", text_of(sentences, turn, LONG))
            await talker.first_packet(f"long-{turn}")
            await asyncio.sleep(chance.uniform(0, LATEST_CANCEL_S))
            cut_at = time.monotonic()
            await talker.send(Cancel())
            await talker.say(f"next-{turn}", sentence)
            after.append(await talker.done(f"next-{turn}"))
            cut.append((cut_at, talker.heard[f"long-{turn}"]))
            await talker.send(Cancel())
            await talker.cancelled(f"next-{turn}")
    return {
        "cancel": {
            "last_packet_ms": percentiles([last_packet_ms(heard, at) for at, heard in cut]),
            "answer_ms": percentiles([answer_ms(heard, at) for at, heard in cut]),
            "cancels": len(cut),
        },
        "next": compare(idle, after),
    }


def last_packet_ms(heard: Heard, cut_at: float) -> float:
    """Return how long after the cancel was sent the last packet came; 0 when none did."""
    return max(0.0, heard.arrivals[-1][0] - cut_at) * 1000


def answer_ms(heard: Heard, cut_at: float) -> float:
    """Return how long after the cancel was sent its answer came, behind which nothing of it comes."""
    assert heard.cancelled_at is not None
    return (heard.cancelled_at - cut_at) * 1000


def compare(idle: Sequence[Heard], after: Sequence[Heard]) -> Report:
    """Set the first packets after an interruption beside those of the same sentences on an idle session."""
    ttfb, idle_ttfb = [one.ttfb_ms for one in after], [one.ttfb_ms for one in idle]
    return {
        "ttfb_ms": percentiles(ttfb),
        "idle_ttfb_ms": percentiles(idle_ttfb),
        "queue_ms": percentiles([one.timings.queue or 0.0 for one in after]),
        "client_ms": percentiles([one.first_ms for one in after]),
        "ratio": round(statistics.median(ttfb) / statistics.median(idle_ttfb), 2),
    }


# Text that is still arriving.


async def stream(address: str, sentences: Sequence[str], tokens_per_s: int) -> Report:
    """Send texts token by token at a fixed rate, one when the one before is done."""
    async with Talker(address, lead_ms=None) as talker:
        spoken = []
        for number in range(STREAMS):
            name = f"stream-{number}"
            tokens = TOKEN.findall(text_of(sentences, number * STREAMED, STREAMED))
            await send_tokens(talker, name, tokens, 1 / tokens_per_s)
            spoken.append(await talker.done(name))
    return {
        "tokens_per_s": tokens_per_s,
        "segment_ms": percentiles([one.ttfb_ms - (one.timings.split or 0.0) for one in spoken]),
        "token_ms": percentiles([one.ttfb_ms for one in spoken]),
        "underruns": sum(underruns([at for at, _, _ in one.arrivals]) for one in spoken),
        "streams": len(spoken),
        "speech_s": round(sum(one.timings.audio or 0.0 for one in spoken) / 1000, 1),
    }


async def send_tokens(talker: Talker, name: str, tokens: Sequence[str], every_s: float) -> None:
    """Send a token whenever it is due, however long the one before took to send."""
    began = time.monotonic()
    for number, token in enumerate(tokens):
        await asyncio.sleep(max(0.0, began + number * every_s - time.monotonic()))
        await talker.send(Text(name, token))
    await talker.send(End(name))


# A line that is lost.


async def lose_lines(address: str, sentences: Sequence[str], chance: random.Random) -> Report:
    """Lose the line at random moments, each in a session of its own, every other one without a reset."""
    waits, readies, lost, repeated = [], [], 0, 0
    for number in range(CUTS):
        async with Talker(address, lead_ms=None) as talker:
            cut_at, ready_at = await lose_line(talker, sentences, chance, reset=number % 2 == 0)
            heard = [await talker.done("playing"), await talker.done("queued")]
        arrivals = [arrival for one in talker.heard.values() for arrival in one.arrivals]
        waits.append((min(at for at, _, _ in arrivals if at > cut_at) - cut_at) * 1000)
        readies.append((ready_at - cut_at) * 1000)
        for one in heard:
            missing, double = lost_and_repeated([at for _, _, at in one.arrivals])
            lost, repeated = lost + missing, repeated + double
    return {
        "packet_ms": percentiles(waits),
        "ready_ms": percentiles(readies),
        "lost": lost,
        "repeated": repeated,
        "cuts": CUTS,
    }


async def lose_line(
    talker: Talker, sentences: Sequence[str], chance: random.Random, *, reset: bool
) -> tuple[float, float]:
    """Lose the line while one utterance plays, one is queued with half its text, and one is cancelled.

    Returns:
        When the line was lost, and when the session was there again.
    """
    first = chance.randrange(len(sentences))
    queued = text_of(sentences, first + 2, 2)
    half = len(queued) // 2
    await talker.say("playing", text_of(sentences, first, 2))
    await talker.send(Text("queued", queued[:half]))
    await talker.say("cancelled", text_of(sentences, first + 4, 1))
    wanted = chance.randrange(1, 100)
    await talker.until(
        lambda: len(talker.heard["playing"].arrivals) >= wanted or talker.heard["playing"].complete
    )
    cut_at = time.monotonic()
    talker.lose(reset=reset)
    await talker.resume("cancelled")
    ready_at = time.monotonic()
    await talker.say("queued", queued[half:])
    return cut_at, ready_at


def words(report: Report) -> str:
    """Lay a report out for reading."""
    spans = [
        ("cancel -> last packet", report["cancel"]["last_packet_ms"]),
        ("cancel -> answer", report["cancel"]["answer_ms"]),
        ("next first packet", report["next"]["ttfb_ms"]),
        ("the same, idle", report["next"]["idle_ttfb_ms"]),
        ("next waits for a worker", report["next"]["queue_ms"]),
        *((f"{one['tokens_per_s']} tokens/s, segment", one["segment_ms"]) for one in report["streams"]),
        *((f"{one['tokens_per_s']} tokens/s, token", one["token_ms"]) for one in report["streams"]),
        ("line lost -> packet", report["resume"]["packet_ms"]),
        ("line lost -> ready", report["resume"]["ready_ms"]),
    ]
    return "\n".join(
        [
            f"{'':24}{'p50':>10}{'p99':>10}",
            *(f"{name:24}{span['p50']:>7} ms{span['p99']:>7} ms" for name, span in spans),
            f"next / idle: {report['next']['ratio']}; underruns: "
            + ", ".join(f"{one['underruns']} at {one['tokens_per_s']}" for one in report["streams"]),
            "{lost} packets lost and {repeated} repeated over {cuts} lost lines".format(**report["resume"]),
            "{cpu}, {cores} cores, Python {python}".format(**report["machine"]),
        ]
    )
