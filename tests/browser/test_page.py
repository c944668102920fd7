"""The page as a person meets it, in a real Chromium, before a real server."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.visit import NARROW, Open, faint, nameless, overflow

pytestmark = pytest.mark.browser

SHORT = "Yes."
LONG = "This line goes on for quite a while, so that there is time to stop it, and then it goes on. " * 3

STATIONS = ["Split", "First chunk", "Encode", "Network", "Decode", "Playout"]


def speak(page: Page, text: str) -> None:
    page.fill("#text", text)
    page.press("#text", "Enter")


def until_silent(page: Page) -> None:
    expect(page.locator("#stop")).to_be_disabled(timeout=15_000)


def test_one_click_gives_a_voice_and_says_how_long_it_took(open_page: Open) -> None:
    page = open_page()
    page.locator(".sample").first.click()
    expect(page.locator("#first-sound")).to_have_text(re.compile(r"^[\d,.]+$"))
    expect(page.locator("#line .now, #line .heard")).not_to_have_count(0)
    expect(page.locator("#legend .station")).to_have_text(STATIONS)
    expect(page.locator("#history-list .item")).to_have_count(1)
    until_silent(page)
    expect(page.locator("#problem")).to_be_hidden()


def test_enter_speaks_shift_enter_breaks_and_the_line_stays_selected(open_page: Open) -> None:
    page = open_page()
    page.locator("#text").press_sequentially("One")
    page.press("#text", "Shift+Enter")
    page.locator("#text").press_sequentially("two.")
    expect(page.locator(".item")).to_have_count(0)
    page.press("#text", "Enter")
    expect(page.locator(".item-text")).to_have_text(["One\ntwo."])
    expect(page.locator("#text")).to_have_value("One\ntwo.")
    page.keyboard.type("x")
    expect(page.locator("#text")).to_have_value("x")


def test_the_enter_that_ends_a_composition_does_not_speak(open_page: Open) -> None:
    page = open_page()
    page.fill("#text", "nihao")
    for options in ({"isComposing": True}, {"keyCode": 229}):
        page.dispatch_event("#text", "keydown", {"key": "Enter", **options})
    expect(page.locator(".item")).to_have_count(0)
    page.press("#text", "Enter")
    expect(page.locator(".item")).to_have_count(1)


@pytest.mark.parametrize("focus", ["#text", "#speed", "#clear"])
def test_escape_stops_wherever_the_focus_is(open_page: Open, focus: str) -> None:
    page = open_page()
    speak(page, LONG)
    expect(page.locator(".item.active")).to_have_count(1)
    page.focus(focus)
    page.keyboard.press("Escape")
    expect(page.locator("#stop")).to_be_disabled()
    expect(page.locator(".item-meta")).to_contain_text("Stopped")
    expect(page.locator("#announcement")).to_have_text("Stopped.")


def test_a_line_can_be_heard_again_and_kept(open_page: Open, tmp_path: Path) -> None:
    page = open_page()
    speak(page, SHORT)
    until_silent(page)
    page.click(".item .play")
    expect(page.locator(".item.active")).to_have_count(1)
    until_silent(page)
    for kind, magic in (
        ("wav", b"RIFF"),
        ("opus", b"OggS"),
        ("srt", b"1\n00:00:00,"),
        ("vtt", b"WEBVTT\n\n00:"),
    ):
        with page.expect_download() as download:
            page.click(f".item .{kind}")
        assert download.value.suggested_filename == f"yes.{kind}"
        download.value.save_as(tmp_path / kind)
        assert (tmp_path / kind).read_bytes().startswith(magic)


def test_a_cleared_history_gives_way_to_lines_to_try_and_the_focus_is_not_lost(open_page: Open) -> None:
    page = open_page()
    speak(page, SHORT)
    until_silent(page)
    expect(page.locator("#samples")).to_be_hidden()
    page.click("#clear")
    expect(page.locator(".item")).to_have_count(0)
    expect(page.locator("#samples")).to_be_visible()
    expect(page.locator("#text")).to_be_focused()


def test_the_focus_goes_to_the_box_when_what_was_pressed_goes_away(open_page: Open) -> None:
    page = open_page()
    speak(page, "")
    page.press("#problem-close", "Enter")
    expect(page.locator("#text")).to_be_focused()
    page.press(".sample >> nth=0", "Enter")
    expect(page.locator("#samples")).to_be_hidden()
    expect(page.locator("#text")).to_be_focused()
    page.press("#stop", "Enter")
    expect(page.locator("#stop")).to_be_disabled()
    expect(page.locator("#text")).to_be_focused()


def test_a_line_without_anything_to_say_keeps_one_card_however_often_it_is_tried(open_page: Open) -> None:
    page = open_page()
    alert = page.get_by_role("alert")
    for key, where in (("Enter", "#text"), ("Enter", "#text"), ("Space", ".item .play")):
        page.fill("#text", "…")
        page.press(where, key)
        expect(alert).to_have_text("There is nothing in this text that can be spoken.")
        expect(page.locator(".item-meta")).to_have_text("Not spoken · Heart")


def test_the_language_follows_the_browser_until_one_is_chosen_and_is_remembered(open_page: Open) -> None:
    page = open_page(locale="zh-CN")
    expect(page.locator("#speak")).to_have_text("朗读")
    expect(page.locator("#voice-language")).to_have_text(re.compile("英语"))
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    page.click("[data-language=en]")
    expect(page.locator("#speak")).to_have_text("Speak")
    page.reload()
    expect(page.locator("#speak")).to_have_text("Speak")
    expect(page).to_have_title("Utter: type a line, hear it")


def test_what_cannot_be_spoken_is_said_in_both_languages(open_page: Open) -> None:
    page = open_page()
    speak(page, "   ")
    expect(page.get_by_role("alert")).to_have_text("Type something first, then press Enter.")
    speak(page, "a" * 5001)
    expect(page.get_by_role("alert")).to_contain_text("5,001 characters")
    page.click("[data-language=zh]")
    expect(page.get_by_role("alert")).to_contain_text("共 5,001 字")
    speak(page, SHORT)
    expect(page.get_by_role("alert")).to_be_hidden()


TAP_SHOWN = "the tap is shown"

SPEAK_BY_SCRIPT = f"""addEventListener('load', () => {{
  let asked = false;
  setInterval(() => {{
    if (!asked && document.querySelector('[data-state="open"]') !== null) {{
      asked = true;
      document.querySelector('.sample').click();
    }}
    if (!document.getElementById('tap').hidden) console.log('{TAP_SHOWN}');
  }}, 50);
}});"""


def test_without_a_gesture_a_tap_is_asked_for_and_starts_the_sound(open_page: Open) -> None:
    # Whatever Playwright evaluates counts as a gesture, assertions too: until the tap is there, it only
    # listens to the console.
    page = open_page(connected=False, before=lambda page: page.add_init_script(SPEAK_BY_SCRIPT))
    page.wait_for_event("console", lambda message: message.text == TAP_SHOWN)
    expect(page.get_by_role("alert")).to_contain_text("Tap to listen")
    page.click("#tap")
    expect(page.locator("#tap")).to_be_hidden()
    expect(page.locator(".item.active")).to_have_count(1)
    expect(page.get_by_role("alert")).to_be_hidden()


def test_an_absent_server_is_explained_and_found_when_it_is_back(open_page: Open) -> None:
    away = True

    def answer(route: Route) -> None:
        if away:
            route.abort("connectionrefused")
        else:
            route.continue_()

    page = open_page(connected=False, before=lambda page: page.route("**/config.json", answer))
    expect(page.locator("#away")).to_contain_text("The server does not answer. Start it with")
    expect(page.locator("#away")).to_contain_text(f"python3 run.py --port {urlsplit(page.url).port}")
    speak(page, SHORT)
    expect(page.get_by_role("alert")).to_contain_text("no connection")
    expect(page.locator("#text")).to_have_value(SHORT)
    away = False
    expect(page.locator("#connection")).to_have_attribute("data-state", "open")
    expect(page.locator("#away")).to_be_hidden()


def test_a_socket_that_only_the_page_cannot_reach_is_told_apart_from_an_absent_server(
    open_page: Open,
) -> None:
    def refuse(page: Page) -> None:
        page.route_web_socket(re.compile("."), lambda socket: socket.close(code=1011))

    page = open_page(connected=False, before=refuse)
    expect(page.locator("#away")).to_contain_text("its socket on port", timeout=10_000)
    expect(page.locator("#connection")).to_have_text("No server")


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_is_readable_and_all_controls_have_names(open_page: Open, locale: str, scheme: str) -> None:
    page = open_page(locale=locale, color_scheme=scheme)
    speak(page, "")
    assert nameless(page) == []
    assert faint(page) == []
    speak(page, SHORT)
    expect(page.locator("#legend .station")).to_have_count(len(STATIONS))
    until_silent(page)
    page.click(".item-latency summary")
    assert nameless(page) == []
    assert faint(page) == []


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_nothing_sticks_out_of_a_narrow_screen(open_page: Open, locale: str) -> None:
    page = open_page(viewport=NARROW, locale=locale)
    assert overflow(page) == 0
    speak(page, "w" * 5001)
    assert overflow(page) == 0
    speak(page, "Supercalifragilisticexpialidocious" * 3)
    expect(page.locator("#legend .station")).to_have_count(len(STATIONS))
    page.keyboard.press("Escape")
    page.click(".item-latency summary")
    assert overflow(page) == 0
