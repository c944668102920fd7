"""PCM in, packets of 20 ms out: Opus, or plain 16 bit.

Knows nothing of threads, queues or the wire. An encoder belongs to one utterance and is called by one
thread at a time. It takes PCM in pieces of any length and keeps what does not fill a frame; the packets do
not depend on how the PCM was cut. The only file that imports the Opus binding.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol

import numpy as np
import opuslib_next

from pipeline.audio import Pcm, content_samples, frame_samples, int16_from_float

OPUS_MODE = opuslib_next.APPLICATION_RESTRICTED_LOWDELAY
"""CELT only: 2.5 ms of delay instead of 6.5, and on speech at 48 kbit/s neither DNSMOS nor cost speaks for
the other modes (docs/performance.md)."""

OPUS_COMPLEXITY = 5

BITRATE_RANGE = (6_000, 256_000)
"""Bits per second, mono."""


class AudioFormat(Enum):
    """How audio is packed."""

    OPUS = "opus"
    PCM = "pcm"


class Encoder(Protocol):
    """Turns an utterance's PCM into packets."""

    @property
    def pre_skip(self) -> int:
        """Content samples (48 kHz) the decoder puts before the audio; the client drops them."""
        ...

    def encode(self, pcm: Pcm) -> list[bytes]:
        """Take PCM of shape `(n,)` and return a packet for every frame it completes."""
        ...

    def finish(self) -> list[bytes]:
        """Return the last packets, one at least: what is held back and the codec's delay, then silence."""
        ...


def make_encoder(audio_format: AudioFormat, rate_hz: int, bitrate: int) -> Encoder:
    """Return a fresh encoder for PCM at `rate_hz`, one of `STREAM_RATES_HZ`; only Opus heeds `bitrate`."""
    if audio_format is AudioFormat.PCM:
        return PcmEncoder(rate_hz)
    return OpusEncoder(rate_hz, bitrate)


class OpusEncoder:
    """Opus, mono, 20 ms packets, variable bit rate around `bitrate`."""

    def __init__(self, rate_hz: int, bitrate: int) -> None:
        self._frame_samples = frame_samples(rate_hz)
        self._framer = _Framer(self._frame_samples)
        self._opus = opuslib_next.Encoder(rate_hz, 1, OPUS_MODE)
        self._opus.bitrate = bitrate
        self._opus.complexity = OPUS_COMPLEXITY
        self._delay_samples: int = self._opus.lookahead
        self._pre_skip = content_samples(self._delay_samples, rate_hz)

    @property
    def pre_skip(self) -> int:
        """Content samples the codec's lookahead puts before the audio."""
        return self._pre_skip

    def encode(self, pcm: Pcm) -> list[bytes]:
        """Return a packet for every frame that `pcm` completes."""
        return self._packets(self._framer.push(pcm))

    def finish(self) -> list[bytes]:
        """Return the last one or two packets."""
        self._framer.push_silence(self._delay_samples)
        return self._packets(self._framer.finish())

    def _packets(self, frames: Pcm) -> list[bytes]:
        size = self._frame_samples * frames.itemsize
        return [self._opus.encode_float(frame, self._frame_samples) for frame in _cut(frames.tobytes(), size)]


class PcmEncoder:
    """Signed 16 bit little-endian mono, 20 ms a packet."""

    def __init__(self, rate_hz: int) -> None:
        self._frame_samples = frame_samples(rate_hz)
        self._framer = _Framer(self._frame_samples)

    @property
    def pre_skip(self) -> int:
        """Nothing: plain PCM has no delay."""
        return 0

    def encode(self, pcm: Pcm) -> list[bytes]:
        """Return a packet for every frame that `pcm` completes."""
        return self._packets(self._framer.push(pcm))

    def finish(self) -> list[bytes]:
        """Return the last packet; all of it is padding when the audio fills its frames exactly."""
        return self._packets(self._framer.finish())

    def _packets(self, frames: Pcm) -> list[bytes]:
        pcm16 = int16_from_float(frames).astype("<i2", copy=False)
        return _cut(pcm16.tobytes(), self._frame_samples * pcm16.itemsize)


def _cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


class _Framer:
    """Gives a stream on in whole frames; less than one is held back."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._rest: Pcm = np.empty(0, np.float32)

    def push(self, pcm: Pcm) -> Pcm:
        joined = np.concatenate((self._rest, pcm)) if len(self._rest) else pcm
        whole = len(joined) - len(joined) % self._size
        self._rest = joined[whole:].copy()
        return joined[:whole]

    def push_silence(self, samples: int) -> None:
        self._rest = np.concatenate((self._rest, np.zeros(samples, np.float32)))

    def finish(self) -> Pcm:
        """Return what is held back, filled up with silence: one frame at least."""
        short = -len(self._rest) % self._size if len(self._rest) else self._size
        return self.push(np.zeros(short, np.float32))
