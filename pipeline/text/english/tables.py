"""How tables of words are written down: as text, one look at which shows them all.

Pure; any thread may call it.
"""

from __future__ import annotations


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
