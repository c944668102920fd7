"""The text cases of tests/data/cases: what arrives, what the sentences are, and what of it is said.

A line is one case: `id`, `language` (`en`, `zh`, or `mixed`: Latin script among Chinese), `text`, and of it
what is asked: `sentences` exactly, `spoken` phrases in order, `not_spoken` phrases, `max_sentence` in code
points. A phrase `a|b` means either. Case and punctuation do not count; in English whole words are compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "data" / "cases"


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a file of `kind`."""

    kind: str
    id: str
    language: str
    text: str
    sentences: tuple[str, ...] | None = None
    spoken: tuple[str, ...] = ()
    not_spoken: tuple[str, ...] = ()
    max_sentence: int | None = None

    def faults(self, sentences: Sequence[str], spoken: str) -> Iterator[str]:
        """Say in words what is wrong with these sentences and their spoken form."""
        if self.sentences is not None and tuple(sentences) != self.sentences:
            yield f"sentences {list(sentences)} instead of {list(self.sentences)}"
        said = self._plain(spoken)
        at = 0
        for phrase in self.spoken:
            found = [
                (begin, len(wording))
                for wording in map(self._plain, phrase.split("|"))
                if (begin := said.find(wording, at)) >= 0
            ]
            if not found:
                yield f"{phrase!r} is not said, or not in its place: {said!r}"
                break
            begin, length = min(found)
            # The space that ends a word begins the next one.
            at = begin + length - (self.language == "en")
        yield from (
            f"{phrase!r} is said: {said!r}" for phrase in self.not_spoken if self._plain(phrase) in said
        )
        if self.max_sentence is not None and max(map(len, sentences), default=0) > self.max_sentence:
            yield f"a sentence of {max(map(len, sentences))} characters"

    def _plain(self, text: str) -> str:
        folded = re.sub(r"[\W_]+", " ", text.lower()).strip()
        return f" {folded} " if self.language == "en" else folded.replace(" ", "")


def cases() -> list[Case]:
    """Return every case of every file."""
    return [
        _case(path.stem, json.loads(line))
        for path in sorted(FOLDER.glob("*.jsonl"))
        for line in path.read_text("utf-8").split("\n")
        if line
    ]


def _case(kind: str, told: dict[str, Any]) -> Case:
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in told.items()
    }
    return Case(kind, **fields)
