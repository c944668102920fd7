"""Emoji and emoticons: found whole, and silent or named."""

from __future__ import annotations

import emoji
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.emoji import emoji_rules
from pipeline.text.rules import Said, claims

SPACE = " "
SPOKEN_SYMBOLS = "©®™ℹ‼⁉↔↕↖↗↘↙↩↪"
PICTURES = [
    picture
    for picture, about in emoji.EMOJI_DATA.items()
    if about["status"] == emoji.STATUS["fully_qualified"]
    and picture[0] not in SPOKEN_SYMBOLS
    and not picture[0].isdigit()
]


@given(st.sampled_from(PICTURES))
def test_an_emoji_is_silent_as_a_whole(picture: str) -> None:
    text = f"a {picture} b"
    assert claims(text, emoji_rules()) == [Said("", 2, 2 + len(picture))]


@given(st.sampled_from(PICTURES), st.sampled_from(("en", "zh")))
def test_an_emoji_may_be_named(picture: str, language: str) -> None:
    (name,) = claims(picture, emoji_rules("zh" if language == "zh" else "en"))
    assert (name.begin, name.end) == (0, len(picture))
    assert not any(character.isdigit() for character in name.words)


def test_a_name_is_in_the_language_of_the_text() -> None:
    assert claims("👍", emoji_rules("en")) == [Said("thumbs up", 0, 1)]
    assert claims("👍", emoji_rules("zh")) == [Said("拇指向上", 0, 1)]


def test_emoji_of_a_kind_in_a_row_are_named_once() -> None:
    assert claims("🎉🎉 🎉🔥", emoji_rules("en")) == [Said("party popper", 0, 4), Said("fire", 4, 5)]


def test_skin_tones_are_not_named() -> None:
    assert claims("👍🏽", emoji_rules("en")) == [Said("thumbs up", 0, 2)]


def test_two_flags_in_a_row_are_two() -> None:
    assert [said.words for said in claims("🇺🇸🇩🇪", emoji_rules("en"))] == ["United States", "Germany"]


def test_a_digit_on_a_key_is_left_to_be_read() -> None:
    assert claims("1️⃣ Open", emoji_rules()) == [Said("", 1, 3)]


@pytest.mark.parametrize(
    "face",
    r":) :-) :D :-D :P ;) =) :'( :/ :| :3 (: xD XD <3 </3 ^_^ T_T -_- >_< o_O :))) ¯\_(ツ)_/¯ ʕ•ᴥ•ʔ".split(
        SPACE
    ),
)
def test_an_emoticon_is_silent(face: str) -> None:
    assert claims(f"well {face} then", emoji_rules()) == [Said("", 5, 5 + len(face))]


@pytest.mark.parametrize(
    "text",
    "3:3 http://x.org (see:x) <3.5 key:D if:pass 1:0 (2) 8) x=D xDrive C♯ 二○二六年 © std::D".split(SPACE),
)
def test_what_only_resembles_an_emoticon_is_left_alone(text: str) -> None:
    assert claims(text, emoji_rules()) == []


@given(st.text(), st.booleans())
def test_any_text_is_taken(text: str, named: bool) -> None:
    for said in claims(text, emoji_rules("en" if named else None)):
        assert 0 <= said.begin < said.end <= len(text)
