"""The places in a line where markup may stand: patterns that find the next one, whatever the text is.

A place is where something stands that is no text, or where more text must decide whether it does: every
pattern that looks ahead lets the end of the text stand for whatever may come. Constants only.
"""

from __future__ import annotations

import re

from pipeline.text.links import LABEL
from pipeline.text.markup_lines import BEGINS_MARKERS
from pipeline.text.math_text import FORMULA_PLACE
from pipeline.text.reading import Line

CONTEXT = 8
"""Code points before a place that may decide what stands there."""

_PLACES = {
    "escape": r"\\(?=[!-/:-@\[-`{-~\n]|\Z)",
    "entity": r"&(?=#?[A-Za-z0-9]{1,32}+(?:;|\Z)|#?\Z)",
    "tag": r"<(?=!--|[A-Za-z/!?][^<>]{0,2000}+(?:>|\Z)|\Z)",
    "code": r"`(?<!``)(?![A-Za-z](?<=[A-Za-z]`.))`{0,19}+(?!`)",
    "link": rf"(?:!(?<![A-Za-z0-9\"'”’!?.]!))?\[(?!\[)(?={LABEL}(?:\Z|\](?:[(\[]|\Z))|\^|[ xX]\])"
    r"|!(?<![A-Za-z0-9\"'”’!?.]!)\Z",
    "formula": rf"(?<![^\W_])(?<!\$){FORMULA_PLACE}",
    "emphasis": r"\*(?<!\*\*)\*{0,2}+(?!\*)(?:(?![\s*])|(?<!\s\*)(?<!\s\*\*)(?<!\s\*\*\*))"
    r"|_(?<![A-Za-z0-9_]_)_{0,2}+(?!_)|_(?<![\s_]_)_{0,2}+(?!\w)"
    r"|~(?<!~~)(?:~(?!~)|\Z)",
    "address": r":(?<=[A-Za-z]:)(?=//|/?\Z)",
}
"""Where something may stand that is no text, or more text must decide; by its first character."""
_FIRSTS = r"\\&<`!\[$*_~:"

_LINE_PLACES = {
    Line.TEXT: ({"line": rf"\n(?=[{BEGINS_MARKERS}]|\Z)", "bar": r"\|"}, r"\n|"),
    Line.THINNED: ({"line": r"\n", "bar": r"\|"}, r"\n|"),
    Line.PLAIN: ({"line": r"\n"}, r"\n"),
    Line.HEADING: ({"line": r"\n", "silent": r"\#(?<=[ \t]\#)\#{0,19}+[ \t]{0,20}+(?=\n|\Z)"}, r"\n\#"),
    Line.ROW: (
        {"line": r"\n", "bar": r"\|", "silent": r"[ \t](?<![ \t].)[ \t]{0,99}+(?=\||\n|\Z)"},
        r"\n| \t",
    ),
}


def _compiled(places: dict[str, str], firsts: str) -> re.Pattern[str]:
    """Return a pattern that takes all text up to the next of the places, and names it.

    What is no place is skipped inside the pattern: that is some twenty times as fast as to ask for each.
    """
    either = "|".join(places.values())
    named = "|".join(f"(?P<{name}>{place})" for name, place in places.items())
    return re.compile(rf"(?:[^{firsts}]++|(?!{either})[{firsts}])*+(?:{named})?", re.DOTALL)


TO_NEXT = {
    line: _compiled(_PLACES | places, _FIRSTS + firsts) for line, (places, firsts) in _LINE_PLACES.items()
}
"""For each kind of line, a pattern that matches all text and the next place, if any: a group by its name."""
TO_NEXT_NESTED = _compiled(_PLACES, _FIRSTS)
"""The same for what stands inside other markup, where no line begins."""
