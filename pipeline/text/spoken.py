"""A piece of text in, its spoken form out: what is said, word by word, and for which characters.

Puts together what others know: marks and lexicons go first, then every run of one language goes to that
language's reader. What comes out has no markup, no digit and no symbol that a voice would have to guess at.
Pure; any thread may call it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat

from pipeline.speech import Spoken
from pipeline.text.characters import CJK, CLAUSE_MARKS, CLOSERS, OPENERS, STOPS
from pipeline.text.emoji import KAOMOJI
from pipeline.text.english.reader import read_english
from pipeline.text.lexicon import Lexicon
from pipeline.text.mandarin.reader import LONGEST_LEAD, read_mandarin
from pipeline.text.passage import Mark, MarkKind, Passage
from pipeline.text.runs import language_runs


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How text is read: whether some of it is markup, what becomes of emoji, which words are said how.

    Of several lexicons the first that has a word counts.
    """

    markup: bool = True
    names_emoji: bool = False
    lexicons: tuple[Lexicon, ...] = ()


DEFAULT_READING = ReadingOptions()

_CHUNK = re.compile(rf"[^\s—{CJK}]+—+(?=[^\w\s]?[^\W_])|[^\s{CJK}]+")
"""What stands between white space or Han; a dash that touches both of its neighbours ends a word too."""

_CLOSING = re.compile(rf"(?:['’]s(?!\w))?[{STOPS}{CLOSERS}{CLAUSE_MARKS}]*+(?![0-9A-Za-z])")
"""What closes after a word, a possessive included."""

_OPENING = re.compile(rf"(?<!\w)[{OPENERS}]+\Z")
_LONGEST_OPENING = 8
_DIGITS = re.compile(r"\d")


def spoken_form(passage: Passage, language: str, reading: ReadingOptions) -> tuple[Spoken, ...]:
    """Read a passage, whose text is taken to be in `language` where its script leaves that open.

    Offsets are those of the passage's text. A word of a script with spaces is said for all that stands
    between them, its punctuation included; so is each of several words that "$5" is read as.
    """
    text = passage.text
    read = _Reader(text, language, names_emoji=reading.names_emoji)
    pieces: list[Spoken] = []
    at = 0
    for mark in _marks(passage, reading.lexicons):
        words = read.marked(mark)
        begin, end = _with_punctuation(text, mark, at) if words else (mark.begin, mark.end)
        pieces += read.plain(at, begin)
        pieces += _between(words, text[begin : mark.begin], text[mark.end : end], begin, end)
        at = end
    pieces += read.plain(at, len(text))
    return tuple(_widened(text, pieces))


def joined(spoken: Iterable[Spoken]) -> str:
    """Return the spoken form as one text."""
    words: list[str] = []
    before = None
    for word in spoken:
        if before is not None and not before.language == word.language == "zh":
            words.append(" ")
        words.append(word.text)
        before = word
    return "".join(words)


class _Reader:
    """Reads parts of one text."""

    def __init__(self, text: str, language: str, *, names_emoji: bool) -> None:
        self._text = text
        self._language = language
        self._names_emoji = names_emoji

    def plain(self, begin: int, end: int) -> list[Spoken]:
        """Read what has no mark."""
        return list(self._read(self._text[begin:end], begin))

    def marked(self, mark: Mark) -> list[Spoken]:
        """Read what has one."""
        begin, length = mark.begin, mark.end - mark.begin
        text = self._text[begin : mark.end]
        match mark.kind:
            case MarkKind.PHONEMES if mark.value and text.strip():
                return [Spoken("-".join(text.split()), begin, length, self._language, phonemes=mark.value)]
            case MarkKind.ALIAS:
                return [replace(word, offset=begin, length=length) for word in self._read(mark.value, 0)]
            case MarkKind.LETTERS:
                return [
                    word for at, character in enumerate(text) for word in self._name(character, begin + at)
                ]
            case MarkKind.DIGITS:
                return self._digit_by_digit(text, begin)
            case _:
                return list(self._read(text, begin))

    def _read(self, text: str, offset: int) -> Iterator[Spoken]:
        for run in language_runs(text, self._language):
            part = text[run.begin : run.end]
            if run.language == "en":
                words = read_english(part, names_emoji=self._names_emoji)
            elif run.language == "zh":
                lead = text[max(0, run.begin - LONGEST_LEAD) : run.begin]
                words = read_mandarin(part, lead=lead, names_emoji=self._names_emoji)
            else:
                words = [
                    Spoken(m.group(), m.start(), len(m.group()), run.language)
                    for m in re.finditer(r"\S+", part)
                ]
            yield from _moved(words, run.begin + offset)

    def _name(self, character: str, at: int) -> Iterable[Spoken]:
        if character.isascii() and character.isalpha():
            return (Spoken(character.upper(), at, 1, "en", spelled=True),)
        return self._read(character, at)

    def _digit_by_digit(self, text: str, offset: int) -> list[Spoken]:
        words: list[Spoken] = []
        at = 0
        for digit in _DIGITS.finditer(text):
            words += self._read(text[at : digit.start()], offset + at)
            words += self._read(digit.group(), offset + digit.start())
            at = digit.end()
        words += self._read(text[at:], offset + at)
        return words


def _marks(passage: Passage, lexicons: Sequence[Lexicon]) -> list[Mark]:
    """Return what is to be read otherwise, in order: what the text asks for, then what the lexicons do."""
    chosen = [mark for mark in passage.marks if mark.kind is not MarkKind.BREAK]
    if not passage.text.isascii():
        chosen += [Mark(MarkKind.ALIAS, *face.span()) for face in KAOMOJI.finditer(passage.text)]
    for lexicon in lexicons:
        for mark in lexicon.marks(passage.text):
            if all(mark.end <= other.begin or mark.begin >= other.end for other in chosen):
                chosen.append(mark)
    chosen.sort(key=lambda mark: mark.begin)
    return chosen


def _with_punctuation(text: str, mark: Mark, least: int) -> tuple[int, int]:
    """Return where the punctuation around a mark, none of it before `least`, begins and ends."""
    before = _OPENING.search(text[max(least, mark.begin - _LONGEST_OPENING) : mark.begin])
    after = _CLOSING.match(text, mark.end)
    return mark.begin - len(before[0] if before else ""), after.end() if after else mark.end


def _between(words: list[Spoken], head: str, tail: str, begin: int, end: int) -> list[Spoken]:
    """Put punctuation in front of and behind the words that are said for `[begin, end)`."""
    if words:
        first = words[0]
        length = first.offset + first.length - begin
        words[0] = replace(first, text=head + first.text, offset=begin, length=length)
        last = words[-1]
        words[-1] = replace(last, text=last.text + tail, length=end - last.offset)
    return words


def _moved(words: list[Spoken], by: int) -> Iterable[Spoken]:
    """Return the words with their offsets moved."""
    if not by:
        return words
    return (
        Spoken(word.text, word.offset + by, word.length, word.language, word.spelled, word.phonemes)
        for word in words
    )


def _widened(text: str, pieces: Sequence[Spoken]) -> Iterator[Spoken]:
    """Give words of scripts with spaces all the characters between the spaces, and no character twice."""
    chunks = [match.span() for match in _CHUNK.finditer(text)]
    begins = [begin for begin, _ in chunks]
    spans: list[tuple[int, int]] = []
    counts: list[int] = []  # words said for each of the spans
    for word in pieces:
        begin, end = word.offset, word.offset + word.length
        if word.language != "zh":
            begin, end = _widen(chunks, begins, begin, end)
        count = 1
        while spans and spans[-1][1] > begin:
            before, behind = spans.pop()
            begin, end = min(begin, before), max(end, behind)
            count += counts.pop()
        spans.append((begin, end))
        counts.append(count)
    each = chain.from_iterable(map(repeat, spans, counts))
    for word, (begin, end) in zip(pieces, each, strict=True):
        if begin == word.offset and end - begin == word.length:
            yield word
        else:
            yield Spoken(word.text, begin, end - begin, word.language, word.spelled, word.phonemes)


def _widen(chunks: Sequence[tuple[int, int]], begins: Sequence[int], begin: int, end: int) -> tuple[int, int]:
    """Return the span of the chunks that characters `[begin, end)` stand in."""
    first, last = bisect_right(begins, begin) - 1, bisect_right(begins, end - 1) - 1
    if first >= 0 and chunks[first][1] > begin:
        begin = chunks[first][0]
    if last >= 0 and chunks[last][1] >= end:
        end = chunks[last][1]
    return begin, end
