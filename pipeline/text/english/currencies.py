"""The currencies that sums of money are read in: their signs, codes and names. Data.

Pure; any thread may call it.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.text.english.tables import pairs


@dataclass(frozen=True, slots=True)
class Currency:
    """Names of a currency and of its hundredth part, singular and plural; no parts: cents are decimals."""

    one: str
    many: str
    cent: str = ""
    cents: str = ""


def _dollar(country: str = "") -> Currency:
    return Currency(f"{country} dollar".lstrip(), f"{country} dollars".lstrip(), "cent", "cents")


def _centavo(name: str) -> Currency:
    return Currency(name, f"{name}s", "centavo", "centavos")


def _counted(text: str) -> dict[str, Currency]:
    """Return currencies without parts, from their signs or codes and singulars; the plural adds an "s"."""
    return {sign: Currency(name, f"{name}s") for sign, name in pairs(text).items()}


def _same(text: str) -> dict[str, Currency]:
    """Return currencies without parts whose plural is their singular."""
    return {sign: Currency(name, name) for sign, name in pairs(text).items()}


_EURO = Currency("euro", "euros", "cent", "cents")
_POUND = Currency("pound", "pounds", "penny", "pence")
_RUPEE = Currency("rupee", "rupees", "paisa", "paise")
_RUBLE = Currency("ruble", "rubles", "kopeck", "kopecks")
_REAL = Currency("real", "reais", "centavo", "centavos")

CENT = Currency("cent", "cents")

SYMBOLS = {
    **dict.fromkeys("$＄", _dollar()),
    "€": _EURO,
    **dict.fromkeys("£￡", _POUND),
    "₹": _RUPEE,
    "₽": _RUBLE,
    "₱": _centavo("peso"),
    "₡": Currency("colón", "colones"),
    **_same("¥ yen; ￥ yen; ₩ won; ₺ lira; ₫ dong; ฿ baht; ₦ naira; ₿ bitcoin; ₲ guarani; ₸ tenge"),
    **_counted("₴ hryvnia; ₪ shekel; ₵ cedi"),
}
"""Signs that may stand before or after a sum."""

PREFIXED = {
    "US$": _dollar("U S"),
    **dict.fromkeys(("A$", "AU$"), _dollar("Australian")),
    **dict.fromkeys(("C$", "CA$", "CAD$"), _dollar("Canadian")),
    "HK$": _dollar("Hong Kong"),
    "NZ$": _dollar("New Zealand"),
    **dict.fromkeys(("S$", "SG$"), _dollar("Singapore")),
    "NT$": _dollar("New Taiwan"),
    "R$": _REAL,
    "MX$": _centavo("Mexican peso"),
    **_same("CN¥ yuan; RMB¥ yuan; JP¥ yen"),
    **dict.fromkeys(("Rs.", "Rs"), _RUPEE),
    "Fr.": Currency("franc", "francs", "centime", "centimes"),
}
"""What stands only before a sum."""

CODES = {
    "USD": _dollar("U S"),
    "EUR": _EURO,
    "GBP": Currency("British pound", "British pounds", "penny", "pence"),
    "CHF": Currency("Swiss franc", "Swiss francs", "centime", "centimes"),
    "AUD": _dollar("Australian"),
    "CAD": _dollar("Canadian"),
    "NZD": _dollar("New Zealand"),
    "HKD": _dollar("Hong Kong"),
    "SGD": _dollar("Singapore"),
    "TWD": _dollar("New Taiwan"),
    "INR": Currency("Indian rupee", "Indian rupees", "paisa", "paise"),
    "BRL": _REAL,
    "MXN": _centavo("Mexican peso"),
    "RUB": _RUBLE,
    "SEK": Currency("Swedish krona", "Swedish kronor"),
    "NOK": Currency("Norwegian krone", "Norwegian kroner"),
    "DKK": Currency("Danish krone", "Danish kroner"),
    **_same("JPY yen; CNY yuan; RMB yuan; KRW won; CZK koruna; ZAR rand; THB baht; IDR rupiah; VND dong"),
    **_same("BTC bitcoin; ETH ether; USDT tether"),
    **_counted("PLN zloty; HUF forint; ILS shekel; AED dirham; UAH hryvnia"),
}
"""Codes that may stand before or after a sum."""

NAMED = {**SYMBOLS, **PREFIXED, **CODES}
"""All of them."""

SCALES = pairs(
    """k thousand; K thousand; m million; M million; mm million; MM million; mn million; mln million; mio
    million; b billion; B billion; bn billion; bln billion; t trillion; T trillion; tn trillion; trn
    trillion; cr crore; Cr crore; L lakh"""
)
"""What a letter or two behind a sum make it thousands or millions by."""
