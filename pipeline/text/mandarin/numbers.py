"""How Mandarin says a number that is written in digits.

Knows numbers alone; what a number counts, names or dates is the other rules' to tell. The words are in
simplified characters. Pure; any thread may call it.
"""

from __future__ import annotations

_DIGITS = "零一二三四五六七八九"
_PHONE_DIGITS = "零幺二三四五六七八九"
_UNITS = ((10**8, "亿"), (10**4, "万"), (1000, "千"), (100, "百"), (10, "十"))

LONGEST_CARDINAL = 16
"""Digits of the longest number that is said as one; a longer one is said digit by digit."""


def digits(text: str, *, phone: bool = False) -> str:
    """Name each digit of the text, leaving out what is none; with `phone`, 1 is "幺"."""
    names = _PHONE_DIGITS if phone else _DIGITS
    return "".join(names[int(character)] for character in text if "0" <= character <= "9")


def cardinal(value: int) -> str:
    """Say how many: 2000 is "两千", 12 "十二", 110 "一百一十", 2 "二"."""
    words = _compound(value)
    if words.startswith("一十"):
        return words[1:]
    if words[:2] in ("二千", "二万", "二亿"):
        return "两" + words[1:]
    return words


def number(text: str, *, two: str = "二") -> str:
    """Say a number of the form of `patterns.NUMBER`; `two` is said for a mere 2.

    With a needless zero before it, or longer than `LONGEST_CARDINAL`, it is said digit by digit.
    """
    whole, dot, decimals = text.replace(",", "").partition(".")
    if whole == "2" and not dot:
        return two
    is_code = len(whole) > LONGEST_CARDINAL or (len(whole) > 1 and whole[0] == "0")
    words = digits(whole) if is_code else cardinal(int(whole))
    return f"{words}点{digits(decimals)}" if dot else words


def fraction(numerator: str, denominator: str) -> str:
    """Say a fraction of two whole numbers."""
    return f"{number(denominator)}分之{number(numerator)}"


def _compound(value: int) -> str:
    for unit, name in _UNITS:
        if value >= unit:
            high, low = divmod(value, unit)
            gap = "零" if 0 < low < unit // 10 else ""
            return _compound(high) + name + gap + (_compound(low) if low else "")
    return _DIGITS[value]
