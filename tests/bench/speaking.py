"""A client that speaks sentences one after the other over the wire and notes when the first audio came.

Knows the wire and Opus, nothing of the server's insides: what the server says of its own times is taken from
`done`. Runs on the event loop of the measuring process.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from opuslib_next import Decoder
from websockets.asyncio.client import ClientConnection, connect

from pipeline.audio import CONTENT_RATE_HZ, FRAME_CONTENT_SAMPLES, ms_from_samples
from server import protocol

AUDIBLE = 10 ** (-50 / 20)
"""A sample above this magnitude, -50 dB below full scale, is heard."""

LONGEST_SILENCE_PACKETS = 25


@dataclass(frozen=True, slots=True)
class Spoken:
    """One sentence. `ttfb_ms` is the server's, `client_ms` from sending the text to receiving audio."""

    characters: int
    ttfb_ms: float
    silence_ms: float
    client_ms: float

    @property
    def ttfa_ms(self) -> float:
        """From text received to the first audible sample, had it been played without delay."""
        return self.ttfb_ms + self.silence_ms


async def speak_all(address: str, name: str, sentences: Sequence[str]) -> list[Spoken]:
    """Speak `sentences` in one session, unpaced, each when the one before is done."""
    async with connect(address, compression=None, max_size=None) as socket:
        await socket.send(protocol.serialize_client(protocol.Start(lead_ms=None)))
        return [await _speak(socket, f"{name}-{at}", text) for at, text in enumerate(sentences)]


async def _speak(socket: ClientConnection, utterance: str, text: str) -> Spoken:
    sent_at = time.monotonic()
    await socket.send(protocol.serialize_client(protocol.Text(utterance, text)))
    await socket.send(protocol.serialize_client(protocol.End(utterance)))
    heard_at, pre_skip = 0.0, 0
    packets: list[bytes] = []
    async for data in socket:
        if isinstance(data, bytes):
            heard_at = heard_at or time.monotonic()
            packets += protocol.unpack_audio(data).packets
            continue
        match protocol.parse_server(data):
            case protocol.Started(pre_skip=pre_skip):
                pass
            case protocol.ErrorMessage(message=message):
                raise RuntimeError(message)
            case protocol.Done(timings=protocol.StationTimings(ttfb=ttfb)) if ttfb is not None:
                client_ms = (heard_at - sent_at) * 1000
                return Spoken(len(text), ttfb, leading_silence_ms(packets, pre_skip), client_ms)
            case protocol.Done():
                raise RuntimeError(f"there is nothing to speak in {text!r}")
    raise RuntimeError("the server closed the socket")


def leading_silence_ms(packets: Sequence[bytes], pre_skip: int) -> float:
    """Return how long a listener hears nothing at the beginning of these Opus packets."""
    decoder = Decoder(CONTENT_RATE_HZ, 1)
    pcm = b"".join(decoder.decode(p, FRAME_CONTENT_SAMPLES) for p in packets[:LONGEST_SILENCE_PACKETS])
    samples = np.frombuffer(pcm, "<i2")[pre_skip:] / 32_768
    audible = np.flatnonzero(np.abs(samples) > AUDIBLE)
    return ms_from_samples(int(audible[0]) if audible.size else len(samples), CONTENT_RATE_HZ)
