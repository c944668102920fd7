"""The HTTP side: the page, its configuration, its chat demo, and what operators ask of health and metrics.

Knows no engine, no model and no WebSocket: readiness, voices and metrics are handed in. Everything runs on
the event loop; nothing here waits for a disk or a thread once the site has started.
"""

from __future__ import annotations

import errno
import logging
import ssl
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self

import aiohttp.http_exceptions
import aiohttp.web

from pipeline.speech import PITCH_RANGE, SPEED_RANGE, Voice
from web import chat_demo
from web.assets import Asset, load_assets
from web.chat_demo import ChatDemo
from web.security import FIXED_HEADERS, content_security_policy

STATIC_DIR: Final = Path(__file__).resolve().parent.parent / "static"
NOT_READY: Final = "Not ready: the voice is still being loaded, or the server is shutting down."

_log = logging.getLogger("web.site.http")

_SHUTDOWN_TIMEOUT_S: Final = 2.0
_LARGEST_BODY_BYTES: Final = 1024


def _is_ours(record: logging.LogRecord) -> bool:
    """Tell whether a record is of a fault of ours: what is no HTTP is its sender's, and fills the log."""
    cause = record.exc_info[1] if record.exc_info else None
    return not isinstance(cause, aiohttp.http_exceptions.HttpProcessingError)


_log.addFilter(_is_ours)


class Exposition(Protocol):
    """Where the numbers for `/metrics` come from."""

    @property
    def content_type(self) -> str:
        """The media type of the exposition, parameters included."""
        ...

    def exposition(self) -> bytes:
        """Return every metric in the text format that `content_type` names."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteSettings:
    """Where the site listens and what it tells the page.

    `port` 0 takes a free one. `ws_port` and `ws_path` are where the page finds the socket, on the host it was
    itself fetched from. `tls` serves https. `chat_tokens_per_s` is the pace of the chat demo.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    ws_port: int = 8765
    ws_path: str
    static_dir: Path = STATIC_DIR
    version: str = ""
    longest_text: int
    tls: ssl.SSLContext | None = None
    chat_tokens_per_s: float = chat_demo.TOKENS_PER_S


class PortInUse(OSError):
    """Another program already listens where the site was told to. `host` and `port` say where."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(errno.EADDRINUSE, f"Port {port} on {host} is already in use by another program.")
        self.host = host
        self.port = port


class Site:
    """The running web side: an async context manager that listens inside and is closed after.

    `is_ready` is asked at each `/readyz`, and `why_not` then words the refusal. `voices` may be empty while
    the models load; its first entry is the default. All three are called on the event loop and must not wait.

    Raises on entering:
        PortInUse: somebody else listens there.
        OSError: the address cannot be bound for another reason.
        FileNotFoundError: the page's files are missing.
    """

    def __init__(
        self,
        settings: SiteSettings,
        *,
        is_ready: Callable[[], bool],
        voices: Callable[[], Sequence[Voice]],
        metrics: Exposition,
        why_not: Callable[[], str] = lambda: NOT_READY,
    ) -> None:
        self._settings = settings
        self._is_ready = is_ready
        self._voices = voices
        self._metrics = metrics
        self._why_not = why_not
        self._assets: dict[str, Asset] = {}
        self._runner: aiohttp.web.AppRunner | None = None

    @property
    def port(self) -> int:
        """The port in use: the one asked for, or the free one taken for 0. Only while the site is open."""
        assert self._runner is not None, "the site is not open"
        return int(self._runner.addresses[0][1])

    async def __aenter__(self) -> Self:
        self._assets = load_assets(self._settings.static_dir)
        # Who leaves takes the answer with him: only the chat demo's takes longer than a moment.
        runner = aiohttp.web.AppRunner(
            self._application(),
            access_log=None,
            logger=_log,
            shutdown_timeout=_SHUTDOWN_TIMEOUT_S,
            handler_cancellation=True,
        )
        await runner.setup()
        try:
            await self._listen(runner)
        except BaseException:
            await runner.cleanup()
            raise
        self._runner = runner
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._runner is not None
        runner, self._runner = self._runner, None
        await runner.cleanup()

    async def _listen(self, runner: aiohttp.web.AppRunner) -> None:
        host, port, tls = self._settings.host, self._settings.port, self._settings.tls
        try:
            await aiohttp.web.TCPSite(runner, host, port, ssl_context=tls).start()
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortInUse(host, port) from error
            raise

    def _application(self) -> aiohttp.web.Application:
        application = aiohttp.web.Application(client_max_size=_LARGEST_BODY_BYTES)
        application.on_response_prepare.append(self._harden)
        application.router.add_get("/healthz", self._health)
        application.router.add_get("/readyz", self._readiness)
        application.router.add_get("/metrics", self._exposition)
        application.router.add_get("/v1/voices", self._voice_list)
        application.router.add_get("/config.json", self._configuration)
        application.router.add_post(chat_demo.PATH, ChatDemo(self._settings.chat_tokens_per_s).complete)
        application.router.add_get("/{path:.*}", self._file)
        return application

    async def _harden(self, request: aiohttp.web.BaseRequest, response: aiohttp.web.StreamResponse) -> None:
        response.headers.update(FIXED_HEADERS)
        # `no-cache` lets a browser keep the files but makes it ask each time, so an update is seen at once.
        response.headers.setdefault(
            "Cache-Control", "no-cache" if response.headers.get("ETag") else "no-store"
        )
        host = request.headers.get("Host", "")
        response.headers["Content-Security-Policy"] = content_security_policy(host, self._settings.ws_port)
        response.headers["Server"] = "utter"

    async def _health(self, _request: aiohttp.web.Request) -> aiohttp.web.Response:
        return aiohttp.web.Response(text="ok\n")

    async def _readiness(self, _request: aiohttp.web.Request) -> aiohttp.web.Response:
        if self._is_ready():
            return aiohttp.web.Response(text="ready\n")
        return aiohttp.web.Response(status=503, text=f"{self._why_not()}\n", headers={"Retry-After": "1"})

    async def _exposition(self, _request: aiohttp.web.Request) -> aiohttp.web.Response:
        headers = {"Content-Type": self._metrics.content_type}
        return aiohttp.web.Response(body=self._metrics.exposition(), headers=headers)

    async def _voice_list(self, _request: aiohttp.web.Request) -> aiohttp.web.Response:
        return aiohttp.web.json_response(self._described_voices())

    async def _configuration(self, request: aiohttp.web.Request) -> aiohttp.web.Response:
        settings = self._settings
        return aiohttp.web.json_response(
            {
                "version": settings.version,
                # The connection's own address: port 0 has become a free one, and a proxy's is not ours.
                "page": {"host": settings.host, "port": request.get_extra_info("sockname")[1]},
                "websocket": {"port": settings.ws_port, "path": settings.ws_path},
                "limits": {
                    "text": settings.longest_text,
                    "speed": list(SPEED_RANGE),
                    "pitch": list(PITCH_RANGE),
                },
                **self._described_voices(),
            }
        )

    def _described_voices(self) -> dict[str, Any]:
        voices = self._voices()
        return {
            "voices": [asdict(voice) for voice in voices],
            "default_voice": voices[0].name if voices else None,
        }

    async def _file(self, request: aiohttp.web.Request) -> aiohttp.web.Response:
        asset = self._assets.get(request.path)
        if asset is None:
            return aiohttp.web.Response(status=404, text="There is nothing here.\n")
        known = request.if_none_match
        response = (
            aiohttp.web.Response(status=304)
            if known and any(tag.value in (asset.etag, "*") for tag in known)
            else aiohttp.web.Response(body=asset.body, headers={"Content-Type": asset.content_type})
        )
        response.etag = asset.etag
        return response
