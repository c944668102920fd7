"""`run.py bench browser`: how soon after Enter the page renders a sound, and after Esc no sound any more.

In headless Chromium on loopback. For Enter the page itself marks the span (the measure `utter.rendered`),
from the key's event to the first sample that is not silence leaving its player; for Esc a tap behind the
player of another page counts the samples. The system's buffers and the sound card come after that. Knows the
page's elements by their ids, and nothing of what is behind them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from deploy.environment import CannotStart
from pipeline.audio import CONTENT_RATE_HZ, samples_from_ms
from tests.bench.first_packet import SENTENCES, machine, percentiles, read_sentences
from tests.browser.tap import Report, TappedPage
from tests.live import CHROMIUM_NAMES, find_chromium, live_server

FLAGS = ("--no-sandbox", "--autoplay-policy=no-user-gesture-required")
WARM_UP = 3
"""Lines spoken first and not counted: the first one also opens the audio device."""

HEARD_BEFORE_ESC = samples_from_ms(300, CONTENT_RATE_HZ)
"""Of each line, said twice so that it goes on for longer than that."""

NEXT_SPAN = """
() => ({
  span: new Promise((resolve) => {
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntriesByName('utter.rendered')) resolve(entry.duration);
    });
    observer.observe({ type: 'measure' });
  }),
})
"""
"""The milliseconds of the next line, once they are known. Held in an object, or they would be waited for."""


def run(options: argparse.Namespace) -> int:
    """Measure and print, as one JSON object or in words."""
    lines = read_sentences(options.text or SENTENCES)
    flags = ("--device", options.device, "--threads", str(options.threads))
    with live_server(*flags) as server, chromium() as browser:
        rendered = speak_lines(browser, server.page, lines)
        silenced = stop_lines(browser, server.page, lines)
    spans, esc = percentiles(rendered), percentiles(silenced)
    report: dict[str, Any] = {"rendered_ms": spans, "esc_ms": esc, "lines": len(lines), "machine": machine()}
    words = "Enter to first sound rendered: {p50} ms (p50), {p99} ms (p99)".format(**spans)
    words += "\nEsc to last sound rendered: {p50} ms (p50), {p99} ms (p99)".format(**esc)
    print(json.dumps(report) if options.json else words, flush=True)
    return 0


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser.

    Raises:
        CannotStart: there is no Chromium here.
    """
    path = find_chromium()
    if path is None:
        raise CannotStart(f"No browser: none of {', '.join(CHROMIUM_NAMES)} was found.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


def speak_lines(browser: Browser, address: str, lines: list[str]) -> list[float]:
    """Type each line into the page and return the milliseconds from Enter to its first sound."""
    page = browser.new_page()
    page.goto(address)
    page.wait_for_selector("#connection[data-state=open]")
    spans = [_speak(page, line) for line in [*lines[:WARM_UP], *lines]]
    page.close()
    return spans[WARM_UP:]


def stop_lines(browser: Browser, address: str, lines: list[str]) -> list[float]:
    """Press Esc while each line is being spoken and return the milliseconds to its last sound."""
    tapped = TappedPage(browser, address)
    for line in lines:
        tapped.page.evaluate("() => { tap.sounds = []; }")
        tapped.speak(f"{line} {line}")
        tapped.wait(f"() => tap.sounds.length > 0 && tap.now > tap.sounds[0].frame + {HEARD_BEFORE_ESC}")
        tapped.page.keyboard.press("Escape")
        tapped.page.wait_for_selector("#stop[disabled]")
        tapped.wait(f"(end => () => tap.upTo > end)(tap.now + {HEARD_BEFORE_ESC})")
    spans = silenced_ms(tapped.report())
    tapped.close()
    return spans


def silenced_ms(report: Report) -> list[float]:
    """Return the milliseconds from each Esc to the last sample that is not zero, before sound starts anew."""
    escapes = [key.frame for key in report.keys if key.key == "Escape"]
    spans = []
    for escape, following in pairwise([*escapes, report.frame + report.pcm.size]):
        starts = [start for start in report.frames("playing") if start > escape]
        sounding = np.flatnonzero(report.between(escape, min([*starts, following])))
        spans.append((int(sounding[-1]) + 1 if sounding.size else 0) * 1000 / CONTENT_RATE_HZ)
    return spans


def _speak(page: Page, line: str) -> float:
    page.fill("#text", line)
    watch = page.evaluate_handle(NEXT_SPAN)
    page.press("#text", "Enter")
    span = float(watch.evaluate("watch => watch.span"))
    page.keyboard.press("Escape")
    page.wait_for_selector("#stop[disabled]")
    return span
