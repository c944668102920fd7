"""Phonemes as dictionaries and people write them, in the symbols the student voice was taught.

The voice has one symbol for each diphthong and affricate ("A" for eɪ, "ʤ" for dʒ) and those of American
English only; what other languages have beyond them becomes the nearest sound. Knows no word and no lexicon.
Pure; any thread may call it.
"""

from __future__ import annotations

import re
import unicodedata

STRESSES = frozenset("ˈˌ")
SYMBOLS = frozenset("AIOTWYbdfhijklmnpstuvwzæðŋɐɑɔəɛɜɡɪɹʃʊʌʒʤʧθᵊᵻˈˌ")
"""All that the voice has learned to say, punctuation apart. Its network makes noises of any other."""

_NEAREST = {
    spelling: symbols
    for symbols, spellings in {
        "A": "eɪ ɛɪ ei",
        "I": "aɪ ɑɪ ai",
        "O": "oʊ əʊ ou o Q",
        "W": "aʊ ɑʊ au",
        "Y": "ɔɪ oɪ ɔi oi",
        "b": "ɓ",
        "d": "ɖ ɗ",
        "dz": "ʣ",
        "f": "ɸ",
        "h": "ħ ɦ",
        "j": "ʝ",
        "k": "x χ c q",
        "l": "ɫ ɬ ɭ",
        "lj": "ʎ",
        "m": "ɱ",
        "n": "ɳ",
        "nj": "ɲ",
        "t": "ʔ ʈ",
        "ts": "ʦ",
        "u": "y ʉ ɯ",
        "v": "β ʋ",
        "w": "ʍ ɥ",
        "ŋ": "ɴ",
        "ɑ": "a ɒ",
        "ə": "ɘ ɵ",
        "əɹ": "ɚ",
        "ɛ": "e",
        "ɜ": "ø œ ɞ",
        "ɜɹ": "ɝ ɜː ɜːɹ ɜːr ɜr",
        "ɡ": "g ɣ ɟ",
        "ɹ": "r ɻ ʁ ʀ ɽ",
        "ʃ": "ɕ ʂ",
        "ʊ": "ʏ",
        "ʌ": "ɤ",
        "ʒ": "ʑ ʐ",
        "ʤ": "dʒ dʑ ʥ",
        "ʧ": "tʃ tɕ ʨ",
        "T": "ɾ",
        "ᵻ": "ɨ",
        "ˈ": "' ’",
    }.items()
    for spelling in spellings.split()
}
_SPELLING = re.compile("|".join(sorted(_NEAREST, key=len, reverse=True)))
_DIACRITICS = re.compile("[\u0300-\u036f]")
"""What changes a sound a little, and the bars that tie two together."""


def to_voice(phonemes: str) -> str:
    """Return `phonemes` in `SYMBOLS`, words a space apart; what has no sound near it is left out.

    What is written in `SYMBOLS` stays as it is, but that t and ʃ, or d and ʒ, become one. Stress without a
    sound is nothing.
    """
    bare = _DIACRITICS.sub("", unicodedata.normalize("NFD", phonemes.replace("ç", "h")))
    nearest = _SPELLING.sub(lambda spelling: _NEAREST[spelling.group()], bare)
    words = ("".join(filter(SYMBOLS.__contains__, word)) for word in nearest.split())
    return " ".join(word for word in words if not STRESSES.issuperset(word))
