"""What a client asks of its utterances: the wire's settings as the engine's options.

Knows no session and no socket. Pure.
"""

from __future__ import annotations

import dataclasses

from pipeline.encoder import AudioFormat
from pipeline.engine import Engine
from pipeline.messages import UtteranceOptions
from pipeline.speech import UnknownVoice
from pipeline.text.lexicon import Lexicon
from pipeline.text.spoken import ReadingOptions
from server.protocol import EmojiMode, MarkupMode, Start, Text


def options_of(start: Start, engine: Engine) -> UtteranceOptions:
    """Return how a session's utterances are spoken where their texts say nothing else.

    Raises:
        UnknownVoice, InvalidOption: a setting is not possible.
    """
    voice = start.voice or engine.default_voice
    known = [known.name for known in engine.voices]
    if voice not in known:
        raise UnknownVoice(voice, known)
    return UtteranceOptions(
        voice,
        language=start.language,
        speed=start.speed,
        pitch=start.pitch,
        format=AudioFormat(start.format.value),
        sample_rate=start.sample_rate,
        bitrate=start.bitrate,
        reading=_reading(start, ReadingOptions()),
    )


def options_for(text: Text, usual: UtteranceOptions) -> UtteranceOptions:
    """Return how the utterance that `text` opens is spoken: as it asks, and else as usual.

    Raises:
        InvalidOption: a setting is not possible.
    """
    return dataclasses.replace(
        usual,
        voice=text.voice or usual.voice,
        language=text.language or usual.language,
        speed=usual.speed if text.speed is None else text.speed,
        pitch=usual.pitch if text.pitch is None else text.pitch,
        reading=_reading(text, usual.reading),
    )


def _reading(asked: Start | Text, usual: ReadingOptions) -> ReadingOptions:
    return ReadingOptions(
        markup=usual.markup if asked.markup is None else asked.markup is MarkupMode.AUTO,
        names_emoji=usual.names_emoji if asked.emoji is None else asked.emoji is EmojiMode.NAME,
        lexicons=usual.lexicons if asked.lexicon is None else (Lexicon(asked.lexicon),),
    )
