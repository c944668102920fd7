"""Reading the spoken form is total; every phoneme belongs to the characters its word is said for."""

from __future__ import annotations

import json
import string
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hibari.g2p
import pytest
from hibari.g2p.lexicon import Lexicon
from hypothesis import example, given, settings
from hypothesis import strategies as st

from models.phonemizer import LONGEST_NAME, Reading, Word
from models.runs import LONGEST_RUN
from pipeline.speech import Spoken
from tests.models.spoken import phonemizer, read_as, sentences, spelled, spoken_of
from tests.models.wheel import sentence_ids

AWKWARD = "$£€%&@#/\\-–—_.,:;!?…'’\"“”()[]{}<>=+*~^|°¢0123456789IVXLC \t\n"
texts = st.one_of(
    st.text(st.one_of(st.sampled_from(AWKWARD + string.ascii_letters), st.characters()), max_size=60),
    st.sampled_from(["Dr.", "St", "7:30", "$5", "1st", "5km", "é", "(a)", "-", "[x](/a/)", "A", "O's", "二"]),
)
words = st.builds(
    Spoken,
    texts,
    st.integers(0, 9),
    st.integers(1, 3),
    language=st.sampled_from(["en", "zh", "fr"]),
    spelled=st.booleans(),
    phonemes=st.none() | st.text(st.one_of(st.sampled_from("həlˈOworld ,."), st.characters()), max_size=9),
)


def phonemes(spoken: Sequence[Spoken]) -> str:
    """Return all that is read for the words, as the wheel writes it."""
    vocabulary = json.loads(Path(hibari.g2p.ASSETS, "vocab.json").read_text(encoding="utf-8"))
    symbols = {number: symbol for symbol, number in vocabulary.items()}
    return " | ".join(
        "".join(symbols[number] for number in run.ids[1:-1]) for run in phonemizer().read(spoken).runs
    )


def heard(reading: Reading) -> list[int]:
    """Return how many audible phonemes each word has."""
    counts = Counter(
        owner
        for run in reading.runs
        for owner, audible in zip(run.owners, run.audible, strict=True)
        if audible
    )
    return [counts[index] for index in range(len(reading.words))]


@settings(max_examples=200, deadline=None)
@given(spoken=st.lists(words, max_size=12))
@example(spoken=[Spoken("9" * 36 + "9", 0, 1)])
@example(spoken=[Spoken("1" * 300, 0, 1), Spoken("1,1" * 100, 0, 1)])
@example(spoken=[Spoken("", 0, 1), Spoken("", 0, 1, spelled=True), Spoken(" a b ", 1, 1)])
@example(spoken=[Spoken("२३", 0, 1), Spoken("½", 1, 1), Spoken("①²³", 2, 1), Spoken("ⅷ", 3, 1)])
@example(spoken=[*spoken_of("$,. $.5.5 £-1 1.2.3 -- '' ''' .."), *spoken_of("a--b 1-2-3 $5-$6")])
def test_any_words_give_a_reading_whose_owners_never_fall(spoken: list[Spoken]) -> None:
    reading = phonemizer().read(spoken)
    owners = [owner for run in reading.runs for owner in run.owners[1:-1]]
    assert owners == sorted(owners)
    assert all(0 <= owner < len(reading.words) for owner in owners)
    assert all(len(run.ids) <= LONGEST_RUN + 2 and any(run.audible) for run in reading.runs)


@given(spoken=st.lists(words, max_size=12))
def test_words_said_for_the_same_characters_one_after_the_other_are_one(spoken: list[Spoken]) -> None:
    spans = [Word(word.offset, word.length) for word in spoken]
    changes = [span for at, span in enumerate(spans) if not at or span != spans[at - 1]]
    assert list(phonemizer().read(spoken).words) == changes


def test_the_phonemes_of_ordinary_sentences_are_those_of_the_wheel() -> None:
    read = [list(phonemizer().read(spoken_of(sentence)).runs[0].ids) for sentence in sentences()]
    assert read == sentence_ids()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I said no.", "ˌI sˈɛd nˈO."),
        ("No. I read it; I have read it.", "nˈO. ˌI ɹˈɛd ɪt; ˌI hæv ɹˈɛd ɪt."),
        ("Use the apple, the pear, the use.", "jˈuz ði ˈæpᵊl, ðə pˈɛɹ, ðə jˈus."),
        ("yes , no", "jˈɛs, nˈO"),
        ("[two](/one/)", "tˈu slˈæʃ wˈʌn slˈæʃ)"),
    ],
)
def test_words_are_read_as_they_stand_and_by_their_neighbours(text: str, said: str) -> None:
    assert phonemes(spoken_of(text)) == said


@pytest.mark.parametrize(
    ("spoken", "said"),
    [
        (spelled("FBI"), "ˌɛfbˌiˈI"),
        ((*spoken_of("the"), *spelled("FBI", 4), *spoken_of("record")), "ði ˌɛfbˌiˈI ɹˈɛkəɹd"),
        ((*spelled("FBI"), *spelled("CIA", 4)), "ˌɛfbˌiˈI sˌiˌIˈA"),
        ((*spelled("FB"), Spoken("I's,", 2, 4, spelled=True)), "ˌɛfbˌiˈIz,"),
        ((*spelled("CE"), Spoken("Os.", 2, 3, spelled=True)), "sˌiˌiˈOz."),
        ((Spoken("(M", 0, 9, spelled=True), Spoken("F’s)", 0, 9, spelled=True)), "(ˌɛmˈɛfs)"),
        ((*spelled("O"), Spoken("D'd", 1, 3, spelled=True)), "ˌOdˈid"),
        ((Spoken("S's", 0, 3, spelled=True), Spoken("Hs", 4, 2, spelled=True)), "ˈɛsᵻz ˈAʧᵻz"),
        ((Spoken("A", 0, 2, spelled=True), Spoken("M", 0, 2, spelled=True)), "ˌAˈɛm"),
        ((Spoken("J.", 0, 2, spelled=True), Spoken("R.", 3, 2, spelled=True)), "ʤˈA. ˈɑɹ."),
        ((*spoken_of("a"), Spoken("A,", 2, 2, spelled=True), *spelled("Z", 5)), "ɐ ˈA, zˈi"),
        ((Spoken("É", 0, 1, spelled=True), Spoken("7", 2, 1, spelled=True)), "ˈi sˈɛvən"),
    ],
)
def test_letters_are_named_those_of_one_word_as_one_name(spoken: Sequence[Spoken], said: str) -> None:
    assert phonemes(spoken) == said


def test_more_letters_than_a_name_has_are_a_list() -> None:
    letters = string.ascii_uppercase[: LONGEST_NAME + 1]
    assert phonemes(spelled(letters)) == "ˈA bˈi sˈi dˈi ˈi ˈɛf ʤˈi"
    assert phonemes(spelled(letters[:-1])) == "ˌAbˌisˌidˌiˌiˈɛf"


def test_every_letter_of_a_name_has_its_own_phonemes() -> None:
    assert heard(phonemizer().read(spelled("FWI"))) == [3, 8, 2]


@pytest.mark.parametrize(
    ("word", "given", "said"),
    [
        ("(Nguyen),", "wˈɪn", "(wˈɪn),"),
        ("“Nguyen!”", "ˈwɪn", "ˈwɪn!"),
        ("GIF", "/dʒˈɪf/", "ʤˈɪf"),
        ("C++.", "sˈi", "sˈi."),
        ("York", "njˈu jˈɔɹk", "njˈu jˈɔɹk"),
        ("♥", "lˈʌv", "lˈʌv"),
        ("hi.", "世界", "hˈI."),
        ("hi.", "ˈ", "hˈI."),
        ("hi.", "", "hˈI."),
    ],
)
def test_phonemes_stand_for_a_word_but_not_for_its_punctuation(word: str, given: str, said: str) -> None:
    assert phonemes([Spoken(word, 0, len(word), phonemes=given)]) == said


def test_given_phonemes_tell_the_word_before_how_to_sound() -> None:
    assert phonemes([*spoken_of("the"), Spoken("hour", 4, 4, phonemes="ˈWəɹ")]) == "ði ˈWəɹ"
    assert phonemes([*spoken_of("the"), Spoken("hour", 4, 4, phonemes="hˈWəɹ")]) == "ðə hˈWəɹ"


def test_every_character_that_words_are_said_for_has_their_phonemes() -> None:
    _, spoken = read_as(
        ("It", "It"), ("cost", "cost"), ("$5,", "five dollars,"), ("didn't", "didn't"), ("it?", "it?")
    )
    reading = phonemizer().read(spoken)
    alone = {word.text: heard(phonemizer().read([word]))[0] for word in spoken}
    assert [word.offset for word in reading.words] == [0, 3, 8, 12, 19]
    assert heard(reading)[2] == alone["five"] + alone["dollars,"]


def test_a_word_without_sound_has_no_phonemes_and_its_mark_still_makes_a_pause() -> None:
    spoken = [*spoken_of("Yes —"), Spoken("你好，", 6, 3, "zh"), Spoken("bonjour", 9, 7, "fr")]
    assert phonemes(spoken) == "jˈɛs —, bɑnʒˈʊɹ"
    assert heard(phonemizer().read(spoken))[1:3] == [0, 0]


@pytest.mark.parametrize("text", ["", " \n\t", "...", "?! — (…)", "“”", "你好"])
def test_words_without_a_sound_have_no_run(text: str) -> None:
    assert phonemizer().read(spoken_of(text)).runs == ()


def test_a_number_too_long_for_words_is_read_by_its_digits_and_leaves_its_neighbours_alone() -> None:
    assert phonemes(spoken_of(f"the {'7' * 37} apples")) == f"ðə {'sˈɛvən ' * 37}ˈæpᵊlz"


def test_what_the_wheel_rejects_is_read_word_by_word_and_then_spelled() -> None:
    rejected = ",".join(["777"] * 13)
    with pytest.raises(IndexError):
        hibari.g2p.G2P(oov=False)(rejected, normalize_text=False)
    said = phonemes(spoken_of(f"before {rejected} after"))
    assert said.startswith("bəfˈɔɹ sˈɛvən sˈɛvən sˈɛvən, ")
    assert said.endswith(" ˈæftəɹ")


@pytest.mark.parametrize("part", ["a-b-c-d-", "/a", "5%", "a1", "aB", "1st"])
def test_the_work_for_a_word_of_many_parts_is_bounded(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up = Counter[str]()
    look_up = Lexicon.__call__

    def counting(*arguments: object) -> object:
        looked_up["all"] += 1
        return look_up(*arguments)

    monkeypatch.setattr(Lexicon, "__call__", counting)
    text = (part * 300)[:300]
    reading = phonemizer().read(spoken_of(text))
    assert reading.words == (Word(0, 300),)
    assert looked_up["all"] < 5_000  # 10,000 to 45,000 where such a word is given whole


def test_a_long_word_that_is_cut_keeps_its_phonemes() -> None:
    reading = phonemizer().read(
        spoken_of("See https://example.com/some-path/with-parts?a=b, please or don't, dear.")
    )
    assert len(reading.words) == 6
    assert all(heard(reading))


def test_threads_may_read_at_once() -> None:
    lines = [
        spoken_of(f"{line} Blorptastic frabjous {index}!") for index, line in enumerate(sentences()[:24])
    ]
    alone = [phonemizer().read(line) for line in lines]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(phonemizer().read, lines)) == alone
