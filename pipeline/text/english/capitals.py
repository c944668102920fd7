"""Words in capitals: initialisms by their letters, the others as words; single letters; postal codes.

"FBI" is spelled, "NASA" and the words of who shouts are read. What is in no list is judged by whether an
English mouth could say it. Knows no Roman numerals: their rules come first. Pure; any thread may call it.
"""

from __future__ import annotations

import re

from pipeline.text.english import known_capitals as known
from pipeline.text.rules import Rule, Said, said

REACH = 24
"""Code points to each side that are looked at to see whether somebody shouts."""

_WORD_BEFORE = re.compile(r"([A-Za-z'’]++)[\s\"“”(-]{1,3}\Z")
_WORD_AFTER = re.compile(r"[\s\"“”(-]{1,3}([A-Za-z'’]++)")
_AVERAGE = re.compile(r"\.[0-9]{2}\s\Z")
_RAISED = "₀-₉⁰¹²³⁴-⁹"
_SHORT = 3
"""Letters of a word that is an initialism unless it is known as a word."""

_SAYABLE = re.compile(
    r"(?=[A-Z]*?[AEIOUY])(?![A-Z]*?[^AEIOUY]{5})"
    r"(?:[^AEIOUY]?|[BCFGPS]L|[BCDFGPTKW]R|[CGKPRSTW]H|S[CKMNPQTW]|[DTS]W|[KG]N|QU|S[CPT]R|SCH|S[HP][LR]|THR|CHR)"
    r"[AEIOUY][A-Z]*(?<![^AEIOUYMRL]B)(?<![^AEIOUYNRLS]C)(?<![^AEIOUY][JQWX])(?<![^AEIOUYRL]V)\Z"
)
"""Capitals that may well be a word: a vowel, a beginning and an end as words have them."""


def _say_capitals(match: re.Match[str]) -> list[Said] | None:
    """Read "FBI", "CEOs", "STOP", "DON'T"; `stem` is what stands before an ending."""
    word, ending = match["word"], match["ending"]
    inside = match.string[match.start() - 1 : match.start()].islower()
    if _is_spelled(word, match):
        return _spelled(word, "'s" if ending else "", match)
    if inside or (word in known.ACRONYMS and word not in known.LOWERED):
        return None
    return said(match.group().lower().replace("’", "'"), match)


def _is_spelled(word: str, match: re.Match[str]) -> bool:
    before, after = _neighbours(match)
    sure = _is_sure(word, before, after, match)
    if sure is not None:
        return sure
    if word in known.ACRONYMS or word in known.COMMON:
        return False
    shouted = _shouts(before) or _shouts(after) or (match["ending"] or "").isupper()
    if word in known.QUIET:
        return not shouted
    if word in known.SPELLED or not _SAYABLE.match(word):
        return True
    return len(word) <= _SHORT and not shouted


def _is_sure(word: str, before: str, after: str, match: re.Match[str]) -> bool | None:
    """Tell the few initialisms that are words as well by what stands beside them; None of all others."""
    if word == "WHO":
        return before.lower() == "the" and not after.isupper()
    if word == "US" and before.lower() == "the":
        return True
    if word == "ERA" and _AVERAGE.search(match.string, max(0, match.start() - 5), match.start()):
        return True
    return False if word == "AM" and "I" in (before, after) else None


def _neighbours(match: re.Match[str]) -> tuple[str, str]:
    """Return the words before and after, where hardly anything parts them; or nothing."""
    text, begin, end = match.string, match.start(), match.end()
    before = _WORD_BEFORE.search(text[max(0, begin - REACH) : begin])
    after = _WORD_AFTER.match(text[end : end + REACH])
    return before[1] if before else "", after[1] if after else ""


def _shouts(word: str) -> bool:
    """Tell whether a neighbour is in capitals and no initialism."""
    return len(word) > 1 and word.isupper() and word not in known.SPELLED and word not in known.ACRONYMS


def _spelled(letters: str, ending: str, match: re.Match[str]) -> list[Said]:
    return [Said(" ".join(letters.upper()) + ending, match.start(), match.end(), spelled=True)]


def _say_joined(match: re.Match[str]) -> list[Said]:
    """Read "AT&T" and "R&D"."""
    begin, end = match.span()
    return [
        Said(" ".join(match[1]), begin, end, spelled=True),
        Said("and", begin, end),
        Said(" ".join(match[2]) + ("'s" if match[3] else ""), begin, end, spelled=True),
    ]


def _say_mixed(match: re.Match[str]) -> list[Said]:
    """Read "PhDs" by its letters, and "I'M" as "I'm"."""
    if match["pronoun"]:
        return said("I'" + match["pronoun"].lower(), match)
    return _spelled(match["letters"], "'s" if match["plural"] else "", match)


def _say_letter(match: re.Match[str]) -> list[Said] | None:
    """Name a letter that stands alone; "A" and "I" only where they cannot be words."""
    letter, ending = match["word"], match["ending"]
    if (letter in "AI" and not ending and not _is_letter(match)) or (letter == "I" and ending):
        return None
    return _spelled(letter, "'s" if ending else "", match)


def _is_letter(match: re.Match[str]) -> bool:
    text, begin, end = match.string, match.start(), match.end()
    around = text[begin - 1 : begin] + text[end : end + 1]
    if any(mark.isdigit() or mark in "/&+" for mark in around) or re.match(r"-\d", text[end : end + 2]):
        return True
    if match["word"] == "I":
        return False
    if re.match(r"\s*[.!?,;:)]|-[a-z]|-?\Z|[-–]| to [A-Z]\b", text[end : end + REACH]):
        return True
    before = _WORD_BEFORE.search(text[max(0, begin - REACH) : begin])
    return before is not None and before[1].lower() in known.BEFORE_LETTERS


def _say_state(match: re.Match[str]) -> list[Said] | None:
    text, begin, end = match.string, match.start(), match.end()
    state = known.STATES.get(match.group())
    town = text[max(0, begin - REACH) : begin].rstrip(", ").rpartition(" ")[2]
    if state is None or not town[:1].isupper() or not town.isalpha():
        return None
    sure = match.group() not in known.STATES_BEFORE_ZIP
    return said(state, match) if sure or re.match(r" \d{5}(?!\d)", text[end : end + 7]) else None


RULES: tuple[Rule, ...] = (
    Rule(re.compile(r"[A-Z](?<=[a-z],\s.)[A-Z](?![\w'’])"), _say_state),
    Rule(
        re.compile(r"([A-Z](?<![\w'’@#.].)[A-Z]{0,2})&([A-Z]{1,2})(s)?(?![^\W\d_])"), _say_joined, needs="&"
    ),
    Rule(
        re.compile(
            r"(?<![\w'’@#])(?:(?P<letters>PhD|BSc|MSc|pH|IoT|QoS|DoD|DoJ|EdD|IPv)(?P<plural>s)?"
            r"|I['’](?P<pronoun>M|LL|VE|D))(?![^\W\d_])"
        ),
        _say_mixed,
    ),
    Rule(
        re.compile(
            rf"(?P<word>[A-Z](?<![A-Z'’].)[A-Z]+)(?P<ending>s|['’](?:s|[A-Z]{{1,2}}))?(?!(?![{_RAISED}])[^\W\d_])"
        ),
        _say_capitals,
    ),
    Rule(
        re.compile(r"(?P<word>[A-Z](?<![^\W\d_].)(?<!['’@#].))(?P<ending>['’]s)?(?![^\W\d_]|['’]\w|-[a-z])"),
        _say_letter,
    ),
)
