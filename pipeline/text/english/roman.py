"""Roman numerals: of rulers as ordinals, after "Chapter" and the like and in titles as numbers.

A numeral is read only where a word before or after it says that it is one: "CIVIL", "MIX", "IV fluids" and
"I" are not. Pure; any thread may call it.
"""

from __future__ import annotations

import re

from pipeline.text.abbreviations import STARTERS
from pipeline.text.english.context import bare, word_after, words_before
from pipeline.text.english.numbers import cardinal, ordinal, year
from pipeline.text.english.tables import words
from pipeline.text.rules import Rule, Said, said

_RULERS = words(
    """Henry Louis Elizabeth George Charles William Edward Richard James Mary Paul Benedict Pius Leo
    Francis Philip Ferdinand Alexander Nicholas Peter Catherine Frederick Wilhelm Otto Ivan Ramses
    Ramesses Thutmose Napoleon Gustav Gustavus Christian Harald Olaf Haakon Carlos Felipe Alfonso
    Umberto Emmanuel Emanuel Darius Xerxes Cyrus Ptolemy Cleopatra Mehmed Murad Selim Suleiman Stephen
    Sigismund Casimir Leopold Albert Margrethe Abdullah Hussein Rama Pedro Maximilian Rudolf Joseph
    Franz Gregory Innocent Urban Clement Boniface Celestine Sixtus Julius Adrian Robert David Kenneth
    Constantine Justinian Theodosius Basil Michael Romanos Antiochus Seleucus Artaxerxes Amenhotep Seti
    John Johann Juan Ludwig Maria Isabella Philippe Baldwin Bohemond Ethelred Edmund Harold Humphrey
    Conrad Lothair Karl Carl Erik Eric Valdemar Wenceslaus Mahmud Abdul Hamid Mohammed Muhammad Hassan
    Faisal Farouk Fuad Tutankhamun Akbar Shah Menelik Selassie Callixtus Honorius Anastasius Martin
    Victor Stephanus Nicephorus Manuel Andronikos Alexios"""
)
_RANKS = words(
    """King Queen Pope Emperor Empress Tsar Czar Kaiser Prince Princess Sultan Pharaoh Duke Duchess Count
    Earl Lord Saint Archduke Shah Caliph Patriarch"""
)
HEADS = words(
    """chapter part act scene volume vol vol. book section article appendix type phase stage class grade
    level tier category group title figure fig fig. table page factor paragraph item step ch. pt. sec.
    art. p. pp. bk."""
)
"""Words that numerals follow, in capitals or not."""
NAMES = words(
    """Episode Season Bowl WrestleMania Unit Module Lesson Canto Psalm Schedule Annex Mark Mk Apollo Saturn
    Gemini Division Corps Area Zone Sector Region Vatican Fantasy Auto GTA Quest Civilization Diablo
    Symphony Sonata Concerto Opus Halo Generation OS iPhone"""
)
"""Names that even one letter follows as a numeral."""
_CLINICAL = words("error errors diabetes collagen hypersensitivity cancer trial trials disorder")
"""Words before which "type I" in small letters is no "I"."""
_CENTURIES = words("century centuries")
_INFUSED = words(
    "fluid fluids drip line lines therapy antibiotics access bag bags injection infusion catheter"
)

_NUMERAL = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_SURE = re.compile(r"X{0,3}(?:IX|IV|VI{1,3}|I{2,3})|X{1,3}V?I{0,3}(?<!^X)")
"""Numerals that may follow any name: hardly a word looks like them."""
_LETTERS = frozenset("CDLM")
_LONG = 5
"""Letters of a numeral that no word looks like."""
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def _say_numeral(match: re.Match[str]) -> list[Said] | None:
    numeral = match["roman"]
    if not _NUMERAL.fullmatch(numeral):
        return None
    before = words_before(match.string, match.start())
    after = bare(word_after(match.string, match.end())).lower()
    if after in _CENTURIES:
        return said(ordinal(_value(numeral)), match, "roman")
    text, end = match.string, match.end()
    closed = match["owned"] is not None or text[end : end + 1] in tuple(",;.)")
    if before and _is_of_ruler(numeral, before, after, closed=closed):
        return said("the " + ordinal(_value(numeral)), match, "roman")
    if len(numeral) >= _LONG and 1000 <= _value(numeral) < 2100:
        return said(year(_value(numeral)), match, "roman")
    is_list_mark = match.start() == 0 and len(numeral) > 1 and text[end : end + 2] == ". "
    if is_list_mark or len(numeral) >= _LONG or (before and _is_number(numeral, before, after)):
        return said(cardinal(_value(numeral)), match, "roman")
    return None


def _is_of_ruler(numeral: str, before: list[str], after: str, *, closed: bool) -> bool:
    """Tell whether the numeral counts people of one name: "Henry VIII", "John Smith III", "James VI and I".

    `closed`: an ending or punctuation follows, so that "I" is no pronoun.
    """
    if before[-1] == "and" and len(before) > 2 and before[-3] in _RULERS:
        return _SURE.fullmatch(before[-2]) is not None
    if numeral in _LETTERS or not set(numeral) <= set("IVX"):
        return False
    name, names = before[-1], before[-3:-1]
    if name in _RULERS:
        ranked = any(word in _RANKS for word in names)
        return numeral != "I" or ranked or after == "of" or closed
    is_name = name[:1].isupper() and name.isalpha() and name not in NAMES and name.lower() not in HEADS
    return is_name and names[-1:] != [] and names[-1] in _RULERS and _SURE.fullmatch(numeral) is not None


def _is_number(numeral: str, before: list[str], after: str) -> bool:
    """Tell whether the word before is one that is numbered: "Chapter IV", "World War II", "Rocky III"."""
    name = before[-1]
    if numeral in _LETTERS:
        return False
    if name == "War":
        return before[-2:-1] == ["World"]
    if name in NAMES:
        return True
    if name.lower() in HEADS:
        if not set(numeral) <= set("IVXL"):
            return False
        return name[:1].isupper() or numeral not in "IX" or after in _CLINICAL
    sure = name[:1].isupper() and name[-1:].isalnum() and _SURE.fullmatch(numeral)
    return bool(sure) and name.lower() not in STARTERS and not (numeral == "IV" and after in _INFUSED)


def _say_small(match: re.Match[str]) -> list[Said] | None:
    """Read "chapter iv" and "(ii)"."""
    numeral = match.group().upper()
    text, begin, end = match.string, match.start(), match.end()
    before = words_before(text, begin)
    bracketed = text[end : end + 1] == ")" and (begin == 0 or text[begin - 1] in "( \n")
    if not _NUMERAL.fullmatch(numeral) or not (bracketed or (before and before[-1].lower() in HEADS)):
        return None
    return said(cardinal(_value(numeral)), match)


def _say_ordinal(match: re.Match[str]) -> list[Said] | None:
    """Read "XIVth"."""
    numeral = match["roman"]
    return said(ordinal(_value(numeral)), match) if _NUMERAL.fullmatch(numeral) else None


def _value(numeral: str) -> int:
    values = [_VALUES[letter] for letter in numeral]
    return sum(
        -value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True)
    )


def _say_world_war(match: re.Match[str]) -> list[Said]:
    return said("world war " + cardinal(len(match[1])), match)


RULES: tuple[Rule, ...] = (
    Rule(re.compile(r"(?<!\w)WW(I{1,2})(?![\w])"), _say_world_war),
    Rule(
        re.compile(
            r"(?P<roman>[IVXLCDM](?<![\w'’.&@#/-].)[IVXLCDM]{0,14})(?P<owned>['’]s)?(?![\w'’&/]|\.[a-z]|\.\w\.\w|-[a-z])"
        ),
        _say_numeral,
    ),
    Rule(re.compile(r"(?P<roman>[IVX](?<!\w.)[IVXL]{1,7})(?:th|st|nd|rd)(?!\w)"), _say_ordinal),
    Rule(re.compile(r"[ivx](?<![\w'’.-].)[ivxl]{1,5}(?![\w'’])"), _say_small),
)
