"""A client that keeps its session over lost connections, as plainly as the protocol asks."""

from __future__ import annotations

import asyncio
import enum
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from websockets.asyncio.client import ClientConnection, connect

from server.protocol import (
    AudioFlags,
    AudioMessage,
    Cancel,
    Cancelled,
    ClientMessage,
    Done,
    End,
    ErrorMessage,
    Ready,
    Resume,
    Segment,
    ServerMessage,
    Start,
    Started,
    StreamFormat,
    Text,
    parse_server,
    serialize_client,
    unpack_audio,
)

PATIENCE_S = 20.0


class Loss(enum.Enum):
    """How a connection is lost."""

    RESET = "reset"
    BLACK_HOLE = "black hole"
    GOING_AWAY = "going away"
    NO_CODE = "no code"


@dataclass
class Said:
    """What a caller knows of one utterance."""

    text: str = ""
    ended: bool = False
    cancelled: bool = False
    ordinal: int | None = None
    segments: dict[int, Segment] = field(default_factory=dict)
    ends: Counter[type] = field(default_factory=Counter)
    packets: dict[int, bytes] = field(default_factory=dict)
    """By timestamp."""
    done: Done | None = None
    heard_at: int = -1
    """Sequence number of the first packet of its latest message."""


class Caller:
    """One client. `next` is the first sequence number it has not received."""

    def __init__(
        self, url: str, *, lead_ms: float | None = None, format: StreamFormat = StreamFormat.PCM
    ) -> None:
        self.url = url
        self.start = Start(format=format, lead_ms=lead_ms)
        self.token: str | None = None
        self.next = 0
        self.said: dict[str, Said] = {}
        self.ready: Ready | None = None
        self.heard: list[ServerMessage | AudioMessage] = []
        self.pre_roll: list[AudioMessage] = []
        self.socket: ClientConnection | None = None
        self.lost: list[ClientConnection] = []
        self.late: list[str] = []
        """Utterances that audio came of after they were cancelled."""

    async def call(self, *, pre_roll: int = 0, playing: str | None = None, played: int = 0) -> Ready:
        """Connect, resuming the session there was, and send what the server lacks of every text."""
        self.socket = await connect(self.url, compression=None, max_size=None, close_timeout=0.2)
        resume = None
        if self.token is not None:
            gone = tuple(
                name for name, said in self.said.items() if said.cancelled and not said.ends[Cancelled]
            )
            wanted = max(0, self.next - pre_roll)
            resume = Resume(self.token, wanted, gone, min(pre_roll, self.next), playing, played)
        await self.send(Start(format=self.start.format, lead_ms=self.start.lead_ms, resume=resume))
        await self.read_until(lambda message: isinstance(message, Ready))
        assert self.ready is not None
        self.token = self.ready.session
        if self.ready.resumed:
            await self._send_again(self.ready)
        return self.ready

    async def _send_again(self, ready: Ready) -> None:
        known = {one.utterance: one for one in ready.utterances or ()}
        for name, said in self.said.items():
            if said.cancelled or said.done or said.ends:
                continue
            has = known.get(name)
            if rest := said.text[has.received if has else 0 :]:
                await self.send(Text(name, rest))
            if said.ended and not (has and has.ended):
                await self.send(End(name))

    async def say(self, name: str, text: str, *, ends: bool = True, arrives: bool = True) -> None:
        """Add to an utterance; what does not arrive goes into a dead socket."""
        said = self.said.setdefault(name, Said())
        said.text += text
        said.ended = said.ended or ends
        if arrives:
            await self.send(Text(name, text))
            if ends:
                await self.send(End(name))

    async def cancel(self, name: str, *, arrives: bool = True) -> None:
        """Stop an utterance; its audio is wanted no more from this moment on."""
        self.said[name].cancelled = True
        if arrives:
            await self.send(Cancel(name))

    async def send(self, *messages: ClientMessage) -> None:
        """Send messages, one after the other."""
        assert self.socket is not None
        for message in messages:
            await self.socket.send(serialize_client(message))

    async def read(self) -> ServerMessage | AudioMessage:
        """Take the next message and book it."""
        assert self.socket is not None
        data = await asyncio.wait_for(self.socket.recv(), PATIENCE_S)
        message = unpack_audio(data) if isinstance(data, bytes) else parse_server(data)
        self.heard.append(message)
        self._book(message)
        return message

    async def read_until(self, enough: Callable[[ServerMessage | AudioMessage], bool]) -> None:
        """Read until a message is enough."""
        while not enough(await self.read()):
            pass

    async def read_ends(self, *names: str) -> None:
        """Read until each of these has its end, and all the audio its end counts."""
        while not all(self._complete(self.said[name]) for name in names):
            await self.read()

    async def lose(self, how: Loss) -> None:
        """Lose the connection."""
        assert self.socket is not None
        match how:
            case Loss.RESET:
                self.socket.transport.abort()
            case Loss.GOING_AWAY:
                await self.socket.close(1001)
            case Loss.NO_CODE:
                self.socket.transport.write_eof()
            case Loss.BLACK_HOLE:
                pass  # Neither side is told; nothing is read or sent any more.
        self.lost.append(self.socket)
        self.socket = None

    async def hang_up(self, code: int = 1000) -> None:
        """Close for good, and let go of every lost connection."""
        if self.socket is not None:
            await self.socket.close(code)
        for socket in self.lost:
            socket.transport.abort()

    @property
    def last(self) -> str | None:
        """The utterance that audio came of last, unless it was stopped."""
        latest = max(self.said, key=lambda name: self.said[name].heard_at, default=None)
        return latest if latest is not None and self.said[latest].packets else None

    def playhead(self, part: float) -> int:
        """Return the content sample at so great a part of what came of the utterance heard last."""
        return 0 if self.last is None else int(part * 960 * len(self.said[self.last].packets))

    def pcm(self, name: str) -> bytes:
        """Return the utterance's samples in order: 16 bit, mono; asserts that none is missing."""
        packets = self.said[name].packets
        assert sorted(packets) == [k * 960 for k in range(len(packets))], f"a hole in {name}"
        return b"".join(packets[at] for at in sorted(packets))

    def _complete(self, said: Said) -> bool:
        if said.done is None:
            return bool(said.ends)
        return len(said.packets) * 960 >= said.done.samples

    def _book(self, message: ServerMessage | AudioMessage) -> None:
        match message:
            case AudioMessage():
                self._take(message)
            case Ready():
                self.ready = message
            case Started():
                self.said[message.utterance].ordinal = message.ordinal
            case Segment():
                self.said[message.utterance].segments[message.index] = message
            case Done() | Cancelled() | ErrorMessage(utterance=str()):
                said = self.said[str(message.utterance)]
                said.ends[type(message)] += 1
                said.done = message if isinstance(message, Done) else said.done
            case _:
                pass

    def _take(self, audio: AudioMessage) -> None:
        if audio.flags & AudioFlags.PRE_ROLL:
            self.pre_roll.append(audio)
            return
        name, said = next((name, said) for name, said in self.said.items() if said.ordinal == audio.ordinal)
        assert audio.sequence >= self.next, "heard twice"
        self.next = audio.sequence + len(audio.packets)
        if said.cancelled:
            self.late.append(name)
            return
        said.heard_at = audio.sequence
        for k, packet in enumerate(audio.packets):
            said.packets[audio.timestamp + k * 960] = packet
