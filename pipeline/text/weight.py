"""How much speech does a text make? An estimate from its characters alone, on the safe side.

A voice takes so many phonemes at once, and three hundred characters of money are over two thousand of them.
So text is cut by what it weighs. Knows no rules and no context, which is what makes it the same for every cut
of the text. Pure; any thread may call it.
"""

from __future__ import annotations

import re

from pipeline.text.characters import CJK

HEAVIEST_SEGMENT = 400
"""What a piece of text weighs at most, in phonemes: as many as the smallest voice takes at once."""

_DIGIT, _SYMBOL, _HAN, _CAPITAL, _OTHER = 10, 10, 5, 3, 1
"""Phonemes a character is read as, with the spaces around: "777" is thirty-one, "%" eight, "W" alone nine,
but most capitals begin words; a Han or kana is a syllable with its tone."""

_HEAVY = re.compile(rf"(\d)|([^\w\s.,;:!?'\"“”‘’()—–-])|([{CJK}])|([A-Z])")
_ANY_HEAVY = re.compile(rf"[^\W_{CJK}a-z]|[^\w\s.,;:!?'\"“”‘’()—–-]|[{CJK}]")
"""What may weigh more than one, and some that does not."""

_WEIGHTS = (_OTHER, _DIGIT, _SYMBOL, _HAN, _CAPITAL)

NEVER_HEAVY = HEAVIEST_SEGMENT // max(_WEIGHTS)
"""Code points that are not too heavy whatever they are."""


def weight(text: str) -> int:
    """Return what a text weighs."""
    return len(text) + sum(_WEIGHTS[match.lastindex or 0] - 1 for match in _HEAVY.finditer(text))


def reach(text: str, longest: int) -> int:
    """Return how many of its first code points, at least one and at most `longest`, are not too heavy."""
    head = text[:longest]
    if len(head) + (max(_WEIGHTS) - 1) * len(_ANY_HEAVY.findall(head)) <= HEAVIEST_SEGMENT:
        return len(head)
    gain = 0
    for match in _HEAVY.finditer(head):
        more = _WEIGHTS[match.lastindex or 0] - 1
        if match.end() + gain + more > HEAVIEST_SEGMENT:
            return max(1, min(match.start(), HEAVIEST_SEGMENT - gain))
        gain += more
    return min(len(head), HEAVIEST_SEGMENT - gain)
