"""Folding: every character in one form, each in its place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.mandarin.fold import folded
from pipeline.text.mandarin.script import simplified, traditional


@given(st.text())
def test_no_character_moves(text: str) -> None:
    assert len(folded(text)) == len(simplified(text)) == len(text)


@given(st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert folded(folded(text)) == folded(text)
    assert simplified(simplified(text)) == simplified(text)


@given(st.text("0123456789年月零下中文，。"))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert folded(text) == simplified(text) == text


def test_full_width_and_other_scripts_digits_become_ascii() -> None:
    assert folded("１２３％：ＡＢｃ～६") == "123%:ABc~6"


def test_a_full_width_comma_stays_one_so_that_it_parts_numbers() -> None:
    assert folded("１，２") == "1，2"


def test_traditional_characters_of_the_rules_have_simplified_ones() -> None:
    assert simplified("3點30分，1億2萬，電話號碼，攝氏") == "3点30分，1亿2万，电话号码，摄氏"


def test_what_rules_say_can_be_said_in_traditional_characters() -> None:
    assert traditional("零下两摄氏度三点五亿公里") == "零下兩攝氏度三點五億公里"
