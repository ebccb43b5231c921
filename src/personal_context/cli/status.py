"""`status`: what the store holds, and how the sync of each collection is."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import opened_runtime
from personal_context.domain.models import CollectionStatus, Health, PassProgress, Status
from personal_context.web.costs import usage_lines
from personal_context.web.humanize import ago, plural
from personal_context.web.view import pass_bar, reindex_bar, reindex_title, webhook_line

if TYPE_CHECKING:
    from rich.console import RenderableType

_STYLES = {Health.GOOD: "green", Health.SYNCING: "cyan", Health.NEW: "", Health.LET_GO: "yellow"}


async def status(*, common: Common = PLAIN) -> None:
    """Show what the store holds, and how the sync of each collection is."""
    async with opened_runtime(verbose=common.verbose) as runtime:
        now = await runtime.status()
    common.show(now, lambda: status_text(now, datetime.now(UTC)))


def status_text(status: Status, now: datetime) -> "RenderableType":
    """Return a status as a person reads it.

    Args:
        status: What is told.
        now: What "3 minutes ago" counts from.
    """
    lines: list[RenderableType] = [
        Text(f"personal-context {status.version}", style="bold"),
        Text(f"Outline: {status.outline_url or 'not set; the store works alone (local mode)'}"),
        Text(
            f"Documents: {status.counts.contents}, sections: {status.counts.sections}, "
            f"in the trash: {status.counts.trashed}"
        ),
        *_vectors(status),
        *_sync(status, now),
        *_webhook(status, now),
        *_key(status),
    ]
    for collection in status.collections:
        lines += _details(collection, now)
    lines += [
        Text(f"  {entry.state.value} {entry.content_id}: {entry.error}")
        for entry in status.outbox
        if entry.error
    ]
    return Group(*lines)


def _vectors(status: Status) -> list[Text]:
    model = status.index.model
    made = f"{model.provider} {model.name}, {model.dimension} dimensions" if model else "none"
    progress = status.index.progress
    outbox = ", ".join(f"{n} {state}" for state, n in status.counts.outbox.items()) or "empty"
    lines = [
        Text(f"Vectors: {progress.done} of {progress.total} ({made})"),
        Text(f"Outbox: {outbox}"),
    ]
    lines += [Text(f"Embedding: {line}") for line in usage_lines(status.usage)]
    if (bar := reindex_bar(status.reindex)) is not None:
        lines.append(Text(f"{reindex_title(status.reindex)}: {bar.text} ({bar.percent} %)"))
        lines += [Text(f"  {status.reindex.message}")] if status.reindex.message else []
    if status.index.degraded:
        lines.append(Text(f"Search by meaning is off: {status.index.degraded}", style="yellow"))
    elif status.index.wanted:
        advice = f"The settings ask for {status.index.wanted}. {status.index.advice}"
        lines.append(Text(advice, style="yellow"))
    return lines


def _sync(status: Status, now: datetime) -> "list[RenderableType]":
    if not status.collections:
        return []
    table = Table("collection", "documents", "state", "last pull", "next pull")
    for one in status.collections:
        table.add_row(
            Text(one.name or one.collection_id),
            str(one.documents),
            Text(one.health.value, style=_STYLES.get(one.health, "red")),
            ago(one.finished_at, now) if one.finished_at else "never",
            ago(one.next_pull_at, now) if one.next_pull_at else "–",
        )
    if not status.sync_enabled:
        return [table, Text("Sync by itself is off.", style="yellow")]
    if not status.clock_runs:
        hint = "Nothing is pulled by itself: no server runs. Start one: personal-context serve"
        return [table, Text(hint, style="yellow")]
    return [table]


def _webhook(status: Status, now: datetime) -> list[Text]:
    if status.webhook is None:
        return []
    line = webhook_line(status.webhook)
    last = f" It last did {ago(line.delivered_at, now)}." if line.delivered_at else ""
    style = "red" if line.tone == "bad" else ""
    return [Text(f"Webhook: {' '.join(filter(None, (line.text + last, line.todo)))}", style=style)]


def _key(status: Status) -> list[Text]:
    limits = status.key.limits if status.key else ()
    return [Text(f"Key: {limit}", style="yellow") for limit in limits]


def _details(one: CollectionStatus, now: datetime) -> list[Text]:
    name = one.name or one.collection_id
    lines = [_progress(one.progress)] if one.progress else []
    if one.error_message:
        lines.append(Text(f"{name}: {one.error_message}", style="red"))
    if one.next_try_at and one.next_try_at > now:
        lines.append(Text(f"  tried again {ago(one.next_try_at, now)}"))
    if one.way_out:
        lines.append(Text(f"{name}: {one.way_out}", style="yellow"))
    if one.failing:
        count = plural(len(one.failing), "document")
        lines.append(Text(f"{name}: {count} failing, tried again by themselves:", style="red"))
    for failure in one.failing:
        again = ago(max(failure.next_try_at, now), now)
        lines.append(Text(f"  {failure.title or failure.content_id}: {failure.error} ({again})"))
    return lines


def _progress(progress: PassProgress) -> Text:
    return Text(pass_bar(progress).text, style="cyan")
