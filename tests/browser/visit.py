"""A visit to the page in a real Chromium, and what must be true of whatever it shows.

Knows the page's frame and nothing of its parts.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, ViewportSize, expect

Open = Callable[..., Page]
"""Opens the page in a fresh context; takes a path, and options of a browser context."""

WIDE: ViewportSize = {"width": 1440, "height": 900}
NARROW: ViewportSize = {"width": 360, "height": 740}

LEAST_CONTRAST = 4.5
"""WCAG 2.2 AA, text of ordinary size."""

CONTRASTS = """() => {
  const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const linear = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) =>
    0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    const away = element.closest('.unseen, .skip, :disabled') !== null;
    if (!own || away || !element.checkVisibility()) continue;
    const [one, other] = [getComputedStyle(element).color, null].map((colour) =>
      luminance(colour === null ? behind(element) : channels(colour)));
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    found.push([element.textContent.trim().slice(0, 40), ratio]);
  }
  return found;
}"""

STILL = """() => Promise.allSettled(document.getAnimations()
  .filter((animation) => animation.effect.getTiming().iterations !== Infinity)
  .map((animation) => animation.finished))"""
"""Resolves once nothing moves; an animation that was called off is over too."""

NAMELESS = """() => [...document.querySelectorAll('button, input, select, textarea, canvas, summary')]
  .filter((element) => element.checkVisibility())
  .filter((element) => {
    const labels = [...(element.labels ?? [])].map((label) => label.textContent).join('');
    return (element.ariaLabel ?? element.textContent.trim() + labels).trim() === '';
  })
  .map((element) => element.outerHTML)"""


@contextlib.contextmanager
def visits(browser: Browser, address: str) -> Iterator[Open]:
    """Open the page in fresh contexts; at the end nothing may have gone wrong in any of them."""
    contexts = []
    wrong: list[str] = []

    def open_one(
        path: str = "",
        *,
        connected: bool = True,
        before: Callable[[Page], None] | None = None,
        **options: object,
    ) -> Page:
        context = browser.new_context(**{"viewport": WIDE, "locale": "en-US", **options})  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if is_wrong(message.text) else None)
        page.on("request", lambda request: wrong.append(request.url) if is_foreign(request.url) else None)
        if before is not None:
            before(page)
        page.goto(f"{address}/{path}")
        if connected:
            expect(page.locator("#connection")).to_have_attribute("data-state", "open")
        return page

    def is_wrong(words: str) -> bool:
        return "Content Security Policy" in words or words.startswith(("Uncaught", "The playout"))

    def is_foreign(url: str) -> bool:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and parts.netloc != urlsplit(address).netloc

    yield open_one
    for context in contexts:
        context.close()
    assert wrong == []


def nameless(page: Page) -> list[str]:
    """Controls that a screen reader has no name for."""
    return list(page.evaluate(NAMELESS))


def faint(page: Page) -> list[tuple[str, float]]:
    """Texts whose contrast with what is behind them is too low, once no colour is changing any more."""
    page.evaluate(STILL)
    return [(words, ratio) for words, ratio in page.evaluate(CONTRASTS) if ratio < LEAST_CONTRAST]


def overflow(page: Page) -> int:
    """By how many pixels something sticks out of the screen."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
