"""English text to phonemes of the student voice, each attributed to the word of the input it belongs to.

The grapheme-to-phoneme part of the wheel hibari-tts is used as a library: its normalization ("5 km" to "5
kilometers") and its reading of the result. What it rejects is read word by word, and the words it still
rejects are spelled out, so that nothing a client sends can raise. Knows no network, no duration and no PCM.

A loaded `Phonemizer` is read-only: any number of threads may call it at once.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate
from pathlib import Path

import hibari.g2p
from hibari.g2p.normalize import SYMBOLS

logger = logging.getLogger(__name__)

PAD = 0
LONGEST_RUN = 400
"""Phonemes the network takes at once, the pads not counted: the wheel's own limit."""

LONGEST_WHOLE = 32
"""Code points of a word that the wheel is given whole. Its work grows with the cube of a word's parts:
300 code points of "a1a1" kept a worker, and everybody who waited for it, for twenty seconds."""

SHARE_REACH = 4
"""Words to each side of the one in proportion that a normalized word may stem from."""
SILENCED = 0.5
"""What speaks against a word being left without any reading."""
FAR = 0.01
"""What speaks against each word between the one in proportion and the one chosen: it only decides ties."""

NO_WORD = -1
SPACE = " "
PUNCTUATION = frozenset(';:,.!?—…"()“”')
CLAUSE_ENDS = frozenset(";:,.!?—…")

_WORD = re.compile(r"[^\s—]+—+(?=[^\w\s]?[^\W_])|\S+")
"""What stands between white space; a dash that touches both of its neighbours ends a word too."""
_LONG = re.compile(rf"\S{{{LONGEST_WHOLE + 1},}}")
_PART = re.compile(
    r"\S{15,}?(?:(?:[^\w\s]|_)(?!(?<=[.,])\d)|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])|(?<=[a-z])(?=[A-Z]))(?=\S)"
)
"""Up to a place where a long word may be cut: behind punctuation but not within a number, where letters and
digits meet, or before a capital."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the input, punctuation and all: `text` is the slice of `length` code points at `offset`."""

    text: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class PhonemeRun:
    """Phonemes the network takes in one go.

    `ids` begin and end with the pad. `owners[i]` is the index of the word that phoneme i belongs to, never
    falling from one phoneme to the next; `NO_WORD` for the pads. `audible[i]` is false for pads, spaces and
    punctuation.
    """

    ids: tuple[int, ...]
    owners: tuple[int, ...]
    audible: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """All words of a text, and its phonemes in runs of at most `LONGEST_RUN`; none if nothing is spoken."""

    words: tuple[Word, ...]
    runs: tuple[PhonemeRun, ...]


@dataclass(frozen=True, slots=True)
class _Phoneme:
    symbol: str
    owner: int


class Phonemizer:
    """The loaded grapheme-to-phoneme rules, lexicon and network for unknown words."""

    def __init__(self) -> None:
        """Load everything now, so that no first request pays for it: about 0.7 s, 60 MB."""
        self._g2p = hibari.g2p.G2P()
        # The wheel loads this on the first unknown word, and two threads at once would load it twice.
        self._g2p.oov("utter")
        vocabulary = Path(hibari.g2p.ASSETS, "vocab.json").read_text(encoding="utf-8")
        self._ids: dict[str, int] = json.loads(vocabulary)

    def read(self, text: str) -> Reading:
        """Read `text` aloud, on paper. Total: whatever the text is, this returns.

        A typical sentence takes 2 to 3 ms, and each word that is in no lexicon 1 ms more.
        """
        words = tuple(Word(m.group(), m.start(), len(m.group())) for m in _WORD.finditer(text))
        phonemes = self._phonemes([word.text for word in words])
        if not any(_is_audible(phoneme.symbol) for phoneme in phonemes):
            return Reading(words, ())
        return Reading(words, tuple(self._run(part) for part in _split(phonemes)))

    def _run(self, phonemes: Sequence[_Phoneme]) -> PhonemeRun:
        return PhonemeRun(
            ids=(PAD, *(self._ids[phoneme.symbol] for phoneme in phonemes), PAD),
            owners=(NO_WORD, *(phoneme.owner for phoneme in phonemes), NO_WORD),
            audible=(False, *(_is_audible(phoneme.symbol) for phoneme in phonemes), False),
        )

    def _phonemes(self, words: Sequence[str]) -> list[_Phoneme]:
        try:
            spoken = self._read_aloud(words)
        except Exception as error:
            # Its type only: the message may quote the text.
            logger.info("the phonemizer rejected a text (%s); reading it word by word", type(error).__name__)
            spoken = [(index, self._spell(word)) for index, word in enumerate(words)]
        return _join(spoken, self._ids.keys())

    def _read_aloud(self, words: Sequence[str]) -> list[tuple[int, str]]:
        """Return the phonemes of each spoken piece and the word it stems from, in the order of speech.

        Raises whatever the wheel raises on what it cannot read.
        """
        # "[text](/phonemes/)" is markup to the wheel and would break the count of words: keep the two apart.
        normal = hibari.g2p.normalize(SPACE.join(words)).replace("](", "] (")
        normal = _LONG.sub(lambda word: _PART.sub(r"\g<0> ", word.group()), normal)
        normal_words = normal.split()
        owners = _align(words, normal_words)
        pieces: list[tuple[int, str]] = []
        at = 0
        for token in self._g2p.phonemize_tokens(self._g2p.tokenize(normal)):
            owner = owners[min(at, len(owners) - 1)]
            pieces.append((owner, (token.phonemes or "") + (SPACE if token.whitespace else "")))
            at += bool(token.whitespace)
        return pieces

    def _spell(self, word: str) -> str:
        """Read one word alone; if that is rejected, its characters one by one, leaving out the unreadable."""
        whole = self._attempt(word)
        if whole is not None:
            return whole + SPACE
        return "".join((self._attempt(character) or "") + SPACE for character in word)

    def _attempt(self, text: str) -> str | None:
        try:
            return "".join(phonemes for _, phonemes in self._read_aloud([text]))
        except Exception as error:
            logger.debug("the phonemizer rejected %r (%r)", text, error)
            return None


def _is_audible(symbol: str) -> bool:
    return symbol != SPACE and symbol not in PUNCTUATION


def _join(pieces: Sequence[tuple[int, str]], known: Container[str]) -> list[_Phoneme]:
    """String the pieces' phonemes together: only known ones, single spaces, none at the ends."""
    phonemes: list[_Phoneme] = []
    for owner, symbols in pieces:
        for symbol in symbols:
            doubled = symbol == SPACE and (not phonemes or phonemes[-1].symbol == SPACE)
            if symbol in known and not doubled:
                phonemes.append(_Phoneme(symbol, owner))
    while phonemes and phonemes[-1].symbol == SPACE:
        phonemes.pop()
    return phonemes


def _align(words: Sequence[str], normal_words: Sequence[str]) -> list[int]:
    """Return for each normalized word the index of the input word it stems from, never falling.

    Equal words match; stretches that were rewritten are shared out.
    """
    owners: list[int] = []
    matcher = SequenceMatcher(None, words, normal_words, autojunk=False)
    for change, first, last, normal_first, normal_last in matcher.get_opcodes():
        if change == "equal":
            owners += range(first, last)
        elif first == last:
            # Words out of nothing continue the word before them.
            owners += [max(first - 1, 0)] * (normal_last - normal_first)
        else:
            shares = _share_out(words[first:last], normal_words[normal_first:normal_last])
            owners += [first + share for share in shares]
    return owners


def _share_out(words: Sequence[str], normal_words: Sequence[str]) -> tuple[int, ...]:
    """Return which of `words` each normalized word stems from: in order, and the likeliest way as a whole.

    "7:30 pm." became "seven thirty P.M.": the last stems from "pm.", as it has its letters, the others from
    "7:30". Only words near those in proportion are considered, so that the work for each is bounded.
    """
    if len(words) == 1:
        return (0,) * len(normal_words)
    names = [_name(word) for word in words]
    named = list(accumulate(map(bool, names), initial=0))
    # The best way so far, as its likelihood and owners, by the owner of the latest word.
    ways: dict[int, tuple[float, tuple[int, ...]]] = {-1: (0.0, ())}
    for at, normal in enumerate(map(_name, normal_words)):
        middle = at * len(words) // len(normal_words)
        longer = {}
        for index in range(max(middle - SHARE_REACH, 0), min(middle + SHARE_REACH + 1, len(words))):
            likelihood, owners = max(
                (likelihood - SILENCED * max(named[index] - named[owner + 1], 0), owners)
                for owner, (likelihood, owners) in ways.items()
                if owner <= index
            )
            likelihood += _likelihood(names[index], normal) - FAR * abs(index - middle)
            longer[index] = likelihood, (*owners, index)
        ways = longer
    _, owners = max(
        (likelihood - SILENCED * (named[-1] - named[owner + 1]), owners)
        for owner, (likelihood, owners) in ways.items()
    )
    return owners


def _name(word: str) -> str:
    """Return what of a word may come back in its reading: letters and digits, and the names of symbols."""
    named = "".join(SYMBOLS.get(character, character).strip() for character in word.lower())
    return "".join(filter(str.isalnum, named))


def _likelihood(name: str, normal: str) -> float:
    """Return how much speaks for the normalized word being, or being part of, the reading of a word."""
    if name == normal:
        return 3.0
    if name and normal and (name in normal or normal in name):
        return 2.5 if name[0] == normal[0] else 2.0
    rest = iter(normal)
    if name and name[0] == normal[:1] and all(letter in rest for letter in name):
        return 1.5  # an abbreviation: "km" of "kilometers"
    return 1.0 if any(map(str.isdigit, name)) else 0.0


def _split(phonemes: list[_Phoneme]) -> list[list[_Phoneme]]:
    """Cut into runs the network can take: after a clause if possible, else between words, else anywhere."""
    runs = []
    while len(phonemes) > LONGEST_RUN:
        cut = _cut(phonemes)
        runs.append(phonemes[:cut])
        phonemes = phonemes[cut:]
    runs.append(phonemes)
    return [run for run in runs if any(_is_audible(phoneme.symbol) for phoneme in run)]


def _cut(phonemes: Sequence[_Phoneme]) -> int:
    spaces = [at for at in range(1, LONGEST_RUN) if phonemes[at].symbol == SPACE]
    clauses = [at for at in spaces if phonemes[at - 1].symbol in CLAUSE_ENDS]
    return (clauses or spaces or [LONGEST_RUN - 1])[-1] + 1
