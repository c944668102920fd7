"""Cleans text of its markup while it is still arriving: Markdown, HTML, LaTeX, speech marks, the unseen.

What comes out, put together, is the same however the text was cut on its way here: a place is read only once
no further text can change how, and held back until then. Plain text and emphasis are never held back; a link,
a tag, inline code, a formula until it closes or cannot any more; fenced code, comments and a model's thoughts
("<think>") until they close, and are not read. Knows no language and no sentence. Pure, no clock: one owner
at a time. A call takes time linear in the text it is given.
"""

from __future__ import annotations

from pipeline.text.invisible import Visible
from pipeline.text.markup_inline import read_inline
from pipeline.text.markup_places import CONTEXT
from pipeline.text.passage import Passage
from pipeline.text.reading import Reading


class Markup:
    """Holds back what may be markup, at most some 2,000 code points, and hidden text up to `LONGEST_HIDDEN`.

    `plain`: the text has no markup, and only what can never be seen nor spoken is dropped.
    """

    def __init__(self, *, plain: bool = False) -> None:
        self._plain = plain
        self._visible = Visible()
        self._reading = Reading()

    @property
    def pending(self) -> str:
        """The text that is held back."""
        reading = self._reading
        hidden = reading.hidden.text if reading.hidden else ""
        return hidden + reading.text[reading.at :] + self._visible.pending

    def push(self, text: str) -> Passage:
        """Take the next piece of the text; return what is now known to be text, clean."""
        return self._read(self._visible.push(text))

    def rest(self) -> Passage:
        """Return what is held back inside a line as text, as no more has come for a while.

        Code, comments, tables and what else is not to be half heard stay held back.
        """
        return self._read(Passage.plain(""), is_quiet=True)

    def flush(self) -> Passage:
        """Return everything held back as if the text ended here. More may be pushed afterwards."""
        return self._read(self._visible.flush(), is_quiet=True, is_whole=True)

    def _read(self, piece: Passage, *, is_quiet: bool = False, is_whole: bool = False) -> Passage:
        if self._plain:
            return piece
        reading = self._reading
        _append(reading, piece)
        reading.is_quiet, reading.is_whole = is_quiet, is_whole
        while reading.at < len(reading.text):
            if reading.hidden is None:
                read_inline(reading, len(reading.text))
                if reading.hidden is None:
                    break
            _hide(reading)
        if reading.is_whole and reading.hidden:
            for text, origins in reading.hidden.flush():
                reading.clean.keep(text, origins)
            reading.hidden = None
        return reading.clean.take()


def _append(reading: Reading, piece: Passage) -> None:
    """Let go of the text that is read, but for what later text may have to look back at."""
    begin = max(0, reading.at - CONTEXT)
    held = Passage(reading.text[begin:], reading.origins[begin:]) + piece
    reading.text, reading.origins, reading.at = held.text, held.origins, reading.at - begin


def _hide(reading: Reading) -> None:
    """Give the text not yet read to what hides it."""
    assert reading.hidden is not None
    end = reading.hidden.push(reading.text, reading.origins, reading.at)
    reading.at = len(reading.text) if end is None else end
    if end is not None:
        reading.hidden = None
