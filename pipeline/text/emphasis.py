"""Tells whether a run of stars, low lines or tildes opens or closes emphasis, by what is on its two sides.

The rules are CommonMark's in the main, but that what closes is not known yet when a run opens, and that in
Chinese emphasis stands between letters. Products ("2 * 3"), names ("snake_case") and words that hide a
letter ("f**k") keep their signs. Pure; any thread may call it.
"""

from __future__ import annotations

_NO_BEGIN = {"*": frozenset(",;:.)]}=/%|<^"), "~": frozenset(), "_": frozenset(",;:.!?)]}=/%|<>^-+&@#_")}
"""What no emphasis of a kind begins with: "*.py", "-_-"."""

_CJK = "\u2e80"
"""The first character of scripts that do not part their words; a little coarse, as Hangul does."""


def can_close(run: str, before: str, behind: str) -> bool:
    """Tell whether a run closes emphasis that is open; `before` and `behind` are the characters around it."""
    if before.isspace() or run == "~":
        return False
    if run[0] == "_":
        return not (behind.isalnum() and behind < _CJK)
    return not (before.isdigit() and behind.isdigit())


def can_open(run: str, before: str, behind: str) -> bool:
    """Tell whether a run opens emphasis; `before` are the two characters before it."""
    last = before[-1:] or " "
    if run == "~" or behind.isspace() or behind in _NO_BEGIN[run[0]] or _is_word(last, behind):
        return False
    is_product = last in ")]" or (last == " " and before[:1].isalnum() and behind.isdigit())
    if run == "*" and is_product:
        return False
    return behind.isalnum() or not (behind.isascii() and last.isalnum() and last.isascii())


def _is_word(before: str, behind: str) -> bool:
    """Tell whether a run stands inside a word of a script that parts its words."""
    return before.isalnum() and behind.isalnum() and before < _CJK and behind < _CJK
