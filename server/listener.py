"""The listening socket: who may connect, how many, and how it all ends.

Knows neither messages nor speech. Event loop only.
"""

from __future__ import annotations

import asyncio
import http
import logging
import ssl
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from pipeline.engine import Engine
from pipeline.metrics import Metrics
from server.connection import CLOSE_TIMEOUT_S, ClientSocket, Connection
from server.protocol import MAX_MESSAGE_BYTES, PATH, CloseCode, overloaded_reason
from server.session import SessionLimits
from server.sessions import Sessions

logger = logging.getLogger(__name__)

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
OPEN_TIMEOUT_S = 5.0
"""How long a handshake may take; stopping waits for those under way."""

RETRY_AFTER_MS = 2000
"""What a client refused for want of room is told to wait."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where to listen and whom to serve.

    `port` 0 takes a free one. `origins` are pages allowed beside those that are by themselves (see
    `may_connect`), written as browsers do: `https://example.org`.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    tls: ssl.SSLContext | None = None
    origins: tuple[str, ...] = ()
    max_connections: int = 1000
    limits: SessionLimits = field(default_factory=SessionLimits)


class Listener:
    """Accepts clients and gives each a session. An async context manager; leaving it closes all with 1001."""

    def __init__(
        self,
        engine: Engine,
        settings: ServerSettings,
        *,
        metrics: Metrics,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._metrics = metrics
        self._clock = clock
        self._connections: set[Connection] = set()
        self._sessions = Sessions(engine, settings.limits, metrics=metrics, clock=clock)
        self._server: Server | None = None

    async def __aenter__(self) -> Self:
        """Start listening.

        Raises:
            OSError: The address cannot be bound, as when the port is in use.
        """
        settings = self._settings
        await self._sessions.__aenter__()
        self._server = await serve(
            self._handle,
            settings.host,
            settings.port,
            ssl=settings.tls,
            process_request=self._refuse,
            create_connection=ClientSocket,
            compression=None,
            max_size=MAX_MESSAGE_BYTES,
            open_timeout=OPEN_TIMEOUT_S,
            ping_interval=None,
            close_timeout=CLOSE_TIMEOUT_S,
            server_header=None,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close every connection with 1001, end every session, and stop."""
        await self.stop()
        await self._sessions.__aexit__(kind, error, trace)

    @property
    def port(self) -> int:
        """The port listened on."""
        assert self._server is not None, "the listener is not open"
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return len(self._connections)

    @property
    def sessions(self) -> int:
        """How many sessions there are, with a connection and without."""
        return len(self._sessions)

    async def drain(self, grace_s: float) -> None:
        """Accept no client and no utterance, and let what is open end, for `grace_s` at most.

        Drains the engine: what is still open after the grace is cancelled, and its client told.
        """
        assert self._server is not None, "the listener is not open"
        self._server.close(close_connections=False)
        self._sessions.end_detached()
        await self._engine.drain(grace_s)
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                for connection in tuple(self._connections):
                    if connection.session is not None:
                        await connection.session.quiet.wait()
        except TimeoutError:
            logger.info("some of %d clients do not read what they are told", len(self._connections))

    async def stop(self) -> None:
        """Close every connection with 1001, and wait until all have gone. Idempotent."""
        if self._server is None:
            return
        server, self._server = self._server, None
        self._sessions.end_detached()
        server.close(close_connections=False)
        async with asyncio.TaskGroup() as group:
            for connection in tuple(self._connections):
                group.create_task(connection.close(CloseCode.GOING_AWAY, "shutting down"))
        await server.wait_closed()

    def _refuse(self, socket: ServerConnection, request: Request) -> Response | None:
        """Answer a handshake that must not succeed; None lets it."""
        if request.path.partition("?")[0] != PATH:
            return socket.respond(http.HTTPStatus.NOT_FOUND, f"The socket is at {PATH}.\n")
        origins, hosts = request.headers.get_all("Origin"), request.headers.get_all("Host")
        if len(hosts) > 1:
            return socket.respond(http.HTTPStatus.BAD_REQUEST, "There is more than one Host.\n")
        host = "".join(hosts)
        if not all(may_connect(origin, host, self._settings) for origin in origins):
            return socket.respond(http.HTTPStatus.FORBIDDEN, "This page may not use this server.\n")
        return None

    async def _handle(self, socket: ServerConnection) -> None:
        if len(self._connections) >= self._settings.max_connections:
            await socket.close(CloseCode.OVERLOADED, overloaded_reason(RETRY_AFTER_MS))
            return
        connection = Connection(socket, self._sessions, clock=self._clock)
        self._connections.add(connection)
        try:
            await connection.run()
        finally:
            self._connections.discard(connection)


def may_connect(origin: str, host_header: str, settings: ServerSettings) -> bool:
    """Tell whether a page of this origin may use the server that was reached as `host_header`.

    Allowed are `settings.origins`, pages on this machine and, when the server listens beyond it, pages from
    the same host on any port. A server on loopback trusts no other name that points to it (DNS rebinding).
    """
    if origin in settings.origins:
        return True
    page = _host_of(origin)
    if page is None or not origin.startswith(("http://", "https://")):
        return False
    if page in LOOPBACK_HOSTS:
        return True
    if settings.host in LOOPBACK_HOSTS:
        return False
    return page == _host_of(f"//{host_header}")


def _host_of(url: str) -> str | None:
    """Return the host an address names, in lower case; None where it names none."""
    try:
        return urllib.parse.urlsplit(url).hostname
    except ValueError:
        return None
