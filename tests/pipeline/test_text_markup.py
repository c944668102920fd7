"""Markup: no cut of the text changes what is left of it, and what is no markup comes through."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.text.characters import is_speakable
from pipeline.text.hidden import LONGEST_HIDDEN
from pipeline.text.markup import Markup
from pipeline.text.passage import Passage

WORDS = r"""
a B word the to x 5 12 1. 。 重点 é 🎉 . , ! ? : ( ) ' " / \ = + - – ; ^ { } @ % * ** *** _ __ ~ ~~ ` ``
``` ~~~ # ## > [ ] ]( ![ [^1] ](/x/) ](u) [a](b) [a][b] ]: | |---|---| \| < > <b> </b> <br> <p> <x
</x> <td> <s> <x/> <x.y='z'> <!-- --> <think> </think> <script> </script> <!d> <?x?>
<https://a.b/c_d> <u@x.com> & &amp; &lt &#65; &#x41; &nbsp; &#8203; http://a.b/c_d*e :// $ $$ $x^2$
\( \) \[ \] \frac{a}{b} \alpha _{max} $5 \* \text{ <speak> </say-as> </sub> === ---
"""
FRAGMENTS = (
    *WORDS.split(),
    *(
        " ",
        "  ",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "\t",
        "    ",
        "\xa0",
        "\u200b",
        "\u200d",
        "\ufe0f",
        "👩\u200d💻",
        "\ud800",
    ),
    *(
        "# ",
        "> ",
        "- ",
        "+ ",
        "* ",
        "• ",
        "1. ",
        "[ ] ",
        "- [x] ",
        "[ref]: ",
        '](u "t")',
        "to ",
        " | ",
        "| a | b |\n",
    ),
    *(
        "|---|---|\n",
        "***\n",
        "```py\n",
        "<a href='u'>",
        '<x y="z">',
        '<break time="5ms"/>',
        '<sub alias="y">',
    ),
    *('<say-as interpret-as="letters">',),
)
MARKED_UP = st.lists(st.sampled_from(FRAGMENTS), max_size=24).map("".join)


def cleaned(*pieces: str, plain: bool = False) -> Passage:
    markup = Markup(plain=plain)
    passage = Passage.plain("")
    for piece in pieces:
        passage += markup.push(piece)
    passage += markup.flush()
    assert markup.pending == ""
    return passage


def as_value(passage: Passage) -> tuple[object, ...]:
    return passage.text, list(passage.origins), passage.marks


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted(place % (len(text) + 1) for place in places)
    return [text[begin:end] for begin, end in zip([0, *ends], [*ends, len(text)], strict=True)]


@settings(max_examples=600)
@given(MARKED_UP, st.lists(st.integers(0, 1000), max_size=6), st.booleans())
def test_no_cut_changes_what_is_left(text: str, places: list[int], plain: bool) -> None:
    whole = as_value(cleaned(text, plain=plain))
    assert as_value(cleaned(*cut(text, places), plain=plain)) == whole
    assert as_value(cleaned(*text, plain=plain)) == whole


@settings(max_examples=300)
@given(MARKED_UP | st.text(), st.booleans())
def test_origins_never_fall_and_marks_stay_inside(text: str, plain: bool) -> None:
    passage = cleaned(text, plain=plain)
    origins = list(passage.origins)
    assert origins == sorted(origins)
    assert all(0 <= origin < len(text) for origin in origins)
    assert all(0 <= mark.begin <= mark.end <= len(passage) for mark in passage.marks)
    assert [mark.begin for mark in passage.marks] == sorted(mark.begin for mark in passage.marks)


@settings(max_examples=300)
@given(
    st.text(st.characters(exclude_categories=["Cc", "Cf"], exclude_characters="*_~`#$&<>[]|\\=-+:•‣◦▪●○■□▸►"))
)
def test_text_without_markup_comes_through(text: str) -> None:
    passage = cleaned(text)
    kept = [(at, character) for at, character in zip(passage.origins, passage.text, strict=True)]
    assert [entry for entry in kept if is_speakable(entry[1])] == [
        (at, character) for at, character in enumerate(text) if is_speakable(character)
    ]


@given(st.text(), st.lists(st.integers(0, 1000), max_size=4))
def test_plain_text_keeps_all_that_can_be_seen(text: str, places: list[int]) -> None:
    passage = cleaned(*cut(text, places), plain=True)
    for character, origin in zip(passage.text, passage.origins, strict=True):
        assert character == text[origin] or (character.isspace() and text[origin].isspace())
    kept = set(passage.origins)
    assert not any(is_speakable(text[at]) for at in range(len(text)) if at not in kept)
    assert passage.marks == ()


def test_plain_text_keeps_its_markup() -> None:
    text = "# A **b** [c](d) <b>e</b> &amp; `f`\n```\ng\n```"
    assert cleaned(text, plain=True).text == text


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("Hello **wor", "Hello wor"),
        ("one *two", "one two"),
        ("Plain text, with commas (and more", "Plain text, with commas (and more"),
        ("# Title\nText", "Title\nText"),
        ("- item", "item"),
        ("1. item", "1. item"),
        ("It costs $5 and more", "It costs $5 and more"),
        ("AT&T said", "AT&T said"),
        ("a < b", "a < b"),
        ("a <b and c", "a <b and c"),
        ("See [the gui", "See "),
        ("Look `co", "Look "),
        ("x <a hre", "x "),
        ("x $x^", "x "),
        ("A.\n```py\nprint(1)\n", "A.\n"),
        ("A.<!-- no", "A."),
        ("<think>hm", ""),
        ("https://a.b/c_d", "https://a.b/c_d"),
        ("[Note] said", "[Note] said"),
        ("[Note]: said so", "[Note]: said so"),
        ("Wow!", "Wow!"),
        ("snake_case is", "snake_case is"),
    ],
)
def test_what_is_known_to_be_text_comes_at_once(text: str, out: str) -> None:
    assert Markup().push(text).text == out


def test_quiet_gives_up_what_is_held_back_inside_a_line() -> None:
    for text in ("See [the gui", "Look `co", "x <a hre", "x $x^", "AT&T", "a | b"):
        markup = Markup()
        begun = markup.push(text)
        assert (begun + markup.rest()).text == text
        assert markup.pending == ""


@pytest.mark.parametrize(
    "text", ["```py\nprint(1)", "```py", "<!-- no", "<think>hm", "| a | b\n|--", "#", "- ", "**"]
)
def test_quiet_leaves_what_is_not_to_be_half_heard(text: str) -> None:
    markup = Markup()
    markup.push(text)
    assert markup.rest().text == ""
    assert markup.pending != ""


def test_the_end_makes_text_of_what_is_open() -> None:
    assert cleaned("A.\n```py\nprint(1)").text == "A.\n\nprint(1)"
    assert cleaned("A <!-- note").text == "A note"
    assert cleaned("<think>Hm.").text == "Hm."
    assert cleaned("See [the guide](http").text == "See [the guide](http"
    assert cleaned("Look `co").text == "Look `co"


def test_text_can_follow_a_flush() -> None:
    markup = Markup()
    assert (
        markup.push("A [b") + markup.flush() + markup.push("](c) *d*") + markup.flush()
    ).text == "A [b](c) d"
    assert list((markup.push("# E") + markup.flush()).origins) == [12, 13, 14]


def test_hidden_text_too_long_to_keep_is_not_read() -> None:
    assert cleaned("A.\n```\n" + "x" * LONGEST_HIDDEN + "y").text == "A.\n"


@settings(max_examples=300)
@given(MARKED_UP, st.lists(st.integers(0, 1000), max_size=4))
def test_a_pause_loses_no_text(text: str, places: list[int]) -> None:
    markup = Markup()
    passage = Passage.plain("")
    for piece in cut(text, places):
        passage += markup.push(piece) + markup.rest()
    passage += markup.flush()
    origins = list(passage.origins)
    assert origins == sorted(origins)
    assert markup.pending == ""


OPENERS = (
    r"""[ ` `_``_ <a <a_b=' & &a | |_ * _*a ( - -_ > #_ $ $a_ \( \[ [a]( [a](b ![ [^ <!-- <b> ~~a :// ="""
)
HOSTILE = [word.replace("_", " ") for word in OPENERS.split()]


@pytest.mark.parametrize("size", [7, 100_000])
@pytest.mark.parametrize("text", [*HOSTILE, "\n", "```\n", "\n- a", "|-|-|\n", "a\u200d"])
def test_hostile_text_is_read_to_its_end(text: str, size: int) -> None:
    text = text * (100_000 // len(text))
    markup = Markup()
    passages = [markup.push(text[at : at + size]) for at in range(0, len(text), size)]
    assert sum(map(len, passages)) + len(markup.flush()) <= len(text)
    assert markup.pending == ""
