"""Loads the voices: chooses device and runtime, verifies the weights, warms up, and releases.

The one file under models/ that starts a thread: `start` loads on a thread of its own, so that an event loop
goes on meanwhile. What is loaded may then be called on any thread. Knows no network from inside; torch is
imported only where it is used, as that alone takes seconds.
"""

from __future__ import annotations

import importlib.util
import logging
import re
import shutil
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from models.acoustic import AcousticModel
from models.catalog import HEART
from models.phonemizer import Phonemizer
from models.synthesizer import StudentSynthesizer
from pipeline.speech import SegmentRequest, Spoken, Synthesizer, Voice

logger = logging.getLogger(__name__)

AUTO = "auto"
CPU = "cpu"
CUDA = "cuda"
ONNXRUNTIME = "onnxruntime"
TORCH = "torch"

WARM_UP_TEXTS = (
    "Hello there, how are you?",
    "A sentence of the usual length takes this way too, and a rare word such as flibbertigibbet.",
    "The longest piece that ever comes here at one time fills nearly three hundred characters, so that every "
    "buffer which grows with the length of its input has grown once before the first listener waits for it, "
    "and that at noon as well as at half past seven in the evening.",
)
"""Short, usual and long: whatever a runtime sets up or grows on first use is set up and grown."""


class DeviceUnavailable(Exception):
    """The device asked for is not there, or what drives it is not installed."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The voices, ready to speak: `synthesizers` by voice name, on "cpu" or "cuda", under `runtime`."""

    synthesizers: dict[str, Synthesizer]
    voices: tuple[Voice, ...]
    device: str
    runtime: str

    def warm_up(self) -> None:
        """Speak texts of several lengths into the void: the first real one is then as fast as the tenth."""
        for name, synthesizer in self.synthesizers.items():
            for text in WARM_UP_TEXTS:
                state = synthesizer.begin(SegmentRequest(text, name, _as_it_stands(text)))
                while not state.finished:
                    synthesizer.advance([state])

    def close(self) -> None:
        """Let go of the models; their memory returns when no caller holds one either. Idempotent."""
        self.synthesizers.clear()


def load(
    device: str | None, threads: int, progress: Callable[[str], None], *, runtime: str | None = None
) -> Loaded:
    """Load and warm the voices, blocking: 1.5 to 2 s on a CPU. `progress` is told in words what is going on.

    `device` is "cpu", "cuda" or "auto" (None): CUDA where torch finds it, else the CPU. `runtime` is
    "onnxruntime" or "torch"; by default the faster one of the device. A step of a model takes one thread:
    `threads` steps can go on at once, which is the caller's doing.

    Raises:
        DeviceUnavailable: "cuda" was asked for and cannot be used.
        models.weights.WeightsMissing, models.weights.WeightsAltered: the wheel is incomplete or damaged.
    """
    began = time.monotonic()
    device = _choose_device(device or AUTO)
    runtime = runtime or (TORCH if device == CUDA else ONNXRUNTIME)
    progress(f"Loading the voice {HEART.name} ({runtime} on {device})")
    synthesizer = StudentSynthesizer(_load_acoustic(device, runtime), Phonemizer())
    loaded = Loaded({HEART.name: synthesizer}, (HEART,), device, runtime)
    progress("Warming up")
    loaded.warm_up()
    logger.info("loaded in %.2f s for %d workers", time.monotonic() - began, threads)
    return loaded


def start(device: str | None, threads: int, progress: Callable[[str], None]) -> Future[Loaded]:
    """Begin to `load` on a thread of its own. The future carries what `load` returns or raises.

    `progress` is called on that thread. Loading cannot be interrupted; the thread ends with it.
    """
    future: Future[Loaded] = Future()

    def run() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(load(device, threads, progress))
        except BaseException as error:  # handed over whole to whoever waits
            future.set_exception(error)

    threading.Thread(target=run, name="loader").start()
    return future


def _as_it_stands(text: str) -> tuple[Spoken, ...]:
    """Return the words of a text that is written as it is said."""
    return tuple(Spoken(m.group(), m.start(), len(m.group())) for m in re.finditer(r"\S+", text))


def _load_acoustic(device: str, runtime: str) -> AcousticModel:
    """Load the network. Each runtime is imported only where it is used: torch may be missing, and is slow."""
    if runtime == TORCH:
        from models.student import TorchAcoustic  # noqa: PLC0415

        return TorchAcoustic(device)
    from models.student_onnx import OnnxAcoustic  # noqa: PLC0415

    return OnnxAcoustic()


def _choose_device(device: str) -> str:
    """Return "cpu" or "cuda". Torch is imported only where a driver makes CUDA possible."""
    if device == CPU or (device == AUTO and not _cuda_is_likely()):
        return CPU
    if importlib.util.find_spec("torch") is None:
        raise DeviceUnavailable("--device cuda needs torch: install the extra 'torch'.")
    import torch  # noqa: PLC0415

    if torch.cuda.is_available():
        return CUDA
    if device == AUTO:
        return CPU
    raise DeviceUnavailable("--device cuda was asked for, but torch finds no CUDA device; see nvidia-smi.")


def _cuda_is_likely() -> bool:
    driver = shutil.which("nvidia-smi") is not None or Path("/dev/nvidia0").exists()
    return driver and importlib.util.find_spec("torch") is not None
