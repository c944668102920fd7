"""The response headers that fence the page in: what it may load, whom it may talk to, who may frame it.

Knows nothing of aiohttp and of the files being served. Pure; any thread may call it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

FIXED_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy": "autoplay=(self), camera=(), display-capture=(), geolocation=(), microphone=()",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
)
"""Headers every answer carries, whatever was asked. No COEP: nothing here needs shared memory."""

_PLAIN_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?")
_HOST_HEADER = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^:\s\[\]]+)(?::\d{1,5})?")


def content_security_policy(host_header: str, ws_port: int) -> str:
    """Return the policy for a page fetched under `host_header`; its socket is that host at `ws_port`.

    Both `ws:` and `wss:` are named because a proxy in front may add TLS that this process does not see. A
    host that a policy cannot name (an IPv6 literal, or anything unexpected) opens the schemes instead; no
    byte of an unexpected header reaches the policy.
    """
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self' 'wasm-unsafe-eval'",
            "worker-src 'self'",
            f"connect-src 'self' {_socket_sources(host_header, ws_port)}",
            "style-src 'self'",
            "img-src 'self' data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def _socket_sources(host_header: str, ws_port: int) -> str:
    match = _HOST_HEADER.fullmatch(host_header)
    host = match["host"] if match else ""
    if not _PLAIN_HOST.fullmatch(host):
        return "ws: wss:"
    return f"ws://{host}:{ws_port} wss://{host}:{ws_port}"
