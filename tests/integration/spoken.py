"""A client of a whole server that speaks texts and keeps everything that came of them.

Knows the wire, and Opus through libopus; nothing of the server's insides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from opuslib_next import Decoder
from websockets.asyncio.client import ClientConnection, connect

from models.acoustic import SAMPLE_RATE_HZ
from pipeline.audio import CONTENT_RATE_HZ, Pcm, float_from_int16, frame_samples
from server import protocol

CONTENT_PER_SAMPLE = CONTENT_RATE_HZ // SAMPLE_RATE_HZ


@dataclass(slots=True)
class Spoken:
    """One text and what came of it. `samples` is its length by `done`."""

    text: str
    pre_skip: int = 0
    segments: list[protocol.Segment] = field(default_factory=list)
    packets: list[bytes] = field(default_factory=list)
    samples: int = 0

    @property
    def decoded(self) -> Pcm:
        """All that its packets hold behind the pre-skip: float32 at 24 kHz, shape `(n,)`."""
        decoder = Decoder(SAMPLE_RATE_HZ, 1)
        frame = frame_samples(SAMPLE_RATE_HZ)
        pcm = b"".join(decoder.decode(packet, frame) for packet in self.packets)
        return float_from_int16(np.frombuffer(pcm, np.int16))[self.pre_skip // CONTENT_PER_SAMPLE :]

    @property
    def pcm(self) -> Pcm:
        """What is heard of it: float32 at 24 kHz, shape `(samples // 2,)`."""
        decoded = self.decoded
        length = self.samples // CONTENT_PER_SAMPLE
        assert 0 < length <= decoded.size
        return decoded[:length]


async def speak(address: str, texts: Sequence[str]) -> list[Spoken]:
    """Speak texts in one session, one when the one before is done, with all audio sent at once."""
    async with connect(address, compression=None, max_size=None) as socket:
        await socket.send(protocol.serialize_client(protocol.Start(lead_ms=None)))
        return [await _speak(socket, str(number), text) for number, text in enumerate(texts)]


async def _speak(socket: ClientConnection, utterance: str, text: str) -> Spoken:
    await socket.send(protocol.serialize_client(protocol.Text(utterance, text)))
    await socket.send(protocol.serialize_client(protocol.End(utterance)))
    spoken = Spoken(text)
    async for data in socket:
        if isinstance(data, bytes):
            spoken.packets += protocol.unpack_audio(data).packets
            continue
        match protocol.parse_server(data):
            case protocol.Ready():
                pass
            case protocol.Started(pre_skip=pre_skip):
                spoken.pre_skip = pre_skip
            case protocol.Segment() as segment:
                spoken.segments.append(segment)
            case protocol.Done(samples=samples):
                spoken.samples = samples
                return spoken
            case other:
                raise AssertionError(other)
    raise AssertionError("the server closed the socket")
