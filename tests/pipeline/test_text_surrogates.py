"""Surrogates: a character sent in two halves is one character again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.surrogates import SurrogateJoiner


def units(text: str) -> list[str]:
    """The UTF-16 units of a text, each as a string."""
    data = text.encode("utf-16-le", "surrogatepass")
    return [chr(int.from_bytes(data[at : at + 2], "little")) for at in range(0, len(data), 2)]


@given(
    text=st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("🎉😀𠀀"), max_size=30),
    data=st.data(),
)
def test_a_text_cut_between_any_units_comes_out_whole(text: str, data: st.DataObject) -> None:
    parts = units(text)
    places = data.draw(st.lists(st.integers(0, len(parts)), max_size=6).map(sorted))
    joiner = SurrogateJoiner()
    pieces = ["".join(parts[a:b]) for a, b in zip([0, *places], [*places, len(parts)], strict=True)]
    assert "".join(map(joiner.push, pieces)) + joiner.flush() == text


@given(text=st.text(st.sampled_from("a🎉\ud83d\ude00"), max_size=12))
def test_halves_without_a_partner_stay_as_they_are(text: str) -> None:
    joiner = SurrogateJoiner()
    out = "".join(map(joiner.push, text)) + joiner.flush()
    assert units(out) == units(text)
    assert joiner.pending == ""


def test_only_a_high_surrogate_at_the_end_is_held_back() -> None:
    joiner = SurrogateJoiner()
    assert joiner.push("a\ud83d") == "a"
    assert joiner.pending == "\ud83d"
    assert joiner.push("") == ""
    assert joiner.push("\ude00b\ude00") == "😀b\ude00"
