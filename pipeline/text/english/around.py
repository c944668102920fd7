"""What the words around a number say of it.

Pure; any thread may call it.
"""

from __future__ import annotations

from pipeline.text.english.context import bare, word_after, words_before
from pipeline.text.english.tables import words

_ARTICLES = words("a an A An")
_NO_NOUNS = words(
    """a an the of per in at to from and or is was are were for on by with that which if as when than each
    but not no so up down off over under before after more less"""
)


def last_word(text: str, at: int) -> str:
    """Return the word before `at`, in lower case and without its punctuation; nothing if none is near."""
    before = words_before(text, at)
    return bare(before[-1]).lower() if before else ""


def next_word(text: str, at: int) -> str:
    """Return the word after `at` without its punctuation; nothing if none follows behind white space."""
    return bare(word_after(text, at))


def describes_noun(text: str, begin: int, end: int) -> bool:
    """Tell whether a measure says of what kind one thing is, and so is in the singular: "a 5 km run"."""
    before = words_before(text, begin)
    follower = word_after(text, end)[:2].isalpha() and next_word(text, end)
    if not before or before[-1] not in _ARTICLES or not follower:
        return False
    return follower.islower() and follower not in _NO_NOUNS
