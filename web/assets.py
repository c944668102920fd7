"""The browser's files, read once into memory: what is not in the table cannot be served.

A request path is looked up, never turned into a file name, so no path can climb out of the folder and no
folder can be listed. Knows nothing of aiohttp. `load_assets` reads files and belongs at start-up; an `Asset`
is a value.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

INDEX: Final = "/index.html"

CONTENT_TYPES: Final[Mapping[str, str]] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".md": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}
"""What is served and as what. Fixed here, because the system's own table differs between machines."""


@dataclass(frozen=True, slots=True)
class Asset:
    """One file: its bytes, its type, and a strong entity tag that changes exactly when the bytes do."""

    body: bytes
    content_type: str
    etag: str


def load_assets(folder: Path) -> dict[str, Asset]:
    """Read every servable file below `folder`, keyed by its URL path; `/` is the index.

    Files of other kinds, hidden ones and whatever a link leads to outside the folder are left out.

    Raises:
        FileNotFoundError: there is no index.html in `folder`.
    """
    root = folder.resolve()
    assets = {
        f"/{path.relative_to(root).as_posix()}": _read(path)
        for path in sorted(root.rglob("*"))
        if _is_servable(path, root)
    }
    if INDEX not in assets:
        raise FileNotFoundError(f"The page is missing: there is no index.html in {folder}.")
    assets["/"] = assets[INDEX]
    return assets


def _is_servable(path: Path, root: Path) -> bool:
    if path.suffix not in CONTENT_TYPES or not path.is_file():
        return False
    hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
    return not hidden and path.resolve().is_relative_to(root)


def _read(path: Path) -> Asset:
    body = path.read_bytes()
    digest = hashlib.sha256(body).hexdigest()[:32]
    return Asset(body=body, content_type=CONTENT_TYPES[path.suffix], etag=digest)
