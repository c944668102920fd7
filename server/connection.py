"""One socket: carries messages between a client and its session until one of them goes.

Knows nothing of speech. Event loop only. Every way out leads through `Connection.run`, which leaves no task
behind and the socket closed.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.protocol import Event

from server.delivery import TakenOver
from server.outbox import Outbox
from server.protocol import (
    ClientMessage,
    CloseCode,
    ErrorMessage,
    ProtocolError,
    Start,
    parse_client,
    serialize,
)
from server.session import Session
from server.sessions import Sessions

logger = logging.getLogger(__name__)

PING_INTERVAL_S = 5.0
PONG_TIMEOUT_S = 3.0
CLOSE_TIMEOUT_S = 2.0
"""How long a client may take to answer a close before its socket is cut."""

UNSENT_BYTES = 64 * 1024
"""What the system may hold of what is not on the wire yet. With more, the ping to a client on a slow line
would stand behind seconds of audio, and the client be cut off."""

CLOSED_WITHOUT_CODE = 1005
"""What stands for the code of a close that has none (RFC 6455, section 7.1.5)."""

BURST_MESSAGES = 1000
MESSAGES_PER_S = 200.0


class Flood(ProtocolError):
    """More messages than any speaker needs."""

    def __init__(self) -> None:
        super().__init__("flood", "too many messages", close=CloseCode.FLOOD)


class TokenBucket:
    """Lets `burst` through at once and `per_s` every second after that. Pure; the clock is passed in."""

    def __init__(self, burst: float, per_s: float, clock: Callable[[], float]) -> None:
        self._burst = burst
        self._per_s = per_s
        self._clock = clock
        self._tokens = burst
        self._at = clock()

    def take(self) -> bool:
        """Take one token; False when there is none."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._per_s)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class ClientSocket(ServerConnection):
    """A client's socket, cut off when it sends more pings, pongs or fragments than messages are allowed.

    The library handles these as they arrive, without backpressure and without telling anybody: a client that
    sends nothing else would keep the event loop to itself. `process_event` is where its frames pass.
    """

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to count."""
        self._frames = TokenBucket(BURST_MESSAGES, MESSAGES_PER_S, time.monotonic)
        super().connection_made(transport)

    def process_event(self, event: Event) -> None:
        """Count a frame that is no message, and hand it on while there are not too many."""
        uncounted = not isinstance(event, Frame) or event.opcode in (Opcode.TEXT, Opcode.BINARY)
        if uncounted or self._frames.take():
            super().process_event(event)
        else:
            self.transport.abort()


class Connection:
    """Carries a session's messages over a socket.

    Receiving is the body of a task group; sending and the heartbeat are its children. Whichever ends, ends
    the others. The session comes with the first message, which may ask for one that lost its connection.
    """

    def __init__(self, client: ServerConnection, sessions: Sessions, *, clock: Callable[[], float]) -> None:
        self.session: Session | None = None
        self._client = client
        self._sessions = sessions
        self._outbox: Outbox | None = None
        self._bucket = TokenBucket(BURST_MESSAGES, MESSAGES_PER_S, clock)
        _bound_unsent(client)

    async def run(self) -> None:
        """Serve the client until it leaves, breaks the protocol, answers no more, or comes by another way."""
        code, reason, ends = CloseCode.NORMAL, "", True
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._keep_alive())
                await self._receive(group)
        except* ConnectionClosed as closed:
            # The client left, or was cut off: nothing is left to be told to it, for now.
            ends = not all(map(_is_lost, closed.exceptions))
        except* ProtocolError as errors:
            code, reason = _close_of(errors)
            logger.info("connection closed: %s", reason)
        except* Exception:
            code = CloseCode.INTERNAL_ERROR
            logger.exception("a connection failed")
        finally:
            if self.session is not None and self._outbox is not None:
                self._sessions.leave(self.session, self._outbox, ends=ends)
        await self.close(code, reason)

    async def close(self, code: CloseCode, reason: str = "") -> None:
        """Close the socket; cut it if the client does not answer in `CLOSE_TIMEOUT_S`. Idempotent."""
        # The library's own timeout does not cover waiting for a full write buffer to drain.
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._client.close(code, reason)
        except TimeoutError:
            self._client.transport.abort()

    async def _receive(self, group: asyncio.TaskGroup) -> None:
        while True:
            data = await self._client.recv()
            if not self._bucket.take():
                raise Flood
            if isinstance(data, bytes):
                raise ProtocolError("binary", "clients send text only", close=CloseCode.UNSUPPORTED_DATA)
            try:
                message = parse_client(data)
            except ProtocolError as error:
                if error.close is not None:
                    raise
                if self.session is None and error.utterance is None:
                    # No session yet: the next message may still ask for one that is there already.
                    refusal = ErrorMessage(error.code, str(error), retryable=False)
                    await self._client.send(serialize(refusal))
                else:
                    self._session_for(group).reject(error)
                continue
            if self.session is None and (resumed := self._resumed(message)):
                self._join(group, *resumed)
            else:
                self._session_for(group).receive(message)

    def _resumed(self, message: ClientMessage) -> tuple[Session, Outbox] | None:
        """Return the session that a first message asks for, if it asks for one that can be had."""
        if isinstance(message, Start) and message.resume is not None:
            return self._sessions.resume(message.resume)
        return None

    def _session_for(self, group: asyncio.TaskGroup) -> Session:
        """Return the session; the first message opens it.

        Raises:
            ProtocolError: Another connection has it by now; what arrives here must not reach it.
        """
        if self.session is None or self._outbox is None:
            return self._join(group, *self._sessions.open())
        if not self._outbox.is_open:
            raise TakenOver
        return self.session

    def _join(self, group: asyncio.TaskGroup, session: Session, outbox: Outbox) -> Session:
        self.session, self._outbox = session, outbox
        group.create_task(self._send(session, outbox))
        group.create_task(outbox.wait_closed())
        return session

    async def _send(self, session: Session, outbox: Outbox) -> None:
        while True:
            await self._client.send(await session.next_message(outbox))

    async def _keep_alive(self) -> None:
        """Ping; cut the socket of a client that does not answer.

        The library's own heartbeat waits for room in the write buffer without a limit: a client that never
        reads would be kept for ever.
        """
        while True:
            await asyncio.sleep(PING_INTERVAL_S)
            try:
                async with asyncio.timeout(PONG_TIMEOUT_S):
                    await (await self._client.ping())
            except TimeoutError:
                logger.info("no pong, cut off")
                self._client.transport.abort()
                return


def _bound_unsent(connection: ServerConnection) -> None:
    """Apply `UNSENT_BYTES`, where the system knows how."""
    if hasattr(socket, "TCP_NOTSENT_LOWAT"):
        raw = connection.transport.get_extra_info("socket")
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_BYTES)


def _is_lost(closed: Exception) -> bool:
    """Tell whether a client may come back: it fell silent, gave no code, or said it goes away."""
    assert isinstance(closed, ConnectionClosed), "the group holds what the tasks raised, unnested"
    if closed.rcvd is None:
        return closed.sent is None
    return closed.rcvd.code in (CloseCode.GOING_AWAY, CLOSED_WITHOUT_CODE)


def _close_of(errors: ExceptionGroup[ProtocolError]) -> tuple[CloseCode, str]:
    error = errors.exceptions[0]
    assert isinstance(error, ProtocolError), "the group holds what the tasks raised, unnested"
    return error.close or CloseCode.INTERNAL_ERROR, str(error)
