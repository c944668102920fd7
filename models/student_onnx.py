"""The acoustic network under onnxruntime, as it is served on a CPU: the wheel's own int8 graph, cut in three.

Encoder and prosody run once a segment, in `plan`. The decoder is stateful: each of its nine convolutions
keeps its last inputs, so that a segment is decoded in runs of any length and no frame of any layer is
computed twice. Activations are quantized per tensor, hence per run: two ways to cut a segment agree to the
precision of int8, not exactly. `models/student_graph.py` does the cutting.

Knows no text, no word and no PCM. A loaded model may be called on several threads at once, with different
states; every call computes on its caller's thread alone.

Why a run of frames needs no padding: a convolution of kernel 7 has, before the new input, the last six inputs
it saw; before the first frame that is fed three zeros, as before the first of a segment. After the last frame
come three zeros.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import ModelProto

from models import student_graph
from models.acoustic import (
    BINS,
    BRANCHES,
    DECODER_MARGIN,
    ENERGY_ROW,
    FEATURE_ROWS,
    FRAMES_PER_STEP,
    LOG_F0_ROW,
    TEXT_ROWS,
    DecoderState,
    Plan,
)
from models.student_graph import CHANNELS, CONVOLUTIONS, PADDING_FRAMES
from models.weights import locate, read_verified

Floats = NDArray[np.float32]

LOG_F0_UNIT = 5.0
"""The decoder's feature of f0 is log(1 + f0) / 5."""

STARTING_MARGIN = 9
"""Frames fed before the first that is decoded, as if the segment began there: a third of `DECODER_MARGIN`.
What stands before them changes the sound no more than another first run does, 30.4 dB below it in the first
half second; with 3 frames it is 29.4, with none 25.6. Each costs as much as one that sounds."""

assert len(CONVOLUTIONS) * PADDING_FRAMES == DECODER_MARGIN


@dataclass(slots=True)
class OnnxDecoderState:
    """Where the decoding of one plan stands: about 60 kB beside the plan's features.

    `position` is the next frame `decode` yields, `fed` the next the network takes. `held[i]` are the last
    inputs of convolution i. `ready` holds frames decoded but not asked for yet: what the segment's end
    released, at most `DECODER_MARGIN`.
    """

    features: Floats
    position: int
    fed: int
    held: list[Floats]
    ready: Floats = field(default_factory=lambda: np.zeros((0, BRANCHES, BINS), np.float32))


class OnnxAcoustic:
    """`models.acoustic.AcousticModel` under onnxruntime, on the CPU."""

    max_batch = 1

    def __init__(self, threads: int = 1) -> None:
        """Read, cut and optimise the graph: about 0.3 s. `threads` may work on one call together.

        Raises `models.weights.WeightsMissing` and `WeightsAltered`.
        """
        model = onnx.load_model_from_string(read_verified(locate()))
        self._encode = _session(student_graph.encoder(model), threads)
        self._prosody = _session(student_graph.prosody(model), threads)
        self._decode = _session(student_graph.decoder(model), threads)

    def plan(self, ids: Sequence[int], *, speed: float, pitch: float) -> Plan:
        """See `AcousticModel.plan`."""
        feed = {"ids": np.asarray([ids], np.int64), "speed": np.asarray([speed], np.float32)}
        durations, text, steps = self._encode.run(["durations", "text", "steps"], feed)
        stretched = {"steps": np.repeat(steps, durations, axis=2)}
        f0, energy = self._prosody.run(["f0", "energy"], stretched)
        f0 = f0[0] * np.float32(pitch)
        features = np.empty((FEATURE_ROWS, f0.size), np.float32)
        features[:TEXT_ROWS] = np.repeat(text[0], durations * FRAMES_PER_STEP, axis=1)
        features[LOG_F0_ROW] = np.log1p(np.maximum(f0, 0.0)) / LOG_F0_UNIT
        features[ENERGY_ROW] = energy[0, 0]
        return Plan(durations=durations, features=features, f0=f0)

    def start(self, plan: Plan, first_frame: int) -> OnnxDecoderState:
        """See `AcousticModel.start`."""
        # The first frame that each convolution takes, and at the end the first that the last one yields. Each
        # loses three frames of what it takes, less where padding stands before them.
        layers = len(CONVOLUTIONS)
        begin = max(0, first_frame - STARTING_MARGIN)
        firsts = [max(begin, first_frame - PADDING_FRAMES * left) for left in range(layers, -1, -1)]
        padding = [PADDING_FRAMES - (after - before) for before, after in itertools.pairwise(firsts)]
        held = [np.zeros((1, rows, count), np.float32) for rows, count in zip(CHANNELS, padding, strict=True)]
        return OnnxDecoderState(plan.features, position=first_frame, fed=firsts[0], held=held)

    def decode(self, states: Sequence[DecoderState], counts: Sequence[int]) -> list[Floats]:
        """See `AcousticModel.decode`."""
        return [self._decode_one(state, count) for state, count in zip(states, counts, strict=True)]

    def _decode_one(self, state: DecoderState, count: int) -> Floats:
        assert isinstance(state, OnnxDecoderState), "a state of another network"
        frames = state.features.shape[1]
        assert 0 < count <= frames - state.position
        spectra = state.ready
        if len(spectra) < count:
            spectra = self._feed(state, min(state.position + count + DECODER_MARGIN, frames))
        state.position += count
        state.ready = spectra[count:]
        return spectra[:count]

    def _feed(self, state: OnnxDecoderState, until: int) -> Floats:
        """Take features up to frame `until`; return all frames that come out: `(n, 5, 601)`."""
        assert not len(state.ready)
        padding = PADDING_FRAMES if until == state.features.shape[1] else 0
        feed = {
            "features": np.ascontiguousarray(state.features[None, :, state.fed : until]),
            "end_of_features": np.zeros((1, CHANNELS[0], padding), np.float32),
            "end": np.zeros((1, CHANNELS[1], padding), np.float32),
        }
        feed |= {f"held.{index}": value for index, value in enumerate(state.held)}
        spectra, *state.held = self._decode.run(None, feed)
        state.fed = until
        return np.reshape(spectra, (-1, BRANCHES, BINS))


def _session(model: ModelProto, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
