"""Speech marks: pauses, spelling out, other words and phonemes, for the characters they enclose."""

from __future__ import annotations

import pytest

from pipeline.text.markup import Markup
from pipeline.text.passage import Mark, MarkKind, Passage


def cleaned(text: str) -> Passage:
    markup = Markup()
    return markup.push(text) + markup.flush()


@pytest.mark.parametrize(
    ("tag", "length_ms"),
    [
        ('<break time="500ms"/>', 500),
        ("<break time='1.5s'/>", 1500),
        ('<break time=".25s">', 250),
        ('<break time="60s"/>', 10_000),
        ("<break/>", 400),
        ('<break strength="x-weak"/>', 100),
        ('<break strength="weak"/>', 200),
        ('<break strength="medium"/>', 400),
        ('<break strength="strong"/>', 700),
        ('<BREAK STRENGTH="X-STRONG"/>', 1000),
    ],
)
def test_a_break_pauses_as_long_as_it_says(tag: str, length_ms: int) -> None:
    passage = cleaned(f"One.{tag} Two.")
    assert passage.text == "One. Two."
    assert passage.marks == (Mark(MarkKind.BREAK, 4, 4, str(length_ms)),)


@pytest.mark.parametrize(
    "tag",
    [
        '<break strength="none"/>',
        '<break time="0s"/>',
        '<break time="soon"/>',
        "<break strength='?'/>",
        "</break>",
    ],
)
def test_a_break_of_no_length_is_none(tag: str) -> None:
    passage = cleaned(f"One.{tag} Two.")
    assert (passage.text, passage.marks) == ("One. Two.", ())


def test_a_break_can_stand_alone() -> None:
    passage = cleaned('<break time="1s"/>')
    assert (passage.text, passage.marks) == ("", (Mark(MarkKind.BREAK, 0, 0, "1000"),))


@pytest.mark.parametrize(
    ("begin", "end", "kind", "value"),
    [
        ('<say-as interpret-as="characters">', "</say-as>", MarkKind.LETTERS, ""),
        ('<say-as interpret-as="spell-out">', "</say-as>", MarkKind.LETTERS, ""),
        ("<say-as interpret-as='letters'>", "</say-as >", MarkKind.LETTERS, ""),
        ('<say-as interpret-as="digits">', "</say-as>", MarkKind.DIGITS, ""),
        ('<say-as interpret-as="telephone" format="1">', "</SAY-AS>", MarkKind.DIGITS, ""),
        ('<sub alias="A &amp; B">', "</sub>", MarkKind.ALIAS, "A & B"),
        ('<phoneme ph="əˈ">', "</phoneme>", MarkKind.PHONEMES, "əˈ"),
        ('<phoneme alphabet="utter" ph="a b">', "</phoneme>", MarkKind.PHONEMES, "a b"),
        ("[", "](/wˈɜɹd/)", MarkKind.PHONEMES, "wˈɜɹd"),
        ("[", "](/two words/)", MarkKind.PHONEMES, "two words"),
    ],
)
def test_a_mark_covers_what_it_encloses(begin: str, end: str, kind: MarkKind, value: str) -> None:
    passage = cleaned(f"a {begin} b *c* {end} d")
    assert passage.text == "a b c d"
    assert passage.marks == (Mark(kind, 2, 5, value),)
    assert list(passage.origins)[2] == 2 + len(begin) + 1


@pytest.mark.parametrize(
    "text",
    [
        '<say-as interpret-as="date">a</say-as>',
        "<say-as>a</say-as>",
        "<sub>a</sub>",
        '<sub alias="">a</sub>',
        '<phoneme alphabet="ipa" ph="x">a</phoneme>',
        '<emphasis level="strong">a</emphasis>',
        '<prosody rate="slow"><voice name="x"><lang xml:lang="fr">a</lang></voice></prosody>',
        '<amazon:effect name="whispered">a</amazon:effect>',
        '<mark name="here"/>a',
        "[a](/a/)",
        "[a](/docs/intro)",
        "[a](/v2.1/)",
        '<sub alias="b">a',
        '<sub alias="b">a<sub alias="c">',
    ],
)
def test_other_marks_are_read_past(text: str) -> None:
    passage = cleaned(text)
    assert (passage.text, passage.marks) == ("a", ())


def test_a_mark_around_nothing_is_none() -> None:
    passage = cleaned('a<sub alias="b"> </sub>c')
    assert (passage.text, passage.marks) == ("a c", ())


def test_a_mark_is_held_back_until_it_ends() -> None:
    markup = Markup()
    assert markup.push('Say <sub alias="b">a').text == "Say "
    assert markup.push("</sub> now").marks == (Mark(MarkKind.ALIAS, 0, 1, "b"),)


def test_a_mark_that_does_not_end_is_read_past_after_a_while() -> None:
    markup = Markup()
    begun = markup.push('Say <sub alias="b">a')
    assert (begun + markup.rest()).text == "Say a"
    assert cleaned('<sub alias="b">' + "a" * 700 + "</sub>").marks == ()


def test_sentences_of_speech_markup_end_lines_and_struck_out_text_does_not() -> None:
    assert cleaned("<speak><s>One</s><s>two</s></speak>").text == "One\ntwo\n"
    assert cleaned("<s>One</s> two").text == "One two"
