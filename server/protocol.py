"""The wire, version 1: every message of both directions, built and parsed; the audio bytes; the close codes.

Sans-I/O: knows no socket, no session and no clock. Pure; any thread may call it. `static/protocol.js` is the
only other place that builds or reads these bytes, and `tests/data/wire_golden.json` binds the two together.

Control messages are I-JSON (RFC 7493) objects with a `type`; each is one frozen dataclass below whose fields
are the wire's, with their defaults. Offsets and lengths of text are code points; every sample count is
content samples (48 kHz).
"""

from __future__ import annotations

import enum
import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NoReturn, TypeVar

from pipeline.audio import DEFAULT_RATE_HZ
from pipeline.pacer import DEFAULT_LEAD_MS
from server.fields import SAFE_INTEGER, Bounds, FieldError, decode, encode

VERSION = 1
PATH = "/v1/stream"
MAX_MESSAGE_BYTES = 64 * 1024
"""The longest message a client may send."""

ORDINALS = 1 << 16
"""Ordinals count modulo this."""

SEQUENCES = 1 << 32
"""Packet sequence numbers and timestamps count modulo this."""

MAX_PRE_ROLL = 50
"""Packets a client may ask for to prepare a decoder: a second of them."""

HEADER = struct.Struct("<BBHII")
"""Type, flags, ordinal, sequence, timestamp of an audio message."""

_LENGTH = struct.Struct("<H")

Identifier = Annotated[str, Bounds(1, 64)]
"""An utterance's id, a voice's or a language's name."""

Samples = Annotated[int, Bounds(0, SAFE_INTEGER)]
Count = Annotated[int, Bounds(0, SAFE_INTEGER)]
Milliseconds = Annotated[float, Bounds(0, SAFE_INTEGER)]


class CloseCode(enum.IntEnum):
    """Why a socket was closed."""

    NORMAL = 1000
    GOING_AWAY = 1001
    UNSUPPORTED_DATA = 1003
    INVALID_DATA = 1007
    FLOOD = 1008
    TOO_BIG = 1009
    INTERNAL_ERROR = 1011
    OVERLOADED = 1013
    TAKEN_OVER = 4001


class ProtocolError(Exception):
    """A message that is none. `close` says with which code the socket must close; None keeps it open.

    `code` and the text are for the peer's `error` message; `utterance` is the one that lost text by it.
    """

    def __init__(
        self, code: str, message: str, *, close: CloseCode | None = None, utterance: str | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.close = close
        self.utterance = utterance


class StreamFormat(enum.StrEnum):
    """What the packets of a session hold."""

    OPUS = "opus"
    PCM = "pcm"


class MarkupMode(enum.StrEnum):
    """Whether Markdown, HTML and speech marks in a text are markup; in plain text nothing is."""

    AUTO = "auto"
    PLAIN = "plain"


class EmojiMode(enum.StrEnum):
    """What becomes of emoji."""

    DROP = "drop"
    NAME = "name"


class UtteranceState(enum.StrEnum):
    """How far an utterance is that is not fully heard; `done` when all its audio is sent."""

    QUEUED = "queued"
    SPEAKING = "speaking"
    DONE = "done"


class DoneReason(enum.StrEnum):
    """Why an utterance is done."""

    COMPLETE = "complete"
    IDLE = "idle"


# Client to server.


@dataclass(frozen=True, slots=True)
class Resume:
    """The session a client would like to go on with.

    `next` is the sequence number of the first packet it wants; `pre_roll` so many from there on are for a new
    decoder only. `cancel` names what it cancelled meanwhile; `playing` and `played` are its playhead.
    """

    session: str
    next: Annotated[int, Bounds(0, SEQUENCES - 1)] = 0
    cancel: tuple[Identifier, ...] = ()
    pre_roll: Annotated[int, Bounds(0, MAX_PRE_ROLL)] = 0
    playing: Identifier | None = None
    played: Samples = 0


@dataclass(frozen=True, slots=True)
class Start:
    """First message of a session, optional. `voice` None is the default voice, `lead_ms` None is unpaced.

    `lexicon` says what is said for a word: other words, or "/phonemes/".
    """

    voice: Identifier | None = None
    language: Identifier = "en"
    speed: float = 1.0
    pitch: float = 1.0
    format: StreamFormat = StreamFormat.OPUS
    sample_rate: int = DEFAULT_RATE_HZ
    bitrate: int = 48_000
    captions: bool = True
    markup: MarkupMode = MarkupMode.AUTO
    emoji: EmojiMode = EmojiMode.DROP
    lexicon: Mapping[str, str] | None = None
    lead_ms: Annotated[float, Bounds(100, 60_000)] | None = DEFAULT_LEAD_MS
    resume: Resume | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """Appends to an utterance, cut anywhere, even between surrogates; the first one opens it.

    Settings that are not None hold from the next segment, but `markup`, `emoji` and `lexicon` for the whole
    utterance, and only in its first text.
    """

    utterance: Identifier
    text: str
    voice: Identifier | None = None
    language: Identifier | None = None
    speed: float | None = None
    pitch: float | None = None
    markup: MarkupMode | None = None
    emoji: EmojiMode | None = None
    lexicon: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Flush:
    """Speak what is held back now."""

    utterance: Identifier


@dataclass(frozen=True, slots=True)
class End:
    """No more text; finish."""

    utterance: Identifier


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop one utterance, or with None everything not fully heard.

    `played` counts in `utterance`, or else in `playing`, the one being heard.
    """

    utterance: Identifier | None = None
    played: Samples | None = None
    playing: Identifier | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """The playhead: all earlier utterances are heard, this one up to `played`.

    `underruns` is how often the player ran dry since it last said so.
    """

    utterance: Identifier
    played: Samples
    underruns: Annotated[int, Bounds(0, 1000)] = 0


@dataclass(frozen=True, slots=True)
class Ping:
    """Asks for a `Pong`."""


# Server to client.


@dataclass(frozen=True, slots=True)
class Limits:
    """What a session may hold: code points in an utterance, open utterances, bytes in a message."""

    text: Count
    utterances: Count
    message_bytes: Count = MAX_MESSAGE_BYTES


@dataclass(frozen=True, slots=True)
class Unheard:
    """What a resumed session has of an utterance: `received` code points of its text, and perhaps its `end`.

    `ordinal` is None until it has had its `started`.
    """

    utterance: Identifier
    received: Count
    ended: bool
    state: UtteranceState
    ordinal: Annotated[int, Bounds(0, ORDINALS - 1)] | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """The session has begun or, `resumed`, goes on with `utterances`: all that are not fully heard."""

    session: str
    version: int
    voice: str
    limits: Limits
    resumed: bool = False
    utterances: tuple[Unheard, ...] | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """Audio of this utterance follows under `ordinal`; `pre_skip` content samples of it are not content."""

    utterance: Identifier
    ordinal: Annotated[int, Bounds(0, ORDINALS - 1)]
    voice: str
    pre_skip: Count


@dataclass(frozen=True, slots=True)
class Word:
    """One spoken word: a slice of the utterance's text, and when it is heard."""

    text: str
    offset: Count
    length: Count
    start: Samples
    end: Samples


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of an utterance whose packets follow."""

    utterance: Identifier
    index: Count
    text: str
    offset: Count
    start: Samples
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class StationTimings:
    """Milliseconds spent in every station until the first audio left; None where nothing passed through it.

    `ttfb` is text received to first audio message handed to the socket; `synthesis` and `audio` are totals.
    """

    split: Milliseconds | None = None
    queue: Milliseconds | None = None
    begin: Milliseconds | None = None
    first_chunk: Milliseconds | None = None
    encode: Milliseconds | None = None
    handover: Milliseconds | None = None
    ttfb: Milliseconds | None = None
    synthesis: Milliseconds | None = None
    audio: Milliseconds | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """All audio of the utterance is sent; it holds exactly `samples`."""

    utterance: Identifier
    samples: Samples
    timings: StationTimings
    reason: DoneReason = DoneReason.COMPLETE


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Nothing more of this utterance comes. The two texts together are all of its text."""

    utterance: Identifier
    text_spoken: str
    text_remaining: str


@dataclass(frozen=True, slots=True)
class WarningMessage:
    """Something was ignored; nothing ends."""

    code: str
    message: str
    utterance: Identifier | None = None
    retry_after_ms: Count | None = None


@dataclass(frozen=True, slots=True)
class ErrorMessage:
    """Something failed; with an utterance, that one has ended."""

    code: str
    message: str
    retryable: bool
    utterance: Identifier | None = None
    retry_after_ms: Count | None = None


@dataclass(frozen=True, slots=True)
class Pong:
    """Answers a `Ping`."""


ClientMessage = Start | Text | Flush | End | Cancel | Progress | Ping
ServerMessage = Ready | Started | Segment | Done | Cancelled | WarningMessage | ErrorMessage | Pong
M = TypeVar("M")

CLIENT_TYPES: Mapping[str, type[ClientMessage]] = {
    "start": Start,
    "text": Text,
    "flush": Flush,
    "end": End,
    "cancel": Cancel,
    "progress": Progress,
    "ping": Ping,
}
SERVER_TYPES: Mapping[str, type[ServerMessage]] = {
    "ready": Ready,
    "started": Started,
    "segment": Segment,
    "done": Done,
    "cancelled": Cancelled,
    "warning": WarningMessage,
    "error": ErrorMessage,
    "pong": Pong,
}
_NAMES: Mapping[type, str] = {
    record: name for types in (CLIENT_TYPES, SERVER_TYPES) for name, record in types.items()
}


def parse_client(text: str) -> ClientMessage:
    """Read what a client sent.

    Raises:
        ProtocolError: Not I-JSON (closes with 1007), or no message of this protocol (the socket stays open).
    """
    return _parse(text, CLIENT_TYPES)


def parse_server(text: str) -> ServerMessage:
    """Read a control message a server sent; raises as `parse_client` does."""
    return _parse(text, SERVER_TYPES)


def serialize_client(message: ClientMessage) -> str:
    """Return the JSON text of a client's message."""
    return _serialize(message)


def serialize(message: ServerMessage) -> str:
    """Return the JSON text of a server's message."""
    return _serialize(message)


def overloaded_reason(retry_after_ms: int) -> str:
    """Return the close reason that goes with 1013."""
    return f"overloaded; retry_after_ms={retry_after_ms}"


def _serialize(message: object) -> str:
    # Escaped to ASCII: text that was cut between two surrogates has no UTF-8 form of its own.
    return json.dumps({"type": _NAMES[type(message)], **encode(message)}, separators=(",", ":"))


def _parse(text: str, types: Mapping[str, type[M]]) -> M:
    values = _load(text)
    name = values.get("type")
    if not isinstance(name, str):
        raise ProtocolError("invalid-message", "A message needs a type, which is a string.")
    record = types.get(name)
    if record is None:
        raise ProtocolError("unknown-type", f"There is no message of type {name[:64]!a}.")
    try:
        return decode(record, values)
    except FieldError as error:
        # A text message that is dropped leaves a hole. Its id was checked first, so it is sound here.
        loses_text = record is Text and error.path != "utterance"
        utterance = str(values["utterance"]) if loses_text else None
        raise ProtocolError("invalid-message", f"{name}: {error}.", utterance=utterance) from None


def _load(text: str) -> dict[str, object]:
    try:
        values = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise ProtocolError("malformed", "not I-JSON", close=CloseCode.INVALID_DATA) from None
    if not isinstance(values, dict):
        raise ProtocolError("malformed", "not a JSON object", close=CloseCode.INVALID_DATA)
    return values


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a name occurs twice in an object")
    return values


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# Audio.


class AudioKind(enum.IntEnum):
    """What the packets of an audio message hold."""

    OPUS = 1
    PCM = 2


class AudioFlags(enum.IntFlag):
    """What is special about an audio message; unknown bits are kept and mean nothing."""

    NONE = 0
    FIRST = 1
    LAST = 2
    PRE_ROLL = 4
    DECODER_RESET = 8


@dataclass(frozen=True, slots=True)
class AudioMessage:
    """Packets of one utterance. `sequence` and `timestamp` are the first's; packet k adds k and 960 k."""

    kind: AudioKind
    flags: AudioFlags
    ordinal: int
    sequence: int
    timestamp: int
    packets: tuple[bytes, ...]


def pack_audio(message: AudioMessage) -> bytes:
    """Return the bytes of an audio message: the header, then each packet behind its length.

    Raises:
        ValueError: A number outside its field, no packet, or a packet that is empty or over 65,535 bytes.
    """
    if not message.packets or not all(message.packets):
        raise ValueError("an audio message holds at least one packet, none of them empty")
    try:
        parts = [
            HEADER.pack(message.kind, message.flags, message.ordinal, message.sequence, message.timestamp)
        ]
        for packet in message.packets:
            parts += (_LENGTH.pack(len(packet)), packet)
    except struct.error as error:
        raise ValueError(f"audio message out of range: {error}") from None
    return b"".join(parts)


def unpack_audio(data: bytes) -> AudioMessage:
    """Read an audio message.

    Raises:
        ProtocolError: Too short, of unknown kind, without packets, or with a packet that is empty or cut off.
    """
    if len(data) < HEADER.size:
        raise _bad_audio("shorter than its header")
    kind, flags, ordinal, sequence, timestamp = HEADER.unpack_from(data)
    if kind not in AudioKind.__members__.values():
        raise _bad_audio(f"of unknown kind {kind}")
    packets = tuple(_packets(data))
    if not packets:
        raise _bad_audio("without packets")
    return AudioMessage(AudioKind(kind), AudioFlags(flags), ordinal, sequence, timestamp, packets)


def _packets(data: bytes) -> Iterator[bytes]:
    position = HEADER.size
    while position < len(data):
        start = position + _LENGTH.size
        end = start + int.from_bytes(data[position:start], "little")
        if start > len(data) or end > len(data):
            raise _bad_audio("with a packet cut off")
        if start == end:
            raise _bad_audio("with an empty packet")
        yield data[start:end]
        position = end


def _bad_audio(problem: str) -> ProtocolError:
    return ProtocolError("malformed", f"an audio message {problem}", close=CloseCode.INVALID_DATA)
