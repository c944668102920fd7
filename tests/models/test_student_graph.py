"""The three graphs that are served are sound, and hold what they need and nothing else."""

from __future__ import annotations

import functools
from collections.abc import Callable

import onnx
import pytest
from onnx import ModelProto

from models import student_graph
from models.weights import locate, read_verified

PARTS = (student_graph.encoder, student_graph.prosody, student_graph.decoder)
Part = Callable[[ModelProto], ModelProto]

ATTENTION_LAYERS = 10
"""Six of the prosody's text encoder, four of the spectra's."""


@functools.cache
def wheel() -> ModelProto:
    return onnx.load_model_from_string(read_verified(locate()))


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_a_valid_graph_in_order(part: Part) -> None:
    onnx.checker.check_model(part(wheel()))


@pytest.mark.parametrize("part", PARTS)
def test_a_part_holds_only_what_its_outputs_need(part: Part) -> None:
    graph = part(wheel()).graph
    read = {name for node in graph.node for name in node.input}
    assert {tensor.name for tensor in graph.initializer} <= read
    assert {value.name for value in graph.input} <= read
    needed = read | {value.name for value in graph.output}
    assert all(needed.intersection(node.output) for node in graph.node)


def test_cutting_leaves_the_wheels_graph_as_it_was() -> None:
    before = wheel().SerializeToString(deterministic=True)
    for part in PARTS:
        part(wheel())
    assert wheel().SerializeToString(deterministic=True) == before


def test_every_layer_of_attention_is_fused() -> None:
    kinds = [node.op_type for node in student_graph.encoder(wheel()).graph.node]
    assert kinds.count("MultiHeadAttention") == ATTENTION_LAYERS
    assert "Softmax" not in kinds
