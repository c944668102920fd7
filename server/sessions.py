"""All sessions: which connection gets which, and how long one without a connection lasts.

Knows no socket and nothing of what is said. Event loop only. A session's speaking is a child task of this
group's, so that it outlives the connection it began with.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from types import TracebackType
from typing import Self

from pipeline.engine import Engine
from pipeline.metrics import Metrics
from server.outbox import Outbox
from server.protocol import CloseCode, ProtocolError, Resume
from server.session import Session, SessionLimits

logger = logging.getLogger(__name__)


class Sessions:
    """An async context manager; leaving it ends every session.

    At most `limits.detached` sessions are without a connection, each for `limits.resume_window_s`. Together
    they may have half as many utterances open as the engine can. What is beyond that ends, the oldest first.
    """

    def __init__(
        self, engine: Engine, limits: SessionLimits, *, metrics: Metrics, clock: Callable[[], float]
    ) -> None:
        self._engine = engine
        self._limits = limits
        self._metrics = metrics
        self._clock = clock
        self._tasks: dict[Session, asyncio.Task[None]] = {}
        self._by_token: dict[str, Session] = {}
        self._detached: dict[Session, asyncio.TimerHandle] = {}
        self._group = asyncio.TaskGroup()
        self._keeps = limits.resume_window_s > 0
        self._room = engine.limits.utterances // 2

    async def __aenter__(self) -> Self:
        """Be ready to open sessions."""
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every session."""
        for session in tuple(self._tasks):
            self._end(session)
        await self._group.__aexit__(None, None, None)

    def __len__(self) -> int:
        return len(self._tasks)

    @property
    def _detached_utterances(self) -> int:
        return sum(session.open_utterances for session in self._detached)

    def open(self) -> tuple[Session, Outbox]:
        """Begin a session for a connection."""
        session = Session(self._engine, self._limits, metrics=self._metrics, clock=self._clock)
        self._tasks[session] = self._group.create_task(self._speak(session))
        self._by_token[session.token] = session
        logger.debug("session %d opened", session.number)
        return session, session.attach()

    def resume(self, resume: Resume) -> tuple[Session, Outbox] | None:
        """Let another connection go on with a session; None when that cannot be."""
        session = self._by_token.get(resume.session)
        outbox = session.resume(resume) if session is not None else None
        if session is None or outbox is None:
            self._metrics.resume("refused")
            return None
        self._forget_detached(session)
        self._metrics.resume("resumed")
        logger.debug("session %d resumed", session.number)
        return session, outbox

    def leave(self, session: Session, outbox: Outbox, *, ends: bool) -> None:
        """Tell that a connection is gone. Unless that `ends` the session, or there is nothing to go on with,
        it waits for another connection."""
        if not session.detach(outbox):
            return  # Another connection has it.
        if ends or not self._keeps or not session.begun or session not in self._tasks:
            self._end(session)
            return
        loop = asyncio.get_running_loop()
        self._detached[session] = loop.call_later(self._limits.resume_window_s, self._end, session)
        while len(self._detached) > self._limits.detached or self._detached_utterances > self._room:
            self._end(next(iter(self._detached)))
        self._metrics.sessions_detached(len(self._detached))
        logger.debug("session %d has lost its connection", session.number)

    def end_detached(self) -> None:
        """End every session without a connection, and from now on each that loses its own."""
        self._keeps = False
        for session in tuple(self._detached):
            self._end(session)

    def _end(self, session: Session) -> None:
        self._forget_detached(session)
        self._by_token.pop(session.token, None)
        task = self._tasks.pop(session, None)
        if task is not None:
            session.close()
            task.cancel()
            logger.debug("session %d closed", session.number)

    def _forget_detached(self, session: Session) -> None:
        timer = self._detached.pop(session, None)
        if timer is not None:
            timer.cancel()
            self._metrics.sessions_detached(len(self._detached))

    async def _speak(self, session: Session) -> None:
        """Speak for a session; a fault ends that session alone."""
        try:
            await session.speak()
        except ProtocolError as error:
            self._give_up(session, error)
        except Exception:
            logger.exception("session %d failed", session.number)
            self._give_up(session, ProtocolError("internal", "", close=CloseCode.INTERNAL_ERROR))

    def _give_up(self, session: Session, why: ProtocolError) -> None:
        session.break_off(why)
        self._end(session)
