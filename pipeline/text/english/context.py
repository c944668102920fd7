"""The words around a place in a text, for rules that read by context. Pure; any thread may call it."""

from __future__ import annotations

import re

REACH = 40
"""Code points to each side that are looked at."""

_BARE = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def words_before(text: str, at: int) -> list[str]:
    """Return the words before `at`, with their punctuation; none unless white space parts them from it.

    The first may lack its beginning.
    """
    head = text[max(0, at - REACH) : at]
    return head.split() if head[-1:].isspace() else []


def word_after(text: str, at: int) -> str:
    """Return the word after `at`, with its punctuation; nothing unless white space parts it from it."""
    tail = text[at : at + REACH]
    found = tail.split(None, 1) if tail[:1].isspace() else []
    return found[0] if found else ""


def bare(word: str) -> str:
    """Return a word without the punctuation around it."""
    match = _BARE.search(word)
    return match.group() if match else ""
