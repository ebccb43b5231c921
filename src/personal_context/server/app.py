"""The web application: every door that speaks HTTP."""

from typing import TYPE_CHECKING

from fastmcp import FastMCP

from personal_context.runtime import Runtime
from personal_context.server.listening import HttpOptions

if TYPE_CHECKING:
    from starlette.applications import Starlette

MCP_BODY = 8_000_000
"""Bytes of an MCP message: a content of 1,536,000 characters may be escaped on the wire."""


def build_app(mcp: FastMCP, runtime: Runtime, http: HttpOptions) -> "Starlette":
    """Return the web application: `/mcp`, `/sse`, the page and REST behind the guards.

    Args:
        mcp: Its lifespan becomes the application's.
        runtime: What the page and REST use.
        http: For whom; on loopback only local names are answered, and those that it lists.
    """
    from personal_context.web.rest.contents import ADDRESSES, LARGEST as CONTENT_BODY
    from personal_context.web.routes import error_handlers, routes
    from personal_context.web.security import allowed_hosts, guards
    from personal_context.web.traffic import Traffic
    from personal_context.web.webhooks import LARGEST, PATH, routes as webhook_routes

    traffic = Traffic()
    # The guards check Host and Origin for every route, so FastMCP need not do it for its own.
    app = mcp.http_app(
        path="/mcp",
        middleware=guards(
            http.credentials,
            hosts=allowed_hosts(http.host, http.hosts),
            open_paths=[PATH],
            larger_bodies={
                "/mcp": MCP_BODY,
                "/messages": MCP_BODY,
                **dict.fromkeys(ADDRESSES, CONTENT_BODY),
                PATH: LARGEST,
            },
            proxies=http.proxies,
            traffic=traffic,
        ),
        host_origin_protection=False,
    )
    legacy = mcp.http_app(path="/sse", transport="sse", host_origin_protection=False)
    own = [*webhook_routes(runtime.deliveries), *routes(runtime, traffic=traffic)]
    taken = {getattr(route, "path", None) for route in app.router.routes}
    app.router.routes += [r for r in legacy.router.routes if getattr(r, "path", None) not in taken]
    app.router.routes += own
    for kind, handler in error_handlers().items():
        app.add_exception_handler(kind, handler)
    return app
