"""The chat demo as a person meets it: a model over HTTP, a voice, and somebody who interrupts."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.visit import NARROW, Open, faint, nameless, overflow
from web.chat_demo import PATH
from web.chat_script import TOPICS, UNKNOWN

pytestmark = pytest.mark.browser

STORY = TOPICS[2].answer
CHAT = "#chat"
ANSWER = ".said.assistant"
NOW = f"{ANSWER} .now"

FOLLOWED = """(selector) => {
  const box = document.querySelector(selector);
  const now = box.querySelector('.now')?.getBoundingClientRect();
  const view = box.getBoundingClientRect();
  return box.scrollTop > 0 && now !== undefined && now.top >= view.top - 1 && now.bottom <= view.bottom + 1;
}"""
"""Whether a box has scrolled, and the word being heard is in view."""


def ask(page: Page, question: str) -> None:
    page.fill("#question", question)
    page.press("#question", "Enter")


def asked_of(page: Page) -> list[list[dict[str, str]]]:
    """Keep what the model is asked from now on."""
    asked: list[list[dict[str, str]]] = []

    def keep(request: Any) -> None:
        if request.url.endswith(PATH):
            asked.append(json.loads(request.post_data)["messages"])

    page.on("request", keep)
    return asked


def test_an_answer_is_heard_while_it_is_still_being_written(open_page: Open) -> None:
    page = open_page(CHAT)
    page.click("text=Tell me a story.")
    expect(page.locator(f"{ANSWER}.writing .now")).to_have_count(1)
    expect(page.locator(f"{ANSWER} .words")).to_have_text(re.compile("^In a town by the sea, there was once"))
    expect(page.locator("#first-sound")).to_have_text(re.compile(r"^[\d,.]+$"))
    expect(page.locator("#latency-caption")).to_have_text("from first word to first sound")
    # It is written faster than it is spoken: all of it is there, and little of it was heard.
    expect(page.locator(f"{ANSWER} .words")).to_have_text(re.compile("interrupt it.$"), timeout=15_000)
    expect(page.locator(f"{ANSWER}.writing")).to_have_count(0)
    expect(page.locator(NOW)).to_have_count(1)
    expect(page.locator(".item-text")).to_have_text(re.compile("interrupt it.$"))
    page.keyboard.press("Escape")


def test_escape_cuts_the_answer_to_what_was_heard_and_it_can_go_on_from_there(open_page: Open) -> None:
    page = open_page(CHAT)
    told: list[dict[str, Any]] = []

    def keep(frame: str | bytes) -> None:
        if isinstance(frame, str):
            told.append(json.loads(frame))

    page.on("websocket", lambda socket: socket.on("framereceived", keep))
    page.reload()
    expect(page.locator("#connection")).to_have_attribute("data-state", "open")
    asked = asked_of(page)
    ask(page, "Tell me a story, please")
    # Heard once is heard for good: the word being heard may change between two looks.
    expect(page.locator(f"{ANSWER} .heard", has_text="once")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(f"{ANSWER} del")).to_contain_text("At noon")
    expect(page.locator("#chat-stop")).to_be_disabled()
    expect(page.locator("#announcement")).to_have_text("Stopped.")
    expect(page.locator(f"{ANSWER} .cut-note")).to_be_visible()
    expect(page.locator(f"{ANSWER}.writing")).to_have_count(0)
    page.press("#go-on", "Enter")
    expect(page.locator(NOW)).to_have_count(1)
    (cancelled,) = [message for message in told if message["type"] == "cancelled"]
    heard = cancelled["text_spoken"]
    assert heard.startswith("In a town")
    assert asked[1] == [
        {"role": "user", "content": "Tell me a story, please"},
        {"role": "assistant", "content": heard},
        {"role": "user", "content": "Go on"},
    ]
    rest = page.locator(f"{ANSWER} .words").last.text_content() or ""
    assert STORY[len(heard) :].startswith(rest)
    expect(page.locator("#question")).to_be_focused()
    expect(page.locator("#go-on")).to_be_hidden()


def test_a_question_while_it_speaks_interrupts_it(open_page: Open) -> None:
    page = open_page(CHAT)
    ask(page, "A story!")
    expect(page.locator(NOW)).to_have_count(1)
    ask(page, "What is the capital of France?")
    expect(page.locator(f"{ANSWER}.interrupted")).to_have_count(1)
    expect(page.locator(f"{ANSWER} .words").last).to_contain_text(UNKNOWN[:40])
    expect(page.locator(f"{ANSWER} >> nth=1 >> .now")).to_have_count(1)
    expect(page.locator(".item-meta")).to_contain_text(["Heart", "Stopped"])
    page.click("#chat-stop")
    expect(page.locator(f"{ANSWER}.interrupted")).to_have_count(2)


def test_an_answer_heard_to_its_end_is_whole_and_can_be_kept(open_page: Open) -> None:
    def brief(page: Page) -> None:
        chunk = json.dumps({"choices": [{"index": 0, "delta": {"content": "Yes, of course."}}]})
        body = f"data: {chunk}\n\ndata: [DONE]\n\n"
        page.route(f"**{PATH}", lambda route: route.fulfill(content_type="text/event-stream", body=body))

    page = open_page(CHAT, before=brief)
    ask(page, "Well?")
    expect(page.locator("#chat-stop")).to_be_disabled(timeout=15_000)
    expect(page.locator(f"{ANSWER} .words")).to_have_text("Yes, of course.")
    expect(page.locator(f"{ANSWER}.interrupted")).to_have_count(0)
    expect(page.locator(f"{ANSWER} .live, {ANSWER} .now")).to_have_count(0)
    with page.expect_download() as download:
        page.click(".item .vtt")
    assert "Yes, of course." in download.value.path().read_text("utf-8")
    page.click(".item .play")
    expect(page.locator(NOW)).to_have_count(1)


def test_an_answer_that_loses_its_page_is_spoken_as_far_as_it_was_written(open_page: Open) -> None:
    page = open_page(CHAT)
    ask(page, "Tell me a story.")
    expect(page.locator(NOW)).to_have_count(1)
    written = page.locator(f"{ANSWER} .words").text_content() or ""
    page.reload()
    expect(page.locator("#line .heard")).not_to_have_count(0, timeout=15_000)
    expect(page.locator(".said")).to_have_count(0)
    expect(page.locator(".item-text")).to_contain_text(written[:40])
    page.click("h1")  # a touch anywhere is enough for the sound to go on
    expect(page.locator("#chat-stop")).to_be_disabled(timeout=30_000)
    expect(page.locator(".item-meta")).not_to_contain_text("Cut off")


def test_what_the_model_cannot_do_is_said_in_a_sentence(open_page: Open) -> None:
    def refuse(route: Route) -> None:
        route.fulfill(status=503)

    page = open_page(CHAT, before=lambda page: page.route(f"**{PATH}", refuse))
    ask(page, "Well?")
    expect(page.get_by_role("alert")).to_contain_text("The answer could not be had")
    expect(page.locator(".said")).to_have_count(1)
    ask(page, "  ")
    expect(page.get_by_role("alert")).to_have_text("Type a question first, then press Enter.")


def test_the_tabs_are_a_tab_list_and_the_address_remembers_which_is_shown(open_page: Open) -> None:
    page = open_page()
    expect(page.get_by_role("tab", selected=True)).to_have_text("Speak a line")
    page.focus("#line-tab")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Chat demo")).to_be_focused()
    expect(page.get_by_role("tabpanel", name="Chat demo")).to_be_visible()
    expect(page.locator("#text")).to_be_hidden()
    expect(page).to_have_url(re.compile("#chat$"))
    page.reload()
    expect(page.get_by_role("tab", selected=True)).to_have_text("Chat demo")
    page.focus("#chat-tab")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Speak a line")).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("Tab")
    expect(page.locator("#chat-log")).to_be_focused()
    page.click("#line-tab")
    expect(page.locator("#text")).to_be_focused()
    assert urlless(page) == ""


def urlless(page: Page) -> str:
    """What the address says beside the page."""
    return str(page.evaluate("location.hash"))


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_chat_is_readable_named_and_inside_a_narrow_screen(
    open_page: Open, locale: str, scheme: str
) -> None:
    page = open_page(CHAT, locale=locale, color_scheme=scheme, viewport=NARROW)
    assert (nameless(page), faint(page), overflow(page)) == ([], [], 0)
    page.locator(".chip:visible").nth(3).click()
    expect(page.locator(NOW)).to_have_count(1)
    assert overflow(page) == 0
    page.keyboard.press("Escape")
    expect(page.locator(f"{ANSWER} del")).to_have_count(1)
    assert (nameless(page), faint(page), overflow(page)) == ([], [], 0)


def hurried(page: Page) -> None:
    """Let it speak twice as fast."""
    page.add_init_script("localStorage.setItem('utter.speed', '2')")


def test_the_log_follows_what_is_heard_and_not_what_is_written(open_page: Open) -> None:
    page = open_page(CHAT, viewport=NARROW, before=hurried)
    ask(page, "Tell me a story.")
    expect(page.locator(f"{ANSWER} .words")).to_contain_text("was done.", timeout=15_000)
    assert page.evaluate("document.querySelector('#chat-log').scrollTop") == 0
    page.wait_for_function(FOLLOWED, arg="#chat-log", timeout=30_000)


AT_END = "(box) => box.scrollTop + box.clientHeight >= box.scrollHeight - 1"
LATER = "([box, word]) => box.querySelectorAll('.heard').length > word + 4"


def test_a_long_line_scrolls_with_the_voice_and_leaves_a_reader_alone(open_page: Open) -> None:
    page = open_page(viewport=NARROW, before=hurried)
    page.fill("#text", "One goes on, and on. " * 30)
    page.press("#text", "Enter")
    page.wait_for_function(FOLLOWED, arg="#line", timeout=30_000)
    page.locator("#line").hover()
    page.mouse.wheel(0, 2000)
    box = page.locator("#line").element_handle()
    page.wait_for_function(AT_END, arg=box)
    page.wait_for_function(LATER, arg=[box, page.locator("#line .heard").count()])
    assert page.evaluate(AT_END, box)
