"""Packets: the same however the PCM was cut, exact in length, and the audio that went in."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import opuslib_next
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.audio import (
    FRAME_CONTENT_SAMPLES,
    STREAM_RATES_HZ,
    Pcm,
    content_samples,
    float_from_int16,
    frame_samples,
    int16_from_float,
)
from pipeline.encoder import AudioFormat, Encoder, OpusEncoder, PcmEncoder, make_encoder

RATE = 24_000


def voiced(samples: int, rate_hz: int = RATE) -> Pcm:
    """A tone with a few harmonics and a slow swell: enough like a vowel for a codec."""
    t = np.arange(samples) / rate_hz
    tone = sum(np.sin(2 * np.pi * 140 * k * t) / k for k in range(1, 12))
    return (0.2 * tone * (0.6 + 0.4 * np.sin(2 * np.pi * 3 * t))).astype(np.float32)


def encode_in_pieces(encoder: Encoder, pcm: Pcm, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(cut % (len(pcm) + 1) for cut in cuts), len(pcm)]
    packets = [packet for start, end in pairwise(places) for packet in encoder.encode(pcm[start:end])]
    return packets + encoder.finish()


def decode(packets: list[bytes], rate_hz: int) -> Pcm:
    decoder = opuslib_next.Decoder(rate_hz, 1)
    size = frame_samples(rate_hz)
    return np.concatenate([np.frombuffer(decoder.decode_float(p, size), np.float32) for p in packets])


@pytest.mark.parametrize("audio_format", AudioFormat)
@settings(max_examples=25, deadline=None)
@given(samples=st.integers(1, 5_000), cuts=st.lists(st.integers(0, 5_000), max_size=12))
def test_packets_do_not_depend_on_how_the_pcm_was_cut(
    audio_format: AudioFormat, samples: int, cuts: list[int]
) -> None:
    pcm = voiced(samples)
    whole = encode_in_pieces(make_encoder(audio_format, RATE, 48_000), pcm, [])
    assert encode_in_pieces(make_encoder(audio_format, RATE, 48_000), pcm, cuts) == whole


@pytest.mark.parametrize("audio_format", AudioFormat)
@pytest.mark.parametrize("rate_hz", STREAM_RATES_HZ)
@settings(max_examples=20, deadline=None)
@given(samples=st.integers(1, 3_000))
def test_packets_cover_audio_and_pre_skip_with_at_most_a_frame_to_spare(
    audio_format: AudioFormat, rate_hz: int, samples: int
) -> None:
    encoder = make_encoder(audio_format, rate_hz, 48_000)
    packets = encode_in_pieces(encoder, voiced(samples, rate_hz), [])
    needed = content_samples(samples, rate_hz) + encoder.pre_skip
    held = len(packets) * FRAME_CONTENT_SAMPLES
    assert needed <= held <= needed + FRAME_CONTENT_SAMPLES


@pytest.mark.parametrize("rate_hz", STREAM_RATES_HZ)
def test_pre_skip_is_exactly_the_delay_of_the_decoded_audio(rate_hz: int) -> None:
    encoder = OpusEncoder(rate_hz, 64_000)
    pcm = voiced(rate_hz, rate_hz)
    decoded = decode(encode_in_pieces(encoder, pcm, []), rate_hz)
    assert encoder.pre_skip == 120
    delay = encoder.pre_skip // content_samples(1, rate_hz)
    errors = [float(np.sum((decoded[at : at + len(pcm)] - pcm) ** 2)) for at in range(2 * delay)]
    assert int(np.argmin(errors)) == delay
    assert 10 * np.log10(float(np.sum(pcm**2)) / errors[delay]) > 15


def test_every_frame_leaves_as_soon_as_it_is_complete() -> None:
    for encoder in (OpusEncoder(RATE, 48_000), PcmEncoder(RATE)):
        assert len(encoder.encode(voiced(479))) == 0
        assert len(encoder.encode(voiced(1))) == 1
        assert len(encoder.encode(voiced(480 * 5))) == 5


def test_a_higher_bitrate_makes_larger_packets() -> None:
    low, high = (
        sum(map(len, encode_in_pieces(OpusEncoder(RATE, bitrate), voiced(RATE), [])))
        for bitrate in (16_000, 64_000)
    )
    assert 8 * low < 20_000
    assert 50_000 < 8 * high < 80_000


@settings(max_examples=25, deadline=None)
@given(samples=st.integers(1, 3_000))
def test_pcm_packets_are_the_samples_rounded_to_16_bit_then_silence(samples: int) -> None:
    pcm = voiced(samples)
    packets = encode_in_pieces(PcmEncoder(RATE), pcm, [])
    assert {len(packet) for packet in packets} == {2 * frame_samples(RATE)}
    decoded = np.frombuffer(b"".join(packets), "<i2")
    assert np.array_equal(decoded[:samples], int16_from_float(pcm))
    assert not decoded[samples:].any()
    assert np.abs(float_from_int16(decoded[:samples]) - pcm).max() <= 0.5001 / 32_767


def test_pcm_beyond_full_scale_is_clipped_not_wrapped() -> None:
    packets = encode_in_pieces(PcmEncoder(RATE), np.array([1.5, -1.5], np.float32), [])
    assert np.frombuffer(packets[0], "<i2")[:2].tolist() == [32_767, -32_767]


def test_plain_pcm_has_no_pre_skip() -> None:
    assert PcmEncoder(RATE).pre_skip == 0
