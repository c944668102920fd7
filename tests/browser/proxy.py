"""A TCP proxy that can lose a line: reset it, or swallow everything without a word.

Knows bytes only. Runs an event loop on a thread of its own; the methods may be called from any other.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator

READ_BYTES = 1 << 16
START_TIMEOUT_S = 10.0


class Proxy:
    """Forwards connections to `port` on this machine. What it holds is bounded by what a test sends."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._loop: asyncio.AbstractEventLoop | None = None
        self._open = asyncio.Event()
        self._open.set()
        self._stopped = asyncio.Event()
        self._serving: set[asyncio.Task[None]] = set()
        self._pairs: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self.port = 0

    def reset(self) -> None:
        """Tear down every connection at once; both sides get a reset."""
        self._call(self._reset)

    def swallow(self) -> None:
        """Let nothing through any more, in either direction; connections open and stay open."""
        self._call(self._open.clear)

    def let_through(self) -> None:
        """Let everything through again, also what was swallowed."""
        self._call(self._open.set)

    @property
    def silent(self) -> bool:
        """Whether nothing is let through."""
        return not self._open.is_set()

    def _call(self, function: Callable[[], object]) -> None:
        assert self._loop is not None
        done = threading.Event()
        self._loop.call_soon_threadsafe(function)
        self._loop.call_soon_threadsafe(done.set)
        assert done.wait(START_TIMEOUT_S)

    def _reset(self) -> None:
        for pair in self._pairs:
            for writer in pair:
                raw = writer.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()

    def stop(self) -> None:
        """Tear everything down and end."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._stopped.set)

    async def serve(self, started: threading.Event) -> None:
        """Forward until stopped; the other methods may be called once it has started."""
        self._loop = asyncio.get_running_loop()
        async with await asyncio.start_server(self._connect, "127.0.0.1", 0) as server:
            self.port = server.sockets[0].getsockname()[1]
            started.set()
            await self._stopped.wait()
            self._open.set()
            self._reset()
            if self._serving:
                await asyncio.wait(self._serving)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        with contextlib.suppress(OSError):
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
            pair = (writer, far_writer)
            self._pairs.add(pair)
            try:
                await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))
            finally:
                self._pairs.discard(pair)
                for one in pair:
                    one.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(READ_BYTES):
            await self._open.wait()
            writer.write(data)
            await writer.drain()
        writer.write_eof()


@contextlib.contextmanager
def proxy_before(port: int) -> Iterator[Proxy]:
    """Run a proxy before a port; every connection is reset on leaving."""
    proxy = Proxy(port)
    started = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(proxy.serve(started)))
    thread.start()
    try:
        assert started.wait(START_TIMEOUT_S)
        yield proxy
    finally:
        proxy.stop()
        thread.join()
