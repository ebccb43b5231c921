"""Serving the product. An MCP client waits for this to start: no command parser here."""

import asyncio
import ipaddress
import os
import secrets
import stat
import sys
from typing import TYPE_CHECKING, NoReturn

from personal_context.cli.opening import prepared_settings
from personal_context.cli.output import show_error
from personal_context.config import Settings
from personal_context.domain.errors import PersonalContextError
from personal_context.runtime import build_runtime
from personal_context.server.listening import HttpOptions
from personal_context.server.serving import Transport, serve as serve_runtime

if TYPE_CHECKING:
    from personal_context.web.security import Credentials


def serve_by_default() -> int:
    """Serve with the transport that fits how the process was started; return if that failed."""
    try:
        serve_product(None, verbose=False)
    except PersonalContextError as error:
        return show_error(error)


def serve_product(transport: Transport | None, *, verbose: bool) -> NoReturn:
    """Serve until the client goes or a signal comes, and leave with exit code 0.

    Args:
        transport: None for both when stdin is a pipe, which an MCP client has made, else http.
        verbose: Show debug lines and stack traces.

    Raises:
        ConfigError: A setting is wrong, or the port is taken.
        StoreError: The database can't be opened.
    """
    settings = prepared_settings(verbose=verbose)
    transport = transport or ("both" if _stdin_is_pipe() else "http")
    http = HttpOptions(
        settings.http_host,
        settings.http_port,
        credentials_for(settings),
        hosts=settings.http_allowed_hosts,
        proxies=settings.http_trusted_proxies,
    )
    made_up = http.credentials is not None and settings.http_auth_username is None
    if settings.local_mode:
        sys.stderr.write(
            "personal-context: local mode: no Outline is set, so nothing is mirrored, and what is "
            "added stays here\n"
        )
    runtime = build_runtime(settings)

    async def serving() -> NoReturn:
        await serve_runtime(
            runtime, transport, http, ready=lambda at: _announce(at, made_up=made_up)
        )
        _leave()

    asyncio.run(serving())


def _stdin_is_pipe() -> bool:
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):  # no stdin at all
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _announce(http: HttpOptions, *, made_up: bool) -> None:
    if made_up and http.credentials is not None:
        sys.stderr.write(
            f"Listening on {http.host}, so others can reach this: a login was made up.\n"
            f"  user {http.credentials.username}  password {http.credentials.password}\n"
            "Set PERSONAL_CONTEXT_HTTP_AUTH_USERNAME and _PASSWORD to choose your own.\n"
        )
    sys.stderr.write(f"personal-context: page {http.url}/  MCP {http.url}/mcp\n")


def _leave() -> NoReturn:
    # From inside the loop, with everything closed. Its end would wait for threads: the one that
    # reads stdin can't be cancelled, and one that cuts a huge document takes its time. And to tidy
    # up memory that goes away in any case takes as long as all else.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def credentials_for(settings: Settings) -> "Credentials | None":
    """Return the login to ask for; beyond this machine there always is one, made up if need be."""
    from personal_context.web.security import Credentials

    if settings.http_auth_username and settings.http_auth_password:
        return Credentials(
            settings.http_auth_username, settings.http_auth_password.get_secret_value()
        )
    if is_loopback(settings.http_host):
        return None
    return Credentials("personal-context", secrets.token_urlsafe(12))


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
