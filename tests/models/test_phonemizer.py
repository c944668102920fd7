"""Reading text is total; every phoneme belongs to a word of the input as it stands."""

from __future__ import annotations

import string
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hibari.g2p.lexicon import Lexicon
from hypothesis import example, given, settings
from hypothesis import strategies as st

from models.phonemizer import LONGEST_RUN, NO_WORD, PAD, Reading
from tests.models.spoken import phonemizer, sentences
from tests.models.wheel import sentence_ids

AWKWARD = "$£€%&@#/\\-–—_.,:;!?…'’\"“”()[]{}<>=+*~^|°¢0123456789IVXLC \t\n"
texts = st.text(
    st.one_of(st.sampled_from(AWKWARD + string.ascii_letters), st.characters()), max_size=300
) | st.lists(
    st.sampled_from(
        ["Dr.", "St", "7:30", "pm", "$5", "3/4", "No.", "Jan", "1st", "5km", "VIII", "é", "(a)", "-"]
    ),
    max_size=30,
).map(" ".join)


def spoken_words(reading: Reading) -> dict[str, int]:
    """Return how many audible phonemes each word has, by its text."""
    counts = {word.text: 0 for word in reading.words}
    for run in reading.runs:
        for owner, audible in zip(run.owners, run.audible, strict=True):
            if audible:
                counts[reading.words[owner].text] += 1
    return counts


@settings(max_examples=100, deadline=None)
@given(text=texts)
@example(text="9" * 37)
@example(text="1" * 300)
@example(text="[x](/həlˈO/) and [two words](http://a.b)")
@example(text="२३ ٣ ½ ①²³ ⅷ")
@example(text="$,. $.5.5 £-1 1.2.3 -- '' ''' ..")
def test_any_text_gives_a_reading_whose_words_are_its_slices(text: str) -> None:
    reading = phonemizer().read(text)
    joined, at = "", 0
    for word in reading.words:
        joined += text[at : word.offset] + word.text
        at = word.offset + word.length
        assert text[word.offset : at] == word.text
        assert word.text
        assert not any(character.isspace() for character in word.text)
    assert joined + text[at:] == text
    assert "".join(text.split()) == "".join(word.text for word in reading.words)


@settings(max_examples=100, deadline=None)
@given(text=texts)
@example(text="1" * 300)
def test_runs_fit_the_network_and_their_owners_never_fall(text: str) -> None:
    reading = phonemizer().read(text)
    last_owner = 0
    for run in reading.runs:
        assert len(run.ids) == len(run.owners) == len(run.audible) <= LONGEST_RUN + 2
        assert run.ids[0] == run.ids[-1] == PAD
        assert run.owners[0] == run.owners[-1] == NO_WORD
        assert PAD not in run.ids[1:-1]
        assert any(run.audible)
        for owner in run.owners[1:-1]:
            assert last_owner <= owner < len(reading.words)
            last_owner = owner


def test_the_phonemes_of_ordinary_sentences_are_those_of_the_wheel() -> None:
    read = [list(phonemizer().read(sentence).runs[0].ids) for sentence in sentences()]
    assert read == sentence_ids()


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        (
            "It cost $1,234.56 on 3/4/2024, didn't it?",
            ["It", "cost", "$1,234.56", "on", "3/4/2024,", "didn't", "it?"],
        ),
        ("Dr. Smith comes at 7:30 pm.", ["Dr.", "Smith", "comes", "at", "7:30", "pm."]),
        ("Run 5km at 3 °C  now", ["Run", "5km", "at", "3", "°C", "now"]),
        ("AT&T's x=3 [link](there)", ["AT&T's", "x=3", "[link](there)"]),
        ("Henry VIII, that is.", ["Henry", "VIII,", "that", "is."]),
    ],
)
def test_every_word_of_the_input_that_is_spoken_has_phonemes(text: str, spoken: list[str]) -> None:
    counts = spoken_words(phonemizer().read(text))
    assert [word for word, count in counts.items() if count] == spoken


def test_punctuation_alone_is_a_word_without_sound() -> None:
    counts = spoken_words(phonemizer().read("Yes — no"))
    assert counts["—"] == 0
    assert counts["Yes"]
    assert counts["no"]


@pytest.mark.parametrize("text", ["", " \n\t", "...", "?! — (…)", "“”"])
def test_text_without_a_sound_has_no_run(text: str) -> None:
    assert phonemizer().read(text).runs == ()


def test_a_rejected_word_is_spelled_and_leaves_its_neighbours_alone() -> None:
    # The wheel's number words end below 10^36.
    long_number = "7" * 37
    spelled = spoken_words(phonemizer().read(f"before {long_number} after"))
    alone = spoken_words(phonemizer().read("7"))["7"]
    assert spelled[long_number] == 37 * alone
    assert spelled["before"] == spoken_words(phonemizer().read("before"))["before"]
    assert spelled["after"] == spoken_words(phonemizer().read("after"))["after"]


def test_a_long_text_is_cut_after_a_clause_and_loses_nothing() -> None:
    text = ", ".join(["twenty two thousand seven hundred"] * 20)
    reading = phonemizer().read(text)
    assert len(reading.runs) > 1
    for run in reading.runs[:-1]:
        ends = reading.words[run.owners[-2]].text
        assert ends.endswith(",")
    clause = phonemizer().read("twenty two thousand seven hundred, one").runs[0]
    spoken = sum(sum(run.audible) for run in reading.runs)
    assert spoken == 20 * (sum(clause.audible) - sum(phonemizer().read("one").runs[0].audible))


@pytest.mark.parametrize("part", ["a-b-c-d-", "/a", "5%", "a1", "aB", "1st"])
def test_the_work_for_a_word_of_many_parts_is_bounded(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up = Counter[str]()
    look_up = Lexicon.__call__

    def counting(*arguments: object) -> object:
        looked_up["all"] += 1
        return look_up(*arguments)

    monkeypatch.setattr(Lexicon, "__call__", counting)
    text = (part * 300)[:300]
    reading = phonemizer().read(text)
    assert [word.text for word in reading.words] == [text]
    assert looked_up["all"] < 5_000  # 10,000 to 45,000 where such a word is given whole


def test_a_long_word_that_is_cut_keeps_its_phonemes() -> None:
    counts = spoken_words(phonemizer().read("See https://example.com/some-path/with-parts?a=b, please."))
    assert list(counts) == ["See", "https://example.com/some-path/with-parts?a=b,", "please."]
    assert all(counts.values())


def test_threads_may_read_at_once() -> None:
    lines = [f"{line} Blorptastic frabjous {index}!" for index, line in enumerate(sentences()[:24])]
    alone = [phonemizer().read(line) for line in lines]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(phonemizer().read, lines)) == alone
