"""The tools that search: by a query, and by likeness."""

from datetime import datetime
from typing import Annotated, Final

from fastmcp import FastMCP
from fastmcp.tools.base import ToolResult
from mcp_types import ToolAnnotations
from pydantic import Field

from personal_context.domain.models import SearchFilters, SourceType
from personal_context.domain.text import as_utc
from personal_context.tools.results import fitting, schema_of
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

Use it before answering anything about the owner's work, decisions, people or
systems. Returns documents, best first, each with its best section; get_content reads on,
get_context reads several at once. Plain words are best;
"a phrase" must occur, -word must not, title:word, tag:name, collection:name, source:note,
after:2026-01-31 and before:2026-06 narrow it. A title finds its document."""

FIND_SIMILAR: Final = """\
Find documents that are like another one, or like a text, by meaning alone.

Use it to see what else is known on a subject."""

Query = Annotated[
    str,
    Field(
        description="A question or words, in any language.",
    ),
]
Limit = Annotated[int, Field(description="Most documents.", ge=1, le=100)]
Offset = Annotated[int, Field(description="Documents to pass over.", ge=0)]
Cursor = Annotated[
    str | None,
    Field(description="The last next_cursor."),
]
AS_IN_SEARCH: Final = Field(description="As in search.")
SourceTypes = Annotated[
    list[SourceType] | None,
    Field(description="From the wiki, added here, or from the web."),
]
OnlyTags = Annotated[
    list[str] | None,
    Field(description="With all of these tags."),
]
OnlyCollection = Annotated[
    str | None,
    Field(description="In this one: name, id or address."),
]
After = Annotated[
    datetime | None,
    Field(description="Changed then or later: a date or a time."),
]
Before = Annotated[datetime | None, Field(description="Changed earlier.")]


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

        async def ask(most: int) -> tuple[str, SearchOutput]:
            answer = await services.search.search(
                query, limit=most, offset=offset, cursor=cursor, filters=filters
            )
            return search_text(answer), search_output(answer)

        return await fitting(limit, ask)

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
        cursor: Cursor = None,
    ) -> ToolResult:
        async def ask(most: int) -> tuple[str, SimilarOutput]:
            answer = await services.similar.find_similar(
                content_id=content_id, text=text, threshold=threshold, limit=most, cursor=cursor
            )
            return similar_text(answer), similar_output(answer)

        return await fitting(limit, ask)
