"""Puts characters of full width, and others written in several ways, into one, without moving any.

Knows no language's words. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from unicodedata import decimal

_KEPT = "，"
"""A full-width comma parts numbers; an ASCII comma may be inside one."""

_SAME = {
    "-": "‐‑‒–−﹣",
    "—": "―─",
    "~": "〜∼˜",
    ":": "∶︰﹕",
    "/": "∕⁄",
    "·": "•‧・･∙⋅",
    "°": "˚º",
    "×": "✕✖⨯⨉",
    "%": "﹪٪",
    "'": "’‘´",
    "¥": "￥",
    "£": "￡",
    "₩": "￦",
    "Ω": "Ω",
    "μ": "µ",
    " ": "\u3000\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f",
}


class _Folds(dict[int, int]):
    """Code point -> the one that stands for it; decimal digits of every script are found when met."""

    def __missing__(self, code: int) -> int:
        value = decimal(chr(code), None) if code > 0x7F else None
        folded = code if value is None else ord("0") + int(value)
        self[code] = folded
        return folded


_FOLDS = _Folds({ord(other): ord(one) for one, others in _SAME.items() for other in others})
_FOLDS |= {
    code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in _KEPT and code not in _FOLDS
}


_FOLDABLE = re.compile(f"[{re.escape(''.join(map(chr, _FOLDS)))}]|[^\\x00-\\x7f\\D]")


def folded(text: str) -> str:
    """Return the text with every character in its plain form, each in its place."""
    return text.translate(_FOLDS) if _FOLDABLE.search(text) else text
