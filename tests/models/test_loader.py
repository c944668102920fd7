"""Loading chooses device and runtime, runs beside the event loop, and says in a sentence what is wrong."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from models import loader, weights
from models.catalog import HEART, HEART_SHA256, VOICES
from models.loader import DeviceUnavailable, Loaded
from models.weights import WeightFile, WeightsAltered, WeightsMissing, locate
from tests.models.spoken import join, request, speak


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return loader.start("cpu", 1, lambda _: None).result(60)


def test_the_loaded_voices_are_those_of_the_catalog_and_speak(loaded: Loaded) -> None:
    assert loaded.voices == VOICES
    assert set(loaded.synthesizers) == {voice.name for voice in VOICES}
    assert (loaded.device, loaded.runtime) == ("cpu", "onnxruntime")
    synthesizer = loaded.synthesizers[HEART.name]
    segment = request("Hello there.")
    state = synthesizer.begin(segment)
    assert synthesizer.advance([state])[0].pcm.size > 0
    assert state.samples == join(speak(segment)[1]).size


def test_the_catalog_names_the_weights_the_wheel_records() -> None:
    assert locate().sha256 == HEART_SHA256
    assert HEART_SHA256 in HEART.source


def test_loading_happens_on_a_thread_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    callers: list[threading.Thread] = []
    monkeypatch.setattr(loader, "load", lambda *_: callers.append(threading.current_thread()))
    loader.start("cpu", 1, lambda _: None).result(10)
    assert callers[0] is not threading.current_thread()
    callers[0].join(10)
    assert not callers[0].is_alive()


def test_what_is_going_on_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Loaded, "warm_up", lambda _: None)
    told: list[str] = []
    loader.load(None, 1, told.append)
    assert [line.split()[0] for line in told] == ["Loading", "Warming"]


@pytest.mark.parametrize("damage", ["missing", "altered"])
def test_missing_or_altered_weights_are_one_sentence(
    damage: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "hibari.onnx"
    if damage == "altered":
        file.write_bytes(locate().path.read_bytes()[:-1])
    monkeypatch.setattr(weights, "locate", lambda: WeightFile(file, HEART_SHA256))
    monkeypatch.setattr("models.student_onnx.locate", weights.locate)
    with pytest.raises((WeightsMissing, WeightsAltered)) as caught:
        loader.start("cpu", 1, lambda _: None).result(60)
    assert "\n" not in str(caught.value)
    assert "hibari-tts" in str(caught.value)


def test_cuda_without_torch_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(DeviceUnavailable, match="torch"):
        loader.load("cuda", 1, lambda _: None)


def test_cuda_without_a_device_is_one_sentence() -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device here")
    with pytest.raises(DeviceUnavailable, match="CUDA"):
        loader.load("cuda", 1, lambda _: None)


def test_serving_on_a_cpu_never_imports_torch() -> None:
    code = (
        "import sys; from models.loader import load; load('cpu', 1, print); sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2], timeout=100)


def test_torch_serves_where_it_is_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(Loaded, "warm_up", lambda _: None)
    loaded = loader.load("cpu", 1, lambda _: None, runtime="torch")
    assert loaded.runtime == "torch"
    segment = request("Hello there.")
    state = loaded.synthesizers[HEART.name].begin(segment)
    served, _ = speak(segment)
    assert abs(state.samples - served.samples) <= 5 * 300
    assert [word.text for word in state.words] == [word.text for word in served.words]


def test_closing_lets_go_of_the_models_and_may_be_repeated() -> None:
    closed = Loaded({}, VOICES, "cpu", "onnxruntime")
    closed.close()
    closed.close()
    assert not closed.synthesizers


@pytest.mark.gpu
def test_cuda_is_chosen_where_there_is_one() -> None:
    loaded = loader.load("auto", 1, lambda _: None)
    assert (loaded.device, loaded.runtime) == ("cuda", "torch")
    state = loaded.synthesizers[HEART.name].begin(request("Hello there."))
    while not state.finished:
        loaded.synthesizers[HEART.name].advance([state])
