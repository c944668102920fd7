"""A small client of Utter: speak while the text is still being written, interrupt, survive a dropped line.

Made to be copied; needs Python 3.11 and `pip install websockets`. Hands audio on as it comes; playing it is
up to you. One event loop. The messages: docs/protocol.md. Try `python3 docs/examples/client.py "Hi." hi.wav`.
"""

from __future__ import annotations

import asyncio
import json
import struct
import sys
import wave
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

Message = dict[str, Any]
OnAudio = Callable[[str, int, Sequence[bytes]], object]
OnMessage = Callable[[Message], object]

HEADER = struct.Struct("<xBHII")  # flags, ordinal, sequence, timestamp; then packets behind their lengths
LAST, PACKET_SAMPLES = 2, 960  # the flag of the last packet; the samples of any, at 48 kHz as in all counts


class SpeechError(Exception):
    """The server could not do what was asked, or the session is lost: its code and its message."""


class Utterance:
    """What is known of an utterance: what is to be said, and what the server has of that."""

    def __init__(self, settings: Message) -> None:
        self.settings, self.text, self.complete = settings, "", False
        self.cancel: Message = {}  # the message, once it was asked for
        self.sent, self.end_sent, self.cancel_sent = 0, False, False
        self.told: dict[str, Message] = {}  # the server's newest message of each type

    def is_open(self) -> bool:
        """Tell whether more can be said."""
        return not self.cancel and not self.told.keys() & {"done", "cancelled", "error"}


class Speech:
    """A session that comes back after a loss: `async with Speech(url, on_audio, on_message, format="pcm")`.

    `on_audio(utterance, timestamp, packets)` gets every packet once, in order; `on_message` hears of every
    message; `settings` are the fields of `start`. Works while away; what cannot be mended ends the block.
    """

    def __init__(self, url: str, on_audio: OnAudio, on_message: OnMessage, **settings: object) -> None:
        self._url, self._on_audio, self._on_message, self._settings = url, on_audio, on_message, settings
        self._utterances: dict[str, Utterance] = {}
        self._ordinals: dict[int, str] = {}
        self._token, self._next = "", 0  # of the session; of the first packet that has not come
        self._socket: ClientConnection | None = None
        self._sending, self._news, self._tasks = asyncio.Lock(), asyncio.Condition(), asyncio.TaskGroup()

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        self._task = self._tasks.create_task(self._stay_connected())
        return self

    async def __aexit__(self, *error: Any) -> None:
        self._task.cancel()
        if self._socket is not None:
            await self._socket.close()
        await self._tasks.__aexit__(*error)

    async def push(self, name: str, text: str, **settings: object) -> None:
        """Append text, cut anywhere. A new name opens an utterance, heard after those opened before."""
        one = self._utterances.setdefault(name, Utterance(settings))
        if len(self._utterances) > 64:  # the server remembers no more, and lets 16 be open
            del self._utterances[next(iter(self._utterances))]
        if one.is_open():
            one.text += text
            await self._catch_up()

    async def end(self, name: str) -> None:
        """Say that there is no more text."""
        self._utterances[name].complete = True
        await self._catch_up()

    async def wait(self, name: str) -> Message:
        """Return the server's `done` once all audio has come too, or its `cancelled`. Raises SpeechError."""
        told = self._utterances[name].told
        await self._until(told, lambda: "done" in told and ("last" in told or not told["done"]["samples"]))
        return told.get("cancelled") or told["done"]

    async def cancel(self, name: str, **playhead: int) -> tuple[str, str]:
        """Stop; return the text heard and the rest. `played=` samples were heard, or the server estimates."""
        one = self._utterances[name]
        if not one.cancel:
            one.cancel = {"type": "cancel", "utterance": name, **playhead}
            one.told.pop("warning", None)  # of something else
        await self._catch_up()
        await self._until(one.told, lambda: "warning" in one.told)
        if end := one.told.get("cancelled"):
            return end["text_spoken"], end["text_remaining"]
        heard = one.told["warning"]["code"] != "unknown-utterance"  # all of it; or none has arrived
        return (one.text, "") if heard else ("", one.text)

    async def send(self, **message: object) -> None:
        """Send another message: `progress` about four times a second, `flush`. Dropped while away."""
        with suppress(ConnectionClosed):
            if self._socket is not None:
                await self._socket.send(json.dumps(message))

    async def _until(self, told: Message, reached: Callable[[], bool]) -> None:
        async with self._news:
            await self._news.wait_for(lambda: "cancelled" in told or "error" in told or reached())
        if "error" in told:
            raise SpeechError(told["error"]["code"], told["error"]["message"])

    async def _catch_up(self) -> None:
        """Send what the server has not had: what is new, or was lost with a connection."""
        async with self._sending:
            for name, one in list(self._utterances.items()) if self._socket else ():
                if one.is_open() and one.sent < len(one.text):
                    text, one.sent = one.text[one.sent :], len(one.text)
                    await self.send(type="text", utterance=name, text=text, **one.settings)
                if one.is_open() and one.complete and not one.end_sent:
                    one.end_sent = True
                    await self.send(type="end", utterance=name)
                if one.cancel and not one.cancel_sent and "cancelled" not in one.told:
                    one.cancel_sent = True
                    await self.send(**one.cancel)

    async def _stay_connected(self) -> None:
        async for socket in connect(self._url, compression=None, ping_interval=2, ping_timeout=3):
            with suppress(ConnectionClosed):
                resume = {"resume": {"session": self._token, "next": self._next}} if self._token else {}
                await socket.send(json.dumps({"type": "start", **self._settings, **resume}))
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
        if message["type"] == "error" and not self._token:
            raise SpeechError(message["code"], message["message"])  # of the settings
        async with self._news:
            if one := self._utterances.get(message.get("utterance", "")):
                one.told[message["type"]] = message
            self._news.notify_all()
        self._on_message(message)

    async def _greet(self, socket: ClientConnection, ready: Message) -> None:
        known = {one["utterance"]: one for one in ready.get("utterances", ())}
        for name, one in self._utterances.items():
            if one.sent and not ready["resumed"]:
                one.told["error"] = {"code": "session-lost", "message": "The session could not be resumed."}
            one.sent = known.get(name, {}).get("received", 0)
            one.end_sent, one.cancel_sent = known.get(name, {}).get("ended", False), False
        self._token, self._socket, self._next = (
            ready["session"],
            socket,
            self._next if ready["resumed"] else 0,
        )
        await self._catch_up()

    def _hear_audio(self, data: bytes) -> Message:
        flags, ordinal, sequence, timestamp = HEADER.unpack_from(data)
        packets, at = [], HEADER.size
        while at < len(data):
            packets.append(data[at + 2 : at + 2 + int.from_bytes(data[at : at + 2], "little")])
            at += 2 + len(packets[-1])
        again = max(0, self._next - sequence)  # had come before the loss
        self._next = max(self._next, sequence + len(packets))
        name = self._ordinals.get(ordinal, "")
        if packets[again:] and name in self._utterances and not self._utterances[name].cancel:
            self._on_audio(name, timestamp + again * PACKET_SAMPLES, packets[again:])
        return {"type": "last" if flags & LAST else "audio", "utterance": name}


async def main(text: str, path: str = "hello.wav", url: str = "ws://127.0.0.1:8765/v1/stream") -> None:
    """Speak `text` into a WAV file, as fast as the server can."""
    pcm: list[bytes] = []
    async with Speech(url, lambda _, __, new: pcm.extend(new), print, format="pcm", lead_ms=None) as speech:
        await speech.push("1", text)
        await speech.end("1")
        await speech.wait("1")
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, 24_000, 0, "NONE", ""))
        file.writeframes(b"".join(pcm))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
