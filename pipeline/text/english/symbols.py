"""Signs that are said: & + # @ % = < > and the signs of mathematics, Greek letters, arrows, C++ and .NET.

A sign that is not said by name in its place is left to the reader, which leaves it silent. Knows no numbers:
"5%", "-5" and "$5" are other rules'. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pipeline.text.english.context import REACH
from pipeline.text.english.tables import pairs, words
from pipeline.text.rules import Rule, Said, said

_SIGNS = pairs(
    """© copyright; ℗ copyright; ®; ™; ℠; § section; §§ sections; ¶ paragraph; ° degrees; ℃ degrees
    Celsius; ℉ degrees Fahrenheit; × times; ÷ divided by; ± plus or minus; ∓ minus or plus; ≈
    approximately; ≃ approximately; ≅ is congruent to; ≠ not equal to; ≡ is identical to; ≤ is less
    than or equal to; ≥ greater than or equal to; ≪ much less than; ≫ much greater than; ∞
    infinity; √ square root of; ∛ cube root of; ∑ sum of; ∏ product of; ∫ integral of; ∂ partial; ∇
    nabla; ∈ in; ∉ not in; ⊂ is a subset of; ⊆ is a subset of; ∪ union; ∩ intersection; ∅ empty set; ∀
    for all; ∃ there exists; ∴ therefore; ∵ because; ¬ not; ∧ and; ∨ or; ∝ is proportional to; ⊕ xor; ⊥
    is perpendicular to; ∥ is parallel to; ∠ angle; ‰ per mille; № number; ¢ cents; € euros; £ pounds; ¥
    yen; ₹ rupees; ₩ won; ₽ rubles; ₿ bitcoin; ♯ sharp; ♭ flat; ♮ natural; ℹ info; ↑ up; ↓ down"""
)
_GREEK = pairs(
    """α alpha; β beta; γ gamma; δ delta; ε epsilon; ζ zeta; η eta; θ theta; ι iota; κ kappa; λ lambda; μ
    mu; µ micro; ν nu; ξ xi; ο omicron; π pi; ρ rho; σ sigma; ς sigma; τ tau; υ upsilon; φ phi; ϕ phi; χ
    chi; ψ psi; ω omega; Γ gamma; Δ delta; Θ theta; Λ lambda; Ξ xi; Π pi; Σ sigma; Φ phi; Ψ psi; Ω
    omega; ϵ epsilon; ϑ theta"""
)
_PROGRAMMED = {
    "+=": "plus equals",
    "-=": "minus equals",
    "*=": "times equals",
    "/=": "divided by equals",
    "||": "or",
}
_GREEK_WORDS = "\u0370-\u03ff\u1f00-\u1fff"
"""Letters that make a Greek word of a Greek letter beside them."""
_FLAGS = words(
    """help version verbose quiet force all debug output input config file port host save global recursive
    hard soft amend rebase user upgrade watch prod production release test name type format json yes no
    model data path exclude include prune staged cached depth branch tags"""
)
"""Long options of programs that are one word."""
_BETWEEN = pairs(
    """& and; && and; + plus; @ at; = equals; == equals; === equals; != not equal to; <= less than or
    equal to; >= greater than or equal to; < less than; > greater than; % percent; $ dollars; −
    minus"""
)
"""Where white space stands on both sides, or an operand on both."""


def _say_letter_and_sign(match: re.Match[str]) -> list[Said]:
    """Read "C++", "C#", "B♭"."""
    begin, end = match.span()
    sign = {"++": "plus plus", "#": "sharp", "♯": "sharp", "♭": "flat"}[match[2]]
    return [Said(match[1].upper(), begin, end, spelled=True), Said(sign, begin, end)]


def _say_letters_range(match: re.Match[str]) -> list[Said]:
    """Read "A–Z"."""
    begin, end = match.span()
    return [
        Said(match[1].upper(), begin, end, spelled=True),
        Said("to", begin, end),
        Said(match[2].upper(), begin, end, spelled=True),
    ]


def _say_grade(match: re.Match[str]) -> list[Said]:
    """Read "B-" and "O-"."""
    begin, end = match.span()
    return [Said(" ".join(match["letters"]), begin, end, spelled=True), Said("minus", begin, end)]


def _say_flag(match: re.Match[str]) -> list[Said] | None:
    """Read "--dry-run", "--output=x" and the best known flags of programs; "--and" may be prose."""
    name = match["name"]
    if "-" not in name and name not in _FLAGS and match.string[match.end() : match.end() + 1] != "=":
        return None
    return said("dash dash " + name.replace("-", " "), match)


def _say_arrow(match: re.Match[str]) -> list[Said]:
    """An arrow between numbers is "to"; between words it is a pause, at the beginning nothing."""
    before = match.string[max(0, match.start() - REACH) : match.start()].rstrip()
    after = match.string[match.end() : match.end() + REACH].lstrip()
    if not before or not after:
        return said("", match)
    return said("to" if before[-1:].isdigit() and after[:1].isdigit() else "—", match)


def _say_by(table: dict[str, str]) -> Callable[[re.Match[str]], list[Said] | None]:
    def say(match: re.Match[str]) -> list[Said] | None:
        words = table.get(match.group().rstrip("\ufe0f"))
        return None if words is None else said(words, match)

    return say


def _always(words: str) -> Callable[[re.Match[str]], list[Said]]:
    return lambda match: said(words, match)


NAMES: tuple[Rule, ...] = (
    Rule(
        re.compile(r"(?P<letters>[A-DFO](?<![\w'’&.-].)B?)-(?=[\s,.;:)!?]|\Z)(?!\s(?:and|or|to)\s[\w'’]+-)"),
        _say_grade,
        needs="-",
    ),
    Rule(re.compile(r"--(?<!\S..)(?P<name>[a-z][a-z0-9-]{1,30}+)(?<!-)"), _say_flag, needs="-"),
    Rule(re.compile(r"([A-Ga-gJ])(?<!\w.)(\+\+|[#♯♭])(?![\w#+])"), _say_letter_and_sign, needs="+#♯♭"),
    Rule(re.compile(r"\+\+(?<=\w..)(?!\w)"), _always("plus plus"), needs="+"),
    Rule(re.compile(r"\.NET(?!\w)"), _always("dot net")),
    Rule(
        re.compile(r"([A-Za-z])(?=[ –-])(?= ?–|-[Zz])(?<![\w'’-].) ?[-–] ?([A-Za-z])(?![\w'’-])"),
        _say_letters_range,
        needs="–-",
    ),
)
"""Signs that make a name with the letters beside them: to be put before the rules for letters."""

RULES: tuple[Rule, ...] = (
    Rule(re.compile("[$€£](?= (?:sign|symbol))"), _say_by({"$": "dollar", "€": "euro", "£": "pound"})),
    Rule(re.compile(r"[-<=→⇒➜➔⟶←⇐↔⇔⇄](?:(?<=[-<=])[-=]{0,2}>|(?<![-<=]))"), _say_arrow),
    Rule(re.compile(r">(?<=[a-z]\s.)(?=\s[A-Z][a-z])"), _always("—"), needs=">"),
    Rule(re.compile(r"(?:[-+*/]=|\|\|)(?<=\s..)(?=\s)"), _say_by(_PROGRAMMED), needs="=|"),
    Rule(
        re.compile(r"(?:[=<>!](?<=\s.)={0,2}|[+@%$−&](?<=\s.)&?)(?=\s)"),
        _say_by(_BETWEEN),
        needs="=<>!+@%$−&",
    ),
    Rule(
        re.compile(r"[+=@](?<=[\w)].)(?=[\w(])|[+](?<=[^\W\d_].)(?!\w)|[<>](?<=[\w\s].)=?(?=\d)"),
        _say_by(_BETWEEN),
        needs="+=@<>",
    ),
    Rule(re.compile(r"-(?<=(?<!\w)[a-z] .)(?= [a-z0-9](?!\w))"), _always("minus")),
    Rule(re.compile(r"\*(?<=(?<!\w)\w .)(?= \w(?!\w))"), _always("times")),
    Rule(re.compile("&"), _always("and")),
    Rule(
        re.compile(rf"§§|[{re.escape(''.join(sign for sign in _SIGNS if len(sign) == 1))}]\ufe0f?"),
        _say_by(_SIGNS),
    ),
    Rule(re.compile(rf"[{''.join(_GREEK)}](?<![{_GREEK_WORDS}].)(?![{_GREEK_WORDS}])"), _say_by(_GREEK)),
)
