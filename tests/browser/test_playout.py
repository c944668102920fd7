"""What a person hears: every sample that leaves the page for the audio device, against the packets sent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser

from pipeline.audio import CONTENT_RATE_HZ, Pcm, samples_from_ms
from pipeline.segments import PAUSE_MS
from pipeline.splitter import Boundary
from server.protocol import Cancelled
from tests.browser.tap import Report, TappedPage
from tests.live import LiveServer

pytestmark = pytest.mark.browser

CLOSE = 1e-4
"""The page's decoder and ours are two builds of libopus, in float32."""

STOPPED_WITHIN = samples_from_ms(100, CONTENT_RATE_HZ)
TAIL = samples_from_ms(20, CONTENT_RATE_HZ)

LATE_MESSAGES = 5
"""Half a second of sound that comes after the key: enough to begin with, if it were not dropped."""

LINE = "A line of two sentences, to be heard. It ends here."
LONG = "This line goes on for quite a while, so that there is time to stop it, and then it goes on. " * 4


@pytest.fixture
def tapped(browser: Browser, server: LiveServer) -> Iterator[TappedPage]:
    page = TappedPage(browser, server.page)
    yield page
    page.close()


def difference(heard: Pcm, expected: Pcm) -> float:
    """Return the largest difference between two stretches of the same length."""
    assert heard.size == expected.size
    return float(np.max(np.abs(heard - expected)))


def assert_only_these_sound(report: Report, stretches: list[tuple[int, int]]) -> None:
    """Fail if anything was rendered outside these stretches of frames."""
    rest = report.pcm.copy()
    for start, end in stretches:
        rest[start - report.frame : end - report.frame] = 0
    assert not np.any(rest)


def test_every_sample_that_is_played_is_what_libopus_decodes_from_the_packets(tapped: TappedPage) -> None:
    tapped.speak(LINE)
    report = tapped.until_silent()
    (line,) = report.lines()
    (start,) = report.frames("playing")
    (end,) = report.frames("ended")
    assert end - start == line.samples
    assert difference(report.between(start, end), line.content) <= CLOSE
    assert_only_these_sound(report, [(start, end)])
    assert np.any(report.between(end - TAIL, end))


def test_lines_queued_up_are_heard_in_full_without_a_gap_longer_than_a_pause(tapped: TappedPage) -> None:
    tapped.speak("This is the first.", "The second one follows.", "And here is the last.")
    report = tapped.until_silent()
    lines, starts, ends = report.lines(), report.frames("playing"), report.frames("ended")
    assert len(lines) == len(starts) == len(ends) == 3
    for line, start, end in zip(lines, starts, ends, strict=True):
        assert difference(report.between(start, end), line.content) <= CLOSE
    assert_only_these_sound(report, list(zip(starts, ends, strict=True)))
    pause = samples_from_ms(PAUSE_MS[Boundary.SENTENCE], CONTENT_RATE_HZ)
    assert all(0 <= start - end <= pause for end, start in zip(ends, starts[1:], strict=False))
    assert report.frames("starved") == []


def test_escape_silences_within_100_ms_what_comes_later_and_the_next_line_speaks(tapped: TappedPage) -> None:
    # The server hears of it only after it has sent more: what is in flight must not be heard either.
    tapped.page.evaluate(f"() => {{ tap.holdsCancelFor = {LATE_MESSAGES}; }}")
    tapped.speak(LONG)
    tapped.wait(f"() => tap.sounds.length > 0 && tap.upTo > tap.sounds[0].frame + {CONTENT_RATE_HZ}")
    tapped.page.keyboard.press("Escape")
    tapped.wait("() => tap.messages.some(({ text }) => text?.includes('\"cancelled\"'))")
    stopped_by = tapped.until_silent().key("Escape").frame + STOPPED_WITHIN
    tapped.speak("This is the next line.")
    tapped.wait("() => tap.count('ended') === 2")
    report = tapped.until_silent()

    long, line = report.lines()
    (start, again), (end, over) = report.frames("playing"), report.frames("ended")
    escape = report.key("Escape")
    assert sum(at >= escape.messages for at in long.arrived) >= LATE_MESSAGES
    assert long.pcm.size > end - start + CONTENT_RATE_HZ
    assert np.any(report.between(start, escape.frame))
    assert difference(report.between(start, escape.frame), long.pcm[: escape.frame - start]) <= CLOSE
    assert not np.any(report.between(stopped_by, again))
    assert difference(report.between(again, over), line.content) <= CLOSE
    assert_only_these_sound(report, [(start, stopped_by), (again, over)])

    (cancelled,) = (message for message in report.messages if isinstance(message, Cancelled))
    assert cancelled.text_spoken + cancelled.text_remaining == LONG
    assert cancelled.text_spoken != ""


def test_a_line_typed_right_after_escape_speaks_and_nothing_of_the_one_before_it(tapped: TappedPage) -> None:
    # What the server sends until it hears of the key arrives while the next line already waits.
    tapped.page.evaluate(f"() => {{ tap.holdsCancelFor = {LATE_MESSAGES}; }}")
    tapped.speak(LONG)
    tapped.wait(f"() => tap.sounds.length > 0 && tap.upTo > tap.sounds[0].frame + {CONTENT_RATE_HZ}")
    tapped.page.keyboard.press("Escape")
    tapped.speak("This is the next line.")
    tapped.wait("() => tap.count('ended') === 2")
    report = tapped.until_silent()

    long, line = report.lines()
    (start, again), (_, over) = report.frames("playing"), report.frames("ended")
    escape = report.key("Escape")
    assert sum(at >= escape.messages for at in long.arrived) >= LATE_MESSAGES
    assert difference(report.between(again, over), line.content) <= CLOSE
    assert_only_these_sound(report, [(start, escape.frame + STOPPED_WITHIN), (again, over)])
