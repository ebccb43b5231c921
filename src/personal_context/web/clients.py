"""How MCP clients are told to start this server: their configurations, made without I/O."""

import json
from enum import StrEnum
from pathlib import PurePath
from typing import Any

from personal_context.domain.errors import InvalidInput
from personal_context.runtime.launching import Launch

SERVER_NAME = "personal-context"


class Client(StrEnum):
    """An MCP client with a configuration file."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"


def entry(client: Client, launch: Launch) -> dict[str, Any]:
    """Return what a client's configuration says of one server."""
    told: dict[str, Any] = {"command": launch.command, "args": list(launch.args)}
    if launch.env:
        told["env"] = dict(launch.env)
    return {"type": "stdio", **told} if client is Client.VSCODE else told


def configuration(client: Client, launch: Launch) -> dict[str, Any]:
    """Return a whole configuration with this server alone, to be pasted."""
    return {_key(client): {SERVER_NAME: entry(client, launch)}}


def merged(client: Client, launch: Launch, before: str) -> str | None:
    """Return a configuration file's text with this server in it; all else stays.

    Args:
        client: Whose file it is.
        launch: How the server is started.
        before: What the file holds; empty if there is none.

    Returns:
        None if the file says so already.

    Raises:
        InvalidInput: The file is not plain JSON, or not of the form that the client reads.
    """
    try:
        whole = json.loads(before.strip().removeprefix("\ufeff") or "{}")
    except ValueError as error:
        raise _unreadable(str(error)) from None
    servers = whole.setdefault(_key(client), {}) if isinstance(whole, dict) else None
    if not isinstance(servers, dict):
        raise _unreadable(f"{_key(client)!r} is not an object.")
    wanted = entry(client, launch)
    if servers.get(SERVER_NAME) == wanted:
        return None
    servers[SERVER_NAME] = wanted
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def location(client: Client, *, system: str, home: PurePath, here: PurePath) -> PurePath:
    """Return where a client keeps its configuration.

    Args:
        client: The client.
        system: As `platform.system` says: Darwin, Windows, Linux, …
        home: The person's folder.
        here: The current folder: Claude Code's file belongs to a project.
    """
    programs = {
        "Darwin": home / "Library" / "Application Support",
        "Windows": home / "AppData" / "Roaming",
    }.get(system, home / ".config")
    match client:
        case Client.CLAUDE_DESKTOP:
            return programs / "Claude" / "claude_desktop_config.json"
        case Client.CLAUDE_CODE:
            return here / ".mcp.json"
        case Client.CURSOR:
            return home / ".cursor" / "mcp.json"
        case Client.VSCODE:
            return programs / "Code" / "User" / "mcp.json"


def _key(client: Client) -> str:
    return "servers" if client is Client.VSCODE else "mcpServers"


def _unreadable(cause: str) -> InvalidInput:
    return InvalidInput(
        "The client's configuration can't be read, and was left alone.",
        cause=cause,
        hint="Without --write the lines are printed: put them in by hand.",
    )
