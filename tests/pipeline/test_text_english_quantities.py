"""Figures of all kinds: every digit becomes words, each said for its own characters."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.english import calendar, quantities
from pipeline.text.english.figures import spread
from pipeline.text.english.reader import read_english
from pipeline.text.english.units import UNITS, per_name, plural_of, unit_name
from pipeline.text.rules import Rule, Said, claims

RULES: tuple[Rule, ...] = (*calendar.RULES, *quantities.RULES)

CASES = Path(__file__).parents[1] / "data" / "cases"
KINDS = ("numbers", "money", "dates", "times", "units", "ranges", "fractions", "phones")
LINES = [
    json.loads(line)
    for kind in KINDS
    for line in (CASES / f"en_{kind}.jsonl").read_text("utf-8").splitlines()
]

PIECES = [
    *"0123456789$€£%°'\"/:,.-–−+×x^=#~½²₂①٣ ()",
    *(
        "km",
        "m",
        " in ",
        "am",
        "p.m.",
        "th",
        "s",
        "k",
        "May ",
        "5 March",
        "No. ",
        "1,234.56",
        "12:30",
        "19",
        "20",
    ),
    *("USD", "UTC+", "a", "Q", "the ", "of ", "-year-old", "10-12", "3/4", "\u202f000", "\n", "BC", "John 3"),
]
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=16).map("".join), st.text(max_size=40))


def plain(text: str) -> str:
    """Lower case, punctuation to single spaces."""
    return " " + re.sub(r"\s+", " ", re.sub(r"[^\w]|_", " ", text.lower())).strip() + " "


def spoken(text: str) -> str:
    return " ".join(word.text for word in read_english(text))


def told(text: str) -> list[tuple[str, str]]:
    """Return what is said, and the characters it is said for."""
    return [(part.words, text[part.begin : part.end]) for part in claims(text, RULES)]


@pytest.mark.parametrize("case", LINES, ids=lambda case: str(case["id"]))
def test_a_case_is_read_as_it_says(case: dict[str, str | list[str]]) -> None:
    heard = plain(spoken(str(case["text"])))
    at = 0
    for phrase in case["spoken"]:
        hits = [heard.find(plain(way), at) for way in phrase.split("|")]
        assert max(hits) >= 0, f"{phrase!r} is not in {heard!r}, or not in order"
        at = min(hit for hit in hits if hit >= 0) + 1
    for phrase in case.get("not_spoken", []):
        assert plain(phrase) not in heard


@given(TEXTS)
def test_no_digit_of_any_script_is_left(text: str) -> None:
    parts = claims(text, RULES)
    covered = {at for part in parts for at in range(part.begin, part.end)}
    assert not [character for at, character in enumerate(text) if character.isdigit() and at not in covered]
    assert not any(character.isdigit() for part in parts for character in part.words)


@given(TEXTS)
def test_claims_are_of_the_same_characters_or_of_different_ones(text: str) -> None:
    spans = [(part.begin, part.end) for part in claims(text, RULES)]
    assert all(0 <= begin < end <= len(text) for begin, end in spans)
    assert all(first == second or first[1] <= second[0] for first, second in pairwise(spans))


@given(TEXTS)
def test_a_claim_neither_begins_nor_ends_in_white_space(text: str) -> None:
    for part in claims(text, RULES):
        assert not text[part.begin].isspace()
        assert not text[part.end - 1].isspace()


@given(st.text(st.characters(exclude_categories=["Nd", "No", "Nl"]), max_size=60))
def test_text_without_figures_is_left_as_it_is(text: str) -> None:
    if not quantities.has_figures(text):
        assert claims(text, RULES) == []


@given(TEXTS)
def test_what_has_no_figures_is_known_beforehand(text: str) -> None:
    assert quantities.has_figures(text) or not claims(text, RULES)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("5 km", [("five", "5"), ("kilometers", "km")]),
        ("5km", [("five kilometers", "5km")]),
        ("$1,234.56", [("one thousand two hundred thirty four dollars and fifty six cents", "$1,234.56")]),
        ("$5 million", [("five", "$5"), ("million dollars", "million")]),
        ("12,50 €", [("twelve", "12,50"), ("euros and fifty cents", "€")]),
        ("5 USD", [("five", "5"), ("U S", "USD"), ("dollars", "USD")]),
        ("5 - 10 kg", [("five", "5"), ("to", "-"), ("ten", "10"), ("kilograms", "kg")]),
        ("2 1/2 cups", [("two", "2"), ("and a half", "1/2")]),
        ("March 5, 2024", [("March", "March"), ("fifth", "5"), ("twenty twenty four", "2024")]),
        ("9:30 p.m.", [("nine thirty", "9:30"), ("P M", "p.m.")]),
        ("9am–5pm", [("nine", "9am–5pm"), ("A M", "9am–5pm"), ("to five", "9am–5pm"), ("P M", "9am–5pm")]),
        (
            "(555) 123-4567",
            [("five five five,", "(555)"), ("one two three, four five six seven", "123-4567")],
        ),
        ("2 + 2 = 4", [("two", "2"), ("plus", "+"), ("two", "2"), ("equals", "="), ("four", "4")]),
    ],
)
def test_each_token_is_said_for_its_own_characters(text: str, parts: list[tuple[str, str]]) -> None:
    assert told(text) == parts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(5 km),", "(five kilometers),"),
        ("$5.", "five dollars."),
        ("“1,000”", "“one thousand”"),
        ("5 p.m.", "five P M."),
    ],
)
def test_the_punctuation_of_the_sentence_stays(text: str, words: str) -> None:
    assert spoken(text) == words


@pytest.mark.parametrize("unit", sorted(set(UNITS) - {"C", "F", "K", "c"}))
def test_a_unit_that_touches_its_figure_is_read_in_the_plural(unit: str) -> None:
    assert told(f"150.5{unit}") == [
        (f"one hundred fifty point five {plural_of(UNITS[unit])}", f"150.5{unit}")
    ]


@pytest.mark.parametrize(
    ("symbol", "many"),
    [
        ("m²", "square meters"),
        ("km^2", "square kilometers"),
        ("cm3", "cubic centimeters"),
        ("sq. ft", "square feet"),
        ("fl oz", "fluid ounces"),
        ("mph", "miles per hour"),
        ("°C", "degrees Celsius"),
        ("kHz", "kilohertz"),
    ],
)
def test_areas_volumes_and_rates_have_names(symbol: str, many: str) -> None:
    unit = unit_name(symbol)
    assert unit is not None
    assert plural_of(unit) == many


@pytest.mark.parametrize("symbol", ["x²", "zz", "sq", "kg2", "", "²"])
def test_what_is_no_unit_has_no_name(symbol: str) -> None:
    assert unit_name(symbol) is None


def test_a_divisor_may_be_a_unit_or_a_thing() -> None:
    assert [per_name(symbol) for symbol in ("h", "s²", "person", "xyz")] == [
        "hour",
        "second squared",
        "person",
        None,
    ]


@given(
    st.integers(2, 10**6), st.sampled_from(["km", "kg", "GB", "kWh", "MHz", "ml", "mph", "°C", "%", "lbs"])
)
def test_figures_and_units_may_be_apart_or_touch(number: int, unit: str) -> None:
    assert plain(spoken(f"{number} {unit}")) == plain(spoken(f"{number}{unit}"))


@given(st.integers(0, 10**6), st.integers(0, 99))
def test_a_sum_in_dollars_is_read_to_the_cent(dollars: int, cents: int) -> None:
    words = spoken(f"${dollars:,}.{cents:02}")
    assert ("cent" in words) == (cents > 0)
    assert ("dollar" in words) == (dollars > 0 or cents == 0)


@given(st.integers(1, 998), st.integers(1, 998))
def test_a_range_is_read_with_to(low: int, high: int) -> None:
    heard = spoken(f"pages {low}–{high}.")
    assert heard == f"{spoken(f'pages {low}')} to {spoken(f'{high}.')}"


@pytest.mark.parametrize(
    "text",
    [
        "Give us no more than that, please.",
        "In the morning she said no; I may march on.",
        "St. John's and A & B",
    ],
)
def test_prose_is_not_touched(text: str) -> None:
    assert claims(text, RULES) == []


@pytest.mark.parametrize(
    "piece", ["1,", "1 ", "$1", "1-", "1/", "1:", "½", "a1", "1x", "1=", "1'", "May 5 ", "0 0 "]
)
def test_the_same_figure_over_and_over_is_read_to_the_end(piece: str) -> None:
    parts = claims(piece * 500, RULES)
    assert parts[-1].end > len(piece) * 498


def parts_of(*spans: tuple[int, int]) -> Sequence[Said]:
    return [Said("word", begin, end) for begin, end in spans]


def test_parts_of_one_token_share_its_span() -> None:
    assert spread("5km run", parts_of((0, 1), (1, 3), (4, 7))) == [
        Said("word word", 0, 3),
        Said("word", 4, 7),
    ]


def test_letters_to_be_named_stay_apart_within_their_token() -> None:
    parts = [Said("five", 0, 1), Said("P M", 1, 3, spelled=True)]
    assert spread("5pm", parts) == [Said("five", 0, 3), Said("P M", 0, 3, spelled=True)]
