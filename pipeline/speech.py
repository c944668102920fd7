"""The types and errors the pipeline shares with the models: what a synthesizer is asked, and what it answers.

Knows no socket, no thread and no framework. All types here are values; `Synthesizer` is the one interface
behind which every model stands. A synthesizer's methods are called on worker threads, several at a time with
different states, never twice at once with the same state.

Errors, all below `UtterError`, which carries a stable `code` for clients and whether a retry can help:

    UtterError
      UnknownVoice       no such voice
      InvalidOption      a setting outside its range
      TextTooLong        more text than one utterance may hold
      UtteranceEnded     text for an utterance that was ended or cancelled
      TooManyUtterances  a session has as many open utterances as it may
      Overloaded         the server has as much work as it can keep up with; retryable
      Draining           the server is shutting down; retryable elsewhere
      SynthesisFailed    a model step raised; the cause is chained
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

SPEED_RANGE = (0.5, 2.0)
"""Speaking rate relative to the voice's own; 2.0 is twice as fast."""

PITCH_RANGE = (0.5, 2.0)
"""Factor on the fundamental frequency; 1.0 is the voice's own."""

LONGEST_SEGMENT = 300
"""Code points in one segment at most."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One word of the spoken form, and the characters of the segment's text it is said for.

    `text` is what is said, with the punctuation that touches it and without white space; punctuation alone is
    a word too. Several words may be said for the same characters `[offset, offset + length)`: "$5" is two.
    `language` is that of the word. `spelled`: `text` is a letter to be named. `phonemes` are the voice's own
    symbols and stand for the word, but not for its punctuation.
    """

    text: str
    offset: int
    length: int
    language: str = "en"
    spelled: bool = False
    phonemes: str | None = None


@dataclass(frozen=True, slots=True)
class SegmentRequest:
    """One piece of text to synthesize in one go.

    `text` is the input as it came, less its markup, at most `LONGEST_SEGMENT` code points; `spoken` is how it
    is read, in order of speech, and all the voice goes by. `first` marks the first segment of an utterance,
    whose first chunk is wanted early and therefore small. `seed` fixes the noise part of the voice: the same
    request gives the same samples, in whatever chunks they are asked for. `continues` tells that the sentence
    goes on though no punctuation ends the text: the voice reads it as up to a comma.
    """

    text: str
    voice: str
    spoken: tuple[Spoken, ...]
    language: str = "en"
    speed: float = 1.0
    pitch: float = 1.0
    first: bool = True
    seed: int = 0
    continues: bool = False


@dataclass(frozen=True, slots=True)
class WordTime:
    """When one word of the input is heard.

    `offset` and `length` are code points in the segment's text and `text` is exactly that slice; `start` and
    `end` are PCM samples at the synthesizer's rate from the first sample the segment yields.
    """

    text: str
    offset: int
    length: int
    start: int
    end: int


class SpeechState(Protocol):
    """Everything a segment in progress consists of. Belongs to the synthesizer that made it."""

    @property
    def words(self) -> Sequence[WordTime]:
        """Times of the words, in order, known as soon as `begin` returns."""
        ...

    @property
    def samples(self) -> int:
        """How many PCM samples the segment yields in all; 0 when nothing in it can be spoken."""
        ...

    @property
    def finished(self) -> bool:
        """True once the chunks returned so far amount to `samples`."""
        ...


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one step yields for one state: mono float32 PCM, shape `(n,)`, in [-1, 1]; `last` ends it."""

    pcm: NDArray[np.float32]
    last: bool


class Synthesizer(Protocol):
    """A model, loaded and warm."""

    @property
    def sample_rate(self) -> int:
        """Rate of every chunk, in Hz."""
        ...

    @property
    def streams(self) -> bool:
        """True when a segment comes in several short steps, so that others can be served between them."""
        ...

    @property
    def max_batch(self) -> int:
        """How many states one `advance` call can take; at least 1."""
        ...

    def begin(self, segment: SegmentRequest) -> SpeechState:
        """Turn text into phonemes, durations and word times, and make the state that `advance` works on.

        Total: text that no grapheme-to-phoneme rule can read is spelled out, and text with nothing to speak
        gives a state with `samples == 0`, which is finished at once.
        """
        ...

    def advance(self, states: Sequence[SpeechState]) -> list[Chunk]:
        """Compute the next chunk of each state, in order. Every state must be unfinished and occur once."""
        ...


@dataclass(frozen=True, slots=True)
class Voice:
    """What a client may know of a voice."""

    name: str
    language: str
    description: str
    licence: str
    source: str


class UtterError(Exception):
    """Base of every error a client may be told of. `code` is part of the wire, the message is for people."""

    code: ClassVar[str] = "internal"
    retryable: ClassVar[bool] = False


class UnknownVoice(UtterError):
    """No voice of this name is loaded."""

    code = "unknown-voice"

    def __init__(self, voice: str, known: Sequence[str]) -> None:
        super().__init__(f"There is no voice named {voice[:64]!r}. Known voices: {', '.join(known)}.")
        self.voice = voice


class InvalidOption(UtterError):
    """A setting lies outside its range."""

    code = "invalid-option"

    def __init__(self, option: str, value: object, allowed: str) -> None:
        super().__init__(f"{option} must be {allowed}, not {str(value)[:64]!r}.")
        self.option = option


class TextTooLong(UtterError):
    """An utterance would hold more text than it may."""

    code = "text-too-long"

    def __init__(self, length: int, limit: int) -> None:
        super().__init__(f"An utterance may hold {limit} characters; this one would hold {length}.")
        self.length = length
        self.limit = limit


class UtteranceEnded(UtterError):
    """Text came for an utterance that has ended."""

    code = "utterance-ended"

    def __init__(self) -> None:
        super().__init__("This utterance has ended; its text was dropped.")


class TooManyUtterances(UtterError):
    """A session has as many open utterances as it may."""

    code = "too-many-utterances"
    retryable = True

    def __init__(self, limit: int) -> None:
        super().__init__(f"{limit} utterances are open already; wait for one to end or cancel one.")
        self.limit = limit


class Overloaded(UtterError):
    """The server has as much work as it can keep up with."""

    code = "overloaded"
    retryable = True

    def __init__(self, retry_after_ms: int) -> None:
        super().__init__(f"The server is busy; try again in {retry_after_ms} ms.")
        self.retry_after_ms = retry_after_ms


class Draining(UtterError):
    """The server is shutting down and takes nothing new."""

    code = "draining"
    retryable = True

    def __init__(self) -> None:
        super().__init__("The server is shutting down.")


class SynthesisFailed(UtterError):
    """A model step raised. The cause is chained and logged, never told to the client."""

    code = "synthesis-failed"
    retryable = True

    def __init__(self) -> None:
        super().__init__("This text could not be spoken; nothing else was affected.")
