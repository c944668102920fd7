"""Dates, times and years: one reading for all spellings of a day, and years told from counts."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.english import calendar, quantities
from pipeline.text.english.numbers import ordinal, year
from pipeline.text.english.times import clock_words
from pipeline.text.rules import Rule, claims

RULES: tuple[Rule, ...] = (*calendar.RULES, *quantities.RULES)
DAYS = st.dates(dt.date(1500, 1, 1), dt.date(2099, 12, 31))
MONTHS = str.split("January February March April May June July August September October November December")


def read(text: str) -> str:
    """Return what is said for a text that is all figures, as plain words."""
    return " ".join(part.words for part in claims(text, RULES)).replace(",", "")


@given(DAYS)
def test_a_day_is_read_alike_however_it_is_written(day: dt.date) -> None:
    name = MONTHS[day.month - 1]
    words = f"{name} {ordinal(day.day)} {year(day.year)}"
    for text in (
        day.isoformat(),
        f"{day:%Y/%m/%d}",
        f"{day:%m/%d/%Y}",
        f"{day.month}/{day.day}/{day.year}",
        f"{day:%d.%m.%Y}",
        f"{name} {day.day}, {day.year}",
        f"{name[:3]} {day.day} {day.year}",
        f"{name.upper()} {day.day}, {day.year}",
    ):
        assert read(text) == words


@given(DAYS)
def test_a_day_before_its_month_is_of_it(day: dt.date) -> None:
    name = MONTHS[day.month - 1]
    words = f"the {ordinal(day.day)} of {name} {year(day.year)}"
    assert read(f"{day.day} {name} {day.year}") == words
    assert read(f"{day.day} {name[:3]} {day.year}") == words


@given(st.integers(13, 99), st.integers(32, 99), st.integers(1000, 2999))
def test_what_is_no_day_is_no_date(first: int, second: int, third: int) -> None:
    assert not any(month in read(f"{first}/{second}/{third}") for month in MONTHS)


@given(st.times())
def test_a_time_is_read_as_a_clock_is(time: dt.time) -> None:
    words = clock_words(f"{time:%H}", f"{time:%M}")
    assert read(f"{time:%H:%M}") == words


@given(st.integers(1, 12), st.integers(0, 59), st.sampled_from(["am", "PM", " a.m.", " p.m.", " PM"]))
def test_the_half_of_the_day_is_spelled(hour: int, minute: int, half: str) -> None:
    assert read(f"{hour}:{minute:02}{half}").endswith(f"{half.strip()[0].upper()} M")


@given(st.integers(25, 999), st.integers(60, 999))
def test_what_no_clock_shows_is_a_ratio(first: int, second: int) -> None:
    assert " to " in read(f"{first}:{second}")


@given(st.integers(1100, 2099))
def test_a_year_after_in_is_a_year_whoever_follows(number: int) -> None:
    assert read(f"In {number} people") == year(number)


@given(st.integers(1100, 2099), st.sampled_from(["people", "words", "km", "users", "calories", "of them"]))
def test_what_is_counted_is_no_year(number: int, counted: str) -> None:
    assert read(f"It has {number} {counted}") == read(f"It has {number:,} {counted}")


@given(st.integers(110, 209))
def test_a_decade_is_a_plural(tens: int) -> None:
    assert read(f"the {tens}0s").endswith("s")
    assert read(f"the {tens}0s") == read(f"the {tens}0's")


@given(st.integers(1100, 2099), st.integers(1, 99))
def test_a_span_of_years_is_of_years(first: int, length: int) -> None:
    assert read(f"{first}–{first + length}") == f"{year(first)} to {year(first + length)}"


@pytest.mark.parametrize(
    "text", ["May I", "march 5", "May be 5", "Dec", "in March", "5 May be", "March 5 miles"]
)
def test_words_that_are_months_as_well_are_left_where_no_date_is(text: str) -> None:
    assert not any(month in read(text) for month in MONTHS)


@pytest.mark.parametrize("text", ["5 in the morning", "I am 5", "5 a day", "at 5 Amazing", "pm 5"])
def test_no_half_of_the_day_is_heard_where_none_is(text: str) -> None:
    assert " M" not in read(text)


def test_a_day_may_have_a_time_in_the_same_token() -> None:
    assert read("2024-10-01T09:05:00Z") == "October first twenty twenty four nine oh five U T C"


def test_hours_and_minutes_of_one_duration_are_told_from_meters() -> None:
    assert read("2h 30m") == "two hours thirty minutes"
    assert read("30m") == "thirty meters"
