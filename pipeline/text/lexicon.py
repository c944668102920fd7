"""Words that are to be said otherwise than they are written: names, brands, what a channel's regulars say.

Knows no language's rules. Read-only once made; any thread may use it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.speech import InvalidOption
from pipeline.text.characters import CJK, is_cjk
from pipeline.text.passage import Mark, MarkKind

MOST_ENTRIES = 500
LONGEST_WORD = 64
"""Code points of what is written."""

LONGEST_SAID = 200
"""Code points of what is said instead."""

_TOKEN = re.compile(rf"[{CJK}]|[^\W{CJK}]+|[^\w\s]")
_PHONEMES = re.compile(r"/([^/]+)/\Z")


@dataclass(frozen=True, slots=True)
class _Entry:
    word: str
    mark: MarkKind
    said: str

    def matches(self, text: str, at: int) -> bool:
        """Whether the word stands at `at`, and not as a part of a longer one."""
        end = at + len(self.word)
        found = text[at:end]
        if (found if _has_capital(self.word) else found.lower()) != self.word:
            return False
        return not _joined(text, at) and not _joined(text, end)


class Lexicon:
    """Written words and what is said for them: other words, or "/phonemes/" in the voice's own symbols.

    A word written in small letters stands for every spelling of it; one with a capital for exactly that one,
    and before the other. The longest word found counts. "Word's" counts as "word".
    """

    def __init__(self, entries: Mapping[str, str]) -> None:
        """Take the entries over.

        Raises:
            InvalidOption: more than `MOST_ENTRIES`, or one that is empty or too long.
        """
        if len(entries) > MOST_ENTRIES:
            raise InvalidOption("lexicon", len(entries), f"at most {MOST_ENTRIES} entries")
        self._by_first: dict[str, list[_Entry]] = {}
        for word, said in ((written.strip(), said.strip()) for written, said in entries.items()):
            first = _TOKEN.search(word)
            if first is None or first.start() != 0 or len(word) > LONGEST_WORD:
                raise InvalidOption(
                    "a word of the lexicon", word, f"a word of 1 to {LONGEST_WORD} characters"
                )
            if not said or len(said) > LONGEST_SAID:
                raise InvalidOption(
                    f"what the lexicon says for {word!r}", said, f"1 to {LONGEST_SAID} characters"
                )
            phonemes = _PHONEMES.match(said)
            entry = (
                _Entry(word, MarkKind.PHONEMES, phonemes[1])
                if phonemes
                else _Entry(word, MarkKind.ALIAS, said)
            )
            self._by_first.setdefault(first.group().lower(), []).append(entry)
        for alike in self._by_first.values():
            alike.sort(key=lambda entry: (-len(entry.word), not _has_capital(entry.word)))

    @classmethod
    def from_json(cls, text: str) -> Lexicon:
        """Read a JSON object of words and what is said for them.

        Raises:
            InvalidOption: it is none, or as for any lexicon.
        """
        try:
            entries = json.loads(text)
        except ValueError as error:
            raise InvalidOption("lexicon", error, "a JSON object") from error
        if not isinstance(entries, dict) or not all(isinstance(said, str) for said in entries.values()):
            raise InvalidOption(
                "lexicon", type(entries).__name__, "a JSON object of words and what to say for them"
            )
        return cls(entries)

    def __bool__(self) -> bool:
        return bool(self._by_first)

    def marks(self, text: str) -> list[Mark]:
        """Find its words in a text, in order, none overlapping another."""
        found: list[Mark] = []
        end = 0
        for token in _TOKEN.finditer(text) if self._by_first else ():
            at = token.start()
            if at < end:
                continue
            for entry in self._by_first.get(token.group().lower(), ()):
                if entry.matches(text, at):
                    end = at + len(entry.word)
                    found.append(Mark(entry.mark, at, end, entry.said))
                    break
        return found


def _has_capital(word: str) -> bool:
    return word != word.lower()


def _joined(text: str, at: int) -> bool:
    """Whether the characters on both sides of `at` belong to one word."""
    around = text[max(0, at - 1) : at + 1] if at else ""
    return len(around) == 2 and all(
        (character.isalnum() or character == "_") and not is_cjk(character) for character in around
    )
