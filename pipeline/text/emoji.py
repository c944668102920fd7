"""Emoji and emoticons: silent, or emoji by their names.

Shared by all languages; knows none beyond its code. The names are those of Unicode's CLDR, as the library
`emoji` has them. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

import emoji

from pipeline.text.rules import Rule, Said, said

_SKIN_TONES = "\U0001f3fb-\U0001f3ff"
_LETTERS = "\U0001f1e6-\U0001f1ff"
"""Regional indicators: two are a flag."""
_PICTURES = (
    "\u231a\u231b\u2328\u23cf\u23e9-\u23fa\u24c2\u25a0-\u25ca\u25cc-\u25ff\u2600-\u266c\u2670-\u2775\u2794-\u27bf"
    "\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001f0ff\U0001f110-\U0001faff"
)
"""Emoji, and the bullets, stars and dingbats beside them; not a circle that is a Chinese zero, no sharps."""
_AROUND = rf"[\ufe0e\ufe0f]?[{_SKIN_TONES}]?[\U000e0020-\U000e007f]{{0,8}}"
"""What may follow a picture: its style, a skin tone, the tags of a flag."""
_EMOJI = (
    rf"[{_PICTURES}](?:(?<=[{_LETTERS}])[{_LETTERS}]|{_AROUND}(?:\u200d[{_PICTURES}↔↕]{_AROUND}){{0,8}}+)"
)
_TONE = re.compile(f"[{_SKIN_TONES}]")

_NOT_A_NAME = re.compile(r"[^\w'’-]+|_+")
_NUMBERS_IN_NAMES = {"1st": "first", "2nd": "second", "3rd": "third", "8": "eight", "18禁": "十八禁"}

_MOUTHS = r"[()\[\]{}|/\\*@]+|[DPpOo]+|3(?<!=3)(?![.,]\d| *%)"
_FACES = (
    r"[:;=(xX<^>\-oOT](?<!\S.)"
    rf"(?:(?<=[:;=])['’,]?[-^~]?(?:{_MOUTHS})|(?<=\()['-]?[:;=]|(?<=[xX])D+|(?<=<)/?3+(?![.,]\d| *%)"
    r"|(?<=\^)[_.]*\^|(?<=-)_+-|(?<=>)[_.]+<|(?<=;)_+;|(?<=[oOT])_+[oOT])(?![\w/])"
)
_KAOMOJI = r"¯\\?_?\(ツ\)_?/¯|ʕ•ᴥ•ʔ|\( ?͡° ?͜ʖ ?͡° ?\)"
KAOMOJI = re.compile(_KAOMOJI)
"""Faces made of letters of several scripts, which no run of one language holds."""


def _silent(match: re.Match[str]) -> list[Said]:
    return said("", match)


_KEYCAPS = Rule(re.compile("[#*\ufe0f]\ufe0f?\u20e3"), _silent)
"""The key of a sign, or what makes a key of a digit; the digit itself is read."""
_DROPPED = Rule(re.compile(rf"(?:{_EMOJI})+"), _silent)
EMOTICONS = Rule(re.compile(rf"{_FACES}|{_KAOMOJI}"), _silent, needs=":;=(xX<^>-oOT¯ʕ")
"""Faces such as ":-)": all there is to do in a text of ASCII alone."""


def emoji_rules(named: Literal["en", "zh"] | None = None) -> tuple[Rule, ...]:
    """Return the rules for emoji and emoticons, to be put before all others.

    Emoji are silent, or with `named` read by their names in that language: several of a kind in a row once,
    skin tones not at all. Emoticons such as ":-)" are silent.
    """
    return (_KEYCAPS, _DROPPED if named is None else _naming(named), EMOTICONS)


@lru_cache
def _naming(language: Literal["en", "zh"]) -> Rule:
    def say(match: re.Match[str]) -> list[Said]:
        return said(_name(match["emoji"], language), match)

    return Rule(re.compile(rf"(?P<emoji>{_EMOJI})(?: ?(?P=emoji))*"), say)


def _name(pictures: str, language: str) -> str:
    """Return the name of an emoji as words; nothing if it has none."""
    names = emoji.demojize(_TONE.sub("", pictures), delimiters=(" ", " "), language=language)
    words = _NOT_A_NAME.sub(" ", names.replace("&", " and ")).split()
    return " ".join(_NUMBERS_IN_NAMES.get(word, word) for word in words)
