"""What a listener hears of packets that came at these moments: how often playback runs dry, what is missing.

Pure; knows neither the wire nor a clock.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.audio import FRAME_CONTENT_SAMPLES, FRAME_MS

START_PACKETS = 2
"""Playback begins, and goes on after it ran dry, once so many packets are there: the page waits for 30 ms."""


def underruns(arrived: Sequence[float]) -> int:
    """Return how often playback runs dry; `arrived` is when each packet came, in order, in seconds."""
    # Whole microseconds, so that what is just in time is so whenever it all began.
    times = [round(at * 1_000_000) for at in arrived]
    last, count = len(times) - 1, 0
    due = times[min(START_PACKETS - 1, last)] if times else 0
    for packet, at in enumerate(times):
        if at > due:
            count += 1
            due = times[min(packet + START_PACKETS - 1, last)]
        due += FRAME_MS * 1000
    return count


def lost_and_repeated(timestamps: Sequence[int]) -> tuple[int, int]:
    """Return how many packets of a whole utterance never came, and how many came once more.

    Its last packet must have come: what is missing is counted up to the greatest of `timestamps`, which are
    in content samples.
    """
    came = set(timestamps)
    expected = max(came) // FRAME_CONTENT_SAMPLES + 1 if came else 0
    return expected - len(came), len(timestamps) - len(came)
