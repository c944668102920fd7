"""The split command: one line of sentences for every line of arriving text."""

from __future__ import annotations

import json

import pytest

from pipeline.text.split import split_lines


def test_every_line_is_answered_in_order_with_its_sentences() -> None:
    lines = [
        json.dumps({"id": "a", "language": "en", "pieces": ["It is 3.", "14. Ye", "s."]}) + "\n",
        "\n",
        json.dumps({"id": 2, "language": "zh", "pieces": ["你好。再见"]}),
        json.dumps({"id": "none", "pieces": []}),
    ]
    assert [json.loads(line) for line in split_lines(lines)] == [
        {
            "id": "a",
            "sentences": [
                {"text": "It is 3.14.", "spoken": "It is three point one four.", "language": "en"},
                {"text": "Yes.", "spoken": "Yes.", "language": "en"},
            ],
        },
        {
            "id": 2,
            "sentences": [
                {"text": "你好。", "spoken": "你好.", "language": "zh"},
                {"text": "再见", "spoken": "再见", "language": "zh"},
            ],
        },
        {"id": "none", "sentences": []},
    ]


def test_a_half_character_survives_as_json() -> None:
    (line,) = split_lines([r'{"id": 1, "pieces": ["a \ud83d", "b"]}'])
    assert line.isascii()
    assert json.loads(line)["sentences"][0]["text"] == "a \ud83db"


@pytest.mark.parametrize(
    "line", ["{", "[]", "7", '{"id": 1}', '{"pieces": ["a"]}', '{"id": 1, "pieces": [7]}']
)
def test_a_line_that_is_no_case_is_named(line: str) -> None:
    with pytest.raises(ValueError, match="line 2"):
        list(split_lines(['{"id": 1, "pieces": ["a"]}', line]))
