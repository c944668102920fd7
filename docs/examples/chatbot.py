"""Give a language model a voice: any OpenAI-compatible chat completions, spoken while they are written.

    pip install websockets aiohttp
    python3 docs/examples/chatbot.py --player "aplay -q -t raw -f S16_LE -r 24000 -c 1"

Without options it talks, in silence, to the scripted stand-in that Utter serves; OPENAI_API_KEY is for a real
model. A line typed while it speaks interrupts it, and of its answer the conversation keeps what was heard.
"""

import argparse
import asyncio
import json
import os
import shlex
import sys
import threading
import time
from asyncio.subprocess import PIPE, create_subprocess_exec
from collections.abc import AsyncIterator, Sequence
from itertools import count

import aiohttp
from client import PACKET_SAMPLES, Speech, SpeechError

OPTIONS = {
    "--base-url": ("http://127.0.0.1:8080/demo/v1", "of the chat completions API"),
    "--model": ("script", "name of the model"),
    "--socket": ("ws://127.0.0.1:8765/v1/stream", "address of Utter's stream"),
    "--player": ("", "command that plays raw PCM, 24 kHz mono, from its input"),
}


class Sound:
    """The sound of one answer after the other, each through a program started for it, or in silence."""

    async def start(self, command: str) -> None:
        """Be ready for an answer."""
        self._taken = 0
        self._began = 0.0
        self._player = await create_subprocess_exec(*shlex.split(command), stdin=PIPE) if command else None

    def take(self, _name: str, _timestamp: int, packets: Sequence[bytes]) -> None:
        """Take packets of PCM. No more waits here than the server sends ahead, 5 s."""
        if self.played() == self._taken:  # it begins, or had run dry
            self._began = time.monotonic() - self._taken / 48_000
        self._taken += len(packets) * PACKET_SAMPLES
        if self._player and self._player.stdin:
            self._player.stdin.write(b"".join(packets))

    def played(self) -> int:
        """Estimate the samples played, by the clock: a program does not tell how far it is."""
        return min(self._taken, int((time.monotonic() - self._began) * 48_000))

    async def stop(self, *, at_once: bool) -> None:
        """Fall silent, or wait until all was played."""
        player, self._player = self._player, None
        if player and player.stdin:
            player.stdin.close()
            if at_once and player.returncode is None:
                player.kill()
            await player.wait()


async def complete(http: aiohttp.ClientSession, url: str, **request: object) -> AsyncIterator[str]:
    """Yield an answer piece by piece."""
    async with http.post(f"{url}/chat/completions", json={**request, "stream": True}) as response:
        if not response.ok:
            raise RuntimeError(f"{response.url} answers {response.status}: {await response.text()}")
        async for line in response.content:
            if line.startswith(b"data:") and line[5:].strip() != b"[DONE]":
                for choice in json.loads(line[5:])["choices"]:
                    yield choice["delta"].get("content") or ""


async def say(speech: Speech, name: str, pieces: AsyncIterator[str]) -> None:
    """Speak an answer while it comes, and print it; return when all of its sound has come."""
    async for piece in pieces:
        print(piece, end="", flush=True)
        await speech.push(name, piece)
    print(flush=True)
    await speech.end(name)
    await speech.wait(name)


async def report(speech: Speech, name: str, sound: Sound) -> None:
    """Tell the server how much was played, until cancelled."""
    while True:
        await asyncio.sleep(0.25)
        if played := sound.played():
            await speech.progress(name, played)


async def converse(options: argparse.Namespace, lines: asyncio.Queue[str]) -> None:
    """Answer one line after the other; an empty one ends it."""
    sound, messages = Sound(), list[dict[str, str]]()
    headers = {"Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', 'none')}"}
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        Speech(options.socket, sound.take, lambda _: None, format="pcm") as speech,
    ):
        line = await lines.get()
        for name in map(str, count()):
            if not line:
                return
            messages.append({"role": "user", "content": line})
            await speech.push(name, "")
            await sound.start(options.player)
            async with asyncio.TaskGroup() as tasks:
                pieces = complete(http, options.base_url, model=options.model, messages=messages.copy())
                answer = tasks.create_task(say(speech, name, pieces))
                reports = tasks.create_task(report(speech, name, sound))
                line = await lines.get()
                if not line:  # nobody is left who could interrupt
                    await answer
                answer.cancel()
                reports.cancel()
            played = sound.played()
            await sound.stop(at_once=bool(line))
            heard, unheard = await speech.cancel(name, played=played) if line else ("", "")
            if heard:
                messages.append({"role": "assistant", "content": heard})
            if unheard:
                print(f"\n[You have heard: {heard.strip() or 'nothing'}]", flush=True)


def read_lines(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[str]) -> None:
    """Read what is typed, on a thread of its own: a terminal cannot be awaited everywhere."""
    for line in filter(None, map(str.strip, sys.stdin)):
        loop.call_soon_threadsafe(lines.put_nowait, line)
    loop.call_soon_threadsafe(lines.put_nowait, "")


async def main() -> None:
    """Read the command line and begin."""
    parser = argparse.ArgumentParser(description="Talk with a language model.")
    for name, (default, words) in OPTIONS.items():
        parser.add_argument(name, default=default, help=words)
    options = parser.parse_args()
    lines: asyncio.Queue[str] = asyncio.Queue()
    threading.Thread(target=read_lines, args=(asyncio.get_running_loop(), lines), daemon=True).start()
    await converse(options, lines)


def first_of(error: BaseException) -> BaseException:
    """Return what went wrong first, out of the groups that tasks wrap it in."""
    return first_of(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except* KeyboardInterrupt:
        sys.exit(130)
    except* (aiohttp.ClientError, OSError, RuntimeError, SpeechError) as errors:
        sys.exit(f"{first_of(errors)}")
