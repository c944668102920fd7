"""The torch network equals the wheel's graph; however it is chunked or batched, it equals itself offline.

Two graphs are compared with. In the first, products are made of floats instead of the shipped quantized
activations: there only rounding differs, so durations must be the same and spectra within 1e-3 (found: 2e-4).

The shipped one rounds the activations before each of its 77 products to 8 bits, with one scale for a whole
tensor: an activation is off by up to 1/510 of the tensor's range, whatever its own size. After the seventeen
products that follow each other in the decoder alone, that comes to 1.4-2.5 % of a branch's standard deviation
on average and 3.6 % in the worst of the fifty sentences; allowed are 5 %. A duration near the middle of two
steps may round to the other one (16 of 3185 do), so spectra are compared at the shipped graph's durations.
"""

from __future__ import annotations

import copy
import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from models import vocoder
from models.acoustic import BINS, BRANCHES, DECODER_MARGIN, AcousticModel, Plan
from tests.models.wheel import Graph, Original, sentence_ids

torch = pytest.importorskip("torch")

from models.student import TorchAcoustic  # noqa: E402 - needs torch

SAMPLE = slice(3, None, 8)
"""Sentences compared in every test run; all fifty take half a minute."""
TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def acoustic() -> TorchAcoustic:
    """The network on the CPU."""
    return TorchAcoustic()


@pytest.fixture(scope="module")
def plan(acoustic: TorchAcoustic) -> Plan:
    """A short sentence: about two seconds."""
    return acoustic.plan(sentence_ids()[2], speed=1.0, pitch=1.0)


@pytest.fixture(scope="module")
def offline(acoustic: TorchAcoustic, plan: Plan) -> NDArray[np.float32]:
    """The same sentence decoded in one piece, `(frames, 5, 601)`."""
    return whole(acoustic, plan)


def whole(acoustic: TorchAcoustic, plan: Plan) -> NDArray[np.float32]:
    """Decode a plan without any state."""
    with torch.inference_mode():
        spectra: NDArray[np.float32] = acoustic.network(plan.features[None])[0].cpu().numpy()
    return spectra


def stream(
    acoustic: TorchAcoustic, plan: Plan, first_frame: int, chunks: Sequence[int]
) -> NDArray[np.float32]:
    """Decode from `first_frame` on in chunks of the given lengths, over and over."""
    state = acoustic.start(plan, first_frame)
    parts: list[NDArray[np.float32]] = []
    while state.position < state.frames:
        count = min(chunks[len(parts) % len(chunks)], state.frames - state.position)
        parts.append(acoustic.decode([state], [count])[0].cpu().numpy())
    return np.concatenate(parts)


def at_durations(acoustic: TorchAcoustic, ids: Sequence[int], durations: NDArray[np.int64]) -> Original:
    """Compute a segment offline at the durations given."""
    with torch.inference_mode():
        phonemes = torch.tensor(ids)
        encoded = acoustic.network.pn.text(phonemes[None])
        features, f0 = acoustic.network.expand(phonemes, encoded, torch.from_numpy(durations), 1.0)
        spectra = acoustic.network(features[None])[0]
    return Original(durations, spectra.numpy(), f0.numpy())


def check_against_float_graph(acoustic: TorchAcoustic, sentences: Sequence[list[int]]) -> None:
    graph = Graph(as_float=True)
    for ids in sentences:
        expected = graph.run(ids)
        plan = acoustic.plan(ids, speed=1.0, pitch=1.0)
        np.testing.assert_array_equal(plan.durations, expected.durations)
        np.testing.assert_allclose(plan.f0, expected.f0, atol=1e-2)
        np.testing.assert_allclose(whole(acoustic, plan), expected.spectra, atol=1e-3)


def check_against_shipped_graph(acoustic: TorchAcoustic, sentences: Sequence[list[int]]) -> None:
    graph = Graph(as_float=False)
    moved = phonemes = 0
    for ids in sentences:
        expected = graph.run(ids)
        found = at_durations(acoustic, ids, expected.durations)
        voiced = expected.f0 > vocoder.VOICED_ABOVE_HZ
        assert np.sqrt(np.mean((found.f0 - expected.f0)[voiced] ** 2)) < 1.5  # Hz
        error = np.sqrt(np.mean((found.spectra - expected.spectra) ** 2, axis=(0, 2)))
        assert (error < 0.05 * expected.spectra.std(axis=(0, 2))).all()
        own = acoustic.plan(ids, speed=1.0, pitch=1.0).durations
        assert np.abs(own - expected.durations).max() <= 1
        moved += int(np.count_nonzero(own - expected.durations))
        phonemes += len(ids)
    assert moved <= 0.02 * phonemes


def test_every_output_equals_the_graph_with_float_products(acoustic: TorchAcoustic) -> None:
    check_against_float_graph(acoustic, sentence_ids()[SAMPLE])


def test_every_output_is_as_near_to_the_shipped_graph_as_its_eight_bits_allow(
    acoustic: TorchAcoustic,
) -> None:
    check_against_shipped_graph(acoustic, sentence_ids()[SAMPLE])


@pytest.mark.slow
def test_every_output_equals_both_graphs_on_fifty_sentences(acoustic: TorchAcoustic) -> None:
    assert len(sentence_ids()) == 50
    check_against_float_graph(acoustic, sentence_ids())
    check_against_shipped_graph(acoustic, sentence_ids())


def test_speed_divides_the_durations_as_the_graph_does(acoustic: TorchAcoustic) -> None:
    graph, ids = Graph(as_float=True), sentence_ids()[5]
    for speed in (0.5, 1.3, 2.0):
        durations = acoustic.plan(ids, speed=speed, pitch=1.0).durations
        np.testing.assert_array_equal(durations, graph.run(ids, speed).durations)


def test_pitch_scales_f0_and_its_logarithm_and_nothing_else(acoustic: TorchAcoustic, plan: Plan) -> None:
    higher = acoustic.plan(sentence_ids()[2], speed=1.0, pitch=1.5)
    np.testing.assert_allclose(higher.f0, 1.5 * plan.f0, rtol=1e-5)
    np.testing.assert_allclose(higher.features[128], higher.f0.clamp(min=0).log1p() / 5, rtol=1e-5)
    for row in (slice(0, 128), slice(129, 130)):
        np.testing.assert_array_equal(higher.features[row], plan.features[row])


@settings(max_examples=25, deadline=None)
@given(data=st.data(), chunks=st.lists(st.integers(1, 90), min_size=1, max_size=6))
def test_any_chunking_from_any_frame_equals_offline(
    acoustic: TorchAcoustic, plan: Plan, offline: NDArray[np.float32], data: st.DataObject, chunks: list[int]
) -> None:
    first_frame = data.draw(st.integers(0, len(offline) - 1))
    decoded = stream(acoustic, plan, first_frame, chunks)
    assert decoded.shape == (len(offline) - first_frame, BRANCHES, BINS)
    np.testing.assert_allclose(decoded, offline[first_frame:], atol=TOLERANCE)


@pytest.mark.parametrize("frames", [2, 4, 6, 12, 26, 28])
def test_signals_shorter_than_the_margin_equal_offline_frame_by_frame(
    acoustic: TorchAcoustic, frames: int
) -> None:
    features = torch.randn(130, frames, generator=torch.Generator().manual_seed(frames))
    short = Plan(np.asarray([frames // 2]), features, features[0])
    expected = whole(acoustic, short)
    for first_frame in range(frames):
        decoded = stream(acoustic, short, first_frame, [1])
        np.testing.assert_allclose(decoded, expected[first_frame:], atol=TOLERANCE)


def test_a_frame_depends_on_its_margin_and_on_nothing_beyond(acoustic: TorchAcoustic, plan: Plan) -> None:
    # In double precision, because the outermost frames weigh no more than single precision's rounding.
    network, frame = copy.deepcopy(acoustic.network).double(), 80

    def decoded(features: Any) -> Any:
        with torch.inference_mode():
            return network(features[None])[0, frame]

    def change(at: slice) -> float:
        features = plan.features.double()
        features[:, at] += 10.0
        return float((decoded(features) - decoded(plan.features.double())).abs().max())

    left, right = frame - DECODER_MARGIN, frame + DECODER_MARGIN
    assert change(slice(0, left)) < 1e-12
    assert change(slice(right + 1, None)) < 1e-12
    assert change(slice(left, left + 1)) > 1e-9
    assert change(slice(right, right + 1)) > 1e-9


def test_no_layer_computes_a_frame_twice(acoustic: TorchAcoustic, plan: Plan) -> None:
    frames, computed = len(plan.f0), Counter[str]()

    def count(name: str, axis: int) -> Any:
        return lambda _module, _inputs, output: computed.update({name: output.shape[axis]})

    spectra = acoustic.network.m
    hooks = [layer.register_forward_hook(count(f"dec.{n}", 2)) for n, layer in enumerate(spectra.dec)]
    hooks += [
        spectra.dec_in.register_forward_hook(count("dec_in", 2)),
        spectra.head.register_forward_hook(count("head", 1)),
    ]
    stream(acoustic, plan, 0, [17, 40, 1])
    for hook in hooks:
        hook.remove()
    assert len(computed) == 10
    assert set(computed.values()) == {frames}


def test_a_batch_of_different_lengths_and_places_equals_single_runs(acoustic: TorchAcoustic) -> None:
    plans = [acoustic.plan(sentence_ids()[index], speed=1.0, pitch=1.0) for index in (0, 4, 9, 4)]
    firsts = [0, 40, 20, 40]
    expected = [whole(acoustic, plan)[first:] for plan, first in zip(plans, firsts, strict=True)]
    states = [acoustic.start(plan, first) for plan, first in zip(plans, firsts, strict=True)]
    parts: list[list[NDArray[np.float32]]] = [[] for _ in states]
    chunk = 0
    while True:
        open_states = [index for index, state in enumerate(states) if state.position < state.frames]
        if not open_states:
            break
        chunk += 1
        counts = [
            min((31, 64, 7)[(chunk + index % 2) % 3], states[index].frames - states[index].position)
            for index in open_states
        ]
        decoded = acoustic.decode([states[index] for index in open_states], counts)
        for index, spectra in zip(open_states, decoded, strict=True):
            parts[index].append(spectra.numpy())
    for got, want in zip(parts, expected, strict=True):
        np.testing.assert_allclose(np.concatenate(got), want, atol=TOLERANCE)


def test_threads_decoding_different_states_of_one_model_do_not_disturb_each_other(
    acoustic: TorchAcoustic, plan: Plan, offline: NDArray[np.float32]
) -> None:
    results: dict[int, NDArray[np.float32]] = {}
    together = threading.Barrier(3)

    def decode(first_frame: int) -> None:
        together.wait()
        results[first_frame] = stream(acoustic, plan, first_frame, [20])

    threads = [threading.Thread(target=decode, args=(first,)) for first in (0, 10, 50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 3
    for first_frame, decoded in results.items():
        np.testing.assert_allclose(decoded, offline[first_frame:], atol=TOLERANCE)


@settings(max_examples=15, deadline=None)
@given(first_frame=st.integers(0, 60), chunks=st.lists(st.integers(1, 90), min_size=1, max_size=5))
def test_speech_in_any_chunks_equals_speech_offline(
    acoustic: TorchAcoustic, plan: Plan, offline: NDArray[np.float32], first_frame: int, chunks: list[int]
) -> None:
    last_frame = len(offline) - 20
    whole_segment = vocoder.start(plan.f0, first_frame, last_frame, seed=3)
    expected = vocoder.synthesize(whole_segment, offline[first_frame:last_frame])
    state, sound = acoustic.start(plan, first_frame), vocoder.start(plan.f0, first_frame, last_frame, seed=3)
    pcm: list[NDArray[np.float32]] = []
    while state.position < last_frame:
        count = min(chunks[len(pcm) % len(chunks)], last_frame - state.position)
        pcm.append(vocoder.synthesize(sound, acoustic.decode([state], [count])[0]))
    np.testing.assert_allclose(np.concatenate(pcm), expected, atol=TOLERANCE)


def test_it_is_an_acoustic_model_that_decodes_in_batches(acoustic: TorchAcoustic) -> None:
    model: AcousticModel = acoustic
    assert model.max_batch > 1


@pytest.mark.gpu
def test_cuda_equals_the_cpu(acoustic: TorchAcoustic) -> None:
    # Both compute in fp32 and add up in different orders: 2e-3 on log gains is 0.02 dB.
    device = TorchAcoustic("cuda")
    for ids in sentence_ids()[SAMPLE]:
        expected, found = (model.plan(ids, speed=1.0, pitch=1.0) for model in (acoustic, device))
        np.testing.assert_array_equal(found.durations, expected.durations)
        np.testing.assert_allclose(found.f0.cpu(), expected.f0, atol=5e-2)
        decoded = stream(device, found, 0, [32, 64, 96])
        np.testing.assert_allclose(decoded, whole(acoustic, expected), atol=2e-3)
