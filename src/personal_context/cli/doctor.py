"""`doctor`: what works, what doesn't, and what to do about it."""

import asyncio
import platform
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.console import Group
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import prepared_settings
from personal_context.cli.output import FAILED
from personal_context.cli.repairs import (
    FIX,
    Finding,
    file_modes,
    reindexing,
    store_findings,
)
from personal_context.config import Settings
from personal_context.db.versions import versions
from personal_context.domain.errors import ConfigError, PersonalContextError, UpstreamError
from personal_context.domain.models import WebhookState, WebhookStatus
from personal_context.runtime import Runtime, build_runtime
from personal_context.server.listening import PortTakenError, listen
from personal_context.sync.key import WITHOUT
from personal_context.upstream.outline import OutlineClient

if TYPE_CHECKING:
    from rich.console import RenderableType


OLDEST_PYTHON = (3, 11)

NEEDED = ("auth.info", "collections.list", "collections.documents", "documents.list")
"""Endpoints without which nothing is mirrored; the others cost a feature each."""


async def doctor(
    *, fix: Annotated[bool, Parameter(negative="")] = False, common: Common = PLAIN
) -> int:
    """Check Python, store, embedding, Outline, port and file modes.

    Parameters
    ----------
    fix
        Repair what can be repaired without losing anything: what is derived from the documents is
        made anew, what ended processes left behind is removed, and a webhook that Outline switched
        off is switched on. Documents are never touched.
    """
    settings = prepared_settings(verbose=common.verbose)
    findings = [_python(), _port(settings), file_modes(settings.db_path, fix=fix)]
    try:
        async with build_runtime(settings) as runtime:
            findings += [
                await _database(runtime),
                *await store_findings(runtime, fix=fix),
                await reindexing(runtime, fix=fix),
                await _embedding(runtime),
                *await _outline(runtime),
                *await _webhook(runtime, fix=fix),
            ]
    except PersonalContextError as error:
        findings.append(_failed("database", error))
    common.show(findings, lambda: _render(findings))
    return FAILED if any(finding.ok is False for finding in findings) else 0


_MARKS: Mapping[bool | None, tuple[str, str]] = {
    True: ("ok  ", "green"),
    False: ("FAIL", "bold red"),
    None: ("note", "yellow"),
}


def _render(findings: Sequence[Finding]) -> "RenderableType":
    lines = []
    for finding in findings:
        mark, style = ("done", "bold green") if finding.fixed else _MARKS[finding.ok]
        lines.append(Text.assemble((mark, style), f"  {finding.name}: {finding.found}"))
        if finding.hint and not finding.ok:
            lines.append(Text(f"      Try: {finding.hint}", style="dim"))
    return Group(*lines)


def _python() -> Finding:
    new_enough = sys.version_info[:2] >= OLDEST_PYTHON
    return Finding("Python", new_enough, f"{platform.python_version()} ({platform.system()})")


def _port(settings: Settings) -> Finding:
    where = f"{settings.http_host}:{settings.http_port}"
    try:
        listen(settings.http_host, settings.http_port).close()
    except PortTakenError:
        return Finding(
            "port",
            None,
            f"{where} is in use already",
            "If that isn't personal-context, set PERSONAL_CONTEXT_HTTP_PORT to another port.",
        )
    except ConfigError as error:
        return _failed("port", error)
    return Finding("port", ok=True, found=f"{where} is free")


async def _database(runtime: Runtime) -> Finding:
    async def look() -> str:
        counts = await runtime.store.counts()
        found = await runtime.database.read(versions)
        return (
            f"{runtime.settings.db_path}, {counts.contents} documents, "
            f"SQLite {found.sqlite}, sqlite-vec {found.sqlite_vec}"
        )

    return await _try("database", look)


async def _embedding(runtime: Runtime) -> Finding:
    async def look() -> str:
        model = await runtime.embedder.model()
        vector = await runtime.embedder.embed_query("ping")
        return f"{model.provider} {model.name}, {len(vector)} dimensions"

    return await _try("embedding", look)


async def _outline(runtime: Runtime) -> Sequence[Finding]:
    client = runtime.upstream
    if not isinstance(client, OutlineClient):
        return [
            Finding(
                "Outline",
                None,
                "not set; the store works alone (local mode)",
                "Set PERSONAL_CONTEXT_OUTLINE_API_BASE, _API_KEY and _COLLECTION_ID.",
            )
        ]

    async def look() -> str:
        who = await client.auth_info()
        names = [collection.name for collection in await runtime.sync.chosen()]
        return (
            f"{runtime.settings.outline_api_base} knows the key as {who.user_name} of "
            f"{who.team_name}; mirrored: {', '.join(names) or 'none'}"
        )

    reached = await _try("Outline", look)
    if not reached.ok:
        return [reached]
    try:
        scopes = await runtime.key.examine()
    except UpstreamError as error:
        return [reached, _failed("key", error)]
    return [reached, *(_scope(endpoint, may) for endpoint, may in scopes.items())]


async def _webhook(runtime: Runtime, *, fix: bool) -> Sequence[Finding]:
    if runtime.upstream is None:
        return []
    if fix and await runtime.webhook.revive():
        return [Finding("webhook", ok=True, found="switched on again", fixed=True)]
    now = await runtime.webhook.status()
    ok = {WebhookState.ON: now.problem is None, WebhookState.OFF: None, WebhookState.UNKNOWN: None}
    last = now.last_delivery_at
    found = f"{now.state}, last delivery {last.isoformat(timespec='seconds') if last else 'never'}"
    if now.state is WebhookState.OFF:
        found = f"not subscribed; changes are polled every {runtime.settings.sync_interval} s"
    hint = now.problem or _no_webhook(now)
    if now.state is WebhookState.SWITCHED_OFF:
        hint = f"{hint} {FIX}"
    return [Finding("webhook", ok.get(now.state, False), found, hint)]


def _no_webhook(now: WebhookStatus) -> str:
    if now.state is not WebhookState.OFF:
        return ""
    enable = "`personal-context webhook enable` lets Outline tell of them at once."
    return enable if now.url else f"Set PERSONAL_CONTEXT_WEBHOOK_URL; then {enable}"


def _scope(endpoint: str, may: bool | None) -> Finding:  # noqa: FBT001 - for a table of values
    found = {True: "allowed", False: "not allowed", None: "can't be told"}[may]
    ok = may if may is not False else (False if endpoint in NEEDED else None)
    hint = "" if may else f"Give the key the scope {endpoint}."
    if may is False and endpoint in WITHOUT:
        found += f": {WITHOUT[endpoint][:1].lower()}{WITHOUT[endpoint][1:]}"
    return Finding(f"key: {endpoint}", ok, found, hint)


async def _try(name: str, look: Callable[[], Awaitable[str]]) -> Finding:
    try:
        async with asyncio.timeout(30):
            return Finding(name, ok=True, found=await look())
    except PersonalContextError as error:
        return _failed(name, error)
    except TimeoutError:
        return Finding(name, ok=False, found="no answer within 30 s")


def _failed(name: str, error: PersonalContextError) -> Finding:
    found = f"{error.what} {error.cause}".strip()
    return Finding(name, ok=False, found=found, hint=error.hint)
