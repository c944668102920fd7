"""Phonemes strung together, and cut into runs the network takes in one go.

Knows phonemes as symbols and their owners as numbers. Pure; any thread may call it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

PAD = 0
LONGEST_RUN = 400
"""Phonemes the network takes at once, the pads not counted: the wheel's own limit."""

NO_WORD = -1
SPACE = " "
PUNCTUATION = frozenset(';:,.!?—…"()“”')
CLAUSE_ENDS = frozenset(";:,.!?—…")
_CLOSE = frozenset(",.;:!?")
"""Marks that no space stands before, whatever words they come from."""


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
class _Phoneme:
    symbol: str
    owner: int


def runs_of(sounds: Iterable[tuple[int, str]], ids: Mapping[str, int]) -> tuple[PhonemeRun, ...]:
    """Return the runs of phonemes given as stretches, each with its owner; none if nothing is audible.

    `ids` are the numbers of the symbols the network knows; any other symbol is left out.
    """
    return tuple(_encode(part, ids) for part in _split(_join(sounds, ids.keys())))


def _encode(phonemes: Sequence[_Phoneme], ids: Mapping[str, int]) -> PhonemeRun:
    return PhonemeRun(
        ids=(PAD, *(ids[phoneme.symbol] for phoneme in phonemes), PAD),
        owners=(NO_WORD, *(phoneme.owner for phoneme in phonemes), NO_WORD),
        audible=(False, *(_is_audible(phoneme.symbol) for phoneme in phonemes), False),
    )


def _is_audible(symbol: str) -> bool:
    return symbol != SPACE and symbol not in PUNCTUATION


def _join(sounds: Iterable[tuple[int, str]], known: Container[str]) -> list[_Phoneme]:
    """String the phonemes together: only known ones, single spaces, none at the ends."""
    phonemes: list[_Phoneme] = []
    for owner, symbols in sounds:
        for symbol in symbols:
            spaced = not phonemes or phonemes[-1].symbol == SPACE
            if symbol not in known or (symbol == SPACE and spaced):
                continue
            if symbol in _CLOSE and spaced and phonemes:
                phonemes.pop()
            phonemes.append(_Phoneme(symbol, owner))
    while phonemes and phonemes[-1].symbol == SPACE:
        phonemes.pop()
    return phonemes


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
