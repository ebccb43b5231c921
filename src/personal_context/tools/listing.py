"""The tool that lists what there is, and what changed."""

from datetime import datetime
from typing import Annotated, Final

from fastmcp import FastMCP
from fastmcp.tools.base import ToolResult
from pydantic import BaseModel, Field

from personal_context.domain.ages import plural
from personal_context.domain.models import ListedContent, Listing, ListSort, LogEntry, SourceType
from personal_context.domain.text import one_line, shortened
from personal_context.tools.results import brief, fitting, schema_of
from personal_context.tools.searching import (
    AS_IN_SEARCH,
    READS,
    Cursor,
    Limit,
    filters_of,
)
from personal_context.tools.services import Services

LIST_CONTENT: Final = """\
List documents without a query, with who changed what last, and what was removed.

Use it for "what is new this week" (updated_since 7d), and for what a collection or a tag holds."""

Since = Annotated[
    str | None,
    Field(
        description="Changed since: 7d, 12h, or a date.",
    ),
]
Sort = Annotated[ListSort, Field(description="Newest first, by title, or as they stand.")]


class ChangeOutput(BaseModel):
    """What was done last, as far as the log goes back."""

    operation: str
    details: str
    at: datetime
    by: str | None


class ListedOutput(BaseModel):
    """A document."""

    id: str
    title: str
    source_type: str
    url: str | None
    path: list[str]
    tags: list[str]
    updated_at: datetime
    change: ChangeOutput | None


class RemovedOutput(BaseModel):
    """A document that left, and is not back."""

    id: str
    operation: str
    details: str
    at: datetime


class ListOutput(BaseModel):
    """A page of documents."""

    total: int
    next_cursor: str | None = Field(description="Give it as cursor for the next page.")
    documents: list[ListedOutput]
    removed: list[RemovedOutput] = Field(description="With updated_since: what left since.")


def register_listing(mcp: FastMCP, services: Services) -> None:
    """Add the tool to *mcp*."""

    @mcp.tool(
        title="List documents",
        description=LIST_CONTENT,
        annotations=READS,
        output_schema=schema_of(ListOutput),
    )
    async def list_content(
        collection: Annotated[str | None, AS_IN_SEARCH] = None,
        tags: Annotated[list[str] | None, AS_IN_SEARCH] = None,
        source_types: Annotated[list[SourceType] | None, AS_IN_SEARCH] = None,
        updated_since: Since = None,
        sort: Sort = "updated",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> ToolResult:
        async def ask(most: int) -> tuple[str, ListOutput]:
            found = await services.listing.list_content(
                updated_since=updated_since,
                sort=sort,
                limit=most,
                cursor=cursor,
                filters=filters_of(source_types, tags, collection),
            )
            return listing_text(found), listing_output(found)

        return await fitting(limit, ask)


def listing_output(found: Listing) -> ListOutput:
    """Return a list in the form of the tool."""
    return ListOutput(
        total=found.total,
        next_cursor=found.next_cursor,
        documents=[_listed(one) for one in found.contents],
        removed=[
            RemovedOutput(
                id=one.content_id or "",
                operation=one.operation,
                details=shortened(one.details),
                at=one.created_at,
            )
            for one in found.removed
            if one.created_at
        ],
    )


def _listed(one: ListedContent) -> ListedOutput:
    content, change = one.content, one.change
    return ListedOutput(
        id=content.id,
        title=content.title,
        source_type=content.source_type.value,
        url=content.url,
        path=brief(content.path),
        tags=list(content.tags),
        updated_at=content.updated_at,
        change=ChangeOutput(
            operation=change.operation,
            details=shortened(change.details, 500),
            at=change.created_at,
            by=change.actor or None,
        )
        if change and change.created_at
        else None,
    )


def listing_text(found: Listing) -> str:
    """Return a list as a short text, for people and for clients that read text only."""
    total = plural(found.total, "document")
    lines = [f"{len(found.contents)} of {total}:" if found.total else "None."]
    for one in found.contents:
        about = [
            " › ".join(brief(one.content.path)),
            f"{one.content.updated_at:%Y-%m-%d %H:%M}",
            _change(one.change),
        ]
        lines.append(f"- {one_line(one.content.title) or 'Untitled'} (id {one.content.id})")
        lines.append(f"  {' · '.join(filter(None, about))}")
    if found.removed:
        lines.append(f"{len(found.removed)} left since:")
        lines += [
            f"- {shortened(one_line(one.details))} (id {one.content_id})" for one in found.removed
        ]
    if found.next_cursor:
        lines.append(f"More with cursor {found.next_cursor}")
    return "\n".join(lines)


def _change(change: LogEntry | None) -> str:
    if change is None:
        return ""
    by = f" by {change.actor}" if change.actor else ""
    return f"{change.operation}{by}: {shortened(one_line(change.details), 120)}"
