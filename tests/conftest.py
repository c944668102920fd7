"""Fixtures for more than one directory of tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.checks import in_continuous_integration
from tests.live import CHROMIUM_NAMES, LiveServer, find_chromium, live_server

# No test judges a time, and a busy machine is no fault of an example.
settings.register_profile("utter", deadline=None)
settings.load_profile("utter")


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a Chromium. Without one the test is skipped, in continuous integration it fails."""
    if path := find_chromium():
        return path
    if in_continuous_integration():
        pytest.fail(f"No browser: none of {', '.join(CHROMIUM_NAMES)} was found.", pytrace=False)
    pytest.skip("no Chromium here")


@pytest.fixture(scope="session")
def server() -> Iterator[LiveServer]:
    """A server with the real voice, one for all the tests that leave it as they found it."""
    with live_server() as running:
        yield running
