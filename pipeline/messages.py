"""What is asked of an utterance, and what comes out of it, in order.

Values only; knows no thread, no loop and no wire. Every `timestamp`, `start`, `end` and `samples` here is in
content samples (48 kHz) from the beginning of the utterance; every `offset` and `length` of text is in code
points of the utterance's text.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pipeline.audio import DEFAULT_RATE_HZ, STREAM_RATES_HZ
from pipeline.encoder import BITRATE_RANGE, AudioFormat
from pipeline.speech import PITCH_RANGE, SPEED_RANGE, InvalidOption, UtterError
from pipeline.text.spoken import DEFAULT_READING, ReadingOptions

DEFAULT_BITRATE = 48_000
LONGEST_LANGUAGE_TAG = 35


@dataclass(frozen=True, slots=True)
class Manner:
    """How a stretch of text is to be spoken.

    Raises:
        InvalidOption: a value outside its range.
    """

    voice: str
    language: str = "en"
    speed: float = 1.0
    pitch: float = 1.0

    def __post_init__(self) -> None:
        _check_range("speed", self.speed, SPEED_RANGE)
        _check_range("pitch", self.pitch, PITCH_RANGE)
        if not 0 < len(self.language) <= LONGEST_LANGUAGE_TAG:
            raise InvalidOption("language", self.language, "a language tag such as 'en'")


@dataclass(frozen=True, slots=True)
class UtteranceOptions:
    """How an utterance is spoken and what leaves.

    `sample_rate` is that of the stream, one of `STREAM_RATES_HZ`; `bitrate` is Opus's, in bits per second.

    Raises:
        InvalidOption: a value outside its range.
    """

    voice: str
    language: str = "en"
    speed: float = 1.0
    pitch: float = 1.0
    format: AudioFormat = AudioFormat.OPUS
    sample_rate: int = DEFAULT_RATE_HZ
    bitrate: int = DEFAULT_BITRATE
    reading: ReadingOptions = DEFAULT_READING

    def __post_init__(self) -> None:
        _ = self.manner
        if self.sample_rate not in STREAM_RATES_HZ:
            raise InvalidOption(
                "sample_rate", self.sample_rate, f"one of {', '.join(map(str, STREAM_RATES_HZ))}"
            )
        _check_range("bitrate", self.bitrate, BITRATE_RANGE)

    @property
    def manner(self) -> Manner:
        """The part of it that may change within an utterance."""
        return Manner(self.voice, self.language, self.speed, self.pitch)


def _check_range(option: str, value: float, allowed: tuple[float, float]) -> None:
    low, high = allowed
    # Not `low > value or value > high`: a NaN must not pass.
    if not low <= value <= high:
        raise InvalidOption(option, value, f"between {low} and {high}")


@dataclass(frozen=True, slots=True)
class SpokenWord:
    """One word and when it is heard; `text` is the slice of the utterance's text at `offset`."""

    text: str
    offset: int
    length: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AudioPackets:
    """Consecutive packets of 20 ms; packet *k* of them begins at `timestamp` + *k* x 960.

    `first` and `last` tell whether the utterance's first and final packet are among them.
    """

    packets: tuple[bytes, ...]
    timestamp: int
    first: bool
    last: bool


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `[offset, offset + length)` of the utterance's text, and when they are heard."""

    offset: int
    length: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SegmentMade:
    """A segment and its words on their way to who has the text: it becomes a `SegmentReady` there."""

    index: int
    span: Span
    words: tuple[Span, ...]

    def of(self, text: str) -> SegmentReady:
        """Fill in the slices of the utterance's text."""

        def slice_of(span: Span) -> str:
            return text[span.offset : span.offset + span.length]

        words = (
            SpokenWord(slice_of(word), word.offset, word.length, word.start, word.end) for word in self.words
        )
        span = self.span
        return SegmentReady(self.index, slice_of(span), span.offset, span.start, span.end, tuple(words))


@dataclass(frozen=True, slots=True)
class SegmentReady:
    """A segment's text and times. Comes before the first packet that holds audio of it.

    Only segments with audio are announced; `index` counts those. `start` and `end` bound the audio.
    """

    index: int
    text: str
    offset: int
    start: int
    end: int
    words: tuple[SpokenWord, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Letters or digits that the voice has no sound for: they are left out, and the rest is spoken.

    `text` is the first such word. Comes at most once in an utterance, at any moment before its end.
    """

    text: str


class FinishReason(Enum):
    """Why an utterance ended without having been cancelled."""

    COMPLETE = "complete"
    IDLE = "idle"


@dataclass(slots=True)
class Timings:
    """Seconds an utterance spent in each station; None where it has not been, or never will.

    The stations are those of the first segment, one after the other: text to the segment determined, to its
    synthesis begun, `begin` itself, its end to the first PCM in the ring buffer, to the first packet encoded,
    to that packet taken. Each field is written once, by the thread of its station. `synthesis_seconds` and
    `audio_seconds` are totals, so far.
    """

    split: float | None = None
    queue: float | None = None
    begin: float | None = None
    first_chunk: float | None = None
    encode: float | None = None
    handover: float | None = None
    synthesis_seconds: float = 0.0
    audio_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Finished:
    """All is said and handed over. `samples` is the exact length; the packets hold padding beyond it."""

    samples: int
    reason: FinishReason
    timings: Timings


@dataclass(frozen=True, slots=True)
class Failed:
    """The utterance could not be spoken to its end; no more comes of it."""

    error: UtterError


Message = AudioPackets | SegmentReady | Unreadable | Finished | Failed


@dataclass(frozen=True, slots=True)
class Cut:
    """Where an utterance was cut: the two parts of its text, together exactly the text."""

    text_spoken: str
    text_remaining: str
