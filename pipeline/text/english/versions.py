"""Versions: "Python 3.11.7", "v2.1", "1.0.0-beta.2", "Ubuntu 22.04".

Knows no dates, no IP addresses and no section numbers, but that the latter are read alike. Pure; any thread
may call it.
"""

from __future__ import annotations

import re

from pipeline.text.english.context import bare, words_before
from pipeline.text.english.machine_names import Piece, said_pieces
from pipeline.text.english.numbers import cardinal, digits
from pipeline.text.english.tables import words
from pipeline.text.rules import Rule, Said

_SOFTWARE = words(
    """python node nodejs java javascript ios ipados macos watchos tvos android ubuntu debian fedora
    windows php ruby rails go golang rust typescript react angular vue django flask postgresql postgres
    mysql sqlite redis mongodb kernel linux firefox chrome safari edge version versions ver v release
    releases build update numpy pandas torch pytorch tensorflow cuda docker kubernetes git npm pip gcc
    clang cmake swift kotlin scala perl lua julia dart flutter unity unreal blender gimp nginx apache
    openssl bluetooth usb hdmi http tls ssl api sdk bash zsh elixir haskell spring hibernate laravel
    wordpress drupal bootstrap tailwind jquery webpack vite node.js next.js"""
)
"""Names, in small letters, after which "3.11" is a version and no decimal."""

_DATE = re.compile(
    r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:1[5-9]|20)\d\d|(?:[0-2]\d|3[01])\.(?:0\d|1[0-2])\.\d\d"
    r"|(?:19|20)\d\d\.(?:0[1-9]|1[0-2])\.(?:[0-2]\d|3[01])"
)
_PHONE = re.compile(r"\d{3}\.\d{3}\.\d{4}")
_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3}){2,}")


def _say_version(match: re.Match[str]) -> list[Said] | None:
    number = match["number"]
    if not match["v"] and not _is_version(match, number):
        return None
    if match["v"] == "V" and "." not in number:
        return None
    found: list[Piece] = [("version", False)] if match["v"] and not _says_version(match) else []
    found.append((" point ".join(map(_part, number.split("."))), False))
    if match["stage"]:
        stage = match["stage"].lower()
        found.append((" ".join(stage.upper()), True) if len(stage) < 3 else (stage, False))
    if match["of"]:
        found.append((cardinal(int(match["of"])), False))
    if match["plus"]:
        found.append(("plus", False))
    return said_pieces(found, *match.span())


def _is_version(match: re.Match[str], number: str) -> bool:
    parts = number.count(".")
    if parts == 0:
        return False
    if parts == 1 and not (number[-1] in "xX" or len(match["stage"] or "") > 1):
        if match.string[match.start() - 1 : match.start()] in tuple("=<>~^"):
            return True
        before = words_before(match.string, match.start())
        return bool(before) and (bare(before[-1]).lower() in _SOFTWARE or before[-1].lower() in _SOFTWARE)
    return not (_DATE.fullmatch(number) or _PHONE.fullmatch(number) or _THOUSANDS.fullmatch(number))


def _says_version(match: re.Match[str]) -> bool:
    before = words_before(match.string, match.start())
    return bool(before) and before[-1].lower() == "version"


def _part(number: str) -> str:
    if not number.isdigit():
        return number.upper()
    if len(number) == 2 and number[0] == "0" and number != "00":
        return "oh " + digits(number[1])
    return digits(number) if number[0] == "0" or len(number) > 4 else cardinal(int(number))


_BEFORE = r"(?<![\w.,$€£:/@#-].)"
_NUMBER = rf"(?P<number>[0-9]{_BEFORE}[0-9]{{0,4}}(?:\.[0-9]{{1,5}}){{0,4}}(?:\.[xX])?)"
_TAIL = (
    r"(?:[-.]?(?P<stage>alpha|beta|rc|a|b|dev|post|preview|pre|snapshot|final|lts)[-.]?(?P<of>[0-9]{1,4})?)?"
    r"(?:\+[\w.]{1,20}|(?P<plus>\+(?![\w+])))?(?![\w%°]|[.,:/]\d|-\d)"
)

RULES: tuple[Rule, ...] = (
    Rule(re.compile(rf"(?P<v>[vV]){_BEFORE}{_NUMBER.replace(_BEFORE, '')}{_TAIL}"), _say_version),
    Rule(re.compile(rf"(?P<v>(?!))?{_NUMBER}{_TAIL}"), _say_version, needs="."),
)
