"""Sums of money: "$1,234.56", "€12,50", "£5bn", "5 USD", "$10/month", "-$5", "50¢".

Knows no currency but those of `currencies`. Pure; any thread may call it.
"""

from __future__ import annotations

import re

from pipeline.text.english.around import describes_noun
from pipeline.text.english.currencies import CENT, CODES, NAMED, SCALES, SYMBOLS, Currency
from pipeline.text.english.figures import FIGURE, SIGNS, UNSIGNED, read_figure, spread, trimmed
from pipeline.text.english.measures import PER, per_parts
from pipeline.text.english.numbers import cardinal, number_words
from pipeline.text.english.tables import one_of
from pipeline.text.rules import Rule, Said

_SIGNS = "".join(map(re.escape, SIGNS))
_SYMBOL = f"[{''.join(SYMBOLS)}]"
_CODE = one_of(CODES)
_AMOUNT = rf"(?P<low>{UNSIGNED})(?:(?P<dash>\s?[-‑–—]\s?)(?:{_SYMBOL}\s?)?(?P<high>{UNSIGNED}))?+"
_SCALE = (
    r"(?:(?P<scale>\s(?i:hundred|thousand|million|billion|trillion|lakhs?|crores?|grand)(?!\w))"
    r"|(?P<letters>\s?(?:mn|mln|mio|bn|bln|tn|trn|[cC]r)|[kKmMbBtTL]|mm|MM|\s[MBT])(?!\w))?"
)
_REST = (
    rf"(?P<plus>\+(?!\w))?(?P<code>\s?{_CODE}(?!\w))?"
    rf"(?:{PER}|/(?P<each>[0-9]{{1,4}})(?P<many>[kKMB](?!\w))?)?"
)
_SYMBOL_FIRST = re.compile(
    rf"(?P<currency>[{_SIGNS}{''.join(SYMBOLS)}](?:(?<=[{_SIGNS}]){_SYMBOL})?)(?<={_SYMBOL})"
    rf"(?P<minus>[-−])?\s?{_AMOUNT}{_SCALE}{_REST}"
)
_LETTERS_FIRST = re.compile(
    rf"(?P<currency>[A-Z](?<![\w@#].)[A-Za-z]{{0,3}}+[$¥.]?)(?P<minus>[-−])?\s?{_AMOUNT}{_SCALE}{_REST}"
)
_FIGURE_FIRST = re.compile(rf"{FIGURE}{_SCALE}\s?(?P<currency>[{''.join(SYMBOLS)}¢]|{_CODE}(?!\w))(?:{PER})?")
_WITH_CENTS = re.compile(r"(?P<whole>[0-9., \u00a0\u2009\u202f]*)[.,](?P<cents>[0-9]{2})")


def _say_before(match: re.Match[str]) -> list[Said] | None:
    """Read a sum whose currency stands before it: "$5", "-€12,50", "US$5bn"."""
    written = match["currency"]
    if written[0] not in SIGNS and written not in NAMED:
        return None
    sign = "" if written in NAMED else written[0]
    currency = CODES[match["code"].strip()] if match["code"] else NAMED[written.removeprefix(sign)]
    before = match.string[match.start() - 1 : match.start()]
    is_sign = sign and not (before.isalnum() or before in tuple(")%"))
    begin = match.start() + (1 if sign and not is_sign else 0)
    words = SIGNS[sign] if is_sign else ""
    if match["minus"]:
        words = f"{words} minus".lstrip()
    return _say_sum(match, currency, words, begin)


def _say_after(match: re.Match[str]) -> list[Said] | None:
    """Read a sum whose currency stands after it: "5 USD", "12,50 €", "50¢"."""
    currency = CENT if match["currency"] == "¢" else NAMED[match["currency"]]
    figure = read_figure(match["low"])
    return _say_sum(match, currency, figure.sign if figure else "", match.start("low"))


def _say_sum(match: re.Match[str], currency: Currency, sign: str, begin: int) -> list[Said] | None:
    text = match.string
    names = ("low", "high") if match["high"] else ("low",)
    figures = [read_figure(match[name]) for name in names]
    scale = _scale_of(match)
    with_cents = currency.cent and not scale and any(_WITH_CENTS.fullmatch(match[name]) for name in names)
    parts: list[Said] = []
    for name, figure in zip(names, figures, strict=True):
        if figure is None:
            return None
        if parts:
            parts.append(Said("to", *trimmed(text, *match.span("dash"))))
        words = _cents(match[name], currency) if with_cents else f"{figure.words} {figure.part}".rstrip()
        parts.append(Said(words, *match.span(name)))
    parts[0] = Said(f"{sign} {parts[0].words}".lstrip(), begin, parts[0].end)
    parts += _scale_parts(match, scale)
    if with_cents:
        parts += [Said("", *match.span("currency"))] if _is_behind(match, "currency") else []
    else:
        is_one = len(figures) == 1 and not scale and figures[0] is not None and figures[0].is_one
        single = is_one or describes_noun(text, begin, match.end())
        parts += _name_parts(match, currency.one if single else currency.many)
    if match.groupdict().get("plus"):
        parts.append(Said("plus", *match.span("plus")))
    return spread(text, [*parts, *per_parts(match), *_each(match)])


def _each(match: re.Match[str]) -> list[Said]:
    """Say how many a price is for: "$5/1M tokens"."""
    if not match.groupdict().get("each"):
        return []
    words = f"per {number_words(match['each'])} {SCALES[match['many']] if match['many'] else ''}".rstrip()
    return [Said(words, match.start("each") - 1, match.end("many" if match["many"] else "each"))]


def _scale_of(match: re.Match[str]) -> str:
    if match["scale"]:
        return match["scale"].strip().lower()
    return SCALES[match["letters"].strip()] if match["letters"] else ""


def _scale_parts(match: re.Match[str], scale: str) -> list[Said]:
    if not scale:
        return []
    return [Said(scale, *trimmed(match.string, *match.span("scale" if match["scale"] else "letters")))]


def _name_parts(match: re.Match[str], name: str) -> list[Said]:
    """Say the currency: for its code or sign behind the sum, else with the last token of the sum."""
    behind = next((group for group in ("code", "currency") if _is_behind(match, group)), None)
    if behind:
        begin, end = trimmed(match.string, *match.span(behind))
    else:
        ends = [match.end(group) for group in ("low", "high", "scale", "letters") if match[group]]
        begin = end = max(ends)
    if not name.startswith("U S "):
        return [Said(name, begin, end)]
    return [Said("U S", begin, end, spelled=True), Said(name.removeprefix("U S "), begin, end)]


def _is_behind(match: re.Match[str], group: str) -> bool:
    return bool(match.groupdict().get(group)) and match.start(group) > match.start("low")


def _cents(text: str, currency: Currency) -> str:
    """Return the words of a sum with its currency: "one dollar and fifty cents", "ninety nine cents"."""
    match = _WITH_CENTS.fullmatch(text)
    whole, cents = (match["whole"], int(match["cents"])) if match else (text, 0)
    digits = "".join(filter(str.isdigit, whole))
    is_one = digits == "1"
    words = f"{number_words(digits or '0')} {currency.one if is_one else currency.many}"
    if not cents:
        return words
    after = f"{cardinal(cents)} {currency.cent if cents == 1 else currency.cents}"
    return f"{words} and {after}" if digits.strip("0") else after


RULES: tuple[Rule, ...] = (
    Rule(_LETTERS_FIRST, _say_before),
    Rule(_SYMBOL_FIRST, _say_before),
    Rule(_FIGURE_FIRST, _say_after),
)
