"""Sentences: where they end, that they lose nothing, and that no cut of the text changes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech import LONGEST_SEGMENT
from pipeline.splitter import WINDOW, Boundary, Sentence, Splitter, Unfinished
from pipeline.text.characters import is_speakable
from pipeline.text.passage import Passage
from tests.pipeline.plain_text import seen

FRAGMENTS = (
    *(
        "a",
        "B",
        "I",
        "The",
        "then",
        "Dr",
        "St",
        "No",
        "Fig",
        "Inc",
        "etc",
        "U.S.",
        "p.m.",
        "e.g.",
        "1",
        "12",
        "3.14",
    ),
    *(
        " ",
        "  ",
        "\n",
        "\r\n",
        "\n\n",
        "\u2029",
        "\t",
        " " * 50,
        ".",
        "!",
        "?",
        "...",
        "…",
        ",",
        ";",
        " - ",
        "—",
    ),
    *(
        '"',
        "'",
        "“",
        "”",
        "(",
        ")",
        "[",
        "*",
        "#",
        "- ",
        "|",
        "@",
        "/",
        "www.",
        "example.com",
        "$",
        "+",
        "🎉",
    ),
    *(
        "你",
        "好",
        "。",
        "！",
        "，",
        "”",
        "（",
        "）",
        "あ",
        "안",
        "é",
        "\u0301",
        "\u200b",
        "\x07",
        "\ud83d",
        "\ude00",
    ),
    *("word " * 12, "字" * 40, "x" * 70, "!" * 40, "a, " * 20),
)
texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=60).map("".join)


def split(*pieces: str) -> list[Sentence]:
    """Push the pieces, then flush."""
    splitter = Splitter()
    return [sentence for piece in pieces for sentence in splitter.push(piece)] + splitter.flush()


def told(*pieces: str) -> list[str]:
    """The texts of the sentences."""
    return [sentence.text for sentence in split(*pieces)]


def joined(text: str) -> str:
    """The text with surrogate pairs made one code point."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


WHOLE = [
    "Dr. Smith met Mr. J. R. R. Tolkien and Prof. Jones.",
    "J. K. Rowling spoke to James T. Kirk and Y. A. Tittle.",
    "Bring fruit, e.g. apples, i.e. something sweet, etc. for us.",
    "Pi is 3.14, and -5.5 is less than .5 of 1,234.56.",
    "Use Python 3.11.7 or version 2.0 of it.",
    "See https://example.com/docs/v2.1?X=1.Y for it.",
    "Mail John.Smith@Example.com or help@example.com today.",
    "Go to example.com, Node.JS or www.Example.Com/A.Html today.",
    "It starts at 3:00 and ends at 9.30 p.m. Monday evening.",
    "He works at Apple Inc. in the U.S. Army and has a Ph.D. in law.",
    "See Fig. 3 and vol. 2 of No. 5 on Dec. 24 at St. Louis.",
    '"Stop!" she said.',
    "He left (why?) and came back.",
    "1. Open the lid.",
    "A. First point.",
    "1.) One thing and 2.) The other.",
    "Steps: 1. Open the lid",
    "$5",
    "Ok.",
    "Hi",
    "Noooooo!!!!!!",
    "价格是1,234.50元，比分是3:2。",
    "我……不知道。",
    "Это т.д. и т.п. да.",
]


@pytest.mark.parametrize("text", WHOLE)
def test_stops_that_end_no_sentence_are_read_past(text: str) -> None:
    assert told(text) == [text]


PARTED = [
    ("It is free. Sign up! Will you? Yes.", ["It is free.", "Sign up!", "Will you?", "Yes."]),
    ("ok. i will go. no. yes? sure! fine", ["ok.", "i will go.", "no.", "yes?", "sure!", "fine"]),
    ("They met at 5 p.m. They talked.", ["They met at 5 p.m.", "They talked."]),
    (
        "He lives on Main St. She is in the U.S. The end.",
        ["He lives on Main St.", "She is in the U.S.", "The end."],
    ),
    ("So do I. Then came plan B. It failed.", ["So do I.", "Then came plan B.", "It failed."]),
    ("Milk, eggs, etc. Then home.", ["Milk, eggs, etc.", "Then home."]),
    ("No. I said no.", ["No.", "I said no."]),
    ("(See page 5.) Next one.", ["(See page 5.)", "Next one."]),
    ("In 1984. Then 2.0. Done.", ["In 1984.", "Then 2.0.", "Done."]),
    ("Wait... what? no", ["Wait... what?", "no"]),
    ("I know... Maybe not.", ["I know...", "Maybe not."]),
    ("Done.Next one.Wow!Yes it is.", ["Done.", "Next one.", "Wow!", "Yes it is."]),
    (
        'He said "go." Then (we left.) “Fine.” And so on.',
        ['He said "go."', "Then (we left.)", "“Fine.”", "And so on."],
    ),
    ("**Bold.** Next _one._ Last.", ["Bold.", "Next one.", "Last."]),
    (
        "他说：“走吧。”然后离开了。你好！今天怎么样？好的",
        ["他说：“走吧。”", "然后离开了。", "你好！", "今天怎么样？", "好的"],
    ),
    ("你好.今天。", ["你好.", "今天。"]),
    ("“是的。”，他说。", ["“是的。”，他说。"]),
    ("Великий. Как дела?", ["Великий.", "Как дела?"]),
    ("1. Open the lid.\n2. Press start.\n", ["1. Open the lid.", "2. Press start."]),
    ("Great job! 🎉 Party.", ["Great job!", "🎉 Party."]),
    ("Great!🎉", ["Great!", "🎉"]),
    ("Title\nFirst line\nSecond line", ["Title", "First line", "Second line"]),
    ("- one\n- two", ["one", "two"]),
    ("One\n\nTwo", ["One", "Two"]),
]


@pytest.mark.parametrize(("text", "sentences"), PARTED)
def test_sentences_end_at_their_stops(text: str, sentences: list[str]) -> None:
    assert told(text) == sentences


def test_prose_wrapped_at_a_margin_stays_one_sentence() -> None:
    text = "This is a long line of prose that was wrapped\nat a margin and goes on."
    assert told(text) == [text]


@pytest.mark.parametrize("text", ["", " ", "…", "?!", "---", "\n\n", "***", "。。。", "“”", "." * 1000])
def test_punctuation_and_white_space_alone_yield_nothing(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (
            "One. Two.\n\nThree,\nfour",
            [Boundary.SENTENCE, Boundary.PARAGRAPH, Boundary.CLAUSE, Boundary.NONE],
        ),
        ("Title\nText", [Boundary.SENTENCE, Boundary.NONE]),
        ("First\r\nSecond\r\n\r\nThird!", [Boundary.SENTENCE, Boundary.PARAGRAPH, Boundary.SENTENCE]),
    ],
)
def test_what_follows_a_sentence_is_told(text: str, ends: list[Boundary]) -> None:
    assert [sentence.end for sentence in split(text)] == ends


@pytest.mark.parametrize("text", [*WHOLE, *(text for text, _ in PARTED)])
def test_every_cut_in_two_and_every_character_alone_give_the_same_sentences(text: str) -> None:
    whole = split(text)
    assert split(*text) == whole
    for at in range(1, len(text)):
        assert split(text[:at], text[at:]) == whole


@given(text=texts, data=st.data())
def test_no_cut_of_the_text_changes_its_sentences(text: str, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(text)), max_size=12).map(sorted))
    pieces = [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]
    whole = split(text)
    assert split(*pieces) == whole
    assert split(*text) == whole


@given(text=texts)
def test_sentences_are_slices_in_order_that_leave_only_punctuation_out(text: str) -> None:
    splitter = Splitter(plain=True)
    sentences = splitter.push(text) + splitter.flush()
    text, at = seen(text), 0
    for sentence in sentences:
        assert sentence.text == text[sentence.offset : sentence.offset + len(sentence.text)]
        assert not any(map(is_speakable, text[at : sentence.offset]))
        at = sentence.offset + len(sentence.text)
    assert not any(map(is_speakable, text[at:]))


@given(text=texts)
def test_a_sentence_is_never_too_long_never_empty_and_has_no_space_around_it(text: str) -> None:
    for sentence in split(text):
        assert 0 < len(sentence.text) <= LONGEST_SEGMENT
        assert sentence.text == sentence.text.strip()
        assert any(map(is_speakable, sentence.text))


@given(text=texts)
def test_what_is_held_back_is_bounded(text: str) -> None:
    splitter = Splitter()
    for character in text:
        splitter.push(character)
        assert len(splitter.pending) <= WINDOW
    splitter.flush()
    assert splitter.pending == ""


@given(before=texts, after=texts, data=st.data())
def test_a_flush_or_a_settle_loses_and_repeats_nothing(before: str, after: str, data: st.DataObject) -> None:
    before, after = seen(before).rstrip("\ud83d"), seen(after)
    splitter = Splitter(plain=True)
    sentences = splitter.push(before)
    sentences += splitter.settle() if data.draw(st.booleans()) else splitter.flush()
    sentences += splitter.push(after) + splitter.flush()
    spoken = "".join(filter(is_speakable, "".join(sentence.text for sentence in sentences)))
    assert spoken == "".join(filter(is_speakable, before + after))
    for sentence in sentences:
        assert (before + after)[sentence.offset :].startswith(sentence.text)


def test_a_sentence_comes_out_as_soon_as_the_next_one_begins() -> None:
    splitter = Splitter()
    assert splitter.push("Hello there. ") == []
    assert splitter.pending == "Hello there. "
    assert splitter.push("H") == [Sentence(Passage.plain("Hello there.", 0), 0, Boundary.SENTENCE)]
    assert splitter.pending == "H"


def test_a_paragraph_comes_out_with_its_blank_line() -> None:
    assert Splitter().push("Hello there\n\n") == [
        Sentence(Passage.plain("Hello there", 0), 0, Boundary.PARAGRAPH)
    ]


@pytest.mark.parametrize(
    "text", ["Hello there.", "Hello there. ", "What?!", "“Go.”", "你好。", "Title\n", "(Yes.)\n"]
)
def test_an_end_at_the_end_of_the_text_is_released_by_settling(text: str) -> None:
    splitter = Splitter()
    assert splitter.push(text) == []
    assert [sentence.text for sentence in splitter.settle()] == [text.strip()]
    assert splitter.settle() == []


@pytest.mark.parametrize(
    "text", ["Hello", "Hello,", "Dr.", "It is 3.", "The U.S.", "e.g.", "So...", "J.", "...", "", "你"]
)
def test_settling_releases_nothing_that_is_no_sure_end(text: str) -> None:
    splitter = Splitter()
    splitter.push(text)
    assert splitter.settle() == []
    assert splitter.pending == text


def test_settling_waits_for_the_other_half_of_a_character() -> None:
    splitter = Splitter()
    splitter.push("Done.\ud83d")
    assert splitter.settle() == []
    assert [sentence.text for sentence in splitter.push("\ude00") + splitter.flush()] == ["Done.", "😀"]


def test_offsets_go_on_after_a_flush() -> None:
    splitter = Splitter()
    splitter.push("I think ")
    assert splitter.flush() == [Sentence(Passage.plain("I think", 0), 0, Boundary.NONE)]
    splitter.push("so.")
    assert splitter.flush() == [Sentence(Passage.plain("so.", 8), 8, Boundary.SENTENCE)]


def test_a_pair_of_surrogates_counts_as_one_code_point_however_it_arrives() -> None:
    assert split("\ud83c", "\udf89 Yes. No.") == split("🎉 Yes. No.")
    assert [sentence.offset for sentence in split("🎉 Yes. No.")] == [0, 7]


def test_what_has_come_of_the_next_sentence_can_be_looked_at_and_comes_out_whole_all_the_same() -> None:
    splitter = Splitter()
    splitter.push("Hello there. When it ra")
    assert splitter.unfinished() == Unfinished(Passage.plain("When it ra", 13), 13, 10, quiet=False)
    assert splitter.push("ins. W") == [Sentence(Passage.plain("When it rains.", 13), 13, Boundary.SENTENCE)]
    splitter.flush()
    assert splitter.unfinished() is None


def test_behind_a_stop_that_is_not_judged_yet_nothing_is_sure_to_belong_to_the_sentence() -> None:
    splitter = Splitter()
    splitter.push("He works at Apple Inc. T")
    unfinished = splitter.unfinished(quiet=True)
    assert unfinished == Unfinished(
        Passage.plain("He works at Apple Inc. T", 0), 0, len("He works at Apple Inc"), quiet=True
    )


@given(text=texts, data=st.data())
def test_what_is_sure_to_belong_to_a_sentence_is_within_it_unless_it_is_too_long(
    text: str, data: st.DataObject
) -> None:
    text = seen(text)
    at = data.draw(st.integers(0, len(text)))
    splitter = Splitter(plain=True)
    splitter.push(text[:at])
    unfinished = splitter.unfinished()
    sentences = splitter.push(text[at:]) + splitter.flush()
    if unfinished is None:
        return
    assert unfinished.text == text[unfinished.offset :][: len(unfinished.text)]
    assert len(unfinished.text) <= WINDOW
    sure = unfinished.text[: unfinished.sure].rstrip()
    whole = sentences[0]
    assert whole.offset == unfinished.offset
    assert len(whole.text) >= len(sure) or len(sure) > LONGEST_SEGMENT // 3


def test_text_without_a_stop_is_cut_at_spaces_within_the_limit() -> None:
    text = "some more words " * 100 + "end"
    sentences = told(text)
    assert " ".join(sentences) == text
    assert all(LONGEST_SEGMENT // 3 < len(sentence) <= LONGEST_SEGMENT for sentence in sentences[:-1])


def test_text_that_is_too_long_is_cut_after_its_last_clause() -> None:
    clause = "and on it goes without ever an end in sight, " * 12
    first = split(clause)[0]
    assert first.text.endswith("sight,")
    assert first.end is Boundary.CLAUSE


def test_a_word_without_end_is_cut_at_the_limit() -> None:
    assert list(map(len, told("a" * 1000))) == [300, 300, 300, 100]


@pytest.mark.parametrize("length", range(LONGEST_SEGMENT - 16, LONGEST_SEGMENT + 4))
def test_a_stop_near_the_limit_is_judged_alike_for_every_cut_and_never_passes_it(length: int) -> None:
    text = "a " * (length // 2) + "b" * (length % 2) + "at 5 p.m. Monday came. " + "c " * 100
    assert split(*text) == split(text)
    assert max(map(len, told(text))) <= LONGEST_SEGMENT


def test_the_length_of_a_line_counts_what_was_released_of_it() -> None:
    assert told("One whole sentence ends in this long line. He\nwent") == [
        "One whole sentence ends in this long line.",
        "He\nwent",
    ]
    assert told("One.\n\nAnother sentence. He\nwent") == ["One.", "Another sentence.", "He", "went"]


def test_exactly_the_longest_sentence_stays_whole() -> None:
    text = "a " * 149 + "b."
    assert len(text) == LONGEST_SEGMENT
    assert told(text) == [text]


def test_dropped_punctuation_before_a_word_is_what_does_not_touch_it() -> None:
    assert told("--- “(Hello) there") == ["“(Hello) there"]
    assert told("." * 1000 + "Hello") == ["." * 16 + "Hello"]
