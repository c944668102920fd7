"""How much of a text was heard, by the times of its words. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.messages import SegmentReady


def length_heard(segments: Sequence[SegmentReady], heard: int) -> int:
    """Return how many code points of the text were heard to their end in the first `heard` content samples.

    `segments` are those announced so far, in order. A word being heard was not heard. Between two segments
    the first one was heard whole; of a segment without word times nothing was, before its end.
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
    after_words = segment.offset + len(segment.text)
    return next((word.offset for word in segment.words if word.end > heard), after_words)
