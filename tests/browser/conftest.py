"""Fixtures of the tests that need a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.visit import Open, visits
from tests.live import LiveServer


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """A headless Chromium, one for all the tests of a file."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser, server: LiveServer) -> Iterator[Open]:
    """Visits to the page of the one server; nothing may go wrong in any of them."""
    with visits(browser, server.page) as open_one:
        yield open_one
