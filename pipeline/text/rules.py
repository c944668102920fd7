"""How the rules of a language are written, and how they are put to a text.

A rule finds characters that are read otherwise than they are written and says how; what no rule claims is
read as it stands. Knows no language. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Said:
    """What is said for the characters `[begin, end)` of a text: `words`, parted by single spaces.

    No words: the characters are silent. `spelled`: each word is a letter to be named.
    """

    words: str
    begin: int
    end: int
    spelled: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """`say` is asked about every match of `pattern` that overlaps nothing claimed before it.

    It answers with what is said, in order, each part within the match; the characters it names are claimed,
    the others of the match are not. None: this is something else. `needs` are characters without any of which
    the pattern cannot match: a text that has none is not searched.
    """

    pattern: re.Pattern[str]
    say: Callable[[re.Match[str]], Sequence[Said] | None]
    needs: str = ""


def said(words: str, match: re.Match[str], group: int | str = 0) -> list[Said]:
    """Return `words` for all that `group` of the match covers."""
    return [Said(words, match.start(group), match.end(group))]


def claims(text: str, rules: Iterable[Rule]) -> list[Said]:
    """Put the rules to the text, the first before the second, and return what they claim in order of text."""
    claimed = bytearray(len(text))
    found: list[Said] = []
    there = set(text)
    for rule in rules:
        if rule.needs and there.isdisjoint(rule.needs):
            continue
        for match in rule.pattern.finditer(text):
            begin, end = match.span()
            if begin == end or any(claimed[begin:end]):
                continue
            answer = rule.say(match)
            if answer is None:
                continue
            for part in answer:
                claimed[part.begin : part.end] = b"\1" * (part.end - part.begin)
            found += answer
    found.sort(key=lambda part: part.begin)
    return found
