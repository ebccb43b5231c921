"""Serving: stdio, HTTP or both in one process, until somebody says stop."""

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from personal_context.domain.errors import ConfigError
from personal_context.domain.text import one_line
from personal_context.runtime import Runtime
from personal_context.server.app import build_app
from personal_context.server.listening import HttpOptions, listen
from personal_context.server.mcp import Opened, build_mcp, nothing_more

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette

logger = logging.getLogger(__name__)

Transport = Literal["stdio", "http", "both"]


async def serve(
    runtime: Runtime,
    transport: Transport,
    http: HttpOptions,
    *,
    opened: Opened = nothing_more,
    ready: Callable[[HttpOptions], None] = lambda _: None,
) -> None:
    """Serve until stdin ends, a signal comes, or the web server stops.

    Args:
        runtime: Built, not yet open.
        transport: `both` serves stdio, and HTTP if the port can be had.
        http: Where to listen.
        opened: See build_mcp.
        ready: Told where the page is, once it answers.

    Raises:
        ConfigError: HTTP alone was asked for and the port can't be had.
    """
    listening = _listen_if_possible(transport, http)
    mcp = build_mcp(runtime, opened=opened)
    stop = _stop_on_signals()
    async with AsyncExitStack() as stack:
        tasks = []
        web: uvicorn.Server | None = None
        if listening is not None:
            http = replace(http, port=listening.getsockname()[1])
            app = build_app(mcp, runtime, http)
            await stack.enter_async_context(app.router.lifespan_context(app))
            web = web_server(app)
            tasks.append(asyncio.create_task(web.serve(sockets=[listening]), name="http"))
        else:
            # Entered here, so that a signal ends the session first and the product after it,
            # in good order. FastMCP has no public way to share its lifespan with run_stdio.
            await stack.enter_async_context(mcp._lifespan_manager())  # noqa: SLF001 - see above
        if transport != "http":
            tasks.append(asyncio.create_task(mcp.run_stdio_async(show_banner=False), name="stdio"))
        if listening is not None:
            ready(http)
        await asyncio.wait(
            [*tasks, asyncio.create_task(stop.wait())], return_when=asyncio.FIRST_COMPLETED
        )
        await _wind_down(tasks, web)
    for task in tasks:
        if task.done() and not task.cancelled():
            task.result()


def _listen_if_possible(transport: Transport, http: HttpOptions) -> socket.socket | None:
    if transport == "stdio":
        return None
    try:
        return listen(http.host, http.port)
    except ConfigError as error:
        if transport == "http":
            raise
        # Another window's process has the page; this one still serves its own client.
        logger.warning("no web page from this process: %s", one_line(error))
        return None


def web_server(
    app: "Starlette", *, own_signals: bool = False, patience: float = 15.0
) -> "uvicorn.Server":
    """Return a web server for an application whose lifespan the caller has entered.

    Args:
        app: What is served.
        own_signals: Let the server stop at SIGINT and SIGTERM by itself.
        patience: See patient_protocol.
    """
    import uvicorn

    from personal_context.server.connections import patient_protocol

    class Quiet(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield  # the signals are the caller's

    return (uvicorn.Server if own_signals else Quiet)(
        uvicorn.Config(
            app,
            http=patient_protocol(patience),
            lifespan="off",  # entered by serve(), so that stdio shares it
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            timeout_graceful_shutdown=1,
        )
    )


def _stop_on_signals() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        # Windows has no such handlers; there, Ctrl-C raises KeyboardInterrupt.
        with contextlib.suppress(NotImplementedError, AttributeError):
            loop.add_signal_handler(getattr(signal, name), stop.set)
    return stop


async def _wind_down(tasks: list["asyncio.Task[None]"], web: "uvicorn.Server | None") -> None:
    if web is not None:
        web.should_exit = True
    for task in tasks:
        if task.get_name() == "stdio":
            task.cancel()
        else:
            await asyncio.wait([task], timeout=5)
    # The thread that reads stdin can't be cancelled, so it isn't waited for.
    await asyncio.wait(tasks, timeout=0.2)
