"""The wire: golden vectors, round trips, and nothing a peer sends raises anything but `ProtocolError`."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server import protocol
from server.protocol import (
    AudioFlags,
    AudioKind,
    AudioMessage,
    Cancel,
    CloseCode,
    Flush,
    Ping,
    Progress,
    ProtocolError,
    Start,
    Text,
    pack_audio,
    parse_client,
    parse_server,
    serialize,
    serialize_client,
    unpack_audio,
)

GOLDEN = json.loads((Path(__file__).parent.parent / "data" / "wire_golden.json").read_text())


def golden(kind: str) -> pytest.MarkDecorator:
    cases = [case for case in GOLDEN if case["kind"] == kind]
    return pytest.mark.parametrize("case", cases, ids=[case["name"] for case in cases])


def without_defaults(message: dict[str, Any], full: dict[str, Any]) -> dict[str, Any]:
    """Return `full` without the fields that `message` leaves to their defaults."""
    return {name: value for name, value in full.items() if name in message}


@golden("client")
def test_client_vectors_parse_and_serialize_to_the_same_values(case: dict[str, Any]) -> None:
    assert json.loads(case["text"]) == case["message"]
    message = parse_client(case["text"])
    written = serialize_client(message)
    assert without_defaults(case["message"], json.loads(written)) == case["message"]
    assert parse_client(written) == message


@golden("server")
def test_server_vectors_parse_and_serialize_to_the_same_values(case: dict[str, Any]) -> None:
    assert json.loads(case["text"]) == case["message"]
    message = parse_server(case["text"])
    assert json.loads(serialize(message)) == case["message"]


@golden("audio")
def test_audio_vectors_pack_and_unpack_to_the_same_bytes(case: dict[str, Any]) -> None:
    fields, data = case["message"], bytes.fromhex(case["bytes"])
    message = AudioMessage(
        AudioKind(fields["kind"]),
        AudioFlags(fields["flags"]),
        fields["ordinal"],
        fields["sequence"],
        fields["timestamp"],
        tuple(bytes.fromhex(packet) for packet in fields["packets"]),
    )
    assert pack_audio(message) == data
    assert unpack_audio(data) == message


def test_every_message_type_has_a_golden_vector() -> None:
    for kind, types in (("client", protocol.CLIENT_TYPES), ("server", protocol.SERVER_TYPES)):
        assert {case["message"]["type"] for case in GOLDEN if case["kind"] == kind} == set(types)


# Properties.

names = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=64
)  # ids and names hold whole characters only
samples = st.integers(0, 2**53 - 1)
numbers = st.floats(-1e9, 1e9)
clients = st.one_of(
    st.builds(
        Start,
        voice=st.none() | names,
        language=names,
        speed=numbers,
        format=st.sampled_from(protocol.StreamFormat),
        sample_rate=st.integers(0, 96_000),
        captions=st.booleans(),
        markup=st.sampled_from(protocol.MarkupMode),
        lexicon=st.none() | st.dictionaries(names, names, max_size=3),
        lead_ms=st.none() | st.floats(100, 60_000),
    ),
    st.builds(Text, utterance=names, text=st.text(), voice=st.none() | names, speed=st.none() | numbers),
    st.builds(Flush, utterance=names),
    st.builds(Cancel, utterance=st.none() | names, played=st.none() | samples, playing=st.none() | names),
    st.builds(Progress, utterance=names, played=samples),
    st.just(Ping()),
)
servers = st.one_of(
    st.builds(
        protocol.Segment,
        utterance=names,
        index=samples,
        text=st.text(),
        offset=samples,
        start=samples,
        words=st.lists(
            st.builds(protocol.Word, st.text(), samples, samples, samples, samples), max_size=3
        ).map(tuple),
    ),
    st.builds(
        protocol.Done,
        utterance=names,
        samples=samples,
        timings=st.builds(protocol.StationTimings, split=st.none() | st.floats(0, 1e6)),
        reason=st.sampled_from(protocol.DoneReason),
    ),
    st.builds(protocol.Cancelled, names, st.text(), st.text()),
    st.builds(
        protocol.ErrorMessage, st.text(), st.text(), st.booleans(), st.none() | names, st.none() | samples
    ),
)
audio = st.builds(
    AudioMessage,
    kind=st.sampled_from(AudioKind),
    flags=st.integers(0, 255).map(AudioFlags),
    ordinal=st.integers(0, 0xFFFF),
    sequence=st.integers(0, 0xFFFF_FFFF),
    timestamp=st.integers(0, 0xFFFF_FFFF),
    packets=st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=5).map(tuple),
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(10**400)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)


@given(clients)
def test_client_messages_round_trip(message: protocol.ClientMessage) -> None:
    assert parse_client(serialize_client(message)) == message


@given(servers)
def test_server_messages_round_trip(message: protocol.ServerMessage) -> None:
    assert parse_server(serialize(message)) == message


@given(servers | clients)
def test_what_is_written_is_ascii_so_that_half_a_character_can_travel(message: Any) -> None:
    write: Any = serialize if type(message) in protocol.SERVER_TYPES.values() else serialize_client
    assert write(message).isascii()


@given(audio)
def test_audio_messages_round_trip(message: AudioMessage) -> None:
    assert unpack_audio(pack_audio(message)) == message


@given(audio, st.data())
def test_an_audio_message_cut_inside_a_packet_is_refused(message: AudioMessage, data: st.DataObject) -> None:
    packed = pack_audio(message)
    cut = data.draw(st.integers(1, len(message.packets[-1]) + 1))
    with pytest.raises(ProtocolError) as caught:
        unpack_audio(packed[:-cut])
    assert caught.value.close is CloseCode.INVALID_DATA


@given(st.binary())
def test_any_bytes_unpack_or_raise_a_protocol_error(data: bytes) -> None:
    with contextlib.suppress(ProtocolError):
        assert pack_audio(unpack_audio(data)) == data


@given(st.text())
def test_any_text_parses_or_raises_a_protocol_error(text: str) -> None:
    for parse in (parse_client, parse_server):
        with pytest.raises(ProtocolError) as caught:
            parse(text)
        assert caught.value.close in (None, CloseCode.INVALID_DATA)


fields = st.sampled_from(
    sorted({name for case in GOLDEN for name in case["message"]} - {"type"})
)  # every field name of the wire


@given(
    st.sampled_from([*protocol.CLIENT_TYPES, *protocol.SERVER_TYPES]),
    st.dictionaries(fields, values, max_size=6),
)
def test_any_values_in_any_fields_parse_or_raise_a_protocol_error(name: str, content: dict[str, Any]) -> None:
    text = json.dumps({"type": name, **content})
    for parse in (parse_client, parse_server):
        with contextlib.suppress(ProtocolError):
            parse(text)


# What is refused, and how.


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        '"text"',
        '{"type":"ping"} {"type":"ping"}',
        '{"type":"progress","utterance":"u","played":NaN}',
        '{"type":"start","speed":Infinity}',
        '{"type":"ping","type":"end"}',
        '{"type":"start","resume":{"session":"a","session":"b"}}',
        '{"type":"ping","deep":' + "[" * 30_000 + "]" * 30_000 + "}",
        '{"type":"progress","utterance":"u","played":' + "9" * 5000 + "}",
        '{"type":"text","utterance":"u","text":"a\nb"}',
    ],
    ids=[
        "nothing", "cut off", "null", "list", "string", "two values", "NaN", "Infinity", "a name twice",
        "a name twice inside", "deep nesting", "5,000 digits", "a raw newline in a string",
    ],
)  # fmt: skip
def test_what_is_not_i_json_closes_with_1007(text: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        parse_client(text)
    assert caught.value.code == "malformed"
    assert caught.value.close is CloseCode.INVALID_DATA


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"type": "text", "text": "a"}, "text: utterance is missing."),
        ({"type": "text", "utterance": "", "text": "a"}, "text: utterance must have 1 to 64 characters."),
        ({"type": "end", "utterance": "x" * 65}, "end: utterance must have 1 to 64 characters."),
        ({"type": "end", "utterance": 7}, "end: utterance must be a string."),
        (
            {"type": "end", "utterance": "a\ud800"},
            "end: utterance holds half a character (a lone surrogate).",
        ),
        ({"type": "end", "utterance": None}, "end: utterance must be a string."),
        ({"type": "progress", "utterance": "u"}, "progress: played is missing."),
        ({"type": "progress", "utterance": "u", "played": True}, "progress: played must be a whole number."),
        ({"type": "progress", "utterance": "u", "played": 1.5}, "progress: played must be a whole number."),
        (
            {"type": "progress", "utterance": "u", "played": -1},
            "progress: played must be 0 to 9007199254740991.",
        ),
        (
            {"type": "progress", "utterance": "u", "played": 2**53},
            "progress: played must be 0 to 9007199254740991.",
        ),
        ({"type": "start", "speed": "2"}, "start: speed must be a number."),
        ({"type": "start", "speed": False}, "start: speed must be a number."),
        ({"type": "start", "speed": 10**400}, "start: speed is too large a number."),
        ({"type": "start", "format": "mp3"}, "start: format must be one of opus, pcm."),
        ({"type": "start", "format": ["opus"]}, "start: format must be one of opus, pcm."),
        ({"type": "start", "captions": 1}, "start: captions must be true or false."),
        ({"type": "start", "lead_ms": 99}, "start: lead_ms must be 100 to 60000."),
        ({"type": "start", "resume": "token"}, "start: resume must be an object."),
        ({"type": "start", "resume": {}}, "start: resume.session is missing."),
        ({"type": ["ping"]}, "A message needs a type, which is a string."),
        ({}, "A message needs a type, which is a string."),
    ],
)
def test_a_wrong_field_is_named_and_keeps_the_socket_open(content: dict[str, Any], problem: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        parse_client(json.dumps(content))
    assert caught.value.code == "invalid-message"
    assert caught.value.close is None
    assert caught.value.utterance is None
    assert str(caught.value) == problem


def test_a_wrong_field_deep_inside_is_named_with_its_path() -> None:
    segment = {"type": "segment", "utterance": "u", "index": 0, "text": "", "offset": 0, "start": 0}
    word = {"text": "a", "offset": 0, "length": 1, "end": 1}
    with pytest.raises(ProtocolError, match=r"words\.1\.start is missing"):
        parse_server(json.dumps({**segment, "words": [{**word, "start": 0}, word]}))
    with pytest.raises(ProtocolError, match=r"words must be a list"):
        parse_server(json.dumps({**segment, "words": {}}))


def test_a_text_message_that_is_dropped_names_the_utterance_that_lost_it() -> None:
    with pytest.raises(ProtocolError) as caught:
        parse_client('{"type":"text","utterance":"u","text":5}')
    assert caught.value.utterance == "u"


def test_an_unknown_type_keeps_the_socket_open() -> None:
    with pytest.raises(ProtocolError, match="no message of type 'dance'") as caught:
        parse_client('{"type":"dance"}')
    assert caught.value.code == "unknown-type"
    assert caught.value.close is None


def test_unknown_fields_are_ignored() -> None:
    assert parse_client('{"type":"ping","mood":"fine"}') == Ping()


def test_an_infinite_number_spelled_as_json_is_refused() -> None:
    with pytest.raises(ProtocolError, match="speed is too large a number"):
        parse_client('{"type":"start","speed":1e999}')


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "shorter than its header"),
        (bytes(11), "shorter than its header"),
        (bytes(12), "of unknown kind 0"),
        (b"\x01" + bytes(11), "without packets"),
        (b"\x01" + bytes(11) + b"\x01", "with a packet cut off"),
        (b"\x01" + bytes(11) + b"\x02\x00\x05", "with a packet cut off"),
        (b"\x01" + bytes(11) + b"\x00\x00", "with an empty packet"),
    ],
)
def test_what_is_no_audio_message_says_why(data: bytes, problem: str) -> None:
    with pytest.raises(ProtocolError, match=problem):
        unpack_audio(data)


@pytest.mark.parametrize(
    "message",
    [
        AudioMessage(AudioKind.OPUS, AudioFlags.NONE, 0, 0, 0, ()),
        AudioMessage(AudioKind.OPUS, AudioFlags.NONE, 0, 0, 0, (b"",)),
        AudioMessage(AudioKind.OPUS, AudioFlags.NONE, 65_536, 0, 0, (b"a",)),
        AudioMessage(AudioKind.OPUS, AudioFlags.NONE, 0, 2**32, 0, (b"a",)),
        AudioMessage(AudioKind.OPUS, AudioFlags.NONE, 0, 0, -1, (b"a",)),
        AudioMessage(AudioKind.OPUS, AudioFlags.NONE, 0, 0, 0, (bytes(65_536),)),
    ],
    ids=["no packet", "empty packet", "ordinal", "sequence", "timestamp", "packet too long"],
)
def test_an_audio_message_that_does_not_fit_is_not_packed(message: AudioMessage) -> None:
    with pytest.raises(ValueError, match="audio message"):
        pack_audio(message)


def test_the_reason_that_goes_with_1013_names_the_delay_and_fits_a_close_frame() -> None:
    assert protocol.overloaded_reason(1500) == "overloaded; retry_after_ms=1500"


@pytest.mark.parametrize("lexicon", [[], "afk", {"afk": 1}, {"afk": None}, {"afk": "\ud800"}])
def test_a_lexicon_holds_words_and_texts(lexicon: object) -> None:
    with pytest.raises(ProtocolError, match="lexicon"):
        parse_client(json.dumps({"type": "start", "lexicon": lexicon}))
