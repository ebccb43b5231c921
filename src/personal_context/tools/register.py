"""The tools. Each translates: arguments in, one call of a service, answer out."""

from typing import Annotated, Any, Final

from fastmcp import FastMCP
from fastmcp.tools.base import ToolResult
from mcp_types import ToolAnnotations
from pydantic import Field

from personal_context.content.adding import IfExists
from personal_context.content.checks import NewContent
from personal_context.content.excerpts import LEAST_TOKENS, Wanted
from personal_context.tools.answers import (
    AddedOutput,
    ContentOutput,
    PromptsOutput,
    added_output,
    added_text,
    brief_metadata,
    content_output,
    content_text,
)
from personal_context.tools.changing import register_changing
from personal_context.tools.context import register_context
from personal_context.tools.listing import register_listing
from personal_context.tools.outbox import register_outbox
from personal_context.tools.pages import register_pages
from personal_context.tools.reindexing import register_reindexing
from personal_context.tools.results import schema_of, tool_result
from personal_context.tools.searching import register_searching
from personal_context.tools.services import Services
from personal_context.tools.syncing import register_syncing

READ_ONLY: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
ADDS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
)

# Descriptions, not docstrings: FastMCP would load a parser for those at every start.
GET_CONTENT: Final = """\
Read a document as Markdown: all of it, a section, or from a line on.

Use it after search, or when somebody gives the address of an Outline document. Of a long one
the answer lists the sections and tells how to read on."""

LOAD_PERSONAL_PROMPTS: Final = """\
Return the owner's standing instructions and prompts for agents, in their order.

Use it once at the start of a conversation, or when the owner names a prompt."""

ADD_CONTENT: Final = """\
Keep a text in the owner's knowledge: a finding, a decision, notes of a meeting.

It is searchable when this returns, and goes to the owner's Outline wiki by itself. Search
first. The answer tells what it resembles, and warns of secrets: tell the owner."""

Reference = Annotated[
    str, Field(description="An id from search, or the address of a document in Outline.")
]


MoreCursor = Annotated[str | None, Field(description="The last `more`.")]


def register_tools(mcp: FastMCP, services: Services) -> None:
    """Add every tool to *mcp*."""
    register_searching(mcp, services)
    register_context(mcp, services)
    register_listing(mcp, services)
    _reading(mcp, services)
    _writing(mcp, services)
    register_pages(mcp, services)
    register_changing(mcp, services)
    register_syncing(mcp, services)
    register_reindexing(mcp, services)
    register_outbox(mcp, services)


def _reading(mcp: FastMCP, services: Services) -> None:
    @mcp.tool(
        title="Read a document",
        description=GET_CONTENT,
        annotations=READ_ONLY,
        output_schema=schema_of(ContentOutput),
    )
    async def get_content(
        content_id: Reference,
        section: Annotated[
            str | None,
            Field(description="Only this one: a heading, `Parent > Heading`, or its number."),
        ] = None,
        from_line: Annotated[int | None, Field(description="Begin at this line.", ge=1)] = None,
        max_tokens: Annotated[
            int, Field(description="Most tokens of the text.", ge=LEAST_TOKENS, le=50_000)
        ] = 10_000,
        cursor: MoreCursor = None,
    ) -> ToolResult:
        wanted = Wanted(section, from_line, max_tokens, cursor)
        read, part = await services.contents.read(content_id, wanted)
        output = content_output(read, part)
        output.metadata = brief_metadata(output.metadata)
        return tool_result(content_text(read, part), output)

    @mcp.tool(
        title="Prompts",
        description=LOAD_PERSONAL_PROMPTS,
        annotations=READ_ONLY,
        output_schema=schema_of(PromptsOutput),
    )
    async def load_personal_prompts(cursor: MoreCursor = None) -> ToolResult:
        prompts = await services.prompts.load(cursor=cursor)
        more = f"\n(More with cursor {prompts.more})" if prompts.more else ""
        output = PromptsOutput(count=prompts.count, text=prompts.text, more=prompts.more)
        return tool_result(f"{prompts.text}{more}", output)


def _writing(mcp: FastMCP, services: Services) -> None:
    @mcp.tool(
        title="Keep something",
        description=ADD_CONTENT,
        annotations=ADDS,
        output_schema=schema_of(AddedOutput),
    )
    async def add_content(
        content: Annotated[str, Field(description="The text to keep, as Markdown.")],
        title: Annotated[
            str | None,
            Field(description="Default: of the front matter, or the first heading."),
        ] = None,
        tags: Annotated[
            list[str] | None,
            Field(description="Words to find it by."),
        ] = None,
        source_url: Annotated[
            str | None, Field(description="Where it came from, if from the web.")
        ] = None,
        metadata: Annotated[
            dict[str, Any] | None,
            Field(description="Kept with it."),
        ] = None,
        collection_id: Annotated[
            str | None,
            Field(description="Where it goes: name, id or address."),
        ] = None,
        parent_id: Annotated[
            str | None,
            Field(description="Document it stands under: id or address."),
        ] = None,
        if_exists: Annotated[
            IfExists,
            Field(description="What to do if the same is kept already."),
        ] = "return",
    ) -> ToolResult:
        added = await services.contents.add(
            NewContent(
                text=content,
                title=title,
                tags=tags,
                source_url=source_url,
                metadata=metadata or {},
                collection=collection_id,
                parent=parent_id,
            ),
            if_exists=if_exists,
        )
        return tool_result(added_text(added), added_output(added))
