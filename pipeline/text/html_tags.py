"""Recognizes HTML and XML tags and character entities at a place in a text.

Knows how they are written, not what they do. A "<" in prose is no tag: a name HTML does not know must come
with a quoted attribute or a slash. Pure; any thread may call it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5

from pipeline.text.undecided import UNDECIDED, Undecided

_HTML_NAMES = (
    "a abbr acronym address applet area article aside audio b base bdi bdo big blink blockquote body br "
    "button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir "
    "div dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 "
    "head header hgroup hr html i iframe img input ins kbd label legend li link main map mark marquee "
    "menu meta meter nav nobr noframes noscript object ol optgroup option output p param picture pre "
    "progress q rp rt ruby s samp script search section select slot small source span strike strong "
    "style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u "
    "ul var video wbr"
)
_SPEECH_NAMES = "speak break say-as phoneme emphasis prosody voice lang think thinking"
_KNOWN = frozenset(f"{_HTML_NAMES} {_SPEECH_NAMES}".split())

_NAME = r"[A-Za-z][A-Za-z0-9:_-]{0,40}+"
_KEY = r"[A-Za-z_:@][\w:.@-]{0,60}+"
_SWITCH = (
    r"(?:async|autofocus|autoplay|checked|controls|default|defer|disabled|hidden|loop|multiple|muted|nowrap|open|"
    r"readonly|required|reversed|selected)(?=[\s/>])"
)
_SPACE = r"\s{0,20}+"
_VALUE = r"(?:\"[^\"<]{0,500}+\"|'[^'<]{0,500}+'|[^\s\"'=<>`]{1,300}+)"
_ATTRIBUTE = rf"(?:{_KEY}{_SPACE}={_SPACE}{_VALUE}|{_SWITCH})"
_ATTRIBUTES = rf"(?:\s{{1,20}}+{_ATTRIBUTE}){{0,20}}+"
_TAG = re.compile(rf"<(?P<end>/?)(?P<name>{_NAME})(?P<attributes>{_ATTRIBUTES}){_SPACE}(?P<empty>/?)>")
_BEGUN_VALUE = r"(?:\"[^\"<]{0,500}+|'[^'<]{0,500}+|[^\s\"'=<>`]{1,300}+)?"
_BEGUN = re.compile(
    rf"</?(?:{_NAME}{_ATTRIBUTES}{_SPACE}(?:/|{_KEY}{_SPACE}(?:={_SPACE}{_BEGUN_VALUE})?)?)?\Z"
)
_PAIR = re.compile(rf"({_KEY}){_SPACE}={_SPACE}({_VALUE})")

_ENTITY = re.compile(r"&(?:#(?:[0-9]{1,7}+|[xX][0-9a-fA-F]{1,6}+)|[A-Za-z][A-Za-z0-9]{1,31}+);")
_BEGUN_ENTITY = re.compile(r"&(?:#(?:[0-9]{0,7}+|[xX][0-9a-fA-F]{0,6}+)|[A-Za-z][A-Za-z0-9]{0,31}+)?\Z")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag of `length` code points. Names are lower case, values as they are meant."""

    name: str
    length: int
    closes: bool
    attributes: Mapping[str, str]


def tag_at(text: str, at: int, end: int) -> Tag | Undecided | None:
    """Return the tag that begins at the "<" at `at`, looking no further than `end`; None if there is none."""
    match = _TAG.match(text, at, end)
    if match is None:
        return UNDECIDED if _BEGUN.match(text, at, end) else None
    return _tag(match[0])


@lru_cache(1024)
def _tag(source: str) -> Tag | None:
    match = _TAG.match(source)
    assert match is not None
    name, attributes = match["name"].lower(), match["attributes"]
    is_strict = bool(match["end"] or match["empty"] or '"' in attributes or "'" in attributes)
    if name not in _KNOWN and not is_strict:
        return None
    values = {key.lower(): html.unescape(value.strip("\"'")) for key, value in _PAIR.findall(attributes)}
    return Tag(name, len(source), bool(match["end"]), values)


def entity_at(text: str, at: int, end: int) -> tuple[str, int] | Undecided | None:
    """Return what the entity at the "&" at `at` stands for and its length; None if there is none."""
    match = _ENTITY.match(text, at, end)
    if match is None:
        return UNDECIDED if _BEGUN_ENTITY.match(text, at, end) else None
    name = match[0][1:]
    meant = html.unescape(match[0]) if name[0] == "#" else html5.get(name)
    return None if meant is None else (meant, len(match[0]))
