"""The acoustic network under onnxruntime, as it is served on a CPU: the wheel's own int8 graph, cut in two.

At load the graph is split before the decoder. The first part is the plan: it runs once a segment. The second
is made stateful: each of its nine convolutions keeps its last inputs, so that a segment is decoded in runs of
any length and no frame of any layer is computed twice. Activations are quantized per tensor, hence per run:
two ways to cut a segment agree to the precision of int8, not exactly.

Knows no text, no word and no PCM. A loaded model may be called on several threads at once, with different
states; every call computes on its caller's thread alone.

Why a run of frames needs no padding: a convolution of kernel 7 has, before the new input, the last six inputs
it saw; before the first frame of the segment three zeros, which are its padding; and where decoding begins in
mid-segment nothing, as the margin that is fed first makes up for it. After the last frame come three zeros.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from models.acoustic import BINS, BRANCHES, DECODER_MARGIN, FEATURE_ROWS, LOG_F0_ROW, DecoderState, Plan
from models.weights import locate, read_verified

Floats = NDArray[np.float32]

KERNEL = 7
HELD_FRAMES = KERNEL - 1
"""Inputs a convolution keeps between two runs."""
PADDING_FRAMES = KERNEL // 2
"""Zeros before the first and after the last frame of a segment."""

FEATURES = "/Concat_43_output_0"
"""The tensor at which the graph is cut: the decoder's input."""
LOG_F0_UNIT = 5.0
"""The graph's feature of f0 is log(1 + f0) / 5."""

CONVOLUTIONS = ("/dec_in/Conv", *(f"/dec.{block}/dw/Conv" for block in range(8)))
CHANNELS = (FEATURE_ROWS, *(256 for _ in range(8)))
RESIDUALS = {f"/dec.{block}/dw/Conv": f"/dec.{block}/Add_1" for block in range(8)}
"""The addition that brings each block's input, delayed like the block itself, to its output."""
SPECTRA = "/head/Add_output_0"

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
        self._plan = _session(_planner(model), threads)
        self._decode = _session(_decoder(model), threads)

    def plan(self, ids: Sequence[int], *, speed: float, pitch: float) -> Plan:
        """See `AcousticModel.plan`."""
        feed = {"ids": np.asarray([ids], np.int64), "speed": np.asarray([speed], np.float32)}
        durations, features, f0 = self._plan.run(["durations", "features", "f0"], feed)
        if pitch != 1.0:
            f0 *= np.float32(pitch)
            features[0, LOG_F0_ROW] = np.log1p(np.maximum(f0[0], 0.0)) / LOG_F0_UNIT
        return Plan(durations=durations.reshape(-1), features=features[0], f0=f0[0])

    def start(self, plan: Plan, first_frame: int) -> OnnxDecoderState:
        """See `AcousticModel.start`."""
        # The first frame that each convolution takes, and at the end the first that the last one yields. Each
        # loses three frames of what it takes, less where the segment's padding stands before them.
        layers = len(CONVOLUTIONS)
        firsts = [max(0, first_frame - PADDING_FRAMES * left) for left in range(layers, -1, -1)]
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


def _planner(model: ModelProto) -> ModelProto:
    """Cut out what leads to durations, decoder input and f0."""
    nodes = _needed(model, outputs=("/Cast_32_output_0", FEATURES, "f0"), inputs=("ids", "speed"))
    nodes += [
        helper.make_node("Identity", ["/Cast_32_output_0"], ["durations"]),
        helper.make_node("Identity", [FEATURES], ["features"]),
    ]
    inputs = [
        helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "phonemes"]),
        helper.make_tensor_value_info("speed", TensorProto.FLOAT, [1]),
    ]
    outputs = [
        helper.make_tensor_value_info("durations", TensorProto.INT64, None),
        helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, CHANNELS[0], "frames"]),
        helper.make_tensor_value_info("f0", TensorProto.FLOAT, [1, "frames"]),
    ]
    return _model(model, nodes, inputs, outputs)


def _decoder(model: ModelProto) -> ModelProto:
    """Cut out the decoder and make it stateful; the order of its outputs is spectra, then each `held`."""
    nodes = _needed(model, outputs=(SPECTRA,), inputs=(FEATURES,))
    by_name = {node.name: node for node in nodes}
    added: list[NodeProto] = [_constant("frames_axis", 2), _constant("all", np.iinfo(np.int64).max)]
    added += [_constant("last_held", -HELD_FRAMES)]
    added += [_constant("delay", PADDING_FRAMES), _constant("minus_delay", -PADDING_FRAMES)]
    for index, name in enumerate(CONVOLUTIONS):
        added += _keep_inputs(by_name[name], index, by_name.get(RESIDUALS.get(name, "")))
    inputs = [
        helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, CHANNELS[0], "new"]),
        helper.make_tensor_value_info("end_of_features", TensorProto.FLOAT, [1, CHANNELS[0], "padding"]),
        helper.make_tensor_value_info("end", TensorProto.FLOAT, [1, CHANNELS[1], "padding"]),
    ]
    outputs = [helper.make_tensor_value_info(SPECTRA, TensorProto.FLOAT, [1, "frames", BRANCHES * BINS])]
    for index, rows in enumerate(CHANNELS):
        inputs.append(
            helper.make_tensor_value_info(f"held.{index}", TensorProto.FLOAT, [1, rows, f"before.{index}"])
        )
        outputs.append(
            helper.make_tensor_value_info(f"kept.{index}", TensorProto.FLOAT, [1, rows, f"after.{index}"])
        )
    return _model(model, _in_order(nodes + added, {value.name for value in inputs}), inputs, outputs)


def _keep_inputs(convolution: NodeProto, index: int, residual: NodeProto | None) -> list[NodeProto]:
    """Give a convolution its earlier inputs instead of padding; delay the residual past it by as much."""
    source = convolution.input[0]
    new, end = ("features", "end_of_features") if index == 0 else (source, "end")
    joined = f"joined.{index}"
    _replace_input(convolution, source, joined)
    for attribute in convolution.attribute:
        if attribute.name == "pads":
            attribute.ints[:] = [0, 0]
    nodes = [
        helper.make_node("Concat", [f"held.{index}", new, end], [joined], axis=2),
        helper.make_node("Slice", [joined, "last_held", "all", "frames_axis"], [f"kept.{index}"]),
    ]
    if residual is not None:
        _replace_input(residual, source, f"delayed.{index}")
        around = [joined, "delay", "minus_delay", "frames_axis"]
        nodes.append(helper.make_node("Slice", around, [f"delayed.{index}"]))
    return nodes


def _replace_input(node: NodeProto, old: str, new: str) -> None:
    assert old in node.input, f"{node.name} does not read {old}"
    node.input[:] = [new if name == old else name for name in node.input]


def _constant(name: str, value: int) -> NodeProto:
    return helper.make_node(
        "Constant", [], [name], value=numpy_helper.from_array(np.asarray([value], np.int64))
    )


def _needed(model: ModelProto, *, outputs: Iterable[str], inputs: Iterable[str]) -> list[NodeProto]:
    """Copy the nodes, in order, that compute `outputs` from `inputs` and initializers."""
    wanted, kept = set(outputs), []
    for node in reversed(model.graph.node):
        if wanted.intersection(node.output) and not set(inputs).intersection(node.output):
            wanted.update(node.input)
            copy = NodeProto()
            copy.CopyFrom(node)
            kept.append(copy)
    return kept[::-1]


def _in_order(nodes: list[NodeProto], known: set[str]) -> list[NodeProto]:
    """Sort the nodes so that each comes after those whose outputs it reads."""
    made = {name for node in nodes for name in node.output}
    done, ordered, waiting = set(known), [], nodes
    while waiting:
        runnable = [node for node in waiting if all(name in done or name not in made for name in node.input)]
        assert runnable, "the graph has a cycle"
        ordered += runnable
        done.update(name for node in runnable for name in node.output)
        waiting = [node for node in waiting if not done.issuperset(node.output)]
    return ordered


def _model(
    source: ModelProto,
    nodes: list[NodeProto],
    inputs: list[onnx.ValueInfoProto],
    outputs: list[onnx.ValueInfoProto],
) -> ModelProto:
    """Make a model of the nodes with those of the source's weights they read."""
    read = {name for node in nodes for name in node.input}
    weights = [tensor for tensor in source.graph.initializer if tensor.name in read]
    graph = helper.make_graph(nodes, "part", inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=source.opset_import, ir_version=source.ir_version)
