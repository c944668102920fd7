"""Text that is no markup, as the splitter sees it."""

from __future__ import annotations

from pipeline.text.markup import Markup


def seen(text: str) -> str:
    """Return what cleanup leaves of plain text: surrogate pairs made one, and nothing that nobody can see."""
    markup = Markup(plain=True)
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return markup.push(joined).text + markup.flush().text
