"""Numbers as Mandarin says them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.mandarin.numbers import LONGEST_CARDINAL, cardinal, digits, fraction, number

VALUES = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"两": 2}
UNITS = {"十": 10, "百": 100, "千": 1000}


def value(words: str) -> int:
    """What a Chinese reader understands: the sum of digits times units, by ten thousands."""
    for unit, size in (("亿", 10**8), ("万", 10**4)):
        if unit in words:
            high, _, low = words.rpartition(unit)
            return value(high) * size + value(low)
    total = digit = 0
    for character in words:
        if character in UNITS:
            total += (digit or 1) * UNITS[character]
            digit = 0
        else:
            digit = VALUES[character]
    return total + digit


@given(st.one_of(st.integers(0, 10**5), st.integers(0, 10**LONGEST_CARDINAL - 1)))
def test_a_cardinal_is_understood_as_the_number_it_was_made_from(whole: int) -> None:
    assert value(cardinal(whole)) == whole


@given(st.integers(0, 10**LONGEST_CARDINAL - 1))
def test_a_gap_in_a_cardinal_is_one_zero(whole: int) -> None:
    assert "零零" not in cardinal(whole)


@pytest.mark.parametrize(
    ("whole", "words"),
    [
        (0, "零"),
        (2, "二"),
        (10, "十"),
        (12, "十二"),
        (20, "二十"),
        (110, "一百一十"),
        (200, "二百"),
        (1005, "一千零五"),
        (2000, "两千"),
        (10000, "一万"),
        (20000, "两万"),
        (22000, "两万二千"),
        (100000, "十万"),
        (100005, "十万零五"),
        (10050000, "一千零五万"),
        (200000000, "两亿"),
        (1000000000000, "一万亿"),
    ],
)
def test_cardinals_are_said_as_people_say_them(whole: int, words: str) -> None:
    assert cardinal(whole) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,234.50", "一千二百三十四点五零"),
        ("0.05", "零点零五"),
        ("007", "零零七"),
        ("00.5", "零零点五"),
        ("9" * 17, "九" * 17),
        ("2.0", "二点零"),
    ],
)
def test_a_written_number_is_said_with_its_decimals(text: str, words: str) -> None:
    assert number(text) == words


def test_a_mere_two_can_be_said_otherwise() -> None:
    assert number("2", two="两") == "两"
    assert number("12", two="两") == "十二"


def test_digits_are_named_one_by_one() -> None:
    assert digits("1-0 1") == "一零一"
    assert digits("110", phone=True) == "幺幺零"


def test_a_fraction_names_its_denominator_first() -> None:
    assert fraction("3", "4") == "四分之三"
