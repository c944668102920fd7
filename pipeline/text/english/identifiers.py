"""File names, paths and names in programs: "main.py", "/usr/local/bin", "getUserName", "os.path.join()".

Knows no domains: their rules come first. Pure; any thread may call it.
"""

from __future__ import annotations

import re

from pipeline.text.english.machine_names import Piece, pieces, said_pieces
from pipeline.text.english.tables import words
from pipeline.text.rules import Rule, Said

_EXTENSIONS = words(
    """py pyc ipynb js mjs cjs ts tsx jsx json jsonl yaml yml toml ini cfg conf env lock md mdx rst txt log
    tex html htm css scss sass less xml svg csv tsv sql db sqlite sh bash zsh bat ps1 c h cc cpp hpp cs
    rs go java kt swift rb php pl lua r jl scala dart vue svelte zig asm wasm exe dll so dylib bin dmg
    apk iso deb rpm msi zip tar gz tgz bz2 xz 7z rar pdf doc docx xls xlsx ppt pptx odt epub rtf png jpg
    jpeg gif bmp webp tiff ico psd ai mp3 mp4 m4a wav ogg opus flac avi mov mkv webm ttf otf woff pem
    crt key pt pth onnx safetensors gguf parquet npy npz h5 proto patch diff bak tmp"""
)
_WORDY_EXTENSIONS = words("so ai key less go env lock pt pl bin log diff patch bak opus proto")
"""Words as well: a file only where the name before is no plain word, or one of these."""
_STEMS = words("main app index server client style styles yarn package poetry test tests util utils")

_HIDDEN = words(
    "venv gitignore bashrc zshrc npmrc dockerignore config ssh git github vscode profile htaccess com org net"
)
_MODULES = words(
    "np pd df os sys tf nn plt self this math json re torch window document console req res process module"
)
"""What names in programs begin with, before a dot, even where no "()" ends them."""


def _say_file(match: re.Match[str]) -> list[Said] | None:
    name = match.group()
    stem, _, extension = name.rpartition(".")
    if extension.lower() not in _EXTENSIONS:
        return None
    is_word = stem.isalpha() and (stem.islower() or stem.istitle()) and stem.lower() not in _STEMS
    if is_word and extension in _WORDY_EXTENSIONS:
        return None
    if len(extension) == 1 and not re.fullmatch(r"[a-z][\w-]+", stem):
        return None
    return said_pieces(pieces(name, silent="-"), *match.span())


def _say_hidden(match: re.Match[str]) -> list[Said] | None:
    """Read ".env" and ".js"."""
    if match["name"] not in _EXTENSIONS and match["name"] not in _HIDDEN:
        return None
    return said_pieces(pieces(match.group(), silent="-"), *match.span())


def _say_path(match: re.Match[str]) -> list[Said]:
    path = match.group()
    return said_pieces(pieces(path.rstrip("/") or path, silent="-"), *match.span())


def _say_relative_path(match: re.Match[str]) -> list[Said] | None:
    """Read "src/app.ts" and "docs/api/", which their endings show to be paths: "and/or" is none."""
    path = match.group()
    last = path.rpartition("/")[2]
    is_file = last.rpartition(".")[2].lower() in _EXTENSIONS and "." in last
    if not is_file and (last or path.count("/") < 2):
        return None
    return _say_path(match)


def _say_drive(match: re.Match[str]) -> list[Said]:
    path = match["path"].rstrip(".)!'’")
    found: list[Piece] = [(match["drive"].upper(), True), ("colon", False)]
    found += pieces(path.rstrip("\\"), silent="-")
    return said_pieces(found, match.start(), match.start("path") + len(path))


def _say_member(match: re.Match[str]) -> list[Said] | None:
    return _say_camel(match) if match["module"] in _MODULES or "_" in match.group() else None


def _say_call(match: re.Match[str]) -> list[Said]:
    return said_pieces(pieces(match["name"]), *match.span())


def _say_camel(match: re.Match[str]) -> list[Said]:
    return said_pieces(pieces(match.group()), *match.span())


_COMPONENT = r"\.{0,2}+[\w+@-]{1,64}+(?:\.[\w+@-]{1,64}+){0,6}+"

RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(r"(?P<drive>[A-Za-z])(?=:\\)(?<!\w.):(?P<path>\\[^\s\"<>|?*,;]{0,256}+)"),
        _say_drive,
        needs="\\",
    ),
    Rule(
        re.compile(
            r"[~./](?<![^\s\"'(“‘=].)(?:(?<=/)|(?<=[~.])/|(?<=\.)\./)"
            rf"(?=[\w.])(?:(?:{_COMPONENT}|\.\.)/){{0,16}}(?:{_COMPONENT})?+(?!/)"
        ),
        _say_path,
        needs="/",
    ),
    Rule(
        re.compile(
            rf"\w(?<![\w./@:-].)[\w.+@-]{{0,63}}+/(?:(?:{_COMPONENT}|\.\.)/){{0,16}}(?:{_COMPONENT})?+(?![\w/])"
        ),
        _say_relative_path,
        needs="/",
    ),
    Rule(re.compile(r"\.(?<![\w./)].)(?P<name>[a-z][a-z0-9-]{0,20})(?![\w/]|\.\w)"), _say_hidden, needs="."),
    Rule(re.compile(r"(?P<name>[A-Za-z_](?<![\w.].)\w{0,40}(?:\.\w{1,40}){0,6})\(\)"), _say_call, needs="("),
    Rule(
        re.compile(r"\w(?<![\w.@/-].)[\w-]{0,62}(?:\.[\w-]{1,40}){0,4}\.[A-Za-z0-9]{1,11}(?![\w/])"),
        _say_file,
        needs=".",
    ),
    Rule(
        re.compile(r"(?P<module>[a-z_](?<![\w.@/-].)\w{0,40})(?:\.[A-Za-z_]\w{0,40}){1,6}+(?![\w/])"),
        _say_member,
        needs=".",
    ),
    Rule(
        re.compile(r"[a-z](?<![\w'’.].)(?!mHg\b)[a-z]+(?:[A-Z][a-z]+|[A-Z]{2,}(?![a-z]))+(?![\w'’])"),
        _say_camel,
    ),
)
