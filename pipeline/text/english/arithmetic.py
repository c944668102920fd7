"""Sums and powers in figures: "2+2=4", "5 - 3 = 2", "10^6", "6.02×10^23", "1.5e-9", "x²".

Knows no letters but the exponent's. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from pipeline.text.english.figures import spread
from pipeline.text.english.numbers import cardinal, fraction, number_words
from pipeline.text.english.tables import pairs
from pipeline.text.rules import Rule, Said

_SIGNS = pairs(
    """+ plus; - minus; − minus; – minus; × times; * times; x times; · times; ÷ divided by; / divided by;
    = equals; ≈ is about; ≠ is not; < is less than; > is more than; ≤ is at most; ≥ is at least; % mod; ^
    to the power of"""
)
_SUPERSCRIPT = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
_NUMBER = r"[0-9]{1,15}(?:,[0-9]{3}){0,5}(?:\.[0-9]{1,12})?"
_OPEN = r"(?<![\w.,:/$€£#^].)"
_TOKEN = re.compile(
    rf"(?P<top>[0-9]{{1,3}})/(?P<bottom>[0-9]{{1,3}})(?![0-9]|\.[0-9]|,[0-9]{{3}})|(?P<number>{_NUMBER})|(?P<power>[{_SUPERSCRIPT}]+)|(?P<sign>\S)"
)


def _power(exponent: str) -> str:
    """Return what follows the base: "squared", "to the power of minus nine"."""
    digits = normalize("NFKC", exponent).replace("−", "-")
    if digits in ("2", "3"):
        return "squared" if digits == "2" else "cubed"
    sign = "minus " if digits[0] == "-" else ""
    return f"to the power of {sign}{number_words(digits.lstrip('-'))}"


def _quotient(top: int, bottom: int) -> str:
    if 0 < top < bottom:
        return fraction(top, bottom)
    return f"{cardinal(top)} divided by {cardinal(bottom)}"


def _say_sum(match: re.Match[str]) -> list[Said]:
    """Read each token by its name; a sign in front of its number belongs to it: "2 + -2"."""
    parts: list[Said] = []
    raised = False
    for token in _TOKEN.finditer(match.group()):
        text = token.group()
        begin, end = match.start() + token.start(), match.start() + token.end()
        if token["top"]:
            parts.append(Said(_quotient(int(token["top"]), int(token["bottom"])), begin, end))
            continue
        if token["number"] and raised:
            parts[-1] = Said(_power(text), parts[-1].begin, end)
            raised = False
            continue
        words = number_words(text) if token["number"] else _power(text) if token["power"] else _SIGNS[text]
        raised = text == "^"
        parts.append(Said(words, begin, end))
    return spread(match.string, parts)


def _say_power(match: re.Match[str]) -> list[Said] | None:
    """Read "10^6", "10⁻⁹", and what makes a letter or a bracket a power: "x²", "n^2"."""
    words = _power(match["exponent"] or match.group().lstrip("0123456789."))
    if match.group()[0].isascii() and match.group()[0].isdigit():
        words = f"{number_words(match['base'])} {words}"
    return [Said(words, *match.span())]


def _say_scientific(match: re.Match[str]) -> list[Said] | None:
    """Read "1.5e-9" and "3E8"."""
    mantissa, sign, exponent = match["mantissa"], match["sign"], match["exponent"]
    if not sign and "." not in mantissa and exponent[0] == "0":
        return None
    minus = "minus " if sign in ("-", "−") else ""
    words = f"{number_words(mantissa)} times ten to the {minus}{number_words(exponent.lstrip('0') or '0')}"
    return [Said(words, *match.span())]


_OPERAND = rf"[-−]?{_NUMBER}(?:\^-?[0-9]{{1,4}}|[{_SUPERSCRIPT}]{{1,4}})?"
_EQUATION = (
    rf"[0-9]{_OPEN}{_NUMBER.replace('{1,15}', '{0,14}', 1)}(?:\^-?[0-9]{{1,4}}|[{_SUPERSCRIPT}]{{1,4}})?"
)
_ANY_SIGN = r"\s?[-+−–×*x·÷/%]\s?"
_RELATIONS = "=≈≠<>≤≥"
_RELATION = rf"\s?[{_RELATIONS}]\s?"

RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(
            rf"{_EQUATION}(?:{_ANY_SIGN}{_OPERAND}){{0,8}}+{_RELATION}{_OPERAND}"
            rf"(?:{_ANY_SIGN}{_OPERAND}){{0,8}}+(?!\w)"
        ),
        _say_sum,
        _RELATIONS,
    ),
    Rule(
        re.compile(rf"{_EQUATION}(?:\s?[+×*·÷]\s?{_OPERAND}|\s−\s{_OPERAND}){{1,8}}+(?![\w%°])"),
        _say_sum,
        "+×*·÷−",
    ),
    Rule(re.compile(rf"{_EQUATION}(?:\s[-/]\s{_OPERAND}){{1,8}}+(?=\s?\?)"), _say_sum, "?"),
    Rule(
        re.compile(
            rf"(?P<mantissa>[0-9]{_OPEN}[0-9]{{0,14}}(?:\.[0-9]{{1,12}})?)[eE]"
            r"(?P<sign>[-+−]?)(?P<exponent>[0-9]{1,3})(?![\w.])"
        ),
        _say_scientific,
        "eE",
    ),
    Rule(
        re.compile(
            rf"(?P<base>[0-9]{_OPEN}[0-9]{{0,9}}(?:\.[0-9]{{1,9}})?)"
            rf"(?:\^(?P<exponent>[-−]?[0-9]{{1,6}}(?![0-9]))|(?P<raised>[{_SUPERSCRIPT}]{{1,6}}))"
        ),
        _say_power,
        "^" + _SUPERSCRIPT,
    ),
    Rule(
        re.compile(
            rf"[\^{_SUPERSCRIPT}](?<=[A-Za-z)].)(?<![A-Za-z]{{3}}.)"
            rf"(?:(?<=\^)(?P<exponent>[-−]?[0-9]{{1,4}}(?![0-9]))|(?P<raised>(?<!\^)[{_SUPERSCRIPT}]{{0,4}}))"
        ),
        _say_power,
        "^" + _SUPERSCRIPT,
    ),
)
