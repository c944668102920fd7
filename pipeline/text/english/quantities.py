"""The rules for figures of all kinds, in the order they are put to a text; they leave no digit unread."""

from __future__ import annotations

import re

from pipeline.text.english import (
    arithmetic,
    fractions,
    lengths,
    measures,
    mixtures,
    money,
    phones,
    plain,
    years,
)
from pipeline.text.rules import Rule

_DIGIT = re.compile("[0-9]")
_NUMERIC = re.compile(rf"[^\0-\xb1](?:(?<=\d)|(?<=[{mixtures.NUMERIC}]))")

RULES: tuple[Rule, ...] = (
    *money.RULES,
    *phones.RULES,
    *lengths.RULES,
    *measures.RULES,
    *arithmetic.RULES,
    *fractions.RULES,
    *years.RULES,
    *plain.RULES,
    *mixtures.RULES,
)


def has_figures(text: str) -> bool:
    """Tell whether any of these rules, or of those of `calendar`, may find something in a text."""
    return _DIGIT.search(text) is not None or (not text.isascii() and _NUMERIC.search(text) is not None)
