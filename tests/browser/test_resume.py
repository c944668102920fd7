"""A line that is lost while something is spoken, a page that is loaded again: what is heard all the same."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from pipeline.audio import CONTENT_RATE_HZ, Pcm, samples_from_ms
from server.protocol import Cancelled, Ready
from tests.browser.proxy import Proxy, proxy_before
from tests.browser.tap import Line, Report, TappedPage
from tests.live import LiveServer

pytestmark = pytest.mark.browser

CLOSE = 1e-4
"""The page's decoder and ours are two builds of libopus, in float32."""

FADE = samples_from_ms(5, CONTENT_RATE_HZ)
STOPPED_WITHIN = samples_from_ms(100, CONTENT_RATE_HZ)

LEAST_SNR_DB = 40.0
"""What a new decoder that has seen some packets before the joint has to reach."""

LINE = (
    "This line goes on for a while, so that there is time to lose it, and then it goes on to its very end. "
)
LONG = LINE * 2

NO_CHANNEL = "delete window.BroadcastChannel;"

TAP_SHOWN = "the tap is shown"
WATCH_TAP = f"""addEventListener('load', () => setInterval(() => {{
  if (!document.getElementById('tap').hidden) console.log('{TAP_SHOWN}');
}}, 50));"""

LEAD_MESSAGES = 25
"""Some seconds of sound, which is what lets a lost line go unheard."""

RUNS_DRY_WITHIN_MS = 20_000

Open = Callable[..., TappedPage]


@pytest.fixture
def proxy(server: LiveServer) -> Iterator[Proxy]:
    port = urlsplit(server.socket).port
    assert port is not None
    with proxy_before(port) as running:
        yield running


@pytest.fixture
def open_page(browser: Browser, server: LiveServer, proxy: Proxy) -> Iterator[Open]:
    """Open the page with its socket behind the proxy; `scripts` run before its own, on every load."""
    pages: list[TappedPage] = []

    def configure(route: Route) -> None:
        if proxy.silent:
            route.abort("timedout")
            return
        response = route.fetch()
        config = response.json()
        config["websocket"]["port"] = proxy.port
        route.fulfill(response=response, json=config)

    def open_one(*scripts: str, beside: TappedPage | None = None) -> TappedPage:
        def prepare(page: Page) -> None:
            page.route("**/config.json", configure)
            for script in scripts:
                page.add_init_script(script)

        page = TappedPage(browser, server.page, prepare, beside=beside)
        pages.append(page)
        return page

    yield open_one
    for page in pages:
        page.close()


def begin(tapped: TappedPage, text: str, after_s: float = 1.0) -> None:
    """Speak a line and wait until some of it is heard."""
    tapped.speak(text)
    after = int(after_s * CONTENT_RATE_HZ)
    tapped.wait(f"() => tap.sounds.length > 0 && tap.upTo > tap.sounds[0].frame + {after}")


def assert_all_is_heard(report: Report, line: Line) -> None:
    """Fail if anything of a line is missing, comes twice, or is not what libopus decodes, but for fades."""
    position = int(report.marks[0]["played"])
    begun = 0
    for mark in report.marks:
        frame, played = int(mark["frame"]), int(mark["played"])
        if mark["type"] == "playing":
            assert played == position
            begun = frame
        elif mark["type"] in ("starved", "ended"):
            assert played - position == frame - begun
            faded = FADE if mark["type"] == "starved" else 0
            first = FADE if position > 0 else 0
            heard = report.between(begun + first, frame - faded)
            assert difference(heard, line.content[position + first : played - faded]) <= CLOSE
            position = played
    assert position == line.samples


def difference(heard: Pcm, expected: Pcm) -> float:
    """Return the largest difference between two stretches of the same length."""
    assert heard.size == expected.size
    return float(np.max(np.abs(heard - expected), initial=0.0))


def snr_db(heard: Pcm, expected: Pcm) -> float:
    """Return how far below the sound the difference of two stretches of the same length lies."""
    assert heard.size == expected.size
    noise = float(np.sum((heard - expected) ** 2))
    return 10 * float(np.log10(float(np.sum(expected**2)) / noise)) if noise else np.inf


def test_a_reset_in_mid_sentence_is_not_heard_and_not_alarming(open_page: Open, proxy: Proxy) -> None:
    tapped = open_page()
    begin(tapped, LONG)
    tapped.wait(f"() => tap.messages.filter(({{ audio }}) => audio).length > {LEAD_MESSAGES}")
    lost_at = int(tapped.page.evaluate("() => tap.now"))
    proxy.swallow()
    proxy.reset()
    expect(tapped.page.locator("#connection")).to_have_text("Reconnecting…")
    expect(tapped.page.locator("#away")).to_be_hidden()
    proxy.let_through()
    expect(tapped.page.locator("#connection")).to_have_text("Connected")
    back_at = int(tapped.page.evaluate("() => tap.now"))
    report = tapped.until_silent()
    (line,) = report.lines()
    assert not [at for at in report.frames("starved") if lost_at <= at <= back_at]
    assert_all_is_heard(report, line)
    assert [ready.resumed for ready in report.messages if isinstance(ready, Ready)] == [False, True]
    expect(tapped.page.locator("#problem")).to_be_hidden()


def test_a_black_hole_longer_than_the_lead_is_a_pause_and_loses_nothing(
    open_page: Open, proxy: Proxy
) -> None:
    tapped = open_page()
    begin(tapped, LONG, after_s=0.5)
    proxy.swallow()
    expect(tapped.page.locator("#away")).to_be_visible(timeout=RUNS_DRY_WITHIN_MS)
    proxy.let_through()
    report = tapped.until_silent()
    (line,) = report.lines()
    assert len(report.frames("starved")) >= 1
    assert_all_is_heard(report, line)
    expect(tapped.page.locator("#away")).to_be_hidden()


def test_a_line_cancelled_while_away_stays_silent_and_the_next_one_speaks(
    open_page: Open, proxy: Proxy
) -> None:
    tapped = open_page()
    begin(tapped, LONG)
    proxy.swallow()
    proxy.reset()
    tapped.page.keyboard.press("Escape")
    tapped.speak("This is the next line.")
    proxy.let_through()
    tapped.wait("() => tap.count('ended') === 2")
    report = tapped.until_silent()
    _, line = report.lines()
    (_, again), (_, over) = report.frames("playing"), report.frames("ended")
    assert not np.any(report.between(report.key("Escape").frame + STOPPED_WITHIN, again))
    assert difference(report.between(again, over), line.content) <= CLOSE
    (cancelled,) = (message for message in report.messages if isinstance(message, Cancelled))
    assert cancelled.text_spoken + cancelled.text_remaining == LONG
    assert cancelled.text_spoken != ""


def test_a_page_loaded_again_goes_on_where_it_stopped_once_it_is_tapped(open_page: Open) -> None:
    tapped = open_page(WATCH_TAP)
    begin(tapped, LONG, after_s=2.0)
    tapped.speak("This one was waiting.")
    tapped.wait("(count => () => tap.messages.length > count)(tap.messages.length)")
    before = tapped.report()
    # Whatever Playwright evaluates counts as a gesture: until the tap is there, only the console is read.
    with tapped.page.expect_console_message(lambda message: message.text == TAP_SHOWN):
        tapped.page.reload()
    tapped.page.click("#tap")
    expect(tapped.page.locator("#line .now, #line .heard")).not_to_have_count(0)
    expect(tapped.page.locator(".item-text")).to_have_text(["This one was waiting.", LONG.strip()])
    report = tapped.until_silent()
    first, second = dataclasses.replace(report, messages=before.messages + report.messages).lines()
    assert_goes_on(before, report, first)
    starts, ends = report.frames("playing"), report.frames("ended")
    assert difference(report.between(starts[1], ends[1]), second.content) <= CLOSE
    expect(tapped.page.locator("#problem")).to_be_hidden()


def assert_goes_on(before: Report, report: Report, line: Line) -> None:
    """Fail unless the second page goes on with a line where the first one stopped, to its very end."""
    playing = next(mark for mark in report.marks if mark["type"] == "playing")
    (start, end), played = (report.frames("playing")[0], report.frames("ended")[0]), int(playing["played"])
    heard_before = max(int(mark["played"]) for mark in before.marks)
    # A page that is killed has kept what it knew a moment before.
    assert abs(played - heard_before) <= CONTENT_RATE_HZ
    assert end - start == line.samples - played
    joined = report.between(start + FADE, end), line.content[played + FADE :]
    assert snr_db(*joined) >= LEAST_SNR_DB
    # The joint itself is where a decoder without its past would be off.
    first = CONTENT_RATE_HZ // 10
    assert snr_db(joined[0][:first], joined[1][:first]) >= LEAST_SNR_DB


def test_a_tab_restored_after_its_page_was_killed_goes_on_where_nobody_else_does(open_page: Open) -> None:
    tapped = open_page()
    begin(tapped, LONG, after_s=2.0)
    before, storage = tapped.report(), copy_of_storage(tapped)
    tapped.page.close()
    restored = open_page(storage)
    restored.page.press("#text", "x")
    report = restored.until_silent()
    (line,) = dataclasses.replace(report, messages=before.messages + report.messages).lines()
    assert_goes_on(before, report, line)
    assert [ready.resumed for ready in report.messages if isinstance(ready, Ready)] == [True]


def copy_of_storage(tapped: TappedPage) -> str:
    """Return a script that gives another tab this one's storage, as duplicating it does."""
    entries = tapped.page.evaluate("() => Object.entries(sessionStorage)")
    assert entries, "nothing is kept"
    return f"for (const [key, value] of {json.dumps(entries)}) sessionStorage.setItem(key, value);"


def test_a_duplicated_tab_leaves_the_first_one_alone(open_page: Open) -> None:
    tapped = open_page()
    begin(tapped, LONG)
    second = open_page(copy_of_storage(tapped), beside=tapped)
    second.speak("Here speaks the second tab.")
    other = second.until_silent()
    (line,) = other.lines()
    assert line.samples > 0
    report = tapped.until_silent()
    (line,) = report.lines()
    assert_all_is_heard(report, line)
    assert sum(isinstance(message, Ready) for message in report.messages) == 1
    tokens = {message.session for message in report.messages + other.messages if isinstance(message, Ready)}
    assert len(tokens) == 2


def test_a_tab_whose_session_was_taken_falls_silent_and_can_begin_anew(open_page: Open) -> None:
    tapped = open_page(NO_CHANNEL)
    begin(tapped, LONG)
    open_page(copy_of_storage(tapped), NO_CHANNEL, beside=tapped)
    expect(tapped.page.locator("#away")).to_contain_text("Another tab goes on")
    expect(tapped.page.locator("#stop")).to_be_disabled()
    connections = tapped.page.evaluate(
        "() => tap.messages.filter(({ text }) => text?.includes('ready')).length"
    )
    assert connections == 1
    tapped.page.click("#away-begin")
    expect(tapped.page.locator("#connection")).to_have_text("Connected")
    expect(tapped.page.locator("#away")).to_be_hidden()
    tapped.speak("This tab speaks again.")
    report = tapped.until_silent()
    line = report.lines()[-1]
    start, end = report.frames("playing")[-1], report.frames("ended")[-1]
    assert difference(report.between(start, end), line.content) <= CLOSE
