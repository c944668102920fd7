"""English abbreviations, capitals, Roman numerals, stretched words: what is read, and what is left alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.english import abbreviations, capitals, roman, stretched
from pipeline.text.english.known_capitals import ACRONYMS, COMMON, LOWERED, QUIET, SPELLED
from pipeline.text.english.shorthand import CHAT
from pipeline.text.english.tables import one_of, pairs, words
from pipeline.text.rules import Rule, Said, claims

RULES = (*abbreviations.RULES, *roman.RULES, *stretched.RULES, *capitals.RULES)


def said(text: str, rules: tuple[Rule, ...] = RULES) -> list[str]:
    """What the rules say, letters to be named parted by dots."""
    found = [part for part in claims(text, rules) if part.words]
    return [part.words.replace(" ", ".") if part.spelled else part.words for part in found]


def test_a_table_is_read_from_its_text() -> None:
    assert words("a b\n c") == {"a", "b", "c"}
    assert pairs("km kilometer; sq ft\n  square feet; ®") == {
        "km": "kilometer",
        "sq": "ft square feet",
        "®": "",
    }


@given(st.sets(st.text(alphabet="ab.+", min_size=1, max_size=4), min_size=1))
def test_a_pattern_for_words_finds_each_of_them_whole(known: set[str]) -> None:
    for word in known:
        match = re.compile(one_of(known)).match(word)
        assert match is not None
        assert match.group() == word


@pytest.mark.parametrize(
    "text",
    [
        "The Sun. I sat. We wed. He may march. Mark it.",
        "No. I said no. I am in. It is max. Min.",
        "The co op is in general a pro thing, ed and al know.",
        "She can't, won't, and he'd rather not.",
        "Ave Maria. The st of it. A mt in it.",
        "a fig. a sec. a par. a vol",
        "I, you, a man and O'Brien went, Y'all.",
        "iPhone, eBay, YouTube, McDonald's, JavaScript",
        "X-ray, T-shirt, U-turn",
        "The part I like, the type I want, when Charles I met.",
        "the committee agreed to keep the good books, all well",
        "0001000 1000 10000",
    ],
)
def test_plain_prose_is_left_alone(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Lee of Maple Dr. sat", ["doctor", "drive"]),
        ("12 Sunset Dr. Apt. 4", ["drive", "apartment"]),
        ("St. John's St. is near Port St. Lucie", ["saint", "street", "saint"]),
        ("5th St. Bridge, Wall St. Journal, in St. Ives", ["street", "street", "saint"]),
        ("Ste. 5, Hwy. 1, Rte 66", ["suite", "highway", "route"]),
        ("on Mon. in Sept. by Tues", ["Monday", "September", "Tuesday"]),
        ("Mon–Fri, Sat. - Sun. only", ["Monday", "to", "Friday", "Saturday", "to", "Sunday"]),
        ("Tampa, Fla. is, Sec. of State, Sec. 5", ["Florida", "secretary", "section"]),
        ("est. 1990, est. $5", ["established", "estimated"]),
        ("e.g., i.e., a.k.a. and w.r.t. it", ["for example", "that is", "also known as", "with respect to"]),
        ("Ph.D. B.Sc. D.C. p.m.", ["P.H.D", "B.S.C", "D.C", "P.M"]),
        ("Two Ph.D.s", ["P.H.D's"]),
        ("J. K. Rowling, J.R.R. Tolkien", ["J", "K", "J.R.R"]),
        ("w/ a, w/o b, b/c, n/a, y/o", ["with", "without", "because", "N.A", "year old"]),
        ("gov't, gov’t, rock 'n' roll", ["government", "government", "and"]),
        ("btw BTW Btw omg", ["by the way"] * 3 + ["O.M.G"]),
    ],
)
def test_abbreviations_are_read_by_their_neighbours(text: str, expected: list[str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize("word", sorted(CHAT))
def test_shorthand_does_not_claim_the_stop_of_its_sentence(word: str) -> None:
    assert claims(f"yes {word}.", RULES) == [Said(CHAT[word], 4, 4 + len(word))]


def test_a_title_claims_its_dot_and_says_nothing_for_it() -> None:
    assert claims("Dr. Lee", RULES) == [Said("doctor", 0, 2), Said("", 2, 3)]


def test_no_word_in_capitals_is_in_two_lists_that_disagree() -> None:
    assert not SPELLED & (ACRONYMS | COMMON | QUIET)
    assert not ACRONYMS & COMMON
    assert LOWERED <= ACRONYMS


@given(st.sampled_from(sorted(SPELLED)))
def test_a_known_initialism_is_spelled_among_small_letters_and_capitals(word: str) -> None:
    for text in (f"the {word} here", f"THE {word} IS HERE", f"two {word}s"):
        assert said(text, capitals.RULES)[-1 if text[0] == "t" else 1].split("'")[0] == ".".join(word)


@given(st.sampled_from(sorted(ACRONYMS)))
def test_a_known_acronym_is_never_spelled(word: str) -> None:
    assert not any(part.spelled for part in claims(f"the {word} here", capitals.RULES))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the US and IT, LET US DO IT", ["U.S", "I.T", "let", "us", "do", "it"]),
        ("I AM HERE, 5 AM radio", ["am", "here", "A.M"]),
        ("the WHO, but WHO did", ["W.H.O", "who"]),
        ("so COOL, a BIG deal, NOT me", ["cool", "big", "not"]),
        ("DON'T, IT'S, I'M, WE’RE", ["don't", "it's", "I'm", "we're"]),
        ("CEOs, CEO's, IDs", ["C.E.O's", "C.E.O's", "I.D's"]),
        ("ChatGPT, iOS, OpenAI", ["G.P.T", "O.S", "A.I"]),
        ("AT&T, Q&A, M&Ms", ["A.T", "and", "T", "Q", "and", "A", "M", "and", "M's"]),
        ("Plan A, an A, A to Z, grade A.", ["A", "A", "A", "Z", "A"]),
        ("F16, A4, B2B, I/O", ["F", "A", "B", "B", "I", "O"]),
        ("Reno, NV and Portland, OR 97201 or Portland, OR else", ["Nevada", "Oregon", "or"]),
        ("ZQX, XKCD, IMDB", ["Z.Q.X", "X.K.C.D", "I.M.D.B"]),
    ],
)
def test_capitals_are_letters_or_words(text: str, expected: list[str]) -> None:
    assert said(text, capitals.RULES) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Henry VIII's", ["the eighth"]),
        ("King Charles I, Charles I of Spain", ["the first", "the first"]),
        ("William Gates III, Rocky III", ["the third", "three"]),
        ("World War I, the War I saw", ["one"]),
        ("Chapter XL, chapter iv, (ii), Type I, type I error", ["forty", "four", "two", "one", "one"]),
        ("Malcolm X, MIX, CD, MD, CIVIL, Plan X, vitamin C", []),
        ("the XIX century", ["nineteenth"]),
        ("IV fluids, Use IV drip, WWII", ["world war two"]),
        ("Final Fantasy X, iPhone X, GTA V. Then", ["ten", "ten", "five"]),
        ("© MCMXCIX", ["nineteen ninety nine"]),
    ],
)
def test_roman_numerals_need_a_word_that_makes_them_one(text: str, expected: list[str]) -> None:
    assert said(text, roman.RULES) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Noooo sooo yesss goooal", ["no", "so", "yes", "goal"]),
        ("coool goood reallly yummmyyy helllo", ["cool", "good", "really", "yummy", "hello"]),
        ("hmmmm ahhh ooohhh shhh", ["hmm", "ah", "ooh", "shush"]),
        ("omggg loool plsss", ["O.M.G", "lol", "please"]),
        ("IEEE III XXX www zzz", []),
        ("@aaah #yesss www.x", []),
    ],
)
def test_stretched_words_are_relaxed(text: str, expected: list[str]) -> None:
    assert said(text, stretched.RULES) == expected
