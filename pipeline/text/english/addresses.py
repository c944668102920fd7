"""URLs, e-mail addresses, domains, IP addresses, handles and hashtags.

A URL is read as a person would give it: its host, and a path only while that is short and made of words.
Pure; any thread may call it.
"""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from pipeline.text.english.machine_names import Piece, pieces, said_pieces
from pipeline.text.english.numbers import cardinal, digits, serial
from pipeline.text.english.tables import words
from pipeline.text.rules import Rule, Said

LONGEST_PATH = 32
"""Code points of a URL's path that is read out."""
_SEGMENTS = 2
_SEGMENT = re.compile(
    r"[A-Za-z]{1,20}(?:[-_.][A-Za-z]{1,20}){0,4}|[A-Za-z]{0,12}[-_]?\d{1,4}(?:\.\d{1,5}){0,3}"
)

_DOMAINS = words(
    """com org net edu gov mil int info biz io ai dev app co uk eu de fr es nl ru jp cn br ca au ch se pl
    cz fi dk pt gr tr kr hk tw sg nz za ie il ua ro hu sk si hr rs bg ee lt lv lu tv fm gg xyz tech site
    online store shop blog cloud design agency studio media wiki chat bot social email club digital ly
    sh gl cc ws pw vc id ph vn th ar cl pe mx ec uy lol zone tools software systems network museum jobs
    mobi travel local internal localhost onion eth"""
)
_DOUBTFUL = words(
    "in is it me so to be at no am us my do as by la art name pro live page news space link world games"
)
"""Words as well: a domain only before a path or a port, or after "www."."""
_KNOWN_HOSTS = words(
    "youtu.be t.me about.me last.fm lnkd.in notion.so del.icio.us amzn.to redd.it git.io wa.me fb.me"
)
_TRAILING = ".,;:!?…'\"»”’*_~"


def _say_url(match: re.Match[str]) -> list[Said] | None:
    text = _trimmed(match.group())
    rest = text.partition("://")[2] if "://" in text else text
    found = _location(rest)
    return said_pieces(found, match.start(), match.start() + len(text)) if found else None


def _trimmed(url: str) -> str:
    """Return the URL without the punctuation of its sentence."""
    url = url.rstrip(_TRAILING)
    while url.endswith((")", "]")) and url.count("(") < url.count(")") + url.count("]") - url.count("["):
        url = url[:-1].rstrip(_TRAILING)
    return url


def _location(rest: str) -> list[Piece]:
    """Read a URL less its scheme: host, port, and the path if it is short."""
    at = next((at for at, mark in enumerate(rest) if mark in "/?#"), len(rest))
    host, path = rest[:at].rpartition("@")[2], re.split(r"[?#]", rest[at:], maxsplit=1)[0]
    return _host(host) + _path(path)


def _host(host: str) -> list[Piece]:
    name, _, port = host.partition(":")
    name = re.sub(r"\A(?:www|WWW)\d?\.", "", name)
    found = [(_dotted(name), False)] if _is_ipv4(name) else pieces(name)
    return [*found, ("port", False), (serial(port), False)] if port.isdecimal() else found


def _path(path: str) -> list[Piece]:
    segments = [segment for segment in path.split("/") if segment]
    if len(path) > LONGEST_PATH or len(segments) > _SEGMENTS or not all(map(_SEGMENT.fullmatch, segments)):
        return []
    return [piece for segment in segments for piece in (("slash", False), *pieces(segment, silent="-"))]


def _say_email(match: re.Match[str]) -> list[Said]:
    return said_pieces(pieces(match["address"]), *match.span())


def _say_domain(match: re.Match[str]) -> list[Said] | None:
    text = _trimmed(match.group())
    name = re.split(r"[:/?#]", text, maxsplit=1)[0]
    if name.rpartition(".")[2].istitle():
        return None
    name = name.lower()
    top = name.rpartition(".")[2]
    known = top in _DOMAINS or (top in _DOUBTFUL and name != text.lower()) or name in _KNOWN_HOSTS
    if not known:
        return None
    return said_pieces(_location(text), match.start(), match.start() + len(text))


def _is_ipv4(name: str) -> bool:
    try:
        IPv4Address(name)
    except AddressValueError:
        return False
    return True


def _dotted(address: str) -> str:
    return " dot ".join(map(serial, address.split(".")))


def _say_ipv4(match: re.Match[str]) -> list[Said] | None:
    if not _is_ipv4(match["address"]):
        return None
    found: list[Piece] = [(_dotted(match["address"]), False)]
    if match["port"]:
        found += [("port", False), (serial(match["port"]), False)]
    if match["bits"]:
        found += [("slash", False), (cardinal(int(match["bits"])), False)]
    text = _trimmed(match.group())
    if match["path"]:
        found += _path(text[match.start("path") - match.start() :])
    return said_pieces(found, match.start(), match.start() + len(text))


def _say_ipv6(match: re.Match[str]) -> list[Said] | None:
    text = match.group()
    try:
        IPv6Address(text)
    except AddressValueError:
        return None
    return _by_character(text, match) if any(map(str.isdigit, text)) else None


def _say_mac(match: re.Match[str]) -> list[Said]:
    return _by_character(match.group(), match, silent=":-")


def _by_character(text: str, match: re.Match[str], silent: str = "") -> list[Said]:
    found: list[Piece] = []
    for character in text:
        if character.isdigit():
            found.append((digits(character), False))
        elif character.isalpha():
            found.append((character.upper(), True))
        elif character == ":" and character not in silent:
            found.append(("colon", False))
    return said_pieces(found, *match.span())


def _say_handle(match: re.Match[str]) -> list[Said]:
    return said_pieces(pieces(match["name"], silent=".-"), *match.span())


def _say_community(match: re.Match[str]) -> list[Said]:
    letter: Piece = (match["kind"].upper(), True)
    return said_pieces([letter, ("slash", False), *pieces(match["name"], silent="-")], *match.span())


def _say_tag(match: re.Match[str]) -> list[Said] | None:
    name = match["name"]
    is_color = re.fullmatch(r"[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}", name) and re.search(r"\d", name)
    if is_color and (re.search(r"[A-Fa-f]", name) or len(name) == 6):
        return _by_character(name, match)
    if _NUMBER.fullmatch(name):
        return None
    return said_pieces(pieces(name), *match.span())


_NUMBER = re.compile(r"[0-9]+(?:s|[A-Z])?")
"""What is a number behind "#" and no tag: "#1", "#1s", "Apt. #3B"."""
_REST = r"[^\s<>\"“”]{1,2000}+"
_HOST_END = rf"(?::[0-9]{{2,5}})?(?:[/?#]{_REST})?"

RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(rf"(?:https?|ftp|sftp|wss?|file|git|ssh|HTTPS?)://{_REST}|(?:www|WWW)\.{_REST}"),
        _say_url,
        needs=":.",
    ),
    Rule(
        re.compile(
            r"(?P<address>[A-Za-z0-9](?<![\w.+-].)[\w.+%-]{0,63}+@(?:[\w-]{1,63}\.){1,5}[A-Za-z]{2,18})(?![\w@])"
        ),
        _say_email,
        needs="@",
    ),
    Rule(
        re.compile(
            r"(?P<address>[0-9](?<![\w.].)[0-9]{0,2}(?:\.[0-9]{1,3}){3})"
            rf"(?::(?P<port>[0-9]{{1,5}})|/(?P<bits>[0-9]{{1,2}}))?(?P<path>/(?=[A-Za-z]){_REST})?(?![\w]|[.:]\d)"
        ),
        _say_ipv4,
        needs=".",
    ),
    Rule(
        re.compile(
            r"[0-9A-Fa-f]{2}(?=[:-])(?<![\w:.-]..)([:-])[0-9A-Fa-f]{2}(?:\1[0-9A-Fa-f]{2}){4}(?![\w:-])"
        ),
        _say_mac,
        needs=":-",
    ),
    Rule(re.compile(r"[0-9A-Fa-f:](?<![\w:.].)[0-9A-Fa-f:]{2,44}(?![\w:])"), _say_ipv6, needs=":"),
    Rule(
        re.compile(r"@(?<![\w@].)(?P<name>\w[\w.-]{0,60}(?:@[\w.-]{1,60})?(?<![.-]))"), _say_handle, needs="@"
    ),
    Rule(re.compile(r"#(?<![\w&#].)(?P<name>\w{1,80})"), _say_tag, needs="#"),
    Rule(
        re.compile(r"(?P<kind>[ur])/(?<![\w./]..)(?P<name>[A-Za-z]\w{1,40})(?![\w/])"),
        _say_community,
        needs="/",
    ),
    Rule(
        re.compile(
            rf"(?:[A-Za-z0-9](?<![\w.@/-].)[\w-]{{0,62}}+(?:\.[\w-]{{1,63}}+){{1,6}}+|localhost(?=[:/])){_HOST_END}"
        ),
        _say_domain,
        needs=".:",
    ),
)
