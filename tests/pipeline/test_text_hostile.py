"""Text made to be slow, wrong or unreadable: what comes of it."""

from __future__ import annotations

import pytest

from pipeline.segments import PAUSE_MS, Segments
from pipeline.splitter import Splitter
from pipeline.text.passage import Mark, MarkKind, Passage
from pipeline.text.spoken import DEFAULT_READING, joined, spoken_form
from pipeline.text.weight import HEAVIEST_SEGMENT, reach, weight

MUCH = 100_000


def passages(text: str, size: int = MUCH) -> list[Passage]:
    splitter = Splitter()
    pieces = (text[at : at + size] for at in range(0, len(text), size))
    sentences = [sentence for piece in pieces for sentence in splitter.push(piece)]
    return [sentence.passage for sentence in sentences + splitter.flush()]


def said(text: str, language: str = "en") -> str:
    return " ".join(joined(spoken_form(passage, language, DEFAULT_READING)) for passage in passages(text))


@pytest.mark.parametrize("size", [MUCH, 128])
@pytest.mark.parametrize(
    "unit", ["[\\]", "[a\\]", "<break/> ", "<break/>", "a <break/> ", "[a b](/c/) ", "0", "a|b\n"]
)
def test_much_of_it_is_read_to_its_end(unit: str, size: int) -> None:
    text = unit * (MUCH // len(unit))
    heard = "".join(passage.text for passage in passages(text, size))
    assert heard.count("a") == text.replace("break", "").count("a")
    assert heard.count("0") == text.count("0")


def test_many_pauses_at_one_place_are_one_as_long_as_the_longest() -> None:
    pauses = "".join(f'<break time="{length}ms"/> ' for length in (*range(1, 900), 3, 2))
    (passage,) = passages(pauses + "Go.")
    assert passage.marks == (Mark(MarkKind.BREAK, 0, 0, "899"),)


@pytest.mark.parametrize("between", ["— ", "- ", "*** ", "—\n\n", '" - '])
def test_a_pause_is_kept_where_the_punctuation_behind_it_is_dropped(between: str) -> None:
    *_, last = passages(f'Stop. <break time="2s"/> {between}Go.')
    assert last == Passage("Go.", last.origins, (Mark(MarkKind.BREAK, 0, 0, "2000"),))


@pytest.mark.parametrize(
    ("text", "before_ms", "pause_ms"),
    [('Stop. <break time="2s"/> . . Go.', 0, 2000), ('(<break time="2s"/>"Go," he said', 2000, 0)],
)
def test_a_pause_is_kept_with_punctuation_between_it_and_the_words(
    text: str, before_ms: int, pause_ms: int
) -> None:
    splitter = Splitter()
    segments = Segments()
    segments.push(splitter.push(text) + splitter.flush())
    segment = segments.next(10_000)
    assert segment
    assert segment.before_ms == before_ms
    assert segment.pause_ms == max(pause_ms, PAUSE_MS[segment.boundary])


def test_words_said_for_one_number_have_its_whole_span_whatever_overlaps() -> None:
    spans = {
        (word.offset, word.offset + word.length)
        for word in spoken_form(Passage.plain("V一)%3"), "en", DEFAULT_READING)
    }
    assert spans == {(0, 1), (1, 5)}


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("1/1.5=2", "one divided by one point five equals two"),
        ("1/2,000=3", "one divided by two thousand equals three"),
        ("10^12345678", None),
        ("x^64894", None),
        ("1 + 2 =3", None),
        ("so x =3.5", None),
    ],
)
def test_figures_beside_signs_are_read_with_all_their_digits(text: str, heard: str | None) -> None:
    form = said(text)
    assert heard is None or form == heard
    assert not any(map(str.isdigit, form))
    assert "three" in form or not text.endswith(("=3", "3.5"))


def test_what_is_silent_in_a_spelled_word_is_no_part_of_what_is_said() -> None:
    text = '<say-as interpret-as="characters">ab 👍</say-as>.'
    assert [word.text for word in spoken_form(passages(text)[0], "en", DEFAULT_READING)] == ["A", "B."]


@pytest.mark.parametrize("unit", ["?!.", '("?!', "。？"])
def test_few_marks_gather_at_a_word_of_chinese(unit: str) -> None:
    assert (
        max(len(word.text) for word in spoken_form(Passage.plain("好" + unit * 90), "zh", DEFAULT_READING))
        < 10
    )


@pytest.mark.parametrize(
    "text", ["0" * 300, "a0" * 150, "$" * 300, "中W" * 150, "a" * 300, "a" * 290 + "0" * 10, "%" + "a" * 299]
)
def test_a_text_reaches_as_far_as_it_is_light_enough(text: str) -> None:
    end = reach(text, 300)
    assert weight(text[:end]) <= HEAVIEST_SEGMENT
    assert end == 300 or weight(text[: end + 1]) > HEAVIEST_SEGMENT


def test_a_letter_to_be_named_takes_one_possessive() -> None:
    assert [word.text for word in spoken_form(Passage.plain("AAs'S"), "en", DEFAULT_READING)] == [
        "A",
        "A's",
        "'S",
    ]


@pytest.mark.parametrize(
    "text", ["#g3.3", "5m3.2", "@a x\u00b2", "#\U0001f100", "www.x.com\u2082", "\u2780", "3\u0660\u2460."]
)
@pytest.mark.parametrize("language", ["en", "zh", "mixed", ""])
def test_no_digit_is_left_whatever_the_rules_do_with_what_is_around_it(text: str, language: str) -> None:
    assert not any(map(str.isdigit, said(text, language)))
