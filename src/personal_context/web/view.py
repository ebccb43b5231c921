"""What the page says of a status: every decision of the panel, as pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from personal_context.domain.models import (
    CollectionStatus,
    Counts,
    Health,
    PassProgress,
    PassReport,
    PushState,
    ReindexProgress,
    ReindexState,
    SourceType,
    Status,
    WebhookState,
    WebhookStatus,
)
from personal_context.sync.by_hand import SyncOutcome
from personal_context.web.costs import usage_lines
from personal_context.web.humanize import duration, percent, plural
from personal_context.web.outbox_view import SHOWN, OutboxRow, outbox_row

POLL_BUSY = 1
"""Seconds between two looks while something moves."""

POLL_SLOW = 5
"""Seconds while something may move, e.g. a paused reindex."""

POLL_QUIET = 20
"""Seconds while nothing is expected."""

_TONES = {
    Health.SYNCING: "busy",
    Health.LET_GO: "quiet",
    Health.NEW: "quiet",
    Health.GOOD: "good",
}
_WAITING = (PushState.PENDING, PushState.SENDING, PushState.CONFLICT, PushState.FAILED)
_SOURCE_NAMES = {SourceType.OUTLINE: "Outline", SourceType.NOTE: "Notes", SourceType.WEB: "Web"}


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure with its name."""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """One collection in the table.

    Attributes:
        held: Removals that wait for a person's word.
        may_go: A person may let it go.
        next_pull_at: When it is pulled by itself, or None.
        tone: `good`, `busy`, `bad` or `quiet`.
        way_out: What a person can do, or an empty string.
    """

    id: str
    held: int
    name: str
    documents: int
    pulled_at: datetime | None
    label: str
    tone: str
    error: str | None
    next_pull_at: datetime | None
    way_out: str
    may_go: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """A progress bar: 0 <= value <= total, and the words beside it."""

    value: int
    total: int
    percent: int
    text: str


@dataclass(frozen=True, slots=True)
class SyncNews:
    """What the last sync by hand came to, in one line, and what failed."""

    ended_at: datetime
    text: str
    tone: str
    failures: Sequence[str]


@dataclass(frozen=True, slots=True)
class Failing:
    """A document that could not be stored, and why."""

    title: str
    error: str


@dataclass(frozen=True, slots=True)
class WebhookLine:
    """Whether Outline tells of changes at once.

    Attributes:
        tone: `good`, `bad` or `quiet`.
        delivered_at: When it last did, or None.
        todo: What is wrong, or what would switch it on; may be empty.
    """

    text: str
    tone: str
    delivered_at: datetime | None
    todo: str


@dataclass(frozen=True, slots=True)
class Panel:
    """Everything that the panel shows.

    Attributes:
        outbox: What Outline is still to be told, as far as it is shown.
        more_waiting: How much of that is not shown.
        poll: Seconds until the page looks again.
        announcement: Read aloud when it changes; it changes seldom.
    """

    status: Status
    tiles: Sequence[Tile]
    collections: Sequence[CollectionRow]
    index: Bar | None
    usage: Sequence[str]
    reindex: Bar | None
    reindex_title: str
    reindexing: bool
    syncing: bool
    passes: Sequence[Bar]
    failing: Sequence[Failing]
    news: SyncNews | None
    outbox: Sequence[OutboxRow]
    more_waiting: int
    webhook: WebhookLine | None
    poll: int
    announcement: str

    @property
    def local(self) -> bool:
        """Whether there is no Outline."""
        return self.status.outline_url is None

    @property
    def busy(self) -> bool:
        """Whether something moves that a person waits for."""
        return self.reindexing or self.syncing


def panel(status: Status, *, syncing: bool, outcome: SyncOutcome | None) -> Panel:
    """Return what the panel shows.

    Args:
        status: As the product reports it.
        syncing: Whether a sync started on the page is under way.
        outcome: What the last one came to.
    """
    state = status.reindex.state
    reindexing = state in {ReindexState.RUNNING, ReindexState.PAUSED}
    syncing = syncing or any(c.health is Health.SYNCING for c in status.collections)
    return Panel(
        status=status,
        tiles=tiles(status.counts),
        collections=[collection_row(c) for c in status.collections],
        index=index_bar(status),
        usage=usage_lines(status.usage),
        reindex=reindex_bar(status.reindex),
        reindex_title=reindex_title(status.reindex),
        reindexing=reindexing,
        syncing=syncing,
        passes=[pass_bar(one) for one in status.passes if one.total],
        failing=[Failing(f.title or f.content_id, f.error) for f in status.failures],
        news=sync_news(outcome) if outcome else None,
        outbox=[outbox_row(entry) for entry in status.outbox[:SHOWN]],
        more_waiting=max(0, waiting(status.counts) - SHOWN),
        webhook=webhook_line(status.webhook) if status.webhook else None,
        poll=poll(status, syncing=syncing),
        announcement=announcement(status.reindex, syncing=syncing),
    )


def tiles(counts: Counts) -> list[Tile]:
    """The figures at the top: everything, then each source that has something."""
    sources = [
        Tile(_SOURCE_NAMES.get(kind, kind.value), counts.by_source_type.get(kind.value, 0))
        for kind in SourceType
    ]
    return [
        Tile("Documents", counts.contents),
        Tile("Sections", counts.sections),
        *(tile for tile in sources if tile.value),
    ]


def waiting(counts: Counts) -> int:
    """How much Outline is still to be told."""
    return sum(counts.outbox.get(state.value, 0) for state in _WAITING)


def collection_row(state: CollectionStatus) -> CollectionRow:
    """One line of the table."""
    return CollectionRow(
        id=state.collection_id,
        held=state.pending_removals if state.health is Health.HELD else 0,
        name=state.name or state.collection_id,
        documents=state.documents,
        pulled_at=state.finished_at,
        label=state.health.value.capitalize(),
        tone=_TONES.get(state.health, "bad"),
        error=state.error_message,
        next_pull_at=state.next_pull_at,
        way_out=state.way_out,
        may_go=state.health in {Health.LET_GO, Health.ACCESS_LOST},
    )


def webhook_line(webhook: WebhookStatus) -> WebhookLine:
    """Say whether Outline tells of changes at once, and why not."""
    text, tone = {
        WebhookState.ON: ("Outline tells of changes at once.", "good"),
        WebhookState.OFF: ("Outline is not asked to tell of changes; they are polled.", "quiet"),
        WebhookState.SWITCHED_OFF: ("Outline has switched the webhook off.", "bad"),
        WebhookState.GONE: ("The webhook is gone from Outline.", "bad"),
        WebhookState.UNKNOWN: ("Nobody knows whether Outline tells of changes.", "quiet"),
    }[webhook.state]
    todo = webhook.problem or ""
    if webhook.state is WebhookState.OFF and webhook.url:
        todo = "`personal-context webhook enable` subscribes to them."
    return WebhookLine(text, tone, webhook.last_delivery_at, todo)


def pass_bar(progress: PassProgress) -> Bar:
    """How far a running pass is."""
    text = f"{progress.name}: {progress.done:,} of {plural(progress.total, 'document')}"
    if progress.rate > 0:
        text += f" · {progress.rate:,.0f} per second"
    if progress.eta_seconds:
        text += f" · about {duration(progress.eta_seconds)} left"
    return Bar(progress.done, progress.total, percent(progress.done, progress.total), text)


def index_bar(status: Status) -> Bar | None:
    """How much of the store search by meaning covers; None when there is nothing to cover."""
    progress = status.index.progress
    if status.index.model is None or progress.total == 0:
        return None
    text = f"{progress.done:,} of {plural(progress.total, 'section')} embedded"
    if progress.failed:
        text += f", {progress.failed:,} refused by the provider"
    return Bar(progress.done, progress.total, percent(progress.done, progress.total), text)


def reindex_bar(progress: ReindexProgress) -> Bar | None:
    """How far reindexing is; None when there is nothing to say."""
    if progress.state is ReindexState.IDLE:
        return None
    dealt_with = min(progress.success + progress.errors, progress.total)
    text = f"{dealt_with:,} of {plural(progress.total, 'section')}"
    if progress.state is ReindexState.RUNNING:
        if progress.rate > 0:
            text += f" · {progress.rate:,.0f} per second"
        if (left := progress.eta_seconds) is not None:
            text += f" · about {duration(left)} left"
    if progress.errors:
        text += f" · {plural(progress.errors, 'error')}"
    return Bar(dealt_with, progress.total, percent(dealt_with, progress.total), text)


def reindex_title(progress: ReindexProgress) -> str:
    """What became of reindexing, in a word or two."""
    if progress.state is ReindexState.RUNNING:
        return "Reindexing"
    if progress.state is ReindexState.PAUSED:
        return "Reindexing is paused"
    if progress.errors and not progress.success:
        return "Reindexing failed: the vectors in use stay as they are"
    return "Reindexed"


def sync_news(outcome: SyncOutcome) -> SyncNews:
    """The last sync by hand in one line."""
    if outcome.error is not None:
        failures = [t for t in (outcome.error.cause, outcome.error.hint) if t]
        return SyncNews(outcome.ended_at, outcome.error.what, "bad", failures)
    failures = [line for report in outcome.reports for line in _failures(report)]
    tone = "bad" if failures else "good"
    return SyncNews(outcome.ended_at, _summary(outcome.reports), tone, failures)


def poll(status: Status, *, syncing: bool) -> int:
    """Seconds until it is worth looking again."""
    if syncing or status.reindex.state is ReindexState.RUNNING:
        return POLL_BUSY
    embedding = status.index.progress.missing > status.index.progress.failed
    sending = any(status.counts.outbox.get(state.value) for state in _WAITING[:2])
    slow = embedding or sending or status.reindex.state is ReindexState.PAUSED
    return POLL_SLOW if slow else POLL_QUIET


def announcement(progress: ReindexProgress, *, syncing: bool) -> str:
    """What a screen reader says of the work under way: its state, never its figures."""
    said = {
        ReindexState.IDLE: "",
        ReindexState.RUNNING: "Reindexing is running.",
        ReindexState.PAUSED: "Reindexing is paused.",
        ReindexState.DONE: "Reindexing has ended.",
    }[progress.state]
    return " ".join(part for part in (said, "Sync is running." if syncing else "") if part)


def _summary(reports: Sequence[PassReport]) -> str:
    counted = (
        ("new", sum(r.created for r in reports)),
        ("changed", sum(r.updated for r in reports)),
        ("moved", sum(r.moved for r in reports)),
        ("removed", sum(r.removed for r in reports)),
    )
    parts = [f"{count:,} {word}" for word, count in counted if count]
    return f"{', '.join(parts) or 'Nothing changed'} in {plural(len(reports), 'collection')}."


def _failures(report: PassReport) -> list[str]:
    name = report.name or report.collection_id
    lines = [f"{name}: {report.error}"] if report.error else []
    return [*lines, *(f"{name}, {doc}: {why}" for doc, why in report.failed.items())]
