"""How text is read, as a person chooses it on the page, in a real Chromium, before a real server."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visit import Open, faint, nameless, overflow

pytestmark = pytest.mark.browser

LONG = "This line goes on for quite a while, so that there is time to stop it, and then it goes on. " * 3
REFUSE_STORAGE = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused'); } });"
ANNOUNCED = "#announcement"


def opened(page: Page) -> Page:
    page.click("#reading summary")
    return page


def add(page: Page, word: str, said: str) -> None:
    """With the keyboard alone, as somebody on air does."""
    page.fill("#pronunciation-word", word)
    page.press("#pronunciation-word", "Enter")
    expect(page.locator("#pronunciation-said")).to_be_focused()
    page.keyboard.insert_text(said)
    page.keyboard.press("Enter")


def speak(page: Page, text: str) -> None:
    page.fill("#text", text)
    page.press("#text", "Enter")


def pairs(page: Page) -> list[str]:
    return page.locator(".pronunciation-pair").all_inner_texts()


def first_texts(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How each line asks to be read."""
    fields = ("markup", "emoji", "lexicon")
    asked = [message for message in told if message["type"] == "text" and "voice" in message]
    return [{field: message[field] for field in fields if field in message} for message in asked]


def listening(told: list[dict[str, Any]], received: list[dict[str, Any]] | None = None) -> Any:
    """Keep what the page tells the server, and what it is told, from the first message on."""

    def keep(frame: str | bytes, where: list[dict[str, Any]]) -> None:
        if isinstance(frame, str):
            where.append(json.loads(frame))

    def listen(page: Page) -> None:
        page.on("websocket", lambda socket: socket.on("framesent", lambda frame: keep(frame, told)))
        if received is not None:
            page.on(
                "websocket", lambda socket: socket.on("framereceived", lambda frame: keep(frame, received))
            )

    return listen


def test_what_is_filled_in_while_on_air_holds_for_the_next_line_and_the_next_answer(open_page: Open) -> None:
    told: list[dict[str, Any]] = []
    page = opened(open_page(before=listening(told)))
    speak(page, "One.")
    expect(page.locator(".item")).to_have_count(1)
    add(page, "afk", "away")
    expect(page.locator(ANNOUNCED)).to_have_text("“afk” is now said “away”.")
    expect(page.locator("#pronunciation-word")).to_be_focused()
    add(page, "Utter", "/ˈʌtɚ/")
    page.check("#names-emoji")
    page.check("#plain")
    expect(page.locator("#reading-state")).to_have_text("Pronunciations: 2 · emoji by name · text as it is")
    speak(page, "Two.")
    expect(page.locator(".item")).to_have_count(2)
    page.uncheck("#plain")
    page.keyboard.press("Escape")
    page.click("#chat-tab")
    page.click("text=Who are you?")
    expect(page.locator(".said.assistant .words")).not_to_be_empty()
    expect(page.locator(".item")).to_have_count(3)
    lexicon = {"afk": "away", "Utter": "/ˈʌtɚ/"}
    assert first_texts(told) == [
        {},
        {"markup": "plain", "emoji": "name", "lexicon": lexicon},
        {"emoji": "name", "lexicon": lexicon},
    ]


def test_a_line_said_again_is_read_as_is_chosen_now(open_page: Open) -> None:
    told: list[dict[str, Any]] = []
    page = opened(open_page(before=listening(told)))
    speak(page, LONG)
    page.keyboard.press("Escape")
    add(page, "while", "moment")
    page.click(".item .play")
    expect(page.locator(".item.active")).to_have_count(1)
    assert first_texts(told) == [{}, {"lexicon": {"while": "moment"}}]


def test_a_pronunciation_is_tried_as_it_is_and_changes_what_is_said(open_page: Open) -> None:
    received: list[dict[str, Any]] = []
    page = opened(open_page(before=listening([], received)))
    add(page, "afk", "away from the keyboard for a while")
    page.click(".pronunciation .try")
    expect(page.locator(".item-text")).to_have_text(["afk"])
    expect(page.locator("#stop")).to_be_disabled(timeout=15_000)
    page.click(".pronunciation .edit")
    page.fill("#pronunciation-said", "gone")
    page.keyboard.press("Enter")
    page.click(".pronunciation .try")
    expect(page.locator(".item-text")).to_have_count(2)
    expect(page.locator("#stop")).to_be_disabled(timeout=15_000)
    long, short = (message["samples"] for message in received if message["type"] == "done")
    assert long > short > 0


def test_a_pronunciation_is_changed_renamed_and_removed(open_page: Open) -> None:
    page = opened(open_page())
    for word, said in (("afk", "away"), ("brb", "back soon"), ("gg", "good game")):
        add(page, word, said)
    assert pairs(page) == ["gg → good game", "brb → back soon", "afk → away"]
    page.get_by_role("button", name="Edit: brb").click()
    expect(page.locator("#pronunciation-said")).to_be_focused()
    expect(page.locator("#pronunciation-word")).to_have_value("brb")
    page.keyboard.insert_text("be right back")
    page.keyboard.press("Enter")
    assert pairs(page) == ["gg → good game", "brb → be right back", "afk → away"]
    page.get_by_role("button", name="Edit: brb").click()
    page.fill("#pronunciation-word", "afk")
    page.click("#pronunciation-add")
    assert pairs(page) == ["gg → good game", "afk → be right back"]
    expect(page.locator(ANNOUNCED)).to_contain_text("was in the list")
    page.get_by_role("button", name="Edit: gg").click()
    page.fill("#pronunciation-said", "never mind")
    page.click("#pronunciation-cancel")
    expect(page.get_by_role("button", name="Edit: gg")).to_be_focused()
    page.get_by_role("button", name="Remove: gg").press("Enter")
    assert pairs(page) == ["afk → be right back"]
    expect(page.get_by_role("button", name="Remove: afk")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#pronunciation-list")).to_be_hidden()
    expect(page.locator("#pronunciation-word")).to_be_focused()
    expect(page.locator("#reading-state")).to_be_empty()


def test_what_is_not_taken_is_said_where_it_is_entered_in_both_languages(open_page: Open) -> None:
    page = opened(open_page())
    alert = page.locator("#pronunciation-refusal")
    page.click("#pronunciation-add")
    expect(alert).to_have_text("Enter the word as it is written in the text.")
    expect(page.locator("#pronunciation-word")).to_be_focused()
    page.keyboard.insert_text("w" * 65)
    expect(alert).to_be_hidden()
    page.click("#pronunciation-add")
    expect(alert).to_contain_text("at most 64 characters")
    page.fill("#pronunciation-word", "afk")
    page.click("#pronunciation-add")
    expect(alert).to_have_text("Enter what is to be said for it.")
    expect(page.locator("#pronunciation-said")).to_be_focused()
    page.fill("#pronunciation-said", "/half")
    page.press("#pronunciation-said", "Enter")
    expect(alert).to_contain_text("Phonemes stand between two slashes")
    expect(page.locator("#pronunciation-said")).to_have_attribute("aria-invalid", "true")
    page.click("[data-language=zh]")
    expect(alert).to_contain_text("音标要写在两条斜线之间")
    expect(page.locator(".item, .pronunciation")).to_have_count(0)


def test_the_enter_that_ends_a_composition_enters_nothing(open_page: Open) -> None:
    page = opened(open_page())
    page.fill("#pronunciation-word", "主播")
    for options in ({"isComposing": True}, {"keyCode": 229}):
        page.dispatch_event("#pronunciation-word", "keydown", {"key": "Enter", "cancelable": True, **options})
        expect(page.locator("#pronunciation-said")).not_to_be_focused()
    expect(page.locator("#pronunciation-refusal")).to_be_hidden()


def test_the_choices_are_there_at_the_next_visit_and_in_another_tab(open_page: Open) -> None:
    page = opened(open_page())
    add(page, "afk", "away")
    page.check("#names-emoji")
    page.reload()
    expect(page.locator("#reading-state")).to_have_text("Pronunciations: 1 · emoji by name")
    other = page.context.new_page()
    other.goto(page.url)
    opened(other)
    expect(other.locator("#names-emoji")).to_be_checked()
    other.click(".pronunciation .remove")
    expect(page.locator("#reading-state")).to_have_text("emoji by name")


def test_where_the_browser_keeps_nothing_it_says_so_and_the_choices_hold_for_the_page(
    open_page: Open,
) -> None:
    told: list[dict[str, Any]] = []

    def before(page: Page) -> None:
        page.add_init_script(REFUSE_STORAGE)
        listening(told)(page)

    page = opened(open_page(before=before))
    expect(page.locator("#reading-unkept")).to_contain_text("until it is closed")
    add(page, "afk", "away")
    speak(page, "Yes.")
    expect(page.locator(".item")).to_have_count(1)
    assert first_texts(told) == [{"lexicon": {"afk": "away"}}]


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_choices_are_readable_named_and_inside_a_narrow_screen(
    open_page: Open, locale: str, scheme: str
) -> None:
    page = opened(open_page(locale=locale, color_scheme=scheme, viewport={"width": 320, "height": 640}))
    add(page, "w" * 64, "s" * 200)
    add(page, "afk", "away")
    page.check("#names-emoji")
    page.click(".pronunciation .edit")
    page.fill("#pronunciation-said", "/half")
    page.keyboard.press("Enter")
    expect(page.locator("#pronunciation-refusal")).to_be_visible()
    assert (nameless(page), faint(page), overflow(page)) == ([], [], 0)


def test_files_that_cannot_be_had_say_why(open_page: Open) -> None:
    page = open_page()
    speak(page, LONG)
    expect(page.locator(".item.active")).to_have_count(1)
    page.keyboard.press("Escape")
    for kind in ("wav", "opus", "srt", "vtt"):
        button = page.locator(f".item .{kind}")
        expect(button).to_be_disabled()
        expect(button).to_have_accessible_description(
            "Not all of its sound arrived. Play it again to the end to download it."
        )
