"""`run.py bench browser`: how soon after Enter the page renders a sound, in headless Chromium on loopback.

The page itself marks the span (the measure `utter.rendered`), from the key's event to the first sample that
is not silence leaving its player; the system's buffers and the sound card come after that. Knows the page's
elements by their ids, and nothing of what is behind them.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from playwright.sync_api import Page, sync_playwright

from deploy.environment import CannotStart
from tests.bench.first_packet import SENTENCES, machine, percentiles, read_sentences
from tests.live import CHROMIUM_NAMES, find_chromium, live_server

FLAGS = ("--no-sandbox", "--autoplay-policy=no-user-gesture-required")
WARM_UP = 3
"""Lines spoken first and not counted: the first one also opens the audio device."""

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
    with live_server("--device", options.device, "--threads", str(options.threads)) as server:
        rendered = speak_lines(server.page, lines)
    spans = percentiles(rendered)
    report: dict[str, Any] = {"rendered_ms": spans, "lines": len(rendered), "machine": machine()}
    words = "Enter to first sound rendered: {p50} ms (p50), {p99} ms (p99)".format(**spans)
    print(json.dumps(report) if options.json else words, flush=True)
    return 0


def speak_lines(address: str, lines: list[str]) -> list[float]:
    """Type each line into the page and return the milliseconds from Enter to its first sound.

    Raises:
        CannotStart: there is no Chromium here.
    """
    chromium = find_chromium()
    if chromium is None:
        raise CannotStart(f"No browser: none of {', '.join(CHROMIUM_NAMES)} was found.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector("#connection[data-state=open]")
        spans = [_speak(page, line) for line in [*lines[:WARM_UP], *lines]]
        browser.close()
    return spans[WARM_UP:]


def _speak(page: Page, line: str) -> float:
    page.fill("#text", line)
    watch = page.evaluate_handle(NEXT_SPAN)
    page.press("#text", "Enter")
    span = float(watch.evaluate("watch => watch.span"))
    page.keyboard.press("Escape")
    page.wait_for_selector("#stop[disabled]")
    return span
