"""Drops the characters that nobody sees and nothing can speak.

Zero-width and control characters, soft hyphens, byte order marks and what hides text go; what makes one emoji
of several characters stays with emoji. Line ends become "\\n" and spaces that do not break become spaces, so
that whoever reads on meets one kind of each. Knows no markup. Pure; one owner at a time.
"""

from __future__ import annotations

import re
from itertools import chain

from pipeline.text.passage import Passage

_PICTURES = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2934\u2935\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
"""What an emoji may be made of, as a class of characters."""
_TAGS = "\U000e0020-\U000e007f"
_NEVER_SEEN = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u180b-\u180f\u200b\u200c\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0d\ufeff\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e001f\U000e0080-\U000e0fff"
)
_DROPPED = re.compile(
    rf"(?:[{_NEVER_SEEN}]|(?<=\r)\n|\u200d(?:(?<![{_PICTURES}\ufe0f{_TAGS}].)|(?![{_PICTURES}]))"
    rf"|[\ufe0e\ufe0f](?<![{_PICTURES}0-9#*].)|(?<![\U0001f3f4{_TAGS}])[{_TAGS}]+)+",
    re.DOTALL,
)
_UNUSUAL = re.compile(f"[{_NEVER_SEEN}\r\u200d\ufe0e\ufe0f{_TAGS}\xa0\u2007\u202f]")
_TO_SPACE = re.compile("[\xa0\u2007\u202f]")

_GONE = "\0"
"""Stands for a dropped character in front of what comes next."""


class Visible:
    """Lets through what can be seen. Holds back a joiner that may stand between two emoji, nothing else."""

    def __init__(self) -> None:
        self._before = ""  # the last character of what came, or _GONE
        self._held = ""
        self._offset = 0  # of what comes next

    @property
    def pending(self) -> str:
        """The joiner held back, or nothing."""
        return self._held

    def push(self, text: str) -> Passage:
        """Return what can be seen of the next piece."""
        text = self._held + text
        self._held = ""
        if text.endswith("\u200d"):
            text, self._held = text[:-1], "\u200d"
        return self._seen(text)

    def flush(self) -> Passage:
        """Return what can be seen of what is held back."""
        text, self._held = self._held, ""
        return self._seen(text)

    def _seen(self, text: str) -> Passage:
        offset = self._offset
        self._offset += len(text)
        if not text or not _UNUSUAL.search(text):
            if text and not (self._before == "\r" and text[0] == "\n"):
                self._before = text[-1]
                return Passage.plain(text, offset)
            if not text:
                return Passage.plain("", offset)
        return self._thinned(text, offset)

    def _thinned(self, text: str, offset: int) -> Passage:
        """Return the text less what is never seen; `_before` is looked at, not returned."""
        before = len(self._before)
        text = self._before + text
        kept: list[range] = []
        at = before
        for match in _DROPPED.finditer(text, before):
            if match.start() > at:
                kept.append(range(at, match.start()))
            at = match.end()
        self._before = _GONE if at == len(text) else text[-1]
        if at < len(text):
            kept.append(range(at, len(text)))
        seen = "".join(text[part.start : part.stop] for part in kept)
        seen = _TO_SPACE.sub(" ", seen.replace("\r", "\n"))
        move = offset - before
        moved = [range(part.start + move, part.stop + move) for part in kept]
        return Passage(seen, moved[0] if len(moved) == 1 else tuple(chain.from_iterable(moved)))


def is_never_seen(character: str) -> bool:
    """Tell whether one character is dropped wherever it stands."""
    return _DROPPED.fullmatch(character) is not None
