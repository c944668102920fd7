"""Give a language model a voice: any OpenAI-compatible chat completions, spoken while they are written.

    pip install websockets aiohttp
    python3 docs/examples/chatbot.py --player "aplay -q -t raw -f S16_LE -r 24000 -c 1"

Without options it talks, in silence, to the scripted stand-in that Utter serves: --base-url, --model and the
variable OPENAI_API_KEY choose a real model, --player a program for raw PCM. A line typed while it speaks
interrupts it, and of its answer the conversation keeps what was heard.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shlex
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from itertools import count

import aiohttp
from client import Speech

Messages = list[dict[str, str]]


class Sound:
    """The sound of one answer after the other, through a program; without one it is silent."""

    def __init__(self, command: str) -> None:
        self._command = shlex.split(command)
        self._player: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Be ready for an answer."""
        if self._command:
            self._player = await asyncio.create_subprocess_exec(*self._command, stdin=asyncio.subprocess.PIPE)

    def write(self, _name: str, _timestamp: int, packets: Sequence[bytes]) -> None:
        """Take packets of PCM. No more waits here than the server sends ahead, 5 s."""
        if self._player is not None and self._player.stdin is not None:
            self._player.stdin.write(b"".join(packets))

    async def stop(self, *, at_once: bool) -> None:
        """Fall silent, or wait until all was played."""
        player, self._player = self._player, None
        if player is not None and player.stdin is not None:
            player.stdin.close()
            if at_once and player.returncode is None:
                player.kill()
            await player.wait()


async def completion(
    http: aiohttp.ClientSession, url: str, model: str, messages: Messages
) -> AsyncIterator[str]:
    """Yield an answer piece by piece."""
    asked = {"model": model, "messages": messages, "stream": True}
    async with http.post(f"{url}/chat/completions", json=asked) as response:
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


async def converse(options: argparse.Namespace, lines: asyncio.Queue[str]) -> None:
    """Answer one line after the other; an empty one ends it."""
    sound, messages = Sound(options.player), Messages()
    headers = {"Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', 'none')}"}
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        Speech(options.socket, sound.write, lambda message: None, format="pcm") as speech,
    ):
        line = await lines.get()
        for name in map(str, count()):
            if not line:
                return
            messages.append({"role": "user", "content": line})
            await speech.push(name, "")
            await sound.start()
            async with asyncio.TaskGroup() as tasks:
                pieces = completion(http, options.base_url, options.model, messages.copy())
                answer = tasks.create_task(say(speech, name, pieces))
                line = await lines.get()
                if not line:  # nobody is left who could interrupt
                    await answer
                answer.cancel()
            await sound.stop(at_once=bool(line))
            heard, unheard = await speech.cancel(name) if line else ("", "")
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
    parser.add_argument(
        "--base-url", default="http://127.0.0.1:8080/demo/v1", help="of the chat completions API"
    )
    parser.add_argument("--model", default="script", help="name of the model")
    parser.add_argument("--socket", default="ws://127.0.0.1:8765/v1/stream", help="address of Utter's stream")
    parser.add_argument(
        "--player", default="", help="command that plays raw PCM, 24 kHz mono, from its input"
    )
    lines: asyncio.Queue[str] = asyncio.Queue()
    threading.Thread(target=read_lines, args=(asyncio.get_running_loop(), lines), daemon=True).start()
    await converse(parser.parse_args(), lines)


if __name__ == "__main__":
    asyncio.run(main())
