"""How much of a text was heard, by the times of its words. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.messages import SegmentReady

_AFTER_SPACE = re.compile(r"\s(\S*)\Z")


def length_heard(segments: Sequence[SegmentReady], heard: int) -> int:
    """Return how many code points of the text were heard to their end in the first `heard` content samples.

    `segments` are those announced so far, in order. A word being heard was not heard. Between two segments
    the first one was heard whole; of a segment without word times nothing was, before its end. Markup that
    touches a word, as in "**word", goes with it.
    """
    length = 0
    for segment in segments:
        if segment.start >= heard:
            break
        if segment.end > heard:
            return _length_within(segment, heard)
        length = segment.offset + len(segment.text)
    return length


def _length_within(segment: SegmentReady, heard: int) -> int:
    if not segment.words:
        return segment.offset
    heard_to = segment.offset
    for word in segment.words:
        if word.end > heard:
            between = segment.text[heard_to - segment.offset : word.offset - segment.offset]
            touching = _AFTER_SPACE.search(between)
            return word.offset - len(touching[1] if touching else "")
        heard_to = word.offset + word.length
    return segment.offset + len(segment.text)
