"""What was done: the log, narrowed by a person, older lines as they scroll."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from personal_context.domain.ages import moment
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import CollectionStatus, LogEntry
from personal_context.search.browsing import History
from personal_context.web import params
from personal_context.web.guard import as_html
from personal_context.web.responses import html_answer, is_htmx
from personal_context.web.shell import Shell

PATH = "/activity"
SHOWN = 50
"""Lines at a time."""

OPERATIONS: Mapping[str, str] = {
    "create": "Added",
    "update": "Updated",
    "change": "Changed here",
    "move": "Moved",
    "trash": "Removed",
    "restore": "Restored",
    "purge": "Deleted for good",
    "push": "Brought to Outline",
    "conflict": "Conflict",
    "resolve": "Conflict resolved",
    "error": "Error",
    "forget": "Let go",
    "reindex": "Reindexed",
}
"""What is logged -> how it is called."""

SPANS = {"1d": "24 hours", "7d": "7 days", "30d": "30 days"}

_BAD = {"error", "conflict"}
_QUIET = {"trash", "purge", "forget"}


@dataclass(frozen=True, slots=True)
class Choice:
    """What the list is narrowed to; each may be empty."""

    operation: str = ""
    collection: str = ""
    since: str = ""

    def address(self, before: int) -> str:
        """Return the query that leads to the lines before a mark."""
        given = {"operation": self.operation, "collection": self.collection, "since": self.since}
        return urlencode({**{k: v for k, v in given.items() if v}, "before": before})


@dataclass(frozen=True, slots=True)
class Row:
    """A line as it is shown.

    Attributes:
        content_id: Where it leads; None if that is no longer here.
        title: What it was done to; empty if that is told by the details or by nothing.
        tone: `good`, `bad` or `quiet`.
    """

    at: datetime | None
    label: str
    tone: str
    content_id: str | None
    title: str
    details: str
    collection: str
    actor: str


@dataclass(frozen=True, slots=True)
class ActivityView:
    """What the view shows.

    Attributes:
        older: Query of the lines before these, or None.
    """

    rows: Sequence[Row]
    older: str | None


def routes(shell: Shell) -> list[Route]:
    """Return the route of the log."""

    async def activity(request: Request) -> Response:
        asked = request.query_params
        choice = Choice(
            asked.get("operation", "").strip(),
            asked.get("collection", "").strip(),
            asked.get("since", "").strip(),
        )
        found = await shell.services.browsing.history(
            operation=choice.operation or None,
            collection=choice.collection or None,
            since=_since(choice.since, shell.clock()),
            before=params.number(asked, "before"),
            limit=SHOWN,
        )
        collections = (await shell.services.status()).collections
        values = {"log": view(found, collections, choice)}
        if is_htmx(request):
            body = await shell.pages.render("_log.html", **shell.values(request), **values)
            return html_answer(body, 200, {"Vary": "HX-Request"})
        return await shell.show(
            request,
            "activity.html",
            view="activity",
            choice=choice,
            collections=collections,
            operations=OPERATIONS,
            spans=SPANS,
            **values,
        )

    return [Route(PATH, as_html(activity, shell.pages), name="activity")]


def view(found: History, collections: Sequence[CollectionStatus], choice: Choice) -> ActivityView:
    """Return what is shown of a history."""
    names = {str(one.collection_id): one.name for one in collections}
    return ActivityView(
        [row(line.entry, line.title, names) for line in found.lines],
        None if found.older is None else choice.address(found.older),
    )


def row(entry: LogEntry, title: str | None, names: Mapping[str, str]) -> Row:
    """Return one line.

    Args:
        entry: What was logged.
        title: Of the content, if it is still here.
        names: Of collections, by id.
    """
    tone = "bad" if entry.operation in _BAD else "quiet" if entry.operation in _QUIET else "good"
    told = title or ""
    return Row(
        at=entry.created_at,
        label=OPERATIONS.get(entry.operation, entry.operation.capitalize()),
        tone=tone,
        content_id=None if title is None else entry.content_id,
        title=told or ("Untitled" if title is not None else ""),
        # Details begin with the title where it may be gone by now.
        details=(entry.details.removeprefix(told).removeprefix(": ") if told else entry.details),
        collection=names.get(entry.collection_id or "", ""),
        actor=entry.actor,
    )


def _since(told: str, now: datetime) -> datetime | None:
    if not told:
        return None
    since = moment(told, now)
    if since is None:
        raise InvalidInput(
            "The parameter since can't be used.",
            cause="It is neither a date nor a span of time.",
            hint="Give since=7d, or since=2026-01-31.",
        )
    return since
