"""What the tags of speech markup ask for: pauses, spelling out, other words, phonemes.

The few of SSML that hosts and language models use, with their meaning here; the rest is for the caller to
read past. Pure; any thread may call it.

A break is as long as its `time` says, at most `LONGEST_BREAK_MS`; else by its `strength`: none 0, x-weak 100,
weak 200, medium 400, strong 700, x-strong 1000 ms; medium if it says nothing.
"""

from __future__ import annotations

import re

from pipeline.text.html_tags import Tag
from pipeline.text.passage import MarkKind

LONGEST_BREAK_MS = 10_000

_STRENGTHS_MS = {"none": 0, "x-weak": 100, "weak": 200, "medium": 400, "strong": 700, "x-strong": 1000}
_TIME = re.compile(r"\s*\+?(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})\s*(ms|s)\s*", re.IGNORECASE | re.ASCII)

_SPELLED = frozenset({"characters", "character", "spell-out", "letters", "verbatim"})
_DIGITS = frozenset({"digits", "digit", "telephone"})
_OWN_ALPHABETS = frozenset({"", "utter", "x-kokoro"})
"""Alphabets of the voice's own phonemes; those of another one would be read wrong."""


def break_ms(tag: Tag) -> int | None:
    """Return how long a break tag pauses; None if it says a time or a strength that is none."""
    if "time" in tag.attributes:
        match = _TIME.fullmatch(tag.attributes["time"])
        if match is None:
            return None
        scale = 1 if match[2].lower() == "ms" else 1000
        return min(LONGEST_BREAK_MS, round(float(match[1]) * scale))
    return _STRENGTHS_MS.get(tag.attributes.get("strength", "medium").strip().lower())


def asked(tag: Tag) -> tuple[MarkKind, str] | None:
    """Return what an opening tag asks for its element's text, and the mark's value; None for nothing."""
    values = tag.attributes
    if tag.name == "say-as":
        as_what = values.get("interpret-as", "").strip().lower()
        if as_what in _SPELLED:
            return MarkKind.LETTERS, ""
        return (MarkKind.DIGITS, "") if as_what in _DIGITS else None
    if tag.name == "sub" and values.get("alias", "").strip():
        return MarkKind.ALIAS, values["alias"].strip()
    if tag.name == "phoneme" and values.get("ph", "").strip():
        is_own = values.get("alphabet", "").strip().lower() in _OWN_ALPHABETS
        return (MarkKind.PHONEMES, values["ph"].strip()) if is_own else None
    return None
