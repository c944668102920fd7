"""Reads a LaTeX formula in marked-up text: its signs into the clean text, its commands as words.

One owner at a time.
"""

from __future__ import annotations

from pipeline.text.math_text import formula_at, read_formula
from pipeline.text.reading import HOLD, Reading
from pipeline.text.undecided import Undecided


def read_formula_at(reading: Reading, at: int, end: int) -> int | None:
    """Read the formula that begins at `at`; return where to read on, `HOLD`, or None if there is none."""
    formula = formula_at(reading.text, at, end, whole=reading.is_quiet)
    if formula is None or isinstance(formula, Undecided):
        return HOLD if formula and not reading.is_quiet else None
    put, text, origins = reading.clean.put, reading.text, reading.origins
    reading.drop(at, formula.begin)
    is_parted = True  # whether what comes next needs no space before it
    for part in read_formula(text, formula):
        reading.at = part.begin
        if part.words is None:
            if not is_parted and (text[part.begin].isalnum() or text[part.begin] in "([{+-=<>"):
                put(" ", origins[part.begin])
            reading.keep(part.end)
            is_parted = text[part.end - 1] in " \t\n(["
        elif words := part.words.strip():
            put(words if is_parted or words in ",…" else " " + words, origins[part.begin])
            is_parted = False
        elif not is_parted:
            put(" ", origins[part.begin])
            is_parted = True
    reading.at = formula.end
    return formula.end
