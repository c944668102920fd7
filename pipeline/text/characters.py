"""What kind of character is this? The classes of characters that the text rules are written in.

Knows nothing of sentences or languages. Pure; any thread may call it. The constants are written to stand
inside the square brackets of a regular expression.
"""

from __future__ import annotations

import re
from unicodedata import category

DOTS = r".．…‥"
"""Stops that may also stand inside a number, an address or an abbreviation, or trail off."""

FULL_STOPS = r"。｡！？"
"""Stops of Chinese and Japanese, after which a sentence needs no space."""

STOPS = rf"{DOTS}{FULL_STOPS}!?‼⁇⁈⁉؟۔।॥"

CLOSERS = r"\"'”’»›)\]}」』】》〉〕）］｝＂＇*_~`"
"""Quotes, brackets and emphasis marks that belong to the sentence whose stop they follow."""

CLAUSE_MARKS = r",;:，、；：—–"
"""Punctuation at the end of a word after which a sentence goes on."""

OPENERS = r"\"'“‘«‹(\[{「『【《〈〔（［｛*_~`"

CJK = (
    r"\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
"""Characters of scripts written without spaces: Han and kana. (Hangul is written with spaces.)"""

LINE_ENDS = r"\n\r\v\f\x85\u2028\u2029"

_CJK = re.compile(f"[{CJK}]")
_LINE_END = re.compile(f"\r\n|[{LINE_ENDS}]")


def is_speakable(character: str) -> bool:
    """Tell whether one character is a letter, a digit or a symbol: something that may not be dropped."""
    return character.isalnum() or category(character)[0] == "S"


def is_cjk(character: str) -> bool:
    """Tell whether one character is Han or kana."""
    return _CJK.match(character) is not None


def is_foreign_symbol(character: str) -> bool:
    """Tell whether one character is a symbol outside ASCII, such as an emoji or an arrow."""
    return not character.isascii() and category(character)[0] == "S"


def after_space(text: str, at: int) -> int:
    """Return the first index at or after `at` with no white space, or the length of the text."""
    rest = text[at:]
    return at + len(rest) - len(rest.lstrip())


def line_ends(gap: str) -> int:
    """Return how many lines end in a stretch of white space: two or more leave a blank line."""
    return len(_LINE_END.findall(gap)) + gap.count("\u2029")
