"""Recognizes LaTeX formulas at a place in a text, and turns them into words where signs alone would not do.

A formula is told from prose and money by what it is made of: signs, numbers, letters alone or in pairs,
commands, words only as arguments. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.text.undecided import UNDECIDED, Undecided

LONGEST_FORMULA = 600
"""Code points between the dollars; what is longer is no formula."""

_WORD_COMMANDS = (
    "text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|mathtt|mathcal|mathbb|operatorname|mbox"
)
_FUNCTIONS = "arg|cos|cot|csc|deg|det|dim|exp|gcd|inf|ker|lcm|lim|log|max|min|mod|sec|sin|sup|tan|var"
_PROSE = "am|an|as|at|be|by|do|go|he|if|in|is|it|me|my|no|of|on|or|so|to|up|us|vs|we"
_SIGNS = r"0-9 \t+\-*/=<>(){}\[\]|.,:;!?'^_&%~@×÷±∓≤≥≠≈≡∝∞√∑∏∫∂∇∈∉∪∩⊂⊆→←↔⇒⇔∀∃°·−∠⊥∥′″Α-Ωα-ω"


def _content(letters: str) -> str:
    """Return a pattern of what stands between a formula's dollars or brackets, with such runs of letters."""
    return (
        rf"(?:\\(?:begin|end|{_WORD_COMMANDS})\*?\{{[^{{}}$\n]{{0,100}}+(?:\}}|\Z)"
        r"|\\[A-Za-z]{1,30}+"
        r"|\\[^A-Za-z\n()\[\]]|\\\Z"
        r"|[_^]\{[A-Za-z0-9 ,]{1,24}+(?:\}|\Z)"
        rf"|(?<![A-Za-z])(?:{letters})(?![A-Za-z])"
        rf"|[{_SIGNS}]|\n(?![ \t]{{0,100}}\n))*+"
    )


_STRICT = _content(rf"{_FUNCTIONS}|(?!(?:{_PROSE})(?![A-Za-z]))[A-Za-z]{{1,2}}")
_WORDY = _content("[A-Za-z]{1,30}+")
"""Words too: where it is clear that a formula begins."""
_DEFINES = r"[A-Za-z]{3,20}+ ?(?:=|\Z)"

FORMULA_PLACE = (
    rf"\$(?=\$?{_STRICT}\Z|\${_WORDY}(?:\$|\Z)|(?!\s)(?:{_DEFINES}{_WORDY}|{_STRICT})(?:(?<!\s)\$(?!\d)|\Z))"
)
"""A pattern of a dollar at which a formula may stand."""
_ONE_DOLLAR = re.compile(rf"{_DEFINES}{_WORDY}|{_STRICT}")
_OTHERS = re.compile(_WORDY)
_SIGN = re.compile(r"[0-9\\=^_+<>|/×÷±∓≤≥≠≈∞√∑∫Α-Ωα-ω]|\A\s*[A-Za-z]\s*\Z")
"""What a formula in brackets holds, if it is not a letter alone."""

_CLOSERS = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}

_COMMANDS = {
    **dict.fromkeys(("times", "cdot", "ast"), "times"),
    **dict.fromkeys(("le", "leq", "leqslant"), "is less than or equal to"),
    **dict.fromkeys(("ge", "geq", "geqslant"), "is greater than or equal to"),
    **dict.fromkeys(("ne", "neq"), "is not equal to"),
    **dict.fromkeys(("approx", "sim", "simeq"), "is approximately"),
    **dict.fromkeys(("to", "rightarrow", "longrightarrow"), "to"),
    **dict.fromkeys(("Rightarrow", "implies", "Longrightarrow"), "implies"),
    **dict.fromkeys(("dots", "ldots", "cdots"), "…"),
    **dict.fromkeys(("varepsilon", "epsilon"), "epsilon"),
    **dict.fromkeys(("varphi", "phi"), "phi"),
    **dict.fromkeys(("lt",), "is less than"),
    **dict.fromkeys(("gt",), "is greater than"),
    **dict.fromkeys(("ln",), "natural log"),
    "div": "divided by",
    "pm": "plus or minus",
    "mp": "minus or plus",
    "equiv": "is equivalent to",
    "propto": "is proportional to",
    "iff": "if and only if",
    "infty": "infinity",
    "int": "integral",
    "prod": "product",
    "in": "in",
    "notin": "not in",
    "cup": "union",
    "cap": "intersection",
    "forall": "for all",
    "exists": "there exists",
    "degree": "degrees",
    "circ": "degrees",
    "percent": "percent",
    "lim": "limit",
    "sin": "sine",
    "cos": "cosine",
    "tan": "tangent",
}
_SILENT_COMMANDS = (
    "left right big Big bigl bigr Bigl Bigr bigg Bigg displaystyle textstyle limits nolimits quad qquad "
    "text textbf textit textrm mathrm mathbf mathit mathsf mathtt mathcal mathbb operatorname mbox "
    "boxed vec hat bar tilde overline underline hspace vspace label tag nonumber"
)
_SILENT = frozenset(_SILENT_COMMANDS.split())
_TOKEN = re.compile(
    r"\\(?:begin|end)\{[^{}]*+\}(?:\{[^{}]*+\})?"
    r"|\\[dt]?frac(?P<numerator>[0-9])(?P<denominator>[0-9])"
    r"|\\(?P<fraction>[dt]?frac)(?![A-Za-z])[ ]*+(?=\{)"
    r"|\\sqrt(?P<root>\[[^\[\]]{1,3}\]|(?![A-Za-z\[]))"
    r"|\\(?P<command>[A-Za-z]++)"
    r"|(?P<row>\\\\)|\\(?P<spaced>[,;:!> ])|\\(?P<escaped>.)"
    r"|\^(?:\{(?P<braced>\\circ|[23])\}|(?P<bare>\\circ(?![A-Za-z])|[23](?![0-9])))"
    r"|(?P<power>\^)|(?P<space>[_&~])|(?P<open>\{)|(?P<close>\})",
    re.DOTALL,
)
_POWERS = {"2": "squared", "3": "cubed", "\\circ": "degrees"}
_ROOTS = {"": "square root of", "[3]": "cube root of"}


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that ends at `end`, of which `[begin, stop)` stands between its dollars or brackets."""

    begin: int
    stop: int
    end: int


@dataclass(frozen=True, slots=True)
class Part:
    """What is read for a part of a formula that begins at `begin`: `words`, or the text up to `end` itself.

    Words that are a space part what is on either side.
    """

    begin: int
    end: int
    words: str | None = None


def formula_at(text: str, at: int, end: int, *, whole: bool) -> Formula | Undecided | None:
    """Return the formula that begins at `at` with its dollars or bracket; None if there is none.

    `whole`: the text ends at `end`.
    """
    opener = text[at : at + 2] if text[at] == "\\" or text.startswith("$$", at) else text[at]
    closer = _CLOSERS[opener]
    begin = at + len(opener)
    if opener == "$" and not _may_open(text, at, end):
        return None
    limit = begin + LONGEST_FORMULA
    pattern = _ONE_DOLLAR if opener == "$" else _OTHERS
    match = pattern.match(text, begin, min(end, limit))
    assert match is not None
    stop = match.end()
    if stop >= min(end, limit):
        return UNDECIDED if end < limit else None
    if not text.startswith(closer, stop):
        return UNDECIDED if stop + 1 == end and text[stop] == closer[0] and not whole else None
    return _closed(text, Formula(begin, stop, stop + len(closer)), end, whole=whole)


def _may_open(text: str, at: int, end: int) -> bool:
    before = text[at - 1] if at else " "
    return not (before.isalnum() or before in "$\\") and not text[at + 1 : min(end, at + 2)].isspace()


def _closed(text: str, formula: Formula, end: int, *, whole: bool) -> Formula | Undecided | None:
    """Return the formula unless its closing dollar is more likely the sign of money."""
    content = text[formula.begin : formula.stop]
    if not content.strip() or (text[formula.stop] == "\\" and not _SIGN.search(content)):
        return None
    if formula.end - formula.stop > 1:
        begin = formula.begin + len(content) - len(content.lstrip())
        return Formula(begin, begin + len(content.strip()), formula.end)
    if content[-1].isspace() or "\n" in content:
        return None
    if formula.end == end:
        return formula if whole else UNDECIDED
    return None if text[formula.end].isdigit() else formula


def read_formula(text: str, formula: Formula) -> Iterator[Part]:
    """Yield what is read for a formula, in order; nothing for its markup."""
    at = formula.begin
    groups = _Groups()
    for token in _TOKEN.finditer(text, formula.begin, formula.stop):
        if token.start() > at:
            yield Part(at, token.start())
        words = _words(token, groups)
        if words:
            yield Part(token.start(), token.end(), words)
        if token["escaped"]:
            yield Part(token.start("escaped"), token.end())
        at = token.end()
    if at < formula.stop:
        yield Part(at, formula.stop)


class _Groups:
    """What is said where a group in braces ends: "over" after a numerator."""

    def __init__(self) -> None:
        self._open: list[tuple[str, list[str]]] = []
        self._next: list[str] = []

    def expect(self, *words: str) -> None:
        self._next = list(words)

    def open(self) -> None:
        self._open.append((self._next.pop(0) if self._next else "", self._next))
        self._next = []

    def close(self) -> str:
        word, self._next = self._open.pop() if self._open else ("", [])
        return word


def _words(token: re.Match[str], groups: _Groups) -> str:
    """Return what is said for a piece of a formula's markup."""
    said = ""
    match token.lastgroup:
        case "denominator":
            said = f"{token['numerator']} over {token['denominator']}"
        case "fraction":
            groups.expect("over", "")
        case "root":
            said = _ROOTS.get(token["root"], f"{token['root'].strip('[]')}th root of")
        case "command":
            said = "" if token["command"] in _SILENT else _COMMANDS.get(token["command"], token["command"])
        case "row":
            said = ","
        case "space" | "spaced":
            said = " "
        case "braced" | "bare":
            said = _POWERS[token["braced"] or token["bare"]]
        case "power":
            said = "to the"
        case "open":
            groups.open()
        case "close":
            said = groups.close()
        case _:
            pass
    return said
