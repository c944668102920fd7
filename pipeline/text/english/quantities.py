"""The rules for figures of all kinds, in the order they are put to a text; they leave no digit unread."""

from __future__ import annotations

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
