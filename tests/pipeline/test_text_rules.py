"""Rules: the first one to claim characters has them."""

from __future__ import annotations

import re

from pipeline.text.rules import Rule, Said, claims, said

NUMBER = Rule(re.compile(r"\d+"), lambda match: said("number", match))
HOUR = Rule(re.compile(r"(\d+):(\d+)"), lambda match: [*said("hour", match, 1), *said("minute", match, 2)])
NEVER = Rule(re.compile(r"\d"), lambda match: None)


def test_an_earlier_rule_keeps_what_it_claimed() -> None:
    assert claims("at 3:30 or 5", (HOUR, NUMBER)) == [
        Said("hour", 3, 4),
        Said("minute", 5, 7),
        Said("number", 11, 12),
    ]


def test_a_later_rule_gets_no_match_that_overlaps_a_claim() -> None:
    assert claims("3:30", (NUMBER, HOUR)) == [Said("number", 0, 1), Said("number", 2, 4)]


def test_a_rule_that_declines_claims_nothing() -> None:
    assert claims("7", (NEVER, NUMBER)) == [Said("number", 0, 1)]


def test_a_text_without_what_a_rule_needs_is_not_searched() -> None:
    percent = Rule(re.compile(r"\d"), lambda match: said("percent", match), needs="%‰")
    assert claims("5", (percent,)) == []
    assert claims("5 ‰", (percent,)) == [Said("percent", 0, 1)]
