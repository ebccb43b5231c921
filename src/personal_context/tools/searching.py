"""The tools that search: by a query, and by likeness."""

from datetime import datetime
from typing import Annotated, Final

from fastmcp import FastMCP
from fastmcp.tools.base import ToolResult
from mcp_types import ToolAnnotations
from pydantic import Field

from personal_context.domain.models import SearchFilters, SourceType
from personal_context.domain.text import as_utc
from personal_context.tools.results import schema_of, tool_result
from personal_context.tools.search_answers import (
    SearchOutput,
    SimilarOutput,
    search_output,
    search_text,
    similar_output,
    similar_text,
)
from personal_context.tools.services import Services

READS: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)

SEARCH: Final = """\
Find documents in the owner's wiki and notes, by meaning and by words.

Use it before answering anything about the owner's work, decisions, people, systems or
habits. Returns documents, best first, each with its best section; read on with get_content,
or use get_context to read several at once. Plain words are best;
"a phrase" must occur, -word must not, title:word, tag:name, collection:name, source:note,
after:2026-01-31 and before:2026-06 narrow it. A title finds its document."""

FIND_SIMILAR: Final = """\
Find documents that are like another one, or like a text, by meaning alone.

Use it to see what else there is on a subject, or whether something is known already."""

Query = Annotated[
    str,
    Field(
        description="A question or a few words, in any language.",
    ),
]
Limit = Annotated[int, Field(description="Most documents to return.", ge=1, le=100)]
Offset = Annotated[int, Field(description="Documents to pass over.", ge=0)]
Cursor = Annotated[
    str | None,
    Field(description="next_cursor of the answer before."),
]
AS_IN_SEARCH: Final = Field(description="As in search.")
SourceTypes = Annotated[
    list[SourceType] | None,
    Field(description="Only what was written in the wiki, added here, or on the web."),
]
OnlyTags = Annotated[
    list[str] | None,
    Field(description="Only documents with all of these tags."),
]
OnlyCollection = Annotated[
    str | None,
    Field(description="Only this collection: name, id or address."),
]
After = Annotated[
    datetime | None,
    Field(description="Only what changed then or later: a date or a time."),
]
Before = Annotated[datetime | None, Field(description="Only what changed earlier.")]


def filters_of(
    source_types: list[SourceType] | None = None,
    tags: list[str] | None = None,
    collection: str | None = None,
    updated_after: datetime | None = None,
    updated_before: datetime | None = None,
) -> SearchFilters:
    """Return what the arguments of a tool that narrow it come to."""
    return SearchFilters(
        frozenset(source_types or ()),
        collection,
        frozenset(tags or ()),
        updated_after and as_utc(updated_after),
        updated_before and as_utc(updated_before),
    )


def register_searching(mcp: FastMCP, services: Services) -> None:
    """Add the tools that search to *mcp*."""

    @mcp.tool(
        title="Search",
        description=SEARCH,
        annotations=READS,
        output_schema=schema_of(SearchOutput),
    )
    async def search(
        query: Query,
        limit: Limit = 10,
        offset: Offset = 0,
        cursor: Cursor = None,
        source_types: SourceTypes = None,
        tags: OnlyTags = None,
        collection: OnlyCollection = None,
        updated_after: After = None,
        updated_before: Before = None,
    ) -> ToolResult:
        filters = filters_of(source_types, tags, collection, updated_after, updated_before)
        answer = await services.search.search(
            query, limit=limit, offset=offset, cursor=cursor, filters=filters
        )
        return tool_result(search_text(answer), search_output(answer))

    @mcp.tool(
        title="Find similar",
        description=FIND_SIMILAR,
        annotations=READS,
        output_schema=schema_of(SimilarOutput),
    )
    async def find_similar(
        content_id: Annotated[
            str | None,
            Field(description="A document's id or address, or else:"),
        ] = None,
        text: Annotated[str | None, Field(description="Any text.")] = None,
        threshold: Annotated[float, Field(description="Least similarity.", ge=-1, le=1)] = 0.5,
        limit: Limit = 10,
    ) -> ToolResult:
        answer = await services.similar.find_similar(
            content_id=content_id, text=text, threshold=threshold, limit=limit
        )
        return tool_result(similar_text(answer), similar_output(answer))
