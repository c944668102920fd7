"""The `split` command: JSON lines of arriving text in, JSON lines of sentences out.

Knows nothing of files or streams; the lines are handed in and taken out. Pure; any thread may call it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pipeline.speech import Spoken
from pipeline.splitter import Sentence, Splitter
from pipeline.text.spoken import DEFAULT_READING, joined, spoken_form


def split_lines(lines: Iterable[str]) -> Iterator[str]:
    """Split the text of every line `{"id", "language", "pieces": [text, ...]}`, as it arrives and then ends.

    Yields for each, in order, one line `{"id", "sentences": [{"text", "spoken", "language"}]}`; empty lines
    are skipped. `text` is a sentence less its markup, `spoken` what a voice is given. Raises `ValueError`,
    which names the line, for one that is no such object.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
            language = str(case.get("language", "en"))
            sentences = _split(case["pieces"])
            answer = {"id": case["id"], "sentences": [_told(sentence, language) for sentence in sentences]}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(
                f'line {number}: not an object with "id" and "pieces", a list of texts'
            ) from error
        yield json.dumps(answer)


def _split(pieces: Iterable[str]) -> list[Sentence]:
    splitter = Splitter()
    sentences = [sentence for piece in pieces for sentence in splitter.push(piece)]
    return sentences + splitter.flush()


def _told(sentence: Sentence, language: str) -> dict[str, str]:
    spoken = spoken_form(sentence.passage, language, DEFAULT_READING)
    return {"text": sentence.text, "spoken": joined(spoken), "language": _main_language(spoken, language)}


def _main_language(spoken: Sequence[Spoken], hint: str) -> str:
    """Return the language most of a sentence is in."""
    letters = Counter[str]()
    for word in spoken:
        letters[word.language] += len(word.text)
    return letters.most_common(1)[0][0] if letters else hint
