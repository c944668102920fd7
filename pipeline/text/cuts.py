"""Where inside a sentence may it be cut, if it must?

Finds clause ends and the best place to cut text that is too long. Knows nothing of what was cut before or
what comes after. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from unicodedata import combining

from pipeline.text.characters import CJK, CLOSERS, STOPS, is_cjk, is_speakable

_CLAUSE = re.compile(
    rf"""
      [,;:][{CLOSERS}]*(?=\s)             # a comma in "1,234" has no space after it
    | [，、；：][{CLOSERS}]*
    | [—―]+ | (?<=\s)[–-]{{1,3}}(?=\s) | (?<=\w)--+(?=\w)
    | [)\]}}）］】」』》](?=\s|[{CJK}])
    | (?:…+|\.{{2,}}|[!?！？]+)[{CLOSERS}]*(?=\s|[{CJK}])
    """,
    re.VERBOSE,
)
_NAME_TAIL = re.compile(
    r"\s+(?:[A-Z]\.|(?:Jr|Sr|Inc|Ltd|LLC|Ph\.?D|M\.?D|Esq|II|III|IV)\b|[A-Z]{2}(?:\s+\d{5}\b|(?=[,.])))"
)
"""What a comma does not part from a name: "Rowling, J. K.", "King, Jr.", "Springfield, IL 62704"."""

_BETWEEN_DIGITS = re.compile(r"(?<=\d),\s+(?=\d)")
_STREET = re.compile(r"\b(?:St|Street|Ave|Avenue|Rd|Road|Blvd|Boulevard|Lane|Ln|Drive|Square|Suite \w+)\.?\Z")
_LONGEST_STREET = 16
_LINKS = re.compile(
    r"\s+(?=(?:and|but|or|nor|so|yet|because|although|though|while|whereas|since|unless|until|if|when|where|which|"
    r"who|whom|whose|that|than|as|before|after|once)\s)"
)
_PREPOSITIONS = re.compile(
    r"\s+(?=(?:in|on|at|to|for|with|from|by|about|into|over|under|through|between|during|without|against)\s)"
)
_SPACE = re.compile(r"\s+")
_WORD = re.compile(rf"[^\W_{CJK}]+(?:['’.,:/@-][^\W_{CJK}]+)*")
_CJK = re.compile(f"[{CJK}]")
_NOT_BEFORE = re.compile(rf"[{STOPS}{CLOSERS}，、；：,;:\u200d\ufe00-\ufe0f]")
"""What a piece may not begin with while there is a choice."""

_NOT_AFTER = re.compile("[“‘（「『【《〈〔\u200d]")
"""What a piece may not end with while there is a choice."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A place to cut: the text before `at` is one piece. `clause` tells whether punctuation stands there."""

    at: int
    clause: bool


def word_count(text: str) -> int:
    """Count words, taking two Han or kana for one."""
    return len(_WORD.findall(text)) + len(_CJK.findall(text)) // 2


def clause_ends(text: str) -> Iterator[int]:
    """Yield, in order, every index just after a clause's punctuation with something still to say after it.

    Never inside a number, an address, a date or a name with initials.
    """
    last = next((at for at in reversed(range(len(text))) if is_speakable(text[at])), -1)
    for match in _CLAUSE.finditer(text):
        if match.end() <= last and not _joins_names(text, match):
            yield match.end()


def link_starts(text: str) -> Iterator[int]:
    """Yield, in order, every index where a conjunction or a relative word begins after white space."""
    return (match.start() for match in _LINKS.finditer(text))


def preposition_starts(text: str) -> Iterator[int]:
    """Yield, in order, every index where a preposition begins after white space."""
    return (match.start() for match in _PREPOSITIONS.finditer(text))


def best_cut(text: str, longest: int) -> Cut:
    """Choose where to cut text longer than `longest`: after punctuation, before a linking word, at a space.

    Places in the first third are taken only where no better kind is left. Inside a word only where it has no
    end.
    """
    assert len(text) > longest, "nothing to cut"
    early = longest // 3
    head = text[: longest + 1]
    clause = _last(clause_ends(head), early, longest)
    if clause:
        return Cut(clause, clause=True)
    at = (
        _last(link_starts(head), early, longest)
        or _last(_spaces(head), early, longest)
        or _last(_between_cjk(head), early, longest)
        or _last(_spaces(head), 1, longest)
        or _last(_between_cjk(head), 1, longest)
    )
    return Cut(at or _whole_character(text, longest), clause=False)


def _joins_names(text: str, match: re.Match[str]) -> bool:
    """Tell whether this punctuation is a comma inside a name, a date or a postal address."""
    return match.group() == "," and (
        _NAME_TAIL.match(text, match.end()) is not None
        or _BETWEEN_DIGITS.match(text, match.start()) is not None
        or _STREET.search(text, max(0, match.start() - _LONGEST_STREET), match.start()) is not None
    )


def _last(places: Iterable[int], least: int, most: int) -> int:
    """Return the last of the places in [least, most], or 0."""
    return max((at for at in places if least <= at <= most), default=0)


def _spaces(text: str) -> Iterator[int]:
    """Yield where white space begins, but not between two digits as in "22 000"."""
    for match in _SPACE.finditer(text, 1):
        is_in_number = text[match.start() - 1].isdigit() and text[match.end() : match.end() + 1].isdigit()
        if not is_in_number:
            yield match.start()


def _between_cjk(text: str) -> Iterator[int]:
    """Yield every index next to a Han or kana that parts no word of letters and no mark from its word."""
    for at in range(1, len(text)):
        before, after = text[at - 1], text[at]
        touches = is_cjk(before) or is_cjk(after)
        if touches and is_speakable(before) and not _NOT_BEFORE.match(after):
            yield at


def _whole_character(text: str, longest: int) -> int:
    """Step back from `longest` over marks that belong to the character before them, a few at most."""
    for at in range(longest, longest - 8, -1):
        if not combining(text[at]) and not _NOT_BEFORE.match(text[at]) and not _NOT_AFTER.match(text[at - 1]):
            return at
    return longest
