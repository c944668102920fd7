"""A small client of Utter: speak while the text is still being written, interrupt, survive a dropped line.

Made to be copied; needs Python 3.11 and `pip install websockets`. One event loop. See say.py and protocol.md.
"""

import asyncio
import json
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

Message = dict[str, Any]
OnAudio = Callable[[str, int, Sequence[bytes]], object]
OnMessage = Callable[[Message], object]

HEADER = struct.Struct(
    "<xBHII"
)  # flags (2: last), ordinal, sequence, timestamp; packets behind their lengths
PACKET_SAMPLES = 960  # of any packet, at 48 kHz, as all samples are counted
ANSWERS = {"cancelled", "error", "utterance-ended", "unknown-utterance"}  # to a cancel: a type or a code


class SpeechError(Exception):
    """The server could not do what was asked, or the session is lost: its code and its message."""


@dataclass
class Utterance:
    """What is known of an utterance: what is to be said, and what the server has of that."""

    settings: Message
    text: str = ""
    complete: bool = False
    cancel: Message = field(default_factory=dict)  # the message, once it was asked for
    sent: int = 0  # code points, and one more for the end
    told: dict[str, Message] = field(default_factory=dict)  # the newest message of each type, and the answer

    def is_open(self) -> bool:
        """Tell whether more can be said."""
        return not self.cancel and not self.told.keys() & {"done", "cancelled", "error"}

    def is_over(self) -> bool:
        """Tell whether all of it has come, or nothing more will."""
        whole = "done" in self.told and ("last" in self.told or not self.told["done"]["samples"])
        return (whole and not self.cancel) or bool(self.told.keys() & ANSWERS)


class Speech:
    """A session that comes back after a loss: `async with Speech(url, on_audio, on_message, format="pcm")`.

    `on_audio(utterance, timestamp, packets)` gets every packet once, in order; `on_message` hears of every
    message; `settings` are the fields of `start`. Works while away; what cannot be mended ends the block.
    """

    def __init__(self, url: str, on_audio: OnAudio, on_message: OnMessage, **settings: object) -> None:
        self._url = url
        self._on_audio = on_audio
        self._on_message = on_message
        self._settings = settings
        self._utterances: dict[str, Utterance] = {}
        self._ordinals: dict[int, str] = {}
        self._resume: Message = {}  # how to go on: session, next packet, playhead
        self._line: ClientConnection | None = None
        self._socket: ClientConnection | None = None  # the line, once the session is there
        self._news = asyncio.Condition()

    async def __aenter__(self) -> Self:
        self._tasks = await asyncio.TaskGroup().__aenter__()
        self._task = self._tasks.create_task(self._stay_connected())
        return self

    async def __aexit__(self, *error: Any) -> None:
        self._task.cancel()
        if self._line is not None:
            await self._line.close()
        await self._tasks.__aexit__(*error)

    async def push(self, name: str, text: str, **settings: object) -> None:
        """Append text, cut anywhere. A new name opens an utterance, heard after those opened before."""
        if name not in self._utterances and len(self._utterances) >= 64:  # the server keeps no more either
            if not (over := [name for name, one in self._utterances.items() if one.is_over()]):
                raise SpeechError("too-many-utterances", "None of the utterances is over yet.")
            del self._utterances[over[0]]
        one = self._utterances.setdefault(name, Utterance(settings))
        if one.is_open():
            one.text += text
            await self._catch_up()

    async def end(self, name: str) -> None:
        """Say that there is no more text."""
        self._utterances[name].complete = True
        await self._catch_up()

    async def wait(self, name: str) -> Message:
        """Return the server's `done` once all audio has come, or how else it ended. Raises SpeechError."""
        one = self._utterances[name]
        await self._until(one, one.is_over)
        return one.told.get("cancelled") or one.told.get("done") or one.told["unknown-utterance"]

    async def progress(self, name: str, played: int) -> None:
        """Say that so many samples were heard, and all utterances before: four times a second is enough."""
        self._resume |= {"playing": name, "played": played}
        await self.send(type="progress", utterance=name, played=played)

    async def cancel(self, name: str, **playhead: int) -> tuple[str, str]:
        """Stop; return the text heard and the rest. `played=` samples were heard, or the server estimates."""
        one = self._utterances[name]
        if not one.cancel:
            one.cancel = {"type": "cancel", "utterance": name, **playhead}
            if playhead.get("played"):  # with 0 it may wait behind another
                self._resume |= {"playing": name, **playhead}
            await self.send(**one.cancel)
        await self._until(one, lambda: bool(one.told.keys() & ANSWERS))
        known = one.text if one.told.keys() & {"done", "utterance-ended"} else ""
        heard = one.told["cancelled"]["text_spoken"] if "cancelled" in one.told else known
        return heard, one.text[len(heard) :]

    async def send(self, **message: object) -> None:
        """Send another message, a `flush`, say. Dropped while away."""
        with suppress(ConnectionClosed):
            if self._socket is not None:
                await self._socket.send(json.dumps(message))

    async def _until(self, one: Utterance, reached: Callable[[], bool]) -> None:
        async with self._news:
            await self._news.wait_for(reached)
        if error := one.told.get("error"):
            raise SpeechError(error["code"], error["message"])

    async def _catch_up(self) -> None:
        for name, one in list(self._utterances.items()) if self._socket else ():
            if one.is_open() and (one.sent < len(one.text) or (one.complete and not one.sent)):
                text, one.sent = one.text[one.sent :], len(one.text)
                await self.send(type="text", utterance=name, text=text, **one.settings)
            if one.is_open() and one.complete and one.sent == len(one.text):
                one.sent += 1
                await self.send(type="end", utterance=name)

    def _unanswered(self) -> list[Message]:
        asked = [one for one in self._utterances.values() if one.cancel]
        return [one.cancel for one in asked if not one.told.keys() & ANSWERS]

    async def _stay_connected(self) -> None:
        async for socket in connect(self._url, compression=None, ping_interval=2, ping_timeout=3):
            self._line = socket
            with suppress(ConnectionClosed):
                resume = self._resume | {"cancel": [cancel["utterance"] for cancel in self._unanswered()]}
                again = {"resume": resume} if "session" in resume else {}
                await socket.send(json.dumps({"type": "start", **self._settings, **again}))
                async for data in socket:
                    await self._hear(socket, data)
            if socket.close_code in (1003, 1007, 1008, 1009, 4001):  # our fault, or taken over
                raise SpeechError("closed", socket.close_reason)
            await asyncio.sleep(0 if self._socket is socket else 1)  # at once, unless it never got ready
            self._socket = None

    async def _hear(self, socket: ClientConnection, data: str | bytes) -> None:
        message = self._hear_audio(data) if isinstance(data, bytes) else json.loads(data)
        if message["type"] == "ready":
            await self._greet(socket, message)
        if message["type"] == "started":
            self._ordinals[message["ordinal"]] = message["utterance"]
        if message["type"] == "error" and "session" not in self._resume:
            raise SpeechError(message["code"], message["message"])  # of the settings
        async with self._news:
            if one := self._utterances.get(message.get("utterance", "")):
                answer = one.cancel and message.get("code") in ANSWERS
                one.told[message["code"] if answer else message["type"]] = message
            self._news.notify_all()
        self._on_message(message)

    async def _greet(self, socket: ClientConnection, ready: Message) -> None:
        known = {one["utterance"]: one["received"] + one["ended"] for one in ready.get("utterances", ())}
        for name, one in self._utterances.items():
            if one.sent and not ready["resumed"] and not one.is_over():
                one.told["error"] = {"code": "session-lost", "message": "The session could not be resumed."}
            one.sent = known.get(name, 0)
        self._resume = self._resume if ready["resumed"] else {"session": ready["session"], "next": 0}
        self._socket = socket
        for cancel in self._unanswered():  # a resume is silent about what was heard whole, or never came
            await self.send(**cancel)
        await self._catch_up()

    def _hear_audio(self, data: bytes) -> Message:
        flags, ordinal, sequence, timestamp = HEADER.unpack_from(data)
        packets, at = [], HEADER.size
        while at < len(data):
            packets.append(data[at + 2 : at + 2 + int.from_bytes(data[at : at + 2], "little")])
            at += 2 + len(packets[-1])
        self._resume["next"] = sequence + len(packets)
        name = self._ordinals.get(ordinal, "")
        if name in self._utterances and not self._utterances[name].cancel:
            self._on_audio(name, timestamp, packets)
        return {"type": "last" if flags & 2 else "audio", "utterance": name}
