"""docs/protocol.md says what the code does: its tables, its numbers and its exchange."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from pipeline.encoder import BITRATE_RANGE
from pipeline.engine import EngineLimits
from server import connection, listener, outbox, protocol, session, speaker, turns
from server.protocol import (
    CLIENT_TYPES,
    SERVER_TYPES,
    AudioFlags,
    AudioMessage,
    CloseCode,
    pack_audio,
    parse_client,
    parse_server,
    serialize,
    unpack_audio,
)

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8")


def section(title: str) -> str:
    """Return what stands under a heading, up to the next of any level."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, f"the page has no section {title}"
    return found[1]


def rows(text: str) -> list[list[str]]:
    """Return the cells of a table's rows, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.mark.parametrize(("name", "record"), [*CLIENT_TYPES.items(), *SERVER_TYPES.items()])
def test_every_message_has_a_table_of_exactly_its_fields(name: str, record: Any) -> None:
    table = {cells[0].strip("`"): cells for cells in rows(section(f"`{name}`"))}
    fields = {field.name: field for field in dataclasses.fields(record)}
    assert list(table) == list(fields)
    for field in fields.values():
        default = table[field.name][2]
        assert (default == "") == (field.default is dataclasses.MISSING), field.name
        if default in ("true", "false"):
            assert field.default is (default == "true")
        elif re.fullmatch(r'\d+|".*"', default):
            assert field.default == (int(default) if default.isdigit() else default.strip('"'))


@pytest.mark.parametrize(
    ("record", "where"),
    [
        (protocol.StationTimings, "`done`"),
        (protocol.Limits, "`ready`"),
        (protocol.Word, "`segment`"),
        (protocol.Resume, "Resume"),
        (protocol.Unheard, "Resume"),
    ],
)
def test_every_field_inside_a_field_is_named(record: Any, where: str) -> None:
    text = section(where)
    for field in dataclasses.fields(record):
        assert f"`{field.name}`" in text or f'"{field.name}"' in text, field.name


def test_every_close_code_is_in_the_table() -> None:
    assert [int(cells[0]) for cells in rows(section("Closing"))] == [int(code) for code in CloseCode]


def test_the_byte_table_is_the_header() -> None:
    table = rows(section("Audio message"))
    sizes = [int(cells[1].lstrip("u")) // 8 for cells in table if cells[1]]
    assert sum(sizes[:-1]) == protocol.HEADER.size
    offset = 0
    for cells, size in zip(table, sizes, strict=False):
        assert cells[0] == (str(offset) if size == 1 else f"{offset}-{offset + size - 1}")
        offset += size
    flags = [int(number) for number in re.findall(r"\b(\d+) ", table[1][3])]
    assert flags == [int(flag) for flag in AudioFlags if flag]


def test_the_limits_are_those_of_the_code() -> None:
    numbers = re.sub(r"(?<=\d),(?=\d)", "", section("Limits"))
    limits = [
        f"{protocol.MAX_MESSAGE_BYTES // 1024} KiB",
        f"{connection.BURST_MESSAGES} at once, then {connection.MESSAGES_PER_S:g} a second",
        f"{outbox.MAX_MESSAGES} messages",
        f"every {connection.PING_INTERVAL_S:g} s) | {connection.PONG_TIMEOUT_S:g} s",
        f"{EngineLimits().text} code points",
        f"session | {session.SessionLimits().utterances} |",
        f"connections | {listener.ServerSettings().max_connections} |",
    ]
    for limit in limits:
        assert limit in numbers, limit
    assert protocol.overloaded_reason(listener.RETRY_AFTER_MS) in section("Closing")
    assert "{} to {}".format(*BITRATE_RANGE) in section("`start`")
    assert f"{turns.MAX_KEPT} others" in section("Cancel")
    assert f"{turns.MAX_REMEMBERED:,} ids" in section("Cancel")
    assert f"up to {speaker.GROUP}, while the lead is {speaker.GROUPING_LEAD_MS} ms" in section(
        "Audio message"
    )
    assert f"nothing to say for {session.SessionLimits().idle_s:g} s" in section("Order")


def exchange() -> list[tuple[str, str]]:
    lines = re.findall(r"^([<>]) (.*)$", section("An exchange"), re.MULTILINE)
    return [(line[0], line[1]) for line in lines]


def heard() -> list[Any]:
    """Return what the server says in the exchange."""
    said = [text for direction, text in exchange() if direction == "<"]
    return [
        parse_server(text) if text.startswith("{") else unpack_audio(bytes.fromhex(text)) for text in said
    ]


def test_every_line_of_the_exchange_is_what_the_code_reads_and_writes() -> None:
    for direction, text in exchange():
        if direction == ">":
            assert parse_client(text)
        elif text.startswith("{"):
            assert serialize(parse_server(text)) == text
        else:
            assert pack_audio(unpack_audio(bytes.fromhex(text))).hex() == text.replace(" ", "")


def test_the_exchange_obeys_its_own_rules() -> None:
    audio = [message for message in heard() if isinstance(message, AudioMessage)]
    sequence = [message.sequence + k for message in audio for k in range(len(message.packets))]
    times = [message.timestamp + 960 * k for message in audio for k in range(len(message.packets))]
    assert sequence == [0, 1, 2, 3, 4]
    assert times == [960 * k for k in sequence]
    assert [message.flags for message in audio] == [AudioFlags.FIRST, AudioFlags.NONE, AudioFlags.LAST]
    texts = [parse_client(text) for direction, text in exchange() if direction == ">"]
    text = "".join(message.text for message in texts if isinstance(message, protocol.Text))
    (segment,) = (message for message in heard() if isinstance(message, protocol.Segment))
    assert segment.text == text
    for word in segment.words:
        assert text[word.offset : word.offset + word.length] == word.text
    (cancelled,) = (message for message in heard() if isinstance(message, protocol.Cancelled))
    assert cancelled.text_spoken + cancelled.text_remaining == text
    (done,) = (message for message in heard() if isinstance(message, protocol.Done))
    (started,) = (message for message in heard() if isinstance(message, protocol.Started))
    assert len(sequence) * 960 >= done.samples + started.pre_skip
    assert segment.words[-1].end <= done.samples
    (cancel,) = (message for message in texts if isinstance(message, protocol.Cancel))
    unheard = next(word for word in segment.words if word.end > (cancel.played or 0))
    assert len(cancelled.text_spoken) == unheard.offset
