"""The files of the pages: scripts, the style, the icon. They are read once, so no address reaches the file system."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fiedler.games.scripts import BOARDS

FOLDERS = (Path(__file__).parent / "static", BOARDS)
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


@dataclass(frozen=True)
class Asset:
    """One file, as it is sent."""

    media_type: str
    body: bytes
    packed: bytes
    """The same with gzip."""
    etag: str


class Assets:
    """The files of some folders, by name."""

    def __init__(self, folders: Sequence[Path] = FOLDERS) -> None:
        paths = [path for folder in folders for path in folder.iterdir() if path.suffix in TYPES]
        self._files: Mapping[str, Asset] = {path.name: _read(path) for path in paths}

    def answer(self, request: Request) -> Response:
        """Return the file that a request names, or 304 if the browser has it."""
        file = self._files.get(request.path_params["name"])
        if file is None:
            raise HTTPException(404)
        headers = {"ETag": file.etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if request.headers.get("if-none-match") == file.etag:
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(file.packed, headers={**headers, "Content-Encoding": "gzip"}, media_type=file.media_type)
        return Response(file.body, headers=headers, media_type=file.media_type)


def _read(path: Path) -> Asset:
    body = path.read_bytes()
    etag = f'"{blake2b(body, digest_size=8).hexdigest()}"'
    return Asset(TYPES[path.suffix], body, gzip.compress(body, 9, mtime=0), etag)
