"""Names made for machines, piece by piece: hosts, file names, handles, tags, identifiers.

"docs" is a word, "py" is spelled, "v2" is "V two", "BlackLivesMatter" three words. Pure; any thread may call
it.
"""

from __future__ import annotations

import re
from unicodedata import digit

from pipeline.text.english.known_capitals import ACRONYMS, COMMON, QUIET, SPELLED
from pipeline.text.english.numbers import cardinal, serial
from pipeline.text.english.tables import pairs, words
from pipeline.text.rules import Said

Piece = tuple[str, bool]
"""Words, and whether they are letters to be named."""

_PIECE = re.compile(
    r"(?P<number>[0-9]+)|(?P<word>[A-Z]?[a-zß-öø-ÿ']+|[A-Z]+(?![a-z])|[^\W\d_A-Za-z]+)|(?P<mark>[./@:+~\\-])|\W|_|\d"
)
_MARKS = pairs(". dot; / slash; @ at; : colon; + plus; ~ tilde; \\ backslash; - dash")
_SPELLED_PARTS = words(
    """py js ts tsx jsx md sh rb rs cpp css html htm csv pdf png jpg svg xml ini exe dll gz txt xls
    xlsx docx ppt pptx mp avi mkv io ai uk us de fr jp cn ru nl fm gg xyz edu tv eu ca au nz br mx kr es
    pt ch se dk fi pl cz gr tr za hk sg ie il ae ph id it ly lg http https www ftp ssh api url cdn cli
    npm pnpm gpt llm ml ui ux db faq pc usb cpu gpu php sdk vm aws etc fbi cia nba nfl ufc usa bbc cnn
    abc hbo"""
)
_WORDS = pairs("usr user; tmp temp; src source; img image; cfg config; pkg package; yml yaml")
_SHORT = 3
_SHORT_WORDS = COMMON | ACRONYMS | words("COM ORG")
"""Capitals, three at most, that are words."""
_VOWEL = re.compile(r"[aeiouyà-öø-ÿ]", re.IGNORECASE)
_BASIC = re.compile(r"[A-Za-z]+")


def pieces(name: str, silent: str = "") -> list[Piece]:
    """Return how a name is said; its marks by their names, but those of `silent` only part words."""
    found: list[Piece] = []
    for match in _PIECE.finditer(name):
        if match["number"]:
            found.append((serial(match["number"]), False))
        elif match["word"]:
            found.append(_word(match["word"]))
        elif match["mark"] and match["mark"] not in silent:
            found.append((_MARKS[match["mark"]], False))
    return found


def said_pieces(found: list[Piece], begin: int, end: int) -> list[Said]:
    """Return the pieces as said for one stretch of text, that none can be told apart in."""
    return [Said(words, begin, end, spelled=spelled) for words, spelled in found]


def _word(word: str) -> Piece:
    if any(map(str.isdigit, word)):  # such as "²", which is no decimal digit
        spaced = (f" {cardinal(digit(part))} " if part.isdigit() else part for part in word)
        return " ".join("".join(spaced).split()), False
    lower = word.lower()
    if lower in _WORDS:
        return _WORDS[lower], False
    known = word.isupper() and (
        word in SPELLED or word in QUIET or (len(word) <= _SHORT and word not in _SHORT_WORDS)
    )
    unsayable = _BASIC.fullmatch(word) is not None and not _VOWEL.search(word)
    if lower in _SPELLED_PARTS or known or unsayable or len(word) == 1:
        return " ".join(word.upper()), True
    return (lower if word.isupper() and word not in ACRONYMS else word), False
