"""Spoken words to phonemes of the student voice, each attributed to the characters the words are said for.

The grapheme-to-phoneme part of the wheel hibari-tts is used as a library, without its normalization: what is
said is settled, only how it sounds is not. Words are read together, as a neighbour tells "read" from "read";
letters to be named and words that come with phonemes are settled before. What the wheel rejects is read word
by word, and the words it still rejects are spelled out, so that nothing a client sends can raise. Knows no
network, no duration and no PCM.

A loaded `Phonemizer` is read-only: any number of threads may call it at once.
"""

from __future__ import annotations

import json
import logging
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import hibari.g2p
from hibari.g2p.token import Tok

from models.ipa import to_voice
from models.runs import PUNCTUATION, SPACE, PhonemeRun, runs_of
from pipeline.speech import Spoken

logger = logging.getLogger(__name__)

LONGEST_WHOLE = 32
"""Code points of a word that the wheel is given whole. Its work grows with the cube of a word's parts:
300 code points of "a1a1" kept a worker, and everybody who waited for it, for twenty seconds."""

LONGEST_NAME = 6
"""Letters that are said as one name, as "HTTPS" is; more of them are a list: a spelled word, a key."""

_KEPT_MARKS = PUNCTUATION - frozenset('"“”')
"""What stays around a word whose phonemes are settled: the wheel gives no quote either."""

_LONG = re.compile(rf"\S{{{LONGEST_WHOLE + 1},}}")
_PART = re.compile(
    r"\S{15,}?(?:(?:[^\w\s]|_)(?!(?<=[.,])\d)|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])|(?<=[a-z])(?=[A-Z]))(?=\S)"
)
"""Up to a place where a long word may be cut: behind punctuation but not within a number, where letters and
digits meet, or before a capital."""
_LONG_NUMBER = re.compile(rf"\d{{{LONGEST_WHOLE + 1},}}")
"""Beyond the wheel's number words, and anybody's: read by its digits."""

_FOLDED = str.maketrans("’，、。！？；：（）", "',,.!?;:()")
"""Marks as the voice knows them: those of other languages are read past, but still make their pause."""
_CORE = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
"""A word without the punctuation around it."""
_LATIN = re.compile(r"[0-9A-Za-z\u00c0-\u024f]")
_LETTER = re.compile(r"([^\W\d_])(?:'?([sd]))?")
"""A letter, and what is said in one syllable with its name: "T's", "OD'd"."""


@dataclass(frozen=True, slots=True)
class Word:
    """`length` code points at `offset` in the segment's text, for which one or more words are said."""

    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of a text in order of speech, and its phonemes in runs the network takes.

    There is no run if nothing is heard.
    """

    words: tuple[Word, ...]
    runs: tuple[PhonemeRun, ...]


@dataclass(frozen=True, slots=True)
class _Token:
    """A word or mark as the wheel takes it; `settled` says how it sounds, if that is not the wheel's to find.

    Several owners may have a part in it, each with its phonemes: the letters of a name.
    """

    text: str
    settled: tuple[tuple[int, str], ...] | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    """What is said between two spaces, for the word `owner`: tokens that are all settled, or none of them."""

    owner: int
    tokens: tuple[_Token, ...]


class Phonemizer:
    """The loaded grapheme-to-phoneme rules, lexicon and network for unknown words."""

    def __init__(self) -> None:
        """Load everything now, so that no first request pays for it: about 0.7 s, 60 MB."""
        self._g2p = hibari.g2p.G2P()
        # The wheel loads this on the first unknown word, and two threads at once would load it twice.
        self._g2p.oov("utter")
        vocabulary = Path(hibari.g2p.ASSETS, "vocab.json").read_text(encoding="utf-8")
        self._ids: dict[str, int] = json.loads(vocabulary)

    def read(self, spoken: Sequence[Spoken]) -> Reading:
        """Read the words aloud, on paper. Total: whatever they are, this returns.

        A sentence of 60 characters takes 0.5 ms, one of 200 takes 2 ms, most of it for the wheel's tagger;
        each word that is in no lexicon takes 1 ms more. What the voice has no sound for stays silent, in
        whatever language it is.
        """
        words, owners = _words(spoken)
        pieces = [piece for name in _names(spoken) for piece in self._pieces(name, spoken, owners)]
        return Reading(words, runs_of(self._sounds(pieces), self._ids))

    def _pieces(
        self, name: Sequence[int], spoken: Sequence[Spoken], owners: Sequence[int]
    ) -> Iterator[_Piece]:
        """Yield the pieces of one word, or of the letters of one name, given by their indices."""
        sounds = [self._sound(spoken[index]) for index in name]
        if any(sounds):
            # Of the letters of a name, the last bears the stress.
            lighter = [sound.replace("ˈ", "ˌ") for sound in sounds[:-1]]
            parts = zip((owners[index] for index in name), (*lighter, sounds[-1]), strict=True)
            yield _settled([spoken[index].text for index in name], tuple(parts))
            return
        for index in name:
            if spoken[index].language != "en" and not _LATIN.search(spoken[index].text):
                # The wheel would try every character by itself, to no avail; only marks are heard, as pauses.
                silent = _settled([spoken[index].text], ((owners[index], ""),))
                if len(silent.tokens) > 1:
                    yield silent
                continue
            for part in _parts(spoken[index].text):
                yield self._plain(part, owners[index])

    def _plain(self, text: str, owner: int) -> _Piece:
        return _Piece(owner, tuple(map(_Token, self._g2p.tokenizer.split(text))))

    def _sound(self, word: Spoken) -> str:
        """Return the phonemes of a word where they are settled; "" where they are to be found by its text."""
        if word.phonemes is not None and (phonemes := to_voice(word.phonemes)):
            return phonemes
        return self._letter(_core(word.text)) if word.spelled else ""

    def _letter(self, text: str) -> str:
        """Return the name of a letter, its accent left out, with its ending; "" if it has none."""
        letter = _LETTER.fullmatch(text)
        if letter is None:
            return ""
        name, _ = self._g2p.lexicon.get_NNP(unicodedata.normalize("NFKD", letter[1])[0].upper())
        return f"{name}{_ending(name, letter[2])}" if name else ""

    def _sounds(self, pieces: Sequence[_Piece]) -> list[tuple[int, str]]:
        try:
            return self._read_aloud(pieces)
        except Exception as error:
            # Its type only: the message may quote the text.
            logger.info("the phonemizer rejected a text (%s); reading it word by word", type(error).__name__)
            return [sound for piece in pieces for sound in self._spell(piece)]

    def _read_aloud(self, pieces: Sequence[_Piece]) -> list[tuple[int, str]]:
        """Return the phonemes of the pieces, each with its owner and followed by a space.

        Raises whatever the wheel raises on what it cannot read.
        """
        if not pieces:
            return []
        tags = iter(self._g2p.tagger([token.text for piece in pieces for token in piece.tokens]))
        tokens = [token for piece in pieces for token in _wheel_tokens(piece, tags)]
        read = iter(self._g2p.phonemize_tokens(tokens))
        return [sound for piece in pieces for sound in _piece_sounds(piece, read)]

    def _spell(self, piece: _Piece) -> list[tuple[int, str]]:
        """Read one piece alone; if that is rejected, its characters one by one, but for the unreadable."""
        whole = self._attempt(piece)
        if whole is not None:
            return whole
        characters = (character for token in piece.tokens for character in token.text)
        attempts = (self._attempt(self._plain(character, piece.owner)) for character in characters)
        return [sound for attempt in attempts for sound in attempt or ()]

    def _attempt(self, piece: _Piece) -> list[tuple[int, str]] | None:
        try:
            return self._read_aloud([piece])
        except Exception as error:
            logger.debug("the phonemizer rejected %r (%r)", piece, error)
            return None


def _words(spoken: Iterable[Spoken]) -> tuple[tuple[Word, ...], list[int]]:
    """Return the characters that words are said for, and for each word the index of its own."""
    words: list[Word] = []
    owners = []
    for said in spoken:
        word = Word(said.offset, said.length)
        if not words or words[-1] != word:
            words.append(word)
        owners.append(len(words) - 1)
    return tuple(words), owners


def _names(spoken: Sequence[Spoken]) -> Iterator[Sequence[int]]:
    """Yield the indices of the words, those of letters that make a name together."""
    names: list[list[int]] = []
    for index, word in enumerate(spoken):
        if names and _adjoin(spoken[names[-1][-1]], word):
            names[-1].append(index)
        else:
            names.append([index])
    for name in names:
        yield from [name] if len(name) <= LONGEST_NAME else ([letter] for letter in name)


def _adjoin(before: Spoken, after: Spoken) -> bool:
    """Tell whether two words are letters of one name: nothing stands between them, nor is said there."""
    if not (before.spelled and after.spelled) or before.phonemes is not None or after.phonemes is not None:
        return False
    together = after.offset in (before.offset + before.length, before.offset)
    return together and before.text[-1:].isalpha() and after.text[:1].isalpha()


def _ending(name: str, ending: str | None) -> str:
    """Return how an s or a d sounds after the name of a letter."""
    if ending != "s":
        return ending or ""
    return {"f": "s", "s": "ᵻz", "ʧ": "ᵻz"}.get(name[-1], "z")


def _core(text: str) -> str:
    core = _CORE.search(text.translate(_FOLDED))
    return core.group() if core else ""


def _settled(texts: Sequence[str], parts: tuple[tuple[int, str], ...]) -> _Piece:
    """Return the piece of a word, or a name's letters, that sound as `parts` says, with its marks."""
    text = "".join(texts).translate(_FOLDED)
    core = _CORE.search(text)
    begin, end = core.span() if core else (0, 0)
    (first, _), (last, _) = parts[0], parts[-1]
    before = tuple(_Token(mark, ((first, mark),)) for mark in text[:begin] if mark in _KEPT_MARKS)
    after = tuple(_Token(mark, ((last, mark),)) for mark in text[end:] if mark in _KEPT_MARKS)
    return _Piece(last, (*before, _Token(text[begin:end] or text, parts), *after))


def _parts(text: str) -> list[str]:
    """Cut a word where it has white space, and a long one to parts the wheel can be given."""
    text = text.translate(_FOLDED)
    if len(text) > LONGEST_WHOLE:
        text = _LONG_NUMBER.sub(lambda number: SPACE.join(number.group()), text)
        text = _LONG.sub(lambda word: _PART.sub(r"\g<0> ", word.group()), text)
    return text.split()


def _wheel_tokens(piece: _Piece, tags: Iterator[str]) -> Iterator[Tok]:
    """Yield the piece's tokens for the wheel, a space after the last; `tags` yields theirs."""
    last = piece.tokens[-1]
    for token in piece.tokens:
        sounds = None if token.settled is None else "".join(sound for _, sound in token.settled)
        yield Tok(token.text, next(tags), SPACE if token is last else "", phonemes=sounds)


def _piece_sounds(piece: _Piece, read: Iterator[Tok]) -> Iterator[tuple[int, str]]:
    """Yield the phonemes of a piece, whose tokens are the next of those `read`, and a space."""
    if piece.tokens[0].settled is not None:
        for token in piece.tokens:
            next(read)
            yield from token.settled or ()
    else:
        # The wheel may have made one token of several, or several of one; the last has the space.
        for given in read:
            yield piece.owner, given.phonemes or ""
            if given.whitespace:
                break
    yield piece.owner, SPACE
