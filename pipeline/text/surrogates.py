"""Joins UTF-16 surrogate pairs that arrive split.

A client that cuts its text between two UTF-16 units sends one character as two halves, each in its own JSON
string. Knows nothing of what the text means. No threads, no clock: one owner at a time.
"""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def ends_in_half(text: str) -> bool:
    """Tell whether the text ends with a high surrogate: the first half of a pair, whose second may follow."""
    return "\ud800" <= text[-1:] <= "\udbff"


class SurrogateJoiner:
    """Holds back a high surrogate at the end of a piece until the next piece shows whether its pair follows.

    What comes out, joined, is what went in, with every pair made one code point; a lone surrogate stays as it
    is.
    """

    def __init__(self) -> None:
        self._high = ""

    @property
    def pending(self) -> str:
        """The high surrogate held back, or nothing."""
        return self._high

    def push(self, text: str) -> str:
        """Return the text with its pairs joined, less a high surrogate that ends it."""
        if not text:
            return ""
        text = self._high + text
        self._high = ""
        if not _SURROGATE.search(text):
            return text
        if ends_in_half(text):
            text, self._high = text[:-1], text[-1]
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    def drop(self) -> None:
        """Forget what is held back: its sender will send the whole character again."""
        self._high = ""

    def flush(self) -> str:
        """Return what is held back: it stays without a partner."""
        high, self._high = self._high, ""
        return high
