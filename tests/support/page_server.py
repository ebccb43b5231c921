"""The page on a real socket, for a browser."""

import socket
import threading
from contextlib import contextmanager

import uvicorn
from web_client import app

from personal_context.web.security import Credentials, allowed_hosts

LOGIN = {"username": "joe", "password": "s3cret"}
DESK, PHONE = {"width": 1180, "height": 820}, {"width": 360, "height": 740}
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\u202e" + "W" * 300


@contextmanager
def served(services):
    """Serve a page on a free port of this machine, and yield its address."""
    application = app(
        services,
        credentials=Credentials(LOGIN["username"], LOGIN["password"]),
        hosts=allowed_hosts("127.0.0.1"),
    )
    server = uvicorn.Server(
        uvicorn.Config(application, log_config=None, ws="none", lifespan="off", access_log=False)
    )
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)


def overflow(page):
    """Pixels by which the page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
