"""How numbers, and words before and after them, are written in the regular expressions of the rules.

The rules see a text whose characters `fold` and `script` have put into one form: ASCII digits, simplified
characters. Pure; any thread may call it.
"""

from __future__ import annotations

import re

DIGITS = "0123456789"

FIRST = r"[0-9](?<![0-9].)(?<![0-9]\..)"
"""The first digit of a number. The digit comes first, so that a search goes from digit to digit."""

REST = r"(?:[0-9]{0,2}(?:,[0-9]{3})++(?![0-9])|[0-9]*+)(?:\.[0-9]++)?"
"""What may follow the first digit: more digits, by thousands or not, and decimals."""

NUMBER = FIRST + REST


def any_of(words: str) -> str:
    """Return a pattern for any of the words, which white space parts; each may be a pattern."""
    return f"(?:{'|'.join(words.split())})"


def before(match: re.Match[str], reach: int) -> str:
    """Return what stands before the match, `reach` characters at most."""
    begin = match.start()
    return match.string[max(0, begin - reach) : begin]
