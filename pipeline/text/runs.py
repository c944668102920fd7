"""Which language is each stretch of a text read in?

Judges by script, with a hint of what is spoken; tells Han from Latin and others, not one Latin-script
language from another. Pure; any thread may call it. Time is linear in the text.

Digits have no script: in Chinese text they are read in Chinese ("iPhone 15", "5km"), and so are the units,
single letters and codes that belong to them ("T恤", "CA1234"). In an English phrase, even one inside Chinese,
and in an address they are read with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.text.characters import CJK, is_cjk
from pipeline.text.mandarin.units import CURRENCY, SCALES, UNIT

PHRASE_WORDS = 2
"""Words in small letters from which on Latin text inside Chinese is a phrase, and its digits belong to it."""


@dataclass(frozen=True, slots=True)
class Run:
    """The characters `[begin, end)` of a text, one at least, and the language they are read in."""

    begin: int
    end: int
    language: str


@dataclass(slots=True)
class _Token:
    """Letters or digits of one script, or an address; `kind` names the group of `_TOKEN`."""

    kind: str
    begin: int
    end: int
    language: str = ""


_LATIN = "A-Za-zªº\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a"
_WORD = rf"[{_LATIN}][{_LATIN}\u0300-\u036f]*+"
_NAME = "[A-Za-z0-9_-]"
_TOKEN = re.compile(
    rf"""
      (?P<address>
          (?:https?://|www\.)[!-~]++
        | [A-Za-z0-9][A-Za-z0-9_.+-]{{0,63}}+@{_NAME}++(?:\.{_NAME}++)++
        | (?:[A-Za-z]{_NAME}{{0,63}}+(?:\.{_NAME}{{1,64}}+){{0,8}}?\.[A-Za-z][A-Za-z0-9]{{1,11}}+
            | [0-9]{{1,8}}+\.(?:com|cn|net|org))(?![A-Za-z0-9_])(?:[:/][!-~]++)?
        | [@\#][A-Za-z][A-Za-z0-9_]++
        | [A-Za-z][A-Za-z0-9]{{0,40}}_[A-Za-z0-9_]++
        | N[oO]\.[ ]?[0-9]++
      )
    | (?P<kana>[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]++)
    | (?P<han>[{CJK}]++)
    | (?P<hangul>[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]++)
    | (?P<latin>
          [BCDGMOP]2[BCDGMOP](?![A-Za-z0-9])
        | (?:(?<!\w)\.|\.(?=NET(?![A-Za-z])))?{_WORD}(?:['’&-]{_WORD})*+(?:\+\+|\#)?
      )
    | (?P<number>\d++(?:[.,:/．：／]\d++)*+)
    | (?P<other>[^\W_])
    """,
    re.VERBOSE,
)

_FOREIGN = re.compile(rf"[^\W\d_{CJK}]|[\u3040-\u30ff\u31f0-\u31ff]")
"""Letters that are not Han."""

_LANGUAGES = {"han": "zh", "kana": "ja", "hangul": "ko"}
_OTHER_SCRIPTS = frozenset(("zh", "ja", "ko", "ru", "uk", "bg", "sr", "ar", "fa", "he", "hi", "th", "el"))
"""Languages not written in Latin letters; Latin words among them are taken for English."""

_UNIT = re.compile(rf"{UNIT}|{CURRENCY}|[AaPp][Mm]|[kKMGTBCcF]")
_SCALED = re.compile(rf"\d[{SCALES}]{{1,2}} ?\Z")
_CURRENCY = re.compile(CURRENCY)
_CODE = re.compile(r"[A-Z]{1,4}|[b-df-hj-np-tv-xz]{1,3}|[a-z]")
_LONG_NUMBER = re.compile(r"[0-9]{3,}")
_PHRASE_GAP = re.compile(r"[\x00-\x7f’“”—–…¥€£°℃℉±×]*")
_OPENING = re.compile(r"(?:[“‘(（\[{「『《〈【<$¥￥€£#@]|(?<!\S)[-+~.'])*\Z")
_PLUS = re.compile(r"\+(?<!\+.)(?=[0-9])")
_LONGEST_GAP = 32


def language_runs(text: str, hint: str) -> list[Run]:
    """Part the text into runs of one language, which cover it wholly and in order; no text has none.

    `hint` is the language of the voice or the text, as "en", "zh" or "zh-CN"; "mixed" is Chinese that meets
    Latin script. White space and punctuation stay with the text before, opening punctuation with what it
    opens.
    """
    if not text:
        return []
    main = _main_language(hint)
    latin = "en" if main in _OTHER_SCRIPTS else main
    if text.isascii() and main == latin:
        return [Run(0, len(text), main)]
    if main == "zh" and not _FOREIGN.search(text):
        return [Run(0, len(text), main)]
    tokens = [_Token(match.lastgroup or "", *match.span()) for match in _TOKEN.finditer(text)]
    _judge(text, tokens, main, latin)
    return list(_joined(text, tokens, main))


def _main_language(hint: str) -> str:
    language = hint.replace("_", "-").partition("-")[0].lower()
    return "zh" if language in ("mixed", "cmn", "yue") else language or "en"


def _judge(text: str, tokens: list[_Token], main: str, latin: str) -> None:
    """Give every token its language."""
    chinese = _is_mostly_chinese(text, tokens, main)
    number = latin if main == "zh" else main
    for index, token in enumerate(tokens):
        if token.kind in _LANGUAGES:
            token.language = _LANGUAGES[token.kind]
        elif token.kind in ("latin", "address"):
            token.language = latin
        elif token.kind == "number":
            token.language = "zh" if chinese or _touches_han(tokens, index) else number
        else:
            token.language = main
    if chinese:
        for first, last in _phrases(text, tokens):
            _judge_phrase(text, tokens[first:last], latin)


def _is_mostly_chinese(text: str, tokens: list[_Token], main: str) -> bool:
    """Weigh Han characters against Latin words; with a hint of Chinese, names and codes do not weigh."""
    han = sum(token.end - token.begin for token in tokens if token.kind == "han")
    if main == "zh":
        return han >= sum(_is_plain_word(text, token) for token in tokens) or han == 0
    return han > sum(token.kind in ("latin", "address", "kana") for token in tokens)


def _is_plain_word(text: str, token: _Token) -> bool:
    """Tell whether a token is a Latin word in small letters, of more than one."""
    return token.kind == "latin" and token.end - token.begin > 1 and text[token.begin : token.end].islower()


def _touches_han(tokens: list[_Token], index: int) -> bool:
    token = tokens[index]
    before = index > 0 and tokens[index - 1].kind == "han" and tokens[index - 1].end == token.begin
    after = (
        index + 1 < len(tokens) and tokens[index + 1].kind == "han" and tokens[index + 1].begin == token.end
    )
    return before or after


def _phrases(text: str, tokens: list[_Token]) -> Iterator[tuple[int, int]]:
    """Yield where Latin text with its digits begins and ends, as indices of tokens, if there are letters."""
    first = 0
    for index, token in enumerate(tokens):
        if token.kind not in ("latin", "address", "number"):
            if first < index:
                yield first, index
            first = index + 1
        elif first < index and not _PHRASE_GAP.fullmatch(text, tokens[index - 1].end, token.begin):
            yield first, index
            first = index
    if first < len(tokens):
        yield first, len(tokens)


def _judge_phrase(text: str, tokens: list[_Token], latin: str) -> None:
    """Digits of a phrase are read with it; otherwise units, codes and single letters go with the digits."""
    belongs = [False] * len(tokens)
    words = 0
    for index, token in enumerate(tokens):
        if token.kind == "latin":
            word = text[token.begin : token.end]
            belongs[index] = (
                _is_unit(text, tokens, index, belongs)
                or _is_currency(text, tokens, index)
                or _is_code(text, tokens, index)
                or _is_letter(text, tokens, index)
                or word == "QQ"
            )
            words += not belongs[index] and _is_plain_word(text, token)
    for token, is_chinese in zip(tokens, belongs, strict=True):
        if words >= PHRASE_WORDS and not _counts_han(text, token):
            token.language = latin
        elif is_chinese:
            token.language = "zh"


def _counts_han(text: str, token: _Token) -> bool:
    """Tell whether a token is a number that touches the Han character it counts."""
    return token.kind == "number" and is_cjk(text[token.end : token.end + 1] or " ")


def _is_unit(text: str, tokens: list[_Token], index: int, belongs: list[bool]) -> bool:
    """Tell whether a Latin word is the unit of a number or an amount before it."""
    begin, end = tokens[index].begin, tokens[index].end
    if not _UNIT.fullmatch(text, begin, end):
        return False
    if begin > 1 and text[begin - 1] == "/" and is_cjk(text[begin - 2]):
        return True
    if _SCALED.search(text, max(0, begin - 4), begin):
        return True
    before, gap = _before(text, tokens, index)
    if before and before.kind == "number" and gap in ("", " ", "°", " °"):
        return True
    return bool(before and before.kind == "latin" and gap == "/" and belongs[index - 1])


def _is_currency(text: str, tokens: list[_Token], index: int) -> bool:
    """Tell whether a Latin word is, with its sign perhaps, the currency of the amount after it."""
    after, gap = _after(text, tokens, index)
    if after is None or after.kind != "number" or gap not in ("", " ", "$"):
        return False
    return _CURRENCY.match(text, tokens[index].begin, after.begin) is not None


def _is_code(text: str, tokens: list[_Token], index: int) -> bool:
    """Tell whether a Latin word is letters of a code with the digits next to it, such as "CA1234" or "5G"."""
    begin, end = tokens[index].begin, tokens[index].end
    if not _CODE.fullmatch(text, begin, end):
        return False
    before, gap = _before(text, tokens, index)
    if before and before.kind == "number" and gap == "":
        return True
    after, gap = _after(text, tokens, index)
    if after is None or after.kind != "number":
        return False
    is_long = _LONG_NUMBER.match(text, after.begin) is not None
    return (
        gap in ("", "-")
        or (gap == "." and text[begin].isupper())
        or (gap == " " and is_long and text[begin].isupper())
    )


def _is_letter(text: str, tokens: list[_Token], index: int) -> bool:
    """Tell whether a token is a single letter that no Latin word stands next to."""
    if tokens[index].end - tokens[index].begin > 1:
        return False
    neighbours = (_before(text, tokens, index), _after(text, tokens, index))
    return not any(
        token and token.kind in ("latin", "address") and gap.isspace() for token, gap in neighbours
    )


def _before(text: str, tokens: list[_Token], index: int) -> tuple[_Token | None, str]:
    """Return the token before and what parts the two."""
    if index == 0:
        return None, ""
    before = tokens[index - 1]
    return before, text[before.end : tokens[index].begin]


def _after(text: str, tokens: list[_Token], index: int) -> tuple[_Token | None, str]:
    """Return the token after and what parts the two."""
    if index + 1 == len(tokens):
        return None, ""
    after = tokens[index + 1]
    return after, text[tokens[index].end : after.begin]


def _joined(text: str, tokens: list[_Token], main: str) -> Iterator[Run]:
    """Join tokens of one language into runs that cover the text."""
    begin, at, quotes = 0, 0, 0
    language = tokens[0].language if tokens else main
    for token in tokens:
        quotes += text.count('"', at, token.begin)
        if token.language != language:
            cut = _opening(text, at, token.begin, is_quoted=quotes % 2 == 1)
            yield Run(begin, cut, language)
            begin, language = cut, token.language
        quotes += text.count('"', token.begin, token.end)
        at = token.end
    yield Run(begin, len(text), language)


def _opening(text: str, begin: int, end: int, *, is_quoted: bool) -> int:
    """Return where, between two tokens, what belongs to the second begins."""
    begin = max(begin, end - _LONGEST_GAP)
    if is_quoted and end > begin and text[end - 1] == '"':
        return end - 1
    if _PLUS.match(text, end - 1):
        return end - 1
    match = _OPENING.search(text, begin, end)
    return match.start() if match else end
