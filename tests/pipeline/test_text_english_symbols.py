"""Signs: which are said, and where."""

from __future__ import annotations

import pytest

from pipeline.text.english import symbols
from pipeline.text.rules import Said, claims


def said(text: str) -> list[str]:
    return [part.words for part in claims(text, (*symbols.NAMES, *symbols.RULES))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C++ c# F# A♯ B♭", ["C", "plus plus", "C", "sharp", "F", "sharp", "A", "sharp", "B", "flat"]),
        ("Notepad++ .NET", ["plus plus", "dot net"]),
        ("A–Z, A-Z, a – f", ["A", "to", "Z", "A", "to", "Z", "A", "to", "F"]),
        ("a & b, c&d", ["and", "and"]),
        ("a + b = c, x=y, Disney+", ["plus", "equals", "equals", "plus"]),
        (
            "a < b, a >= b, a != b, x<5",
            ["less than", "greater than or equal to", "not equal to", "less than"],
        ),
        ("meet @ noon, x@y", ["at", "at"]),
        ("the % of, the $ sign, in € now", ["percent", "dollar", "euros"]),
        ("x - y, x * y", ["minus", "times"]),
        ("© Acme™ ®️", ["copyright", "", ""]),
        (
            "± × ÷ ≈ ≠ ∞",
            ["plus or minus", "times", "divided by", "approximately", "not equal to", "infinity"],
        ),
        ("§5, §§ 5", ["section", "sections"]),
        ("α-ray, Δx, 5 µ", ["alpha", "delta", "micro"]),
    ],
)
def test_a_sign_is_said_in_its_place(text: str, expected: list[str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "λόγος Ωμέγα",
        "Ann - Bob word - word",
        "f**k *bold* _x_ a|b",
        "# Title",
        "~ ^ ` \\",
        "well-known",
        "(a) [b] {c}",
    ],
)
def test_other_signs_are_left_to_be_silent(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize("arrow", ["→", "->", "=>", "-->", "⇒"])
def test_an_arrow_is_a_pause_between_words_and_to_between_numbers(arrow: str) -> None:
    end = 5 + len(arrow)
    assert claims(f"Menu {arrow} Save", symbols.RULES) == [Said("—", 5, end)]
    assert said(f"5 {arrow} 10") == ["to"]
    assert said(f"{arrow} Save") == [""]
