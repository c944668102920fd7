"""Where inside a sentence may it be cut, if it must?

Finds clause ends, plain places before a linking word or a preposition, and the best place to cut text that is
too long. Knows nothing of what was cut before or what comes after. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from unicodedata import combining

from pipeline.text.characters import CJK, CLAUSE_MARKS, CLOSERS, OPENERS, STOPS, is_cjk, is_speakable

_CLAUSE = re.compile(
    rf"""
      [,;:][{CLOSERS}]*(?=\s)             # a comma in "1,234" has no space after it
    | [，、；：][{CLOSERS}]*
    | [—―]+ | (?<=\s)[–-]{{1,3}}(?=\s) | (?<=\w)--+(?=\w)
    | [)\]}}）］】」』》](?=\s|[{CJK}])
    | (?:…++|\.{{2,}}+|[!?！？]++)[{CLOSERS}]*+(?=\s|[{CJK}])
    """,
    re.VERBOSE,
)
_CLAUSE_LAST = re.compile(rf"[{CLAUSE_MARKS}][{CLOSERS}]*+\Z")
_LONGEST_MARK = 16
_NAME_TAIL = re.compile(
    r"\s+(?:[A-Z]\.|(?:Jr|Sr|Inc|Ltd|LLC|Ph\.?D|M\.?D|Esq|II|III|IV)\b|[A-Z]{2}(?:\s+\d{5}\b|(?=[,.])))"
)
"""What a comma does not part from a name: "Rowling, J. K.", "King, Jr.", "Springfield, IL 62704"."""

_MAY_BE_NAME_TAIL = re.compile(r"\s+(?:[A-Z][A-Za-z.]{0,3}|[A-Z]{2}\s+\d{0,4})\Z")
"""The end of a text that more text may turn into the tail of a name."""

_BETWEEN_DIGITS = re.compile(r"(?<=\d),\s+(?=\d)")
_STREET = re.compile(r"\b(?:St|Street|Ave|Avenue|Rd|Road|Blvd|Boulevard|Lane|Ln|Drive|Square|Suite \w+)\.?\Z")
_LONGEST_STREET = 16
_LINK = (
    "and|but|or|nor|so|yet|because|although|though|while|whereas|since|unless|until|if|when|where|which|who|whom|"
    "whose|that|than|as|before|after|once"
)
_PREPOSITION = (
    "about|above|across|against|along|among|around|at|behind|below|between|beyond|by|despite|during|except|for|from|"
    "in|inside|into|near|on|onto|outside|over|through|throughout|to|toward|towards|under|upon|via|with|within|without"
)
_LINKS = re.compile(rf"(?<=\S)\s++(?=(?:{_LINK})\s)")
_PREPOSITIONS = re.compile(rf"(?<=\S)\s++(?=(?:{_PREPOSITION})\s)")
_LEANING = re.compile(
    rf"(?:\A|\W)(?:{_LINK}|{_PREPOSITION}|of|a|an|the|my|your|his|her|its|our|their|this|these|those|"
    r"no|not|very|more|most|such|is|are|was|were|be|been|being|am|has|have|had|do|does|did|will|would|can|could|"
    r"may|might|must|shall|should|\S*\d\S*|hundred|thousand|million|billion)\Z",
    re.IGNORECASE,
)
"""The end of a text whose last word leans on the next one, or is part of a number perhaps."""

_LONGEST_LEANING = 24
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


def sure_clause_ends(text: str, *, quiet: bool) -> Iterator[int]:
    """Yield, in order, those clause ends that nothing which may still be appended to `text` can take back.

    With `quiet` no more text is expected for now: punctuation at the very end counts too, unless it stands
    after a number or a name, which may go on.
    """
    yield from (at for at in clause_ends(text) if not _MAY_BE_NAME_TAIL.match(text, at))
    end = len(text.rstrip())
    mark = _CLAUSE_LAST.search(text[:end][-_LONGEST_MARK:]) if quiet else None
    if mark:
        word = text[: end - len(mark.group())].split()[-1:]
        if word and word[0][-1].isalpha() and not word[0].lstrip(OPENERS)[:1].isupper():
            yield end


def link_starts(text: str) -> Iterator[int]:
    """Yield, in order, where white space begins before a conjunction or a relative word.

    No place leaves a word that leans on the next one, or a number, at the end of what is before it. More text
    takes back none.
    """
    return _plain_starts(text, _LINKS)


def preposition_starts(text: str) -> Iterator[int]:
    """Yield, in order, where white space begins before a preposition; otherwise as `link_starts`."""
    return _plain_starts(text, _PREPOSITIONS)


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


def _plain_starts(text: str, words: re.Pattern[str]) -> Iterator[int]:
    for match in words.finditer(text):
        if not _LEANING.search(text[: match.start()][-_LONGEST_LEANING:]):
            yield match.start()


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
    for at in range(1, len(text)) if _CJK.search(text) else ():
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
