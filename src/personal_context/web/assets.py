"""The page's own files: a fixed list, read once, served from memory."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FOLDER: Final = Path(__file__).with_name("static")

# Written down, because what an operating system takes .js for is anybody's guess.
TYPES: Final = MappingProxyType(
    {
        "api.css": "text/css; charset=utf-8",
        "app.css": "text/css; charset=utf-8",
        "app.js": "text/javascript; charset=utf-8",
        "document.css": "text/css; charset=utf-8",
        "views.css": "text/css; charset=utf-8",
        "favicon.svg": "image/svg+xml",
        "htmx.min.js": "text/javascript; charset=utf-8",
        "htmx.LICENSE.txt": "text/plain; charset=utf-8",
    }
)


@dataclass(frozen=True, slots=True)
class Asset:
    """A file's bytes, its media type, and the tag that changes with them."""

    body: bytes
    media_type: str
    etag: str


def routes() -> list[Route]:
    """Return the routes of the files, each of which is read at its first request."""
    read = cache(_read)

    async def static(request: Request) -> Response:
        return _answer(request, read(request.path_params["name"]))

    async def favicon(request: Request) -> Response:
        return _answer(request, read("favicon.svg"))

    return [
        Route("/static/{name}", static, name="static"),
        Route("/favicon.ico", favicon, name="favicon"),
    ]


def _read(name: str) -> Asset:
    if name not in TYPES:
        raise HTTPException(404)
    body = (FOLDER / name).read_bytes()
    return Asset(body, TYPES[name], f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def _answer(request: Request, asset: Asset) -> Response:
    # Asked for again each time, so that an update of the program shows at once.
    headers = {"ETag": asset.etag, "Cache-Control": "private, no-cache"}
    if asset.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(asset.body, headers=headers, media_type=asset.media_type)
