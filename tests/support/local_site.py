"""A web site on this machine: a real HTTP server whose pages a test writes and changes."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Writer = Callable[[BaseHTTPRequestHandler], None]
"""Writes an answer by itself, e.g. one without an end."""


@dataclass
class Page:
    """What is at one path.

    Attributes:
        headers: Sent along. With an `ETag`, a request that names it is answered 304.
    """

    body: bytes | str
    content_type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


MISSING = Page("nothing here", "text/plain", 404)


@dataclass
class LocalSite:
    """The site.

    Attributes:
        pages: Path -> what is there; with a query, for that query alone.
        asked: (path, headers in lower case) of the requests so far, robots.txt aside.
    """

    port: int = 0
    pages: dict[str, Page | Writer] = field(default_factory=dict)
    asked: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def redirect(self, path: str, target: str, status: int = 302) -> None:
        self.pages[path] = Page("", status=status, headers={"Location": target})

    def write(self, path: str, title: str, text: str, **more: Any) -> None:
        """Put a page of HTML at a path."""
        body = f"<html><head><title>{title}</title></head><body><main>{text}</main></body></html>"
        self.pages[path] = Page(body, **more)


@contextlib.contextmanager
def local_site() -> Iterator[LocalSite]:
    """Serve a site on a free port of this machine, in threads."""
    site = LocalSite()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/robots.txt":
                headers = {name.lower(): value for name, value in self.headers.items()}
                site.asked.append((self.path, headers))
            bare = site.pages.get(self.path.partition("?")[0], MISSING)
            page = site.pages.get(self.path, bare)
            with contextlib.suppress(ConnectionError):
                if isinstance(page, Page):
                    _answer(self, page)
                else:
                    page(self)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _answer(handler: BaseHTTPRequestHandler, page: Page) -> None:
    etag = page.headers.get("ETag")
    if etag and handler.headers.get("If-None-Match") == etag:
        handler.send_response(304)
        handler.end_headers()
        return
    body = page.body.encode() if isinstance(page.body, str) else page.body
    handler.send_response(page.status)
    handler.send_header("Content-Type", page.content_type)
    handler.send_header("Content-Length", str(len(body)))
    for name, value in page.headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)
