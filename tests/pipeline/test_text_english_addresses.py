"""URLs, addresses, versions, file names and identifiers: what is read, and what is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.english import addresses, identifiers, versions
from pipeline.text.rules import Said, claims

RULES = (*addresses.RULES, *versions.RULES, *identifiers.RULES)


def said(text: str) -> list[str]:
    """What is said for each claimed stretch, letters to be named in capitals."""
    stretches: dict[tuple[int, int], list[str]] = {}
    for part in claims(text, RULES):
        stretches.setdefault((part.begin, part.end), []).append(part.words)
    return [" ".join(words) for words in stretches.values()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://www.example.com/docs/api?x=1#y", "example dot com slash docs slash A P I"),
        ("http://user:secret@example.com:8080/", "example dot com port eighty eighty"),
        ("https://a-b.example.co.uk", "A dash B dot example dot co dot U K"),
        ("https://x.org/one/two/three/four", "X dot org"),
        ("https://x.org/8f14e45fceea167a5a36dedd4bea2543", "X dot org"),
        ("https://x.org/best-pizza-in-town", "X dot org slash best pizza in town"),
        ("www.example.com", "example dot com"),
        ("help@example.com", "help at example dot com"),
        ("first.last+tag_1@x-y.co.uk", "first dot last plus tag one at X dash Y dot co dot U K"),
        ("localhost:3000", "localhost port three thousand"),
        ("youtu.be/abc", "youtu dot be slash A B C"),
        ("192.168.0.1", "one ninety two dot one sixty eight dot zero dot one"),
        ("10.0.0.1:443", "ten dot zero dot zero dot one port four forty three"),
        ("2001:db8::1", "two zero zero one colon D B eight colon colon one"),
        ("00:1A:2b:3C:4D:5E", "zero zero one A two B three C four D five E"),
        ("@john_doe42", "john doe forty two"),
        ("@user@mastodon.social", "user at mastodon dot social"),
        ("#BlackLivesMatter", "Black Lives Matter"),
        ("#100DaysOfCode", "one hundred Days Of Code"),
        ("#ff8800", "F F eight eight zero zero"),
        ("r/AskReddit", "R slash Ask Reddit"),
        ("v2.1", "version two point one"),
        ("1.0.0-beta.2", "one point zero point zero beta two"),
        ("3.12.0rc1", "three point twelve point zero R C one"),
        (
            "120.0.6099.109",
            "one hundred twenty point zero point six thousand ninety nine point one hundred nine",
        ),
        ("main.py", "main dot P Y"),
        ("archive.tar.gz", "archive dot tar dot G Z"),
        ("/usr/local/bin", "slash user slash local slash bin"),
        ("~/Downloads/a.txt", "tilde slash Downloads slash A dot T X T"),
        ("src/app.ts", "source slash app dot T S"),
        ("C:\\Windows\\System32", "C colon backslash Windows backslash System thirty two"),
        (".gitignore", "dot gitignore"),
        ("os.path.join()", "os dot path dot join"),
        ("np.array", "N P dot array"),
        ("getUserName", "get User Name"),
        ("innerHTML", "inner H T M L"),
    ],
)
def test_a_name_made_for_machines_is_read_as_a_whole(text: str, expected: str) -> None:
    assert said(f"so {text} is") == [expected]
    assert said(f"({text}).") == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "and/or he/she TCP/IP km/h 24/7 1/2 w/o",
        "3.14 1,234.5 $3.50 01.10.2024 1.234.567 555.123.4567 3:30 10:00:30",
        "e.g. i.e. U.S. p.m. D.C. A.B. end.and done.in is.it great.thanks",
        "iPhone eBay YouTube JavaScript McDonald",
        "well-known snake_case x-ray",
        "V8 #1 # @ C# a@ b#",
        "... .. . / // \\ : ::",
        "word: word; it's ok?no",
    ],
)
def test_what_is_none_is_left_alone(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize("closing", [".", ",", "!", "?", ";", ":", ").", '".', "…", "'", "”"])
@pytest.mark.parametrize(
    "address", ["https://example.com/a", "a@example.com", "example.com", "10.0.0.1", "/usr/bin"]
)
def test_the_punctuation_of_the_sentence_is_none_of_an_address(address: str, closing: str) -> None:
    assert {(part.begin, part.end) for part in claims(f"({address}{closing}", RULES)} == {
        (1, 1 + len(address))
    }


@given(st.from_regex(r"[a-z]{1,8}(\.[a-z]{2,8}){0,2}\.com(/[a-z0-9?=&%#.-]{0,20})?", fullmatch=True))
def test_a_url_is_one_stretch_with_no_digit_and_no_mark_in_it(host: str) -> None:
    found = claims(f"https://{host} x", RULES)
    assert {part.begin for part in found} == {0}
    assert all(letter.isalpha() or letter in " '" for part in found for letter in part.words)


@pytest.mark.parametrize("name", ["Python", "Node", "Ubuntu", "version", "iOS"])
def test_a_number_after_the_name_of_software_is_a_version(name: str) -> None:
    assert said(f"{name} 3.11") == ["three point eleven"]
    assert claims("about 3.11", RULES) == []


def test_a_version_is_not_announced_twice() -> None:
    assert claims("version v2", RULES) == [Said("two", 8, 10)]
