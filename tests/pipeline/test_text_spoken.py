"""Spoken form: marks and lexicons first, each stretch in its language, and each word for its characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech import Spoken
from pipeline.splitter import Splitter
from pipeline.text.lexicon import Lexicon
from pipeline.text.passage import Mark, MarkKind, Passage
from pipeline.text.spoken import DEFAULT_READING, ReadingOptions, joined, spoken_form


def said(text: str, language: str = "en", *, reading: ReadingOptions = DEFAULT_READING) -> str:
    """The spoken form of a text with its markup, as one string."""
    splitter = Splitter(plain=not reading.markup)
    sentences = splitter.push(text) + splitter.flush()
    return " ".join(joined(spoken_form(sentence.passage, language, reading)) for sentence in sentences)


def captions(text: str, language: str = "en") -> list[tuple[str, str]]:
    """What is said for which characters, words for the same ones together."""
    told: list[tuple[str, str]] = []
    spoken = spoken_form(Passage.plain(text), language, DEFAULT_READING)
    for at, word in enumerate(spoken):
        characters = text[word.offset : word.offset + word.length]
        if at and (spoken[at - 1].offset, spoken[at - 1].length) == (word.offset, word.length):
            told[-1] = characters, f"{told[-1][1]} {word.text}"
        else:
            told.append((characters, word.text))
    return told


def with_lexicon(*entries: dict[str, str]) -> ReadingOptions:
    """Options with lexicons, the first before the second."""
    return ReadingOptions(lexicons=tuple(Lexicon(one) for one in entries))


def test_a_word_of_the_input_is_one_caption_whatever_is_said_for_it() -> None:
    assert captions("It costs $1,234.56, now.") == [
        ("It", "It"),
        ("costs", "costs"),
        ("$1,234.56,", "one thousand two hundred thirty four dollars and fifty six cents,"),
        ("now.", "now."),
    ]


def test_what_is_said_for_several_words_is_said_for_each_of_them() -> None:
    assert captions("(at 5 km),") == [("(at", "(at"), ("5", "five"), ("km),", "kilometers),")]


def test_a_dash_that_touches_both_its_neighbours_ends_a_word() -> None:
    assert [characters for characters, _ in captions("said—and 5km")] == ["said—", "and", "5km"]


def test_each_character_of_chinese_is_a_caption_and_so_is_each_number() -> None:
    assert captions("我有12个。", "zh") == [("我", "我"), ("有", "有"), ("12", "十二"), ("个。", "个.")]


def test_latin_words_inside_chinese_are_english_words() -> None:
    spoken = spoken_form(Passage.plain("我用iPhone看"), "mixed", DEFAULT_READING)
    assert [(word.text, word.language) for word in spoken] == [
        ("我", "zh"),
        ("用", "zh"),
        ("iPhone", "en"),
        ("看", "zh"),
    ]


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ('Say <say-as interpret-as="characters">AB1</say-as>, please.', "Say A B one, please."),
        ('Code <say-as interpret-as="digits">305</say-as>.', "Code three zero five."),
        ('The <sub alias="World Wide Web">WWW</sub>, then.', "The World Wide Web, then."),
        ("A <blink>lamp</blink> is <x-odd a='1'>on</x-odd>.", "A lamp is on."),
    ],
)
def test_marks_say_what_is_said(text: str, spoken: str) -> None:
    assert said(text) == spoken


def test_phonemes_go_to_the_voice_with_the_punctuation_around_them() -> None:
    splitter = Splitter()
    (sentence,) = splitter.push("Say “[Utter](/ˈʌTəɹ/)”, now.") + splitter.flush()
    given = [word for word in spoken_form(sentence.passage, "en", DEFAULT_READING) if word.phonemes]
    assert [(word.text, word.phonemes) for word in given] == [("“Utter”,", "ˈʌTəɹ")]


def test_a_lexicon_says_other_words_or_phonemes() -> None:
    reading = with_lexicon({"afk": "away", "Utter": "/ˈʌTəɹ/"})
    assert said("He is afk, see?", reading=reading) == "He is away, see?"
    spoken = spoken_form(Passage.plain("Utter's"), "en", reading)
    assert [(word.text, word.phonemes) for word in spoken] == [("Utter's", "ˈʌTəɹ")]


def test_the_first_lexicon_that_has_a_word_counts_and_marks_go_before_both() -> None:
    reading = with_lexicon({"gg": "well played"}, {"gg": "good game", "afk": "away"})
    assert said('gg afk <sub alias="x">gg</sub>', reading=reading) == "well played away x"


def test_what_a_lexicon_says_is_read_like_any_text_but_not_looked_up_again() -> None:
    assert said("a b", reading=with_lexicon({"a": "b $5", "b": "c"})) == "b five dollars c"


def test_emoji_are_silent_or_named() -> None:
    assert said("Great 🎉 team") == "Great team"
    assert said("Great 🎉 team", reading=ReadingOptions(names_emoji=True)) == "Great party popper team"


def test_plain_text_has_no_markup() -> None:
    assert said("a <b>c</b>", reading=ReadingOptions(markup=False)) != said("a <b>c</b>") == "a c"


texts = st.text(st.sampled_from("aB1 5.,$%()-—你好年°🎉é'\u0301"), max_size=40) | st.text(max_size=30)
hints = st.sampled_from(["en", "zh", "mixed", "zh-CN", "fr", ""])


@st.composite
def passages(draw: st.DrawFn) -> Passage:
    text = draw(texts)
    marks: list[Mark] = []
    at = 0
    while at < len(text) and draw(st.booleans()):
        begin = draw(st.integers(at, len(text) - 1))
        at = draw(st.integers(begin + 1, len(text)))
        marks.append(
            Mark(draw(st.sampled_from(MarkKind)), begin, at, draw(st.sampled_from(["", "x", "$5", "5"])))
        )
    return Passage(text, range(len(text)), tuple(marks))


@given(passages(), hints)
def test_any_text_has_a_spoken_form_in_order_of_its_characters(passage: Passage, hint: str) -> None:
    spoken = spoken_form(passage, hint, with_lexicon({"a": "b 5", "好": "/x/"}))
    end = 0
    before: Spoken | None = None
    for word in spoken:
        assert word.text == "".join(word.text.split()) != ""
        assert word.length > 0
        same = before is not None and (before.offset, before.length) == (word.offset, word.length)
        assert same or word.offset >= end
        end, before = word.offset + word.length, word
    assert end <= len(passage.text)
