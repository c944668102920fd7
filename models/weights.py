"""The weights of the voice: found in the wheel hibari-tts, verified, and read by the network's own names.

The wheel carries one ONNX graph whose matrices are int8 with one scale each; they are given back here as
float32, exactly the values the graph multiplies with. Knows no runtime. Any thread may call it.

The weights are Apache-2.0, a student of Kokoro-82M (see the wheel's licence).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

VOICE = "heart"
"""The voice that lies in the wheel; its other voices are downloads."""


class WeightsMissing(Exception):
    """The wheel is there without its graph, or not there at all."""

    def __init__(self, cause: object) -> None:
        super().__init__(f"The voice's weights are missing; install hibari-tts again ({cause}).")


class WeightsAltered(Exception):
    """The graph in the wheel is not the one its own record names."""

    def __init__(self, path: Path, found: str, expected: str) -> None:
        super().__init__(
            f"{path} is damaged: its sha256 is {found[:12]}…, not {expected[:12]}…; install hibari-tts again."
        )
        self.path = path


@dataclass(frozen=True, slots=True)
class WeightFile:
    """Where the graph lies and the sha256 it must have, in hexadecimal."""

    path: Path
    sha256: str


def locate() -> WeightFile:
    """Find the graph and its recorded sha256. Raises `WeightsMissing`."""
    try:
        assets = Path(str(files("hibari"))) / "assets"
        record = json.loads((assets / "voices.json").read_text(encoding="utf-8"))[VOICE]
    except (ImportError, OSError, ValueError, KeyError) as error:
        raise WeightsMissing(error) from error
    return WeightFile(assets / record["file"], record["sha256"])


def read_verified(source: WeightFile) -> bytes:
    """Return the file's bytes when they are the ones recorded. Raises `WeightsMissing`, `WeightsAltered`."""
    try:
        graph = source.path.read_bytes()
    except OSError as error:
        raise WeightsMissing(error) from error
    found = hashlib.sha256(graph).hexdigest()
    if found != source.sha256:
        raise WeightsAltered(source.path, found, source.sha256)
    return graph


def read_weights(source: WeightFile | None = None) -> dict[str, NDArray[np.float32]]:
    """Return every parameter by the name it had in the network, float32 in torch's layout (`(out, in)`).

    Raises `WeightsMissing`, `WeightsAltered`.
    """
    graph = onnx.load_model_from_string(read_verified(source or locate())).graph
    initializers = {tensor.name: tensor for tensor in graph.initializer}
    weights = {
        name: numpy_helper.to_array(tensor).copy()
        for name, tensor in initializers.items()
        if name.startswith(("m.", "pn."))
    }
    for name, matrix in _matrices(graph):
        weights[name] = dequantize(initializers, matrix)
    return weights


def dequantize(initializers: dict[str, onnx.TensorProto], matrix: str) -> NDArray[np.float32]:
    """Return the int8 initializer `<matrix>_quantized`, `(in, out)`, as float32 `(out, in)`."""
    quantized = numpy_helper.to_array(initializers[f"{matrix}_quantized"]).astype(np.float32)
    zero_point = numpy_helper.to_array(initializers[f"{matrix}_zero_point"]).astype(np.float32)
    scale = numpy_helper.to_array(initializers[f"{matrix}_scale"])
    return np.ascontiguousarray(((quantized - zero_point) * scale).T)


def _matrices(graph: onnx.GraphProto) -> Iterator[tuple[str, str]]:
    """Yield (parameter name, matrix name) of every product in the graph.

    Quantizing has renamed the matrices, but not the biases added to their products: the parameter is found by
    following MatMulInteger -> Cast -> Mul -> Add to its bias.
    """
    consumer = {name: node for node in graph.node for name in node.input}
    for node in graph.node:
        if node.op_type != "MatMulInteger":
            continue
        at = node
        while at.op_type != "Add":
            at = consumer[at.output[0]]
        bias = next(name for name in at.input if name.endswith("bias"))
        yield bias.removesuffix("bias") + "weight", node.input[1].removesuffix("_quantized")
