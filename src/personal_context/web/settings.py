"""The settings in force, and what MCP clients and ChatGPT are told to reach this server."""

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from personal_context.domain.models import EffectiveSetting, Origin
from personal_context.runtime.launching import Launch
from personal_context.web.clients import SERVER_NAME, Client, configuration
from personal_context.web.guard import as_html
from personal_context.web.rest.api_page import DOCUMENT, PAGE
from personal_context.web.shell import Shell, root_of

PATH = "/settings"

_HOST = re.compile(r"[A-Za-z0-9.\-]+(?::[0-9]+)?|\[[0-9A-Fa-f:.]+\](?::[0-9]+)?")
_MASK = "••••••••"
_ORIGINS: dict[Origin, str] = {
    "default": "default",
    "environment": "set in the environment",
    "file": "set in the settings file",
    "program": "set by the program",
}
_PLACES = {
    Client.CLAUDE_DESKTOP: (
        "Claude Desktop",
        "Settings, Developer, Edit Config opens claude_desktop_config.json; then start it again.",
    ),
    Client.CLAUDE_CODE: ("Claude Code", "In a project's .mcp.json, or with the command below."),
    Client.CURSOR: ("Cursor", "In ~/.cursor/mcp.json, or a project's .cursor/mcp.json."),
    Client.VSCODE: ("VS Code", "In .vscode/mcp.json, or by MCP: Open User Configuration."),
}


@dataclass(frozen=True, slots=True)
class SettingRow:
    """A setting as it is shown.

    Attributes:
        value: Empty if it is unset.
        origin: Who decided, in words.
        is_default: Nobody did.
    """

    name: str
    value: str
    origin: str
    is_default: bool
    description: str


@dataclass(frozen=True, slots=True)
class ClientCard:
    """What one program is told.

    Attributes:
        key: Distinct among them, fit for an id.
        text: To be pasted.
        command: Does the same in a terminal; empty if there is none.
    """

    key: str
    name: str
    where: str
    text: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class Reach:
    """Where this server is reached.

    Attributes:
        mcp: Of MCP over HTTP.
        openapi: Of the description of REST.
        page: Of its page for people.
        command: Adds the running server to Claude Code.
        header: What has to be sent along, with the place of the login; empty if there is none.
    """

    mcp: str
    openapi: str
    page: str
    command: str
    header: str


def routes(shell: Shell) -> list[Route]:
    """Return the route of the settings."""

    async def settings(request: Request) -> Response:
        return await shell.show(
            request,
            "settings.html",
            view="settings",
            rows=[setting_row(one) for one in shell.services.effective_settings()],
            cards=cards(shell.services.launch()),
            reach=reach(
                scheme=request.url.scheme,
                host=request.headers.get("host", ""),
                root=root_of(request),
                login="authorization" in request.headers,
            ),
        )

    return [Route(PATH, as_html(settings, shell.pages), name="settings")]


def setting_row(setting: EffectiveSetting) -> SettingRow:
    """Return how a setting is shown."""
    return SettingRow(
        name=setting.name,
        value=_MASK if setting.secret and setting.is_set else setting.value,
        origin=_ORIGINS[setting.origin],
        is_default=setting.origin == "default",
        description=setting.description,
    )


def cards(launch: Launch) -> Sequence[ClientCard]:
    """Return what makes each client start this server."""
    return [
        ClientCard(
            key=client.value,
            name=_PLACES[client][0],
            where=_PLACES[client][1],
            text=json.dumps(configuration(client, launch), indent=2, ensure_ascii=False),
            command=_claude_code(launch) if client is Client.CLAUDE_CODE else "",
        )
        for client in Client
    ]


def reach(*, scheme: str, host: str, root: str, login: bool) -> Reach:
    """Return where this server is reached, as the asker reaches it.

    Args:
        scheme: http or https.
        host: As the browser names it; what is no host is not repeated, since this is pasted.
        root: The path under which a proxy shows us.
        login: Whether there is one.
    """
    base = f"{scheme}://{host if _HOST.fullmatch(host) else 'HOST'}{root}"
    add = f"claude mcp add --transport http {SERVER_NAME} {shlex.quote(f'{base}/mcp')}"
    header = "Authorization: Basic BASE64_OF_USER:PASSWORD" if login else ""
    return Reach(
        mcp=f"{base}/mcp",
        openapi=f"{base}{DOCUMENT}",
        page=f"{root}{PAGE}",
        command=f'{add} --header "{header}"' if header else add,
        header=header,
    )


def _claude_code(launch: Launch) -> str:
    env = [word for name, value in launch.env.items() for word in ("--env", f"{name}={value}")]
    return shlex.join(
        ["claude", "mcp", "add", SERVER_NAME, *env, "--", launch.command, *launch.args]
    )
