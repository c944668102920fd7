"""The acoustic network in torch: reference for every other runtime, and the one that runs on CUDA.

Plain fp32. The decoder's convolutions never pad by themselves: what stands before and after a run of frames
is given to them, zeros at a signal's ends or the inputs kept from the run before. So the same layers serve
whole signals and streams, and a stream computes no frame twice. Knows phoneme ids and spectra, no text and no
PCM. Holds weights only: any thread may call it, each with its own states.

The weights and the shape of the network are those of the graph in hibari-tts; modules are named as its
parameters are, so that `load_state_dict` takes them as they come.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.acoustic import BINS, BRANCHES, DECODER_MARGIN, FRAMES_PER_STEP, DecoderState, Plan
from models.weights import read_weights

PHONEMES = 178
TEXT_CHANNELS = 128
PROSODY_CHANNELS = 192
DECODER_CHANNELS = 256
DECODER_HIDDEN = 768
DECODER_BLOCKS = 8
DECODER_KERNEL = 7
DECODER_REACH = DECODER_KERNEL // 2
"""Frames to each side that one layer of the decoder sees."""
DECODER_CONTEXT = DECODER_KERNEL - 1
PROSODY_DILATIONS = (1, 2, 4, 8, 1, 2)
F0_UNIT_HZ = 100.0
LOG_F0_UNIT = 5.0
MAX_BATCH = 64


class ConvNeXt(nn.Module):
    """Depthwise convolution, then a two-layer perceptron for each frame, added to the input."""

    def __init__(self, channels: int, hidden: int, kernel: int, dilation: int = 1) -> None:
        super().__init__()
        self.margin = dilation * (kernel // 2)
        self.dw = nn.Conv1d(channels, channels, kernel, groups=channels, dilation=dilation)
        self.norm = nn.LayerNorm(channels)
        self.pw1 = nn.Linear(channels, hidden)
        self.pw2 = nn.Linear(hidden, channels)
        self.gamma = nn.Parameter(torch.ones(channels))

    def forward(self, padded: Tensor) -> Tensor:
        """Map `(batch, channels, margin + frames + margin)` to `(batch, channels, frames)`."""
        x = self.norm(self.dw(padded).transpose(1, 2))
        added: Tensor = self.gamma * self.pw2(functional.gelu(self.pw1(x)))
        return padded[:, :, self.margin : -self.margin] + added.transpose(1, 2)

    def whole(self, signal: Tensor) -> Tensor:
        """Map a whole signal, `(batch, channels, frames)`, which is silent before and after."""
        return cast(Tensor, self(functional.pad(signal, (self.margin, self.margin))))


class TextEncoder(nn.Module):
    """Phonemes in their context: two ConvNeXt blocks, then one transformer layer applied `depth` times."""

    def __init__(self, channels: int, depth: int) -> None:
        super().__init__()
        self.depth = depth
        self.emb = nn.Embedding(PHONEMES, channels)
        self.convs = nn.ModuleList(ConvNeXt(channels, 2 * channels, kernel=5) for _ in range(2))
        self.attn = nn.TransformerEncoderLayer(
            channels, 2, 2 * channels, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.norm = nn.LayerNorm(channels)

    def forward(self, ids: Tensor) -> Tensor:
        """Map phoneme ids, `(1, phonemes)`, to `(1, channels, phonemes)`."""
        x = self.emb(ids).transpose(1, 2)
        for conv in self.convs:
            x = cast(ConvNeXt, conv).whole(x)
        x = x.transpose(1, 2)
        for _ in range(self.depth):
            x = self.attn(x)
        return cast(Tensor, self.norm(x)).transpose(1, 2)


class Prosody(nn.Module):
    """How long each phoneme lasts, and the pitch and energy of every acoustic frame."""

    def __init__(self) -> None:
        super().__init__()
        channels = PROSODY_CHANNELS
        self.text = TextEncoder(channels, depth=6)
        self.dur = nn.Sequential(
            nn.Conv1d(channels, channels, 3, padding=1), nn.GELU(), nn.Conv1d(channels, 1, 1)
        )
        self.pro_in = nn.Conv1d(channels, channels, 1)
        self.pro = nn.ModuleList(
            ConvNeXt(channels, 2 * channels, 7, dilation) for dilation in PROSODY_DILATIONS
        )
        self.pro_out = nn.Conv1d(channels, 2 * FRAMES_PER_STEP, 1)

    def durations(self, encoded: Tensor, speed: float) -> Tensor:
        """Return each phoneme's steps of 25 ms, at least one: `(1, 192, phonemes)` to `(phonemes,)` int64."""
        steps = torch.expm1(self.dur(encoded)[0, 0]) / speed
        return steps.round().clamp(min=1).long()

    def curves(self, steps: Tensor) -> tuple[Tensor, Tensor]:
        """Return f0 in Hz and energy of each acoustic frame, `(frames,)`, for `(1, 192, steps)`.

        f0 near or below 0 means unvoiced.
        """
        x = self.pro_in(steps)
        for block in self.pro:
            x = cast(ConvNeXt, block).whole(x)
        curves = self.pro_out(x)[0].reshape(2, FRAMES_PER_STEP, -1).transpose(1, 2).flatten(1)
        return F0_UNIT_HZ * curves[0], curves[1]


class Spectra(nn.Module):
    """What a frame sounds like: text, pitch and energy to five spectra."""

    def __init__(self) -> None:
        super().__init__()
        self.text = TextEncoder(TEXT_CHANNELS, depth=4)
        self.dec_in = nn.Conv1d(TEXT_CHANNELS + 2, DECODER_CHANNELS, DECODER_KERNEL)
        self.dec = nn.ModuleList(
            ConvNeXt(DECODER_CHANNELS, DECODER_HIDDEN, DECODER_KERNEL) for _ in range(DECODER_BLOCKS)
        )
        self.dec_norm = nn.LayerNorm(DECODER_CHANNELS)
        self.head = nn.Linear(DECODER_CHANNELS, BRANCHES * BINS)

    def layers(self) -> list[Callable[[Tensor], Tensor]]:
        """Return the decoder's convolutions in order; each takes 6 frames more than it yields."""
        return [self.dec_in, *self.dec]

    def spectra(self, hidden: Tensor) -> Tensor:
        """Map the last layer's output, `(batch, 256, frames)`, to `(batch, frames, 5, 601)`."""
        rows: Tensor = self.head(self.dec_norm(hidden.transpose(1, 2)))
        return rows.reshape(*rows.shape[:2], BRANCHES, BINS)


class StudentNetwork(nn.Module):
    """The whole network, offline: `pn` for prosody, `m` for the spectra."""

    def __init__(self) -> None:
        super().__init__()
        self.m = Spectra()
        self.pn = Prosody()

    def plan(self, ids: Tensor, speed: float, pitch: float) -> tuple[Tensor, Tensor, Tensor]:
        """Map ids, `(phonemes,)`, to durations, decoder input `(130, frames)` and f0 `(frames,)`."""
        prosody_text = self.pn.text(ids[None])
        durations = self.pn.durations(prosody_text, speed)
        return durations, *self.expand(ids, prosody_text, durations, pitch)

    def expand(
        self, ids: Tensor, prosody_text: Tensor, durations: Tensor, pitch: float
    ) -> tuple[Tensor, Tensor]:
        """Lay the phonemes out over the frames: decoder input `(130, frames)` and f0 `(frames,)`.

        `prosody_text` is `(1, 192, phonemes)`, `durations` `(phonemes,)`.
        """
        f0, energy = self.pn.curves(prosody_text.repeat_interleave(durations, dim=2))
        f0 = f0 * pitch
        text = self.m.text(ids[None])[0].repeat_interleave(FRAMES_PER_STEP * durations, dim=1)
        log_f0 = torch.log1p(f0.clamp(min=0)) / LOG_F0_UNIT
        return torch.cat((text, log_f0[None], energy[None])), f0

    def forward(self, features: Tensor) -> Tensor:
        """Decode a whole signal, `(batch, 130, frames)`, to `(batch, frames, 5, 601)`."""
        x = features
        for layer in self.m.layers():
            x = layer(functional.pad(x, (DECODER_REACH, DECODER_REACH)))
        return self.m.spectra(x)


@dataclass(slots=True)
class TorchDecoderState:
    """Where a decode stands; `TorchAcoustic.decode` changes it.

    `position` is the next frame to yield. `reach` is how many frames the first layer has taken, those of the
    silence after the signal included; every further layer runs three frames behind the one before it.
    `contexts` holds each layer's last inputs, `(1, channels, <= 6)`, about 52 kB in all.
    """

    features: Tensor
    position: int
    reach: int
    contexts: list[Tensor]

    @property
    def frames(self) -> int:
        """Acoustic frames of the whole segment."""
        return self.features.shape[1]


@dataclass(frozen=True, slots=True)
class _Run:
    """The shape of one decoding step. States whose steps have the same shape are computed together.

    `fresh` counts new features, `silence` the zeros each layer takes behind the signal's end, `context` what
    each has kept from before, `count` the frames to yield.
    """

    fresh: int
    silence: tuple[int, ...]
    context: tuple[int, ...]
    count: int


class TorchAcoustic:
    """`models.acoustic.AcousticModel` in torch, on the CPU or on a CUDA device."""

    def __init__(self, device: str = "cpu", threads: int = 1) -> None:
        """Load the weights. `threads`, torch's own threads for one step, holds for the whole process.

        Raises `models.weights.WeightsMissing` and `WeightsAltered`.
        """
        torch.set_num_threads(threads)
        # Convolutions would else round their inputs to ten bits on CUDA, unlike every other product.
        torch.backends.cudnn.allow_tf32 = False
        self.device = torch.device(device)
        with torch.device("meta"):
            network = StudentNetwork()
        weights = {name: torch.from_numpy(array) for name, array in read_weights().items()}
        network.load_state_dict(weights, assign=True)
        self.network = network.to(self.device).eval().requires_grad_(False)

    @property
    def max_batch(self) -> int:
        """States one `decode` takes: bounded so that a step stays short and its memory small."""
        return MAX_BATCH

    @torch.inference_mode()
    def plan(self, ids: Sequence[int], *, speed: float, pitch: float) -> Plan:
        """See `AcousticModel.plan`."""
        durations, features, f0 = self.network.plan(torch.tensor(ids, device=self.device), speed, pitch)
        return Plan(durations.cpu().numpy(), features, f0)

    @torch.inference_mode()
    def start(self, plan: Plan, first_frame: int) -> TorchDecoderState:
        """See `AcousticModel.start`. The margin before `first_frame` is computed by the first `decode`."""
        features: Tensor = plan.features
        assert 0 <= first_frame < features.shape[1]
        reach = max(0, first_frame - DECODER_MARGIN)
        # At the signal's start each layer sees silence before its first frame; elsewhere the margin stands
        # there, and each layer uses up its share of it.
        before = DECODER_REACH if reach == 0 else 0
        contexts = [features.new_zeros(1, features.shape[0], before)]
        contexts += [features.new_zeros(1, DECODER_CHANNELS, before)] * DECODER_BLOCKS
        return TorchDecoderState(features, first_frame, reach, contexts)

    @torch.inference_mode()
    def decode(self, states: Sequence[DecoderState], counts: Sequence[int]) -> list[Tensor]:
        """See `AcousticModel.decode`. States whose steps have the same shape run as one batch."""
        groups: dict[_Run, list[int]] = defaultdict(list)
        for index, (state, count) in enumerate(zip(states, counts, strict=True)):
            assert isinstance(state, TorchDecoderState)
            assert 0 < count <= state.frames - state.position
            groups[_run(state, count)].append(index)
        spectra: dict[int, Tensor] = {}
        for run, members in groups.items():
            batch = self._step([cast(TorchDecoderState, states[index]) for index in members], run)
            spectra.update(zip(members, batch, strict=True))
        return [spectra[index] for index in range(len(states))]

    def _step(self, states: Sequence[TorchDecoderState], run: _Run) -> Tensor:
        x = torch.stack([state.features[:, state.reach : state.reach + run.fresh] for state in states])
        for layer, convolve in enumerate(self.network.m.layers()):
            context = torch.cat([state.contexts[layer] for state in states])
            padded = functional.pad(torch.cat((context, x), dim=2), (0, run.silence[layer]))
            kept = padded[:, :, -DECODER_CONTEXT:].clone()
            for index, state in enumerate(states):
                state.contexts[layer] = kept[index : index + 1]
            enough = padded.shape[2] > DECODER_CONTEXT
            x = convolve(padded) if enough else padded.new_empty(len(states), DECODER_CHANNELS, 0)
        for state in states:
            state.position += run.count
            state.reach = state.position + DECODER_MARGIN
        # A decode that began near the signal's start has come through frames nobody asked for.
        return self.network.m.spectra(x[:, :, -run.count :])


def _run(state: TorchDecoderState, count: int) -> _Run:
    reach = state.position + count + DECODER_MARGIN
    return _Run(
        fresh=min(reach, state.frames) - min(state.reach, state.frames),
        silence=tuple(
            _silence(reach, layer, state.frames) - _silence(state.reach, layer, state.frames)
            for layer in range(1 + DECODER_BLOCKS)
        ),
        context=tuple(context.shape[2] for context in state.contexts),
        count=count,
    )


def _silence(reach: int, layer: int, frames: int) -> int:
    """Return the zeros a layer has taken behind the signal's end once the first layer has taken `reach`."""
    return min(max(reach - DECODER_REACH * layer - frames, 0), DECODER_REACH)
