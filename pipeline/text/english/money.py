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
    groups = ("low", "high") if match["high"] else ("low",)
    figures = [figure for figure in (read_figure(match[group]) for group in groups) if figure]
    if len(figures) < len(groups):
        return None
    scale = _scale_of(match)
    if currency.cent and not scale and any(_WITH_CENTS.fullmatch(match[group]) for group in groups):
        parts = _with_cents(match, groups, currency)
    else:
        parts = [Said(f"{figures[0].words} {figures[0].part}".rstrip(), *match.span("low"))]
        if len(groups) > 1:
            parts += [_to(match), Said(f"{figures[1].words} {figures[1].part}".rstrip(), *match.span("high"))]
        is_one = len(groups) == 1 and not scale and figures[0].is_one
        single = is_one or describes_noun(match.string, begin, match.end())
        name = currency.one if single else currency.many
        parts += [*_scale_parts(match, scale), *_name_parts(name, *_behind(match))]
    parts[0] = Said(f"{sign} {parts[0].words}".lstrip(), begin, parts[0].end)
    if match.groupdict().get("plus"):
        parts.append(Said("plus", *match.span("plus")))
    return spread(match.string, [*parts, *per_parts(match), *_each(match)])


def _with_cents(match: re.Match[str], groups: tuple[str, ...], currency: Currency) -> list[Said]:
    """Say one sum or two, each with its currency and its cents."""
    parts: list[Said] = []
    for group in groups:
        words, name = _cents(match[group], currency)
        parts += [_to(match)] if parts else []
        at = _behind(match) if group == groups[-1] else (match.end(group), match.end(group))
        parts += [Said(words, *match.span(group)), *_name_parts(name, *at)]
    return parts


def _to(match: re.Match[str]) -> Said:
    return Said("to", *trimmed(match.string, *match.span("dash")))


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


def _name_parts(name: str, begin: int, end: int) -> list[Said]:
    """Say the name of a currency; "U S" stands for letters."""
    if not name.startswith("U S "):
        return [Said(name, begin, end)]
    return [Said("U S", begin, end, spelled=True), Said(name.removeprefix("U S "), begin, end)]


def _behind(match: re.Match[str]) -> tuple[int, int]:
    """Return where the currency is said: at its code or sign behind the sum, else with the sum."""
    for group in ("code", "currency"):
        if match.groupdict().get(group) and match.start(group) > match.start("low"):
            return trimmed(match.string, *match.span(group))
    end = max(match.end(group) for group in ("low", "high", "scale", "letters"))
    return end, end


def _cents(text: str, currency: Currency) -> tuple[str, str]:
    """Return the words of a sum, the number apart: "one", "dollar and fifty cents"."""
    match = _WITH_CENTS.fullmatch(text)
    whole, cents = (match["whole"], int(match["cents"])) if match else (text, 0)
    digits = "".join(filter(str.isdigit, whole)) or "0"
    name = currency.one if digits == "1" else currency.many
    part = currency.cent if cents == 1 else currency.cents
    if not cents:
        return number_words(digits), name
    if not digits.strip("0"):
        return cardinal(cents), part
    return number_words(digits), f"{name} and {cardinal(cents)} {part}"


RULES: tuple[Rule, ...] = (
    Rule(_LETTERS_FIRST, _say_before),
    Rule(_SYMBOL_FIRST, _say_before, "".join(SYMBOLS)),
    Rule(_FIGURE_FIRST, _say_after),
)
