"""Segments: short at first, a sentence each later, and nothing lost between them."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.segments import (
    CLAUSE_WORDS,
    LOW_LEAD_MS,
    PATIENCE_MS,
    PAUSE_MS,
    PLAIN_WORDS,
    SHORTAGE_MS,
    SMALL_LEAD_MS,
    SMALL_REACH,
    Segment,
    Segments,
)
from pipeline.speech import LONGEST_SEGMENT
from pipeline.splitter import Boundary, Sentence, Splitter, Unfinished
from pipeline.text.characters import is_cjk, is_speakable
from pipeline.text.cuts import word_count
from pipeline.text.passage import Mark, MarkKind, Passage
from tests.pipeline.plain_text import seen

LARGE_LEAD_MS = 5000.0

FRAGMENTS = (
    *(
        "a ",
        "The ",
        "word ",
        "and ",
        "which ",
        "of ",
        "because ",
        "J. ",
        "3, ",
        "1,234 ",
        "Jr. ",
        "IL ",
        "Street",
    ),
    *(
        ", ",
        "; ",
        ": ",
        " - ",
        "—",
        " (",
        ") ",
        "... ",
        "! ",
        "? ",
        ". ",
        "\n",
        "\n\n",
        "a,b@c.com ",
        "3:30 ",
    ),
    *("你", "好", "，", "、", "。", "”", "🎉", "word " * 20, "字" * 30),
)
texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=60).map("".join)


def segments_of(text: str, *leads_ms: float) -> list[Segment]:
    """The segments of a text, taken at these leads; the last one holds for the rest."""
    splitter, segments = Splitter(plain=True), Segments()
    segments.push(splitter.push(text) + splitter.flush())
    leads = list(leads_ms)
    taken = []
    while segment := segments.next(leads.pop(0) if len(leads) > 1 else leads[0]):
        taken.append(segment)
    assert not segments.ready(-math.inf)
    return taken


def told(text: str, *leads_ms: float) -> list[tuple[str, Boundary]]:
    """Text and boundary of each segment."""
    return [(segment.text, segment.boundary) for segment in segments_of(text, *leads_ms)]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Hello there, my friend, how are you today?", "Hello there, my friend,"),
        ("When it rains; we stay in.", "When it rains;"),
        ("This is it: the end.", "This is it:"),
        ("It was late — very late — when he came.", "It was late —"),
        ("It was late - very late - when he came.", "It was late -"),
        ("It was very late—he came.", "It was very late—"),
        ("She said (very quietly) that it was over.", "She said (very quietly)"),
        ("“I am here,” he said.", "“I am here,”"),
        ("Well I think... maybe not.", "Well I think..."),
        ("今天天气很好，我们去公园吧。", "今天天气很好，"),
    ],
)
def test_the_first_segment_ends_at_the_first_clause_of_three_words(text: str, first: str) -> None:
    assert told(text, 0)[0] == (first, Boundary.CLAUSE)


@pytest.mark.parametrize(
    "text",
    [
        "Ok.",
        "Well, hello.",
        "你好，我们走吧。",
        "It costs about $1,234.56 now.",
        "We met on March 3, 2024 in Paris.",
        "The book by Rowling, J. K. is long.",
        "A speech by King, Jr. was heard.",
        "Send it to Springfield, IL 62704 now.",
        "He lives at 12 Baker Street, London now.",
        "Write mail to a,b@example.com at 3:30 please.",
        "There is no clause in here at all.",
    ],
)
def test_a_first_sentence_without_such_a_clause_stays_whole(text: str) -> None:
    assert [segment for segment, _ in told(text, 0)] == [text]


def test_a_long_first_sentence_without_a_near_clause_is_cut_before_a_linking_word() -> None:
    text = (
        "The quick brown fox jumps over the lazy dog near the river bank and then it runs " + "far away " * 10
    )
    assert told(text, 0)[0] == (
        "The quick brown fox jumps over the lazy dog near the river bank",
        Boundary.PHRASE,
    )


def test_a_long_first_sentence_without_a_linking_word_is_cut_before_a_preposition() -> None:
    text = "The quick brown fox always jumps over the lazy dog " + "every day " * 10
    assert told(text, 0)[0] == ("The quick brown fox always jumps", Boundary.PHRASE)


def test_a_long_sentence_that_offers_no_place_stays_whole() -> None:
    text = "word " * 40 + "end."
    assert told(text, 0) == [(text, Boundary.SENTENCE)]


def test_the_rest_of_a_cut_sentence_ends_as_the_sentence_does() -> None:
    assert told("When it is late, we go.\n\nBye", 0) == [
        ("When it is late,", Boundary.CLAUSE),
        ("we go.", Boundary.PARAGRAPH),
        ("Bye", Boundary.NONE),
    ]


def test_with_a_small_lead_a_long_sentence_is_cut_after_the_last_clause_within_reach() -> None:
    clause = "here comes one more of them, "
    _, second, *_ = told("Go. " + clause * 6 + "done.", 0)
    assert second == ((clause * (SMALL_REACH // len(clause))).strip(), Boundary.CLAUSE)


def test_with_a_small_lead_a_short_sentence_stays_whole() -> None:
    assert told("Go. When it is late, we go home.", 0)[1][0] == "When it is late, we go home."


def test_with_a_large_lead_every_segment_is_a_sentence() -> None:
    sentence = "here comes one more of them, " * 6 + "done."
    assert told(f"Go. {sentence} {sentence}", 0, LARGE_LEAD_MS)[1:] == [(sentence, Boundary.SENTENCE)] * 2


def test_the_lead_at_which_sentences_stay_whole_is_the_small_lead() -> None:
    sentence = "here comes one more of them, " * 6 + "done."
    assert len(told(f"Go. {sentence}", 0, SMALL_LEAD_MS)) == 2
    assert len(told(f"Go. {sentence}", 0, SMALL_LEAD_MS - 1)) > 2


def test_only_the_first_segment_is_marked_first() -> None:
    assert [segment.first for segment in segments_of("When it is late, we go. Bye. Now.", 0)] == [True] + [
        False
    ] * 3


def test_nothing_is_ready_before_a_sentence_comes() -> None:
    segments = Segments()
    assert not segments.ready(-math.inf)
    assert segments.next(-math.inf) is None
    assert segments.look_below(0) == -math.inf


def test_every_boundary_has_a_pause_and_the_stronger_one_the_longer() -> None:
    assert list(PAUSE_MS) == list(Boundary)
    assert sorted(PAUSE_MS.values()) == list(PAUSE_MS.values())


@given(text=texts, leads_ms=st.lists(st.floats(-1000, 6000), min_size=1, max_size=8))
def test_segments_are_slices_in_order_that_leave_only_punctuation_out(
    text: str, leads_ms: list[float]
) -> None:
    clean, at = seen(text), 0
    for segment in segments_of(text, *leads_ms):
        assert segment.text == clean[segment.offset : segment.offset + len(segment.text)]
        assert not any(map(is_speakable, clean[at : segment.offset]))
        at = segment.offset + len(segment.text)
    assert not any(map(is_speakable, clean[at:]))


@given(text=texts, leads_ms=st.lists(st.floats(-1000, 6000), min_size=1, max_size=8))
def test_a_segment_is_never_too_long_never_empty_and_has_no_space_around_it(
    text: str, leads_ms: list[float]
) -> None:
    for segment in segments_of(text, *leads_ms):
        assert 0 < len(segment.text) <= LONGEST_SEGMENT
        assert segment.text == segment.text.strip()
        assert any(map(is_speakable, segment.text))


@given(text=texts)
def test_a_segment_that_ends_without_punctuation_is_followed_by_more_of_its_sentence(text: str) -> None:
    splitter = Splitter(plain=True)
    ends = {s.offset + len(s.text): s.end for s in splitter.push(text) + splitter.flush()}
    for segment in segments_of(text, 0):
        at = segment.offset + len(segment.text)
        assert segment.boundary is ends.get(at, segment.boundary)
        if at not in ends:
            assert segment.boundary in (Boundary.PHRASE, Boundary.CLAUSE)


# A sentence still being written


class Written:
    """A text that arrives in pieces, and the segments taken of it."""

    def __init__(self) -> None:
        self._splitter = Splitter(plain=True)
        self.segments = Segments()
        self.taken: list[Segment] = []

    def push(self, text: str) -> None:
        """Let more of the text arrive."""
        sentences = self._splitter.push(text)
        self.segments.push(sentences, self._splitter.unfinished())

    def settle(self) -> None:
        """Let no text come for a while."""
        sentences = self._splitter.settle()
        self.segments.push(sentences, self._splitter.unfinished(quiet=True))

    def flush(self) -> None:
        """End the text."""
        self.segments.push(self._splitter.flush())

    def take(self, lead_ms: float) -> str | None:
        """Take the next segment, if one is ready, and return its text."""
        ready = self.segments.ready(lead_ms)
        segment = self.segments.next(lead_ms)
        assert ready == (segment is not None)
        if segment is not None:
            self.taken.append(segment)
        return segment.text if segment else None


def written(text: str, *, first: bool = True) -> Written:
    """A text that has come so far, as the first of its utterance or after another sentence."""
    writing = Written()
    if not first:
        writing.push("Go now.\n\n")
        assert writing.take(0) == "Go now."
    writing.push(text)
    return writing


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("When it is late, w", "When it is late,"),
        ("When it is late, we go home, a", "When it is late,"),
        ("Well, when it is late; (w", "Well, when it is late;"),
        ("It was very late—h", "It was very late—"),
        ("She asked for it (twice) t", "She asked for it (twice)"),
        ("When it is late,", None),
        ("When it is late, ", None),
        ("Well, w", None),
        ("It costs about 3,", None),
        ("It costs about 3,1", None),
        ("We met on March 3, 2", None),
        ("We met on March 3, w", "We met on March 3,"),
        ("The book by Rowling, J", None),
        ("The book by Rowling, J.", None),
        ("The book by Rowling, Jo", None),
        ("The book by Rowling, Joanne", "The book by Rowling,"),
        ("The speech by King, Jr", None),
        ("Send it to Springfield, IL", None),
        ("Send it to Springfield, IL 627", None),
        ("Send it to Springfield, IL 62704", None),
        ("When I was young, I w", "When I was young,"),
        ("He works at Apple Inc. and so, i", "He works at Apple Inc. and so,"),
        ("Look at example.com, w", "Look at example.com,"),
        ("今天天气很好，我", "今天天气很好，"),
    ],
)
def test_the_first_clause_is_taken_as_soon_as_it_is_sure_to_be_one(text: str, first: str | None) -> None:
    assert written(text).take(0) == first


def test_what_may_be_the_next_sentence_is_not_taken_with_this_one() -> None:
    writing = written("He works at Apple Inc. T", first=False)
    assert writing.take(-5000) is None
    writing.push("he others, who stay, w")
    assert writing.take(0) == "He works at Apple Inc."
    assert writing.take(0) == "The others, who stay,"


def test_later_clauses_wait_until_the_lead_is_low_and_then_go_together() -> None:
    writing = written("when it is late, and cold outside, we go home, a", first=False)
    assert writing.take(LOW_LEAD_MS) is None
    assert writing.take(LOW_LEAD_MS - 1) == "when it is late, and cold outside, we go home,"
    assert writing.take(0) is None


def test_together_they_stay_within_reach() -> None:
    clause = "here comes one more of them, "
    writing = written(clause * 6 + "and", first=False)
    assert writing.take(0) == (clause * (SMALL_REACH // len(clause))).strip()


def test_without_a_clause_the_last_linking_word_ends_a_piece_when_sound_runs_short() -> None:
    writing = written("the quick brown fox jumps high and runs far and then it sle", first=False)
    assert writing.take(SHORTAGE_MS) is None
    assert writing.take(SHORTAGE_MS - 1) == "the quick brown fox jumps high and runs far"
    assert writing.taken[-1].boundary is Boundary.PHRASE


@pytest.mark.parametrize(
    "text",
    [
        "the quick brown and",
        "the quick brown fox jumps and",
        "it was about five hundred and two",
        "it takes from here about 3 to 5 days",
        "the one book which is in the",
        "the quick brown foxes always jump high",
    ],
)
def test_no_piece_is_cut_too_short_within_a_number_or_after_a_word_that_leans_on_the_next(text: str) -> None:
    assert written(text, first=False).take(-1e6) is None


def test_unless_plain_cuts_are_wanted_a_sentence_being_written_is_cut_at_its_clauses_only() -> None:
    segments, splitter = Segments(cuts_plain=False), Splitter(plain=True)
    sentences = splitter.push("the quick brown fox jumps over the lazy dog and")
    segments.push(sentences, splitter.unfinished(quiet=True))
    assert segments.next(-1e6) is None
    assert segments.look_below(0.0) == -math.inf
    segments.push(splitter.push(" on, as it does, and"), splitter.unfinished())
    segment = segments.next(-1e6)
    assert segment is not None
    assert segment.text.endswith(",")


def test_the_first_sound_waits_a_while_for_punctuation() -> None:
    writing = written("the quick brown fox jumps over the lazy dog and")
    assert writing.take(-PATIENCE_MS) is None
    assert writing.take(-PATIENCE_MS - 1) == "the quick brown fox jumps"


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("when it is late,", "when it is late,"),
        ("when it is late, ", "when it is late,"),
        ("when it is ‘late,’", "when it is ‘late,’"),
        ("今天天气很好，", "今天天气很好，"),
        ("this is all about 3,", None),
        ("this one is by Rowling,", None),
        ("when it is late", None),
        ("well, now,", None),
    ],
)
def test_once_settled_a_clause_at_the_very_end_is_taken_unless_a_number_or_a_name_may_go_on(
    text: str, clause: str | None
) -> None:
    writing = written(text, first=False)
    assert writing.take(0) is None
    writing.settle()
    assert writing.take(0) == clause


def test_what_was_taken_is_cut_off_the_sentence_when_it_comes() -> None:
    writing = written("When it is late, w")
    writing.take(0)
    writing.push("e go home. B")
    assert writing.take(0) == "we go home."
    assert [(segment.offset, segment.boundary) for segment in writing.taken] == [
        (0, Boundary.CLAUSE),
        (17, Boundary.SENTENCE),
    ]


def test_a_sentence_taken_whole_before_its_end_came_is_not_spoken_again() -> None:
    writing = written("When it is late,")
    writing.settle()
    assert writing.take(0) == "When it is late,"
    writing.push("”\n\nBye")
    writing.flush()
    assert writing.take(0) == "Bye"


def test_the_leads_to_look_at_are_those_where_more_may_be_ready() -> None:
    first, later = written("so it").segments, written("so it", first=False).segments
    assert [first.look_below(lead) for lead in (0, -PATIENCE_MS, -PATIENCE_MS - 1)] == [
        -PATIENCE_MS,
        -PATIENCE_MS,
        -math.inf,
    ]
    assert [later.look_below(lead) for lead in (9000, LOW_LEAD_MS - 1, SHORTAGE_MS - 1)] == [
        LOW_LEAD_MS,
        SHORTAGE_MS,
        -math.inf,
    ]


def arrive(text: str, data: st.DataObject) -> Written:
    """Let a text arrive in any pieces, taking segments at any moments and leads."""
    writing = Written()
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    for start, end in pairwise([0, *places, len(text)]):
        writing.push(text[start:end])
        for lead_ms in data.draw(st.lists(st.floats(-2000, 2000), max_size=3)):
            writing.take(lead_ms)
    writing.flush()
    while writing.take(data.draw(st.floats(-2000, 2000))):
        pass
    return writing


@given(text=texts, data=st.data())
def test_pieces_taken_at_any_moment_cover_the_text_once_and_change_no_sentence(
    text: str, data: st.DataObject
) -> None:
    splitter = Splitter(plain=True)
    sentences = splitter.push(text) + splitter.flush()
    writing = arrive(text, data)
    joined = seen(text)
    ends = {sentence.offset + len(sentence.text): sentence.end for sentence in sentences}
    at = 0
    for segment in writing.taken:
        end = segment.offset + len(segment.text)
        assert segment.text == joined[segment.offset : end] == segment.text.strip()
        assert any(map(is_speakable, segment.text))
        assert not any(map(is_speakable, joined[at : segment.offset]))
        forced = (Boundary.PHRASE, Boundary.CLAUSE)
        assert all(what in forced for place, what in ends.items() if segment.offset < place < end)
        if end not in ends:
            words = CLAUSE_WORDS if segment.boundary is Boundary.CLAUSE else PLAIN_WORDS
            assert word_count(segment.text) >= words
            assert not joined[end - 1 : end + 1].isalnum() or any(map(is_cjk, joined[end - 1 : end + 1]))
        at = end
    assert not any(map(is_speakable, joined[at:]))


UNPARTED = (
    *("1,234.56", "$5,000", "3:30", "3.14", "22 000", "1, 2, 3", "5 to 10", "five hundred and two"),
    *("a,b@example.com", "https://example.com/a;b,c", "12 Baker Street, London", "Springfield, IL 62704"),
    *("Rowling, J. K.", "King, Jr.", "J. R. R. Tolkien", "March 3, 2024"),
)
FILLERS = ("we", "saw", "old", "then", "and", "who", "in", "of", "word,", "well;", "so -", "(yes)", "go —")


@given(parts=st.lists(st.sampled_from(UNPARTED) | st.sampled_from(FILLERS), max_size=30), data=st.data())
def test_no_piece_ends_within_a_number_an_address_or_a_name(parts: list[str], data: st.DataObject) -> None:
    text = " ".join(parts)
    splitter = Splitter(plain=True)
    sentences = splitter.push(text) + splitter.flush()
    allowed = {sentence.offset + len(sentence.text) for sentence in sentences}
    inside: set[int] = set()
    at = 0
    for part in parts:
        if part in UNPARTED:
            inside.update(range(at + 1, at + len(part)))
        at += len(part) + 1
    ends = {segment.offset + len(segment.text) for segment in arrive(text, data).taken}
    assert not (ends - allowed) & inside


def broken(*breaks: tuple[int, int], text: str = "One two three four five six.") -> Sentence:
    """A sentence in which silences are asked for: where, and how many milliseconds."""
    marks = tuple(Mark(MarkKind.BREAK, at, at, str(ms)) for at, ms in breaks)
    return Sentence(Passage(text, range(len(text)), marks), 0, Boundary.SENTENCE)


def taken_of(sentence: Sentence) -> list[tuple[int, str, int]]:
    """The segments of a sentence: silence before, text, silence after."""
    segments = Segments()
    segments.push([sentence])
    taken = []
    while segment := segments.next(LARGE_LEAD_MS):
        taken.append((segment.before_ms, segment.text, segment.pause_ms))
    return taken


@pytest.mark.parametrize("at", [7, 8])
def test_a_silence_asked_for_within_a_sentence_parts_it_there(at: int) -> None:
    before, after = taken_of(broken((at, 900)))
    assert (before[1], after[1]) == ("One two", "three four five six.")
    assert max(before[2], after[0]) == 900


def test_silences_at_its_ends_leave_a_sentence_whole() -> None:
    text = "One two three four five six."
    assert taken_of(broken((0, 700), (len(text), 2000))) == [(700, text, 2000)]


def test_a_silence_asked_for_shortens_no_pause() -> None:
    text = "One two three four five six."
    assert taken_of(broken((len(text), 10))) == [(0, text, PAUSE_MS[Boundary.SENTENCE])]


def test_what_is_written_up_to_a_silence_is_taken_without_waiting_for_more() -> None:
    sentence = broken((8, 900))
    segments = Segments()
    segments.push([], Unfinished(sentence.passage, 0, len(sentence.text) - 1, quiet=False))
    segment = segments.next(0.0)
    assert segment is not None
    assert segment.text == "One two"
    segments.push([sentence])
    rest = segments.next(LARGE_LEAD_MS)
    assert rest is not None
    assert (rest.before_ms, rest.text) == (900, "three four five six.")
