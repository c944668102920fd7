"""Wherever the real voice is cut off: two texts that are the text, parted between words."""

from __future__ import annotations

import asyncio
import functools
import random
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import pytest
from websockets.asyncio.client import connect

from models.catalog import HEART
from pipeline.audio import FRAME_CONTENT_SAMPLES
from pipeline.cut import length_heard
from pipeline.engine import Engine
from pipeline.messages import SegmentReady, UtteranceOptions
from server.protocol import Cancel, Cancelled, Done, End, Start, Text
from tests.live import LiveServer
from tests.models.spoken import synthesizer
from tests.pipeline.listening import listen, say
from tests.server.hearing import AWKWARD_TEXTS, Hearing
from tests.server.loopback import Client

CUTS_OVER_THE_SOCKET = 2
"""Of each text: some while it is being sent, some when all of it is."""

TOKEN = re.compile(r"\w+(?:[.,:/'-]\w+)*")
"""A word, number, date or time: what no cut may part, however it is spoken."""

JOINER = "\u200d"
EMOJI_STYLE = "\ufe0f"


@dataclass(frozen=True, slots=True)
class Timed:
    """A text, when its words are heard, and its length in content samples."""

    text: str
    segments: tuple[SegmentReady, ...]
    samples: int

    @property
    def cut_points(self) -> Iterator[int]:
        """Every packet's beginning, and one sample to each side of what begins or ends in it."""
        yield from range(0, self.samples + FRAME_CONTENT_SAMPLES, FRAME_CONTENT_SAMPLES)
        for segment in self.segments:
            for time in (segment.start, segment.end, *(word.end for word in segment.words)):
                yield from (max(0, time - 1), time, time + 1)


@functools.cache
def timed() -> tuple[Timed, ...]:
    """Speak every text once with the real voice, and return what it said of it."""
    return asyncio.run(_speak_all())


async def _speak_all() -> tuple[Timed, ...]:
    options = UtteranceOptions(HEART.name)
    async with Engine({HEART.name: synthesizer()}, [HEART]) as engine:
        heard = [await listen(say(engine, text, options)) for text in AWKWARD_TEXTS]
    return tuple(
        Timed(text, tuple(one.segments), one.finished.samples)
        for text, one in zip(AWKWARD_TEXTS, heard, strict=True)
    )


def parts_a_word(text: str, place: int) -> bool:
    """Tell whether a token, a pair of surrogates or a composed character stands on both sides of a place."""
    before, after = text[place - 1 : place], text[place : place + 1]
    halves = "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"
    composed = before == JOINER or after in (JOINER, EMOJI_STYLE) or unicodedata.combining(after or " ") > 0
    within = any(token.start() < place < token.end() for token in TOKEN.finditer(text))
    return bool(before and after) and (halves or composed or within)


def test_a_text_of_every_kind_is_spoken() -> None:
    assert sum(one.samples > 0 for one in timed()) >= 30
    assert sum(len(one.segments) for one in timed()) > len(timed())


@pytest.mark.parametrize("number", range(len(AWKWARD_TEXTS)))
def test_more_heard_is_more_text_and_never_half_a_word(number: int) -> None:
    one = timed()[number]
    places = [length_heard(one.segments, heard) for heard in sorted(one.cut_points)]
    assert all(earlier <= later for earlier, later in pairwise(places))
    assert all(0 <= place <= len(one.text) for place in places)
    assert not [one.text[:place] for place in set(places) if parts_a_word(one.text, place)]


@pytest.mark.parametrize("number", range(len(AWKWARD_TEXTS)))
def test_a_word_is_spoken_from_its_last_sample_on_and_not_before(number: int) -> None:
    one = timed()[number]
    for heard in one.cut_points:
        place = length_heard(one.segments, heard)
        for word in (word for segment in one.segments for word in segment.words):
            if word.start < word.end:
                assert (word.offset + word.length <= place) == (word.end <= heard)


def test_over_the_socket_every_cut_of_every_text_is_the_text(server: LiveServer) -> None:
    chance = random.Random(7)

    async def script() -> None:
        async with connect(server.socket, compression=None, max_size=None) as socket:
            client = Hearing(Client(socket))
            await client.send(Start(lead_ms=None))
            for number, one in enumerate(timed()):
                if one.samples:
                    for cut in range(CUTS_OVER_THE_SOCKET):
                        await cut_off(client, f"{number}.{cut}", one, chance)

    asyncio.run(script())


async def cut_off(client: Hearing, name: str, one: Timed, chance: random.Random) -> None:
    """Have a text spoken in random pieces, and cut it off somewhere after a random number of packets."""
    del client.messages[:]
    at = sorted({0, len(one.text), *chance.choices(range(len(one.text) + 1), k=3)})
    await client.send(*(Text(name, one.text[a:b]) for a, b in pairwise(at)), End(name))
    wanted = chance.randrange(2 * one.samples // FRAME_CONTENT_SAMPLES)
    while client.packets(name) < wanted and not client.all(Done):
        await client.next()
    played = chance.randrange(one.samples + FRAME_CONTENT_SAMPLES)
    await client.send(Cancel(name, played))
    cancelled = await client.hear(Cancelled)
    client.assert_cut(cancelled, one.text, played)
    assert not parts_a_word(one.text, len(cancelled.text_spoken))
