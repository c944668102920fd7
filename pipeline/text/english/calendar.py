"""The rules for dates, times and decades, in the order they are put to a text."""

from __future__ import annotations

from pipeline.text.english import dates, times, years
from pipeline.text.rules import Rule

RULES: tuple[Rule, ...] = (*times.RULES[:1], *dates.RULES, *times.RULES[1:], *years.EARLY_RULES)
"""To be put before `quantities.RULES`."""
