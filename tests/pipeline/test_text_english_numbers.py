"""Words of numbers: each number has its own, and they can be told back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.english.numbers import (
    LONGEST_CARDINAL,
    LONGEST_PLAIN,
    cardinal,
    digits,
    fraction,
    is_grouped,
    number_words,
    ordinal,
    plural,
    serial,
    two_digits,
    year,
)

SMALL = {cardinal(number): number for number in range(100)}
SCALES = {cardinal(1000**power).removeprefix("one "): 1000**power for power in range(1, 22)}


def told(words: str) -> int:
    """Return the number that American words name, by adding and multiplying as a listener does."""
    total = group = 0
    for word in words.split():
        if word == "hundred":
            group *= 100
        elif word in SCALES:
            total, group = total + group * SCALES[word], 0
        else:
            group += SMALL[word]
    return total + group


@given(st.integers(0, 10**LONGEST_CARDINAL - 1))
def test_a_listener_can_tell_the_number_from_its_words(number: int) -> None:
    assert told(cardinal(number)) == number


@given(st.integers(10**LONGEST_CARDINAL, 10 ** (LONGEST_CARDINAL + 20)))
def test_a_number_without_a_name_is_read_digit_by_digit(number: int) -> None:
    assert cardinal(number) == digits(str(number))


@given(st.integers(0, 10**9))
def test_an_ordinal_differs_from_its_cardinal_in_the_last_word_only(number: int) -> None:
    *head, last = cardinal(number).split()
    *ordinal_head, ordinal_last = ordinal(number).split()
    assert head == ordinal_head
    assert last != ordinal_last
    assert ordinal_last.endswith(("st", "nd", "rd", "th"))


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "first"),
        (2, "second"),
        (3, "third"),
        (12, "twelfth"),
        (20, "twentieth"),
        (21, "twenty first"),
        (103, "one hundred third"),
    ],
)
def test_an_ordinal_is_said_as_people_say_it(number: int, words: str) -> None:
    assert ordinal(number) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (476, "four seventy six"),
        (1000, "one thousand"),
        (1066, "ten sixty six"),
        (1900, "nineteen hundred"),
        (1905, "nineteen oh five"),
        (1958, "nineteen fifty eight"),
        (2000, "two thousand"),
        (2005, "two thousand five"),
        (2010, "twenty ten"),
        (2024, "twenty twenty four"),
    ],
)
def test_a_year_is_said_in_pairs_but_for_the_first_of_a_millennium(number: int, words: str) -> None:
    assert year(number) == words


@given(st.text("0123456789", min_size=LONGEST_PLAIN + 1, max_size=400))
def test_a_long_run_of_digits_is_named_digit_by_digit(text: str) -> None:
    assert number_words(text) == digits(text)
    assert len(number_words(text).split()) == len(text)


@given(st.integers(0, 10**LONGEST_CARDINAL - 1))
def test_commas_change_nothing_but_how_long_a_number_may_be(number: int) -> None:
    assert told(number_words(f"{number:,}")) == number


@given(st.integers(0, 10**9), st.text("0123456789", min_size=1, max_size=12))
def test_decimals_are_named_one_by_one(whole: int, decimals: str) -> None:
    assert number_words(f"{whole}.{decimals}") == f"{cardinal(whole)} point {digits(decimals)}"


def test_leading_zeros_are_named() -> None:
    assert number_words("007") == "zero zero seven"
    assert number_words("0") == "zero"
    assert number_words(".5") == "point five"


@given(st.text("0123456789", min_size=1, max_size=30))
def test_the_digits_of_a_name_become_words(text: str) -> None:
    assert serial(text).replace(" ", "").isalpha()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("7", "seven"),
        ("86", "eighty six"),
        ("101", "one oh one"),
        ("320", "three twenty"),
        ("1080", "ten eighty"),
        ("5000", "five thousand"),
        ("12700", "one two seven zero zero"),
        ("09", "zero nine"),
    ],
)
def test_the_digits_of_a_name_are_said_in_pairs(text: str, words: str) -> None:
    assert serial(text) == words


@pytest.mark.parametrize(
    ("top", "bottom", "words"),
    [
        (1, 2, "one half"),
        (3, 2, "three halves"),
        (3, 4, "three quarters"),
        (1, 3, "one third"),
        (5, 16, "five sixteenths"),
        (1, 100, "one hundredth"),
        (7, 30, "seven over thirty"),
    ],
)
def test_a_fraction_has_a_name_if_its_parts_have(top: int, bottom: int, words: str) -> None:
    assert fraction(top, bottom) == words


def test_a_plural_is_spelled_as_english_spells_it() -> None:
    assert [plural(word) for word in ("twenty eighty", "six", "fifth")] == [
        "twenty eighties",
        "sixes",
        "fifths",
    ]


def test_a_number_below_ten_after_another_has_an_oh() -> None:
    assert (two_digits(5), two_digits(30)) == ("oh five", "thirty")


@pytest.mark.parametrize("text", ["1,234", "12,34,567", "999,999,999"])
def test_groups_of_three_are_grouped_and_so_are_those_of_india(text: str) -> None:
    assert is_grouped(text)


@pytest.mark.parametrize("text", ["1,23", "1234,567", "1,2,3", "12,3456"])
def test_other_groups_are_no_number(text: str) -> None:
    assert not is_grouped(text)
