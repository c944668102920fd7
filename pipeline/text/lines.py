"""Does this line end a sentence?

Judges one line end in a window of text. Knows nothing of buffers, offsets or of what was released before.
Pure; any thread may call it. Its verdicts hold under the same terms as those of `pipeline.text.stops`.

A blank line always ends a sentence. A single line end does in what people and language models write line by
line (headings, list items, verses, short answers) and does not in prose that something wrapped at a margin.
"""

from __future__ import annotations

import re

from pipeline.text.characters import LINE_ENDS, after_space, is_cjk, is_foreign_symbol, line_ends
from pipeline.text.stops import Verdict

SHORTEST_WRAPPED = 40
"""A line with fewer code points was ended by its writer, not by a margin."""

_MARKER = re.compile(r"[-*+•‣◦▪–—]\s|#{1,6}\s|[>|]|```|~~~|\(?\d{1,3}[.)、]\s|[A-Za-z]\)\s")
_MARKER_REACH = 8
"""Code points that show whether a line begins with a marker."""

_LINE_END = re.compile(f"[{LINE_ENDS}]")


def judge_line(text: str, at: int, column: int, *, whole: bool) -> Verdict:
    """Decide whether the line end at `at` ends the sentence, begun `column` code points into a line."""
    after = after_space(text, at)
    if line_ends(text[at:after]) > 1:
        return Verdict.ENDS
    if after == len(text):
        return Verdict.ENDS if whole else Verdict.UNKNOWN
    if _ends_short(text, at, column):
        return Verdict.ENDS
    if len(text) - after < _MARKER_REACH and not whole:
        return Verdict.UNKNOWN
    is_break = _MARKER.match(text, after) is not None or is_cjk(text[after]) or is_foreign_symbol(text[after])
    return Verdict.ENDS if is_break else Verdict.GOES_ON


def line_stands_alone(text: str, column: int) -> bool:
    """Tell whether the line end that closes a text, with nothing after it for now, ends a sentence."""
    match = _LINE_END.search(text, len(text.rstrip()))
    return match is not None and (
        line_ends(text[match.start() :]) > 1 or _ends_short(text, match.start(), column)
    )


def _ends_short(text: str, at: int, column: int) -> bool:
    """Tell whether the line that ends at `at` is too short to have been wrapped."""
    begin = 0
    for line_end in _LINE_END.finditer(text, 0, at):
        begin, column = line_end.end(), 0
    return column + len(text[begin:at].strip()) < SHORTEST_WRAPPED
