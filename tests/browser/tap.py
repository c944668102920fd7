"""The Python side of the tap in a page: put it in, wait for what it hears, take out what it has heard.

Knows the page's text box and keys, the wire, and Opus through libopus; nothing of how the page plays.
"""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from opuslib_next import Decoder
from playwright.sync_api import Browser, BrowserContext, Page, expect

from pipeline.audio import CONTENT_RATE_HZ, FRAME_CONTENT_SAMPLES, Pcm
from server import protocol

HERE = Path(__file__).resolve().parent
SETTLED_SAMPLES = CONTENT_RATE_HZ // 4
"""How long is listened after the last thing expected, for what must not come any more."""

STOPPED_TIMEOUT_MS = 30_000


@dataclass(frozen=True, slots=True)
class Key:
    """A key went down at `at` (page's ms), when the device stood at `frame` and `messages` had come."""

    key: str
    at: float
    frame: int
    messages: int


@dataclass(frozen=True, slots=True)
class Line:
    """One utterance as it came over the page's socket, decoded by libopus in Python.

    `pcm` begins after the pre-skip and ends with the last whole packet, `samples` is its length by `done`:
    0 without one. `arrived` is the number of each of its audio messages among all messages.
    """

    utterance: str
    pcm: Pcm
    samples: int
    arrived: tuple[int, ...]

    @property
    def content(self) -> Pcm:
        """What has to be heard of it: float32 at 48 kHz, shape `(samples,)`."""
        assert 0 < self.samples <= self.pcm.size
        return self.pcm[: self.samples]


@dataclass(frozen=True, slots=True)
class Report:
    """What a page's player gave to the device, from its frame `frame` on, and what it had been sent."""

    frame: int
    pcm: Pcm
    marks: tuple[dict[str, Any], ...]
    keys: tuple[Key, ...]
    messages: tuple[protocol.ServerMessage | protocol.AudioMessage, ...]

    def between(self, start: int, end: int | None = None) -> Pcm:
        """Return what was rendered from frame `start` up to frame `end`."""
        assert start >= self.frame
        return self.pcm[start - self.frame : None if end is None else end - self.frame]

    def frames(self, kind: str) -> list[int]:
        """Return where the playout said that something happened: `playing`, `starved`, `ended`."""
        return [int(mark["frame"]) for mark in self.marks if mark["type"] == kind]

    def key(self, name: str) -> Key:
        """Return the one press of a key."""
        (key,) = (one for one in self.keys if one.key == name)
        return key

    def lines(self) -> list[Line]:
        """Return the utterances in the order they were started; what came again counts once."""
        arrived = defaultdict(list)
        packets: dict[int, dict[int, bytes]] = defaultdict(dict)
        started = {m.utterance: m for m in self.messages if isinstance(m, protocol.Started)}
        samples = dict.fromkeys(started, 0)
        for at, message in enumerate(self.messages):
            if isinstance(message, protocol.AudioMessage):
                arrived[message.ordinal].append(at)
                packets[message.ordinal].update(enumerate(message.packets, message.sequence))
            elif isinstance(message, protocol.Done):
                samples[message.utterance] = message.samples
        return [
            Line(
                name,
                decoded([packet for _, packet in sorted(packets[one.ordinal].items())])[one.pre_skip :],
                samples[name],
                tuple(arrived[one.ordinal]),
            )
            for name, one in started.items()
        ]


def decoded(packets: list[bytes]) -> Pcm:
    """Decode one Opus stream to float32 at 48 kHz with a fresh libopus decoder, shape `(960 * packets,)`."""
    decoder = Decoder(CONTENT_RATE_HZ, 1)
    pcm = b"".join(decoder.decode_float(packet, FRAME_CONTENT_SAMPLES) for packet in packets)
    return np.frombuffer(pcm, np.float32)


class TappedPage:
    """A page with a tap behind its player, connected, in a context of its own or that of `beside`."""

    def __init__(
        self,
        browser: Browser,
        address: str,
        prepare: Callable[[Page], object] = lambda page: None,
        *,
        beside: TappedPage | None = None,
    ) -> None:
        # The page's policy allows no worklet but its own.
        self.context: BrowserContext = (
            browser.new_context(locale="en-US", bypass_csp=True) if beside is None else beside.context
        )
        worklet = json.dumps((HERE / "tap-worklet.js").read_text("utf-8"))
        self.page: Page = self.context.new_page()
        self.page.add_init_script(f"const tapWorklet = {worklet};\n{(HERE / 'tap.js').read_text('utf-8')}")
        prepare(self.page)
        self.page.goto(address)
        expect(self.page.locator("#connection")).to_have_attribute("data-state", "open")

    def close(self) -> None:
        """Close the page and forget all of it."""
        self.context.close()

    def speak(self, *texts: str) -> None:
        """Type lines and press Enter behind each."""
        for text in texts:
            self.page.fill("#text", text)
            self.page.press("#text", "Enter")

    def until_silent(self) -> Report:
        """Wait until nothing is spoken any more and a moment has passed, and return all that was heard."""
        expect(self.page.locator("#stop")).to_be_disabled(timeout=STOPPED_TIMEOUT_MS)
        self.wait(f"(end => () => tap.upTo > end)(tap.now + {SETTLED_SAMPLES})")
        return self.report()

    def wait(self, condition: str) -> None:
        """Wait in the page until a condition on `tap` holds, written as a JavaScript function."""
        self.page.evaluate(f"() => tap.when({condition})")

    def report(self) -> Report:
        """Return all that was heard and received so far."""
        found = self.page.evaluate("() => tap.report()")
        assert found["devices"] == 1, "the audio device stood still and was made anew"
        return Report(
            frame=found["frame"],
            pcm=np.frombuffer(base64.b64decode(found["pcm"]), np.float32),
            marks=tuple(found["marks"]),
            keys=tuple(Key(**key) for key in found["keys"]),
            messages=tuple(map(_message, found["messages"])),
        )


def _message(data: dict[str, str]) -> protocol.ServerMessage | protocol.AudioMessage:
    if "audio" in data:
        return protocol.unpack_audio(base64.b64decode(data["audio"]))
    return protocol.parse_server(data["text"])
