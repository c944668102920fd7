"""Speak a text into a WAV file, as fast as the server can: `python3 docs/examples/say.py "Hello." hello.wav`.

A third argument is the address of the stream. Needs `pip install websockets`.
"""

import asyncio
import sys
import wave

from client import PACKET_SAMPLES, Speech

REPORT_S = 0.1


async def main(text: str, path: str = "hello.wav", url: str = "ws://127.0.0.1:8765/v1/stream") -> None:
    """Write what is spoken; what is written counts as heard, so that the server goes on."""
    pcm: list[bytes] = []
    async with (
        Speech(url, lambda _name, _timestamp, packets: pcm.extend(packets), print, format="pcm") as speech,
        asyncio.TaskGroup() as tasks,
    ):
        await speech.push("1", text)
        await speech.end("1")
        done = tasks.create_task(speech.wait("1"))
        while not done.done():
            await asyncio.wait([done], timeout=REPORT_S)
            await speech.progress("1", len(pcm) * PACKET_SAMPLES)
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, 24_000, 0, "NONE", ""))
        file.writeframes(b"".join(pcm))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
