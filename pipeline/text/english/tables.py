"""How tables of words are written down: as text, one look at which shows them all.

Pure; any thread may call it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def pairs(text: str) -> dict[str, str]:
    """Return what each word stands for, in a text such as "km kilometer; mi mile": all but the first word."""
    table = {}
    for entry in text.split(";"):
        word, _, meaning = " ".join(entry.split()).partition(" ")
        table[word] = meaning
    return table


def one_of(known: Iterable[str]) -> str:
    """Return a pattern for any of the words, longer ones first, grouped so that most fail at once."""
    return _grouped(sorted(set(known), key=lambda word: (word[:2], -len(word), word)))


def _grouped(known: list[str]) -> str:
    groups = []
    for first, group in groupby(known, key=lambda word: word[:1]):
        rests = [re.escape(word[1:]) for word in group]
        groups.append(re.escape(first) + (f"(?:{'|'.join(rests)})" if rests != [""] else ""))
    return f"(?:{'|'.join(groups)})"
