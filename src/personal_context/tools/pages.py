"""The tool that keeps web pages."""

from typing import Annotated, Final

from fastmcp import FastMCP
from fastmcp.tools.base import ToolResult
from mcp_types import ToolAnnotations
from pydantic import Field

from personal_context.content.from_web import KeptPage, NewPage
from personal_context.tools.answers import AddedOutput, added_output, added_text
from personal_context.tools.results import schema_of, tool_result
from personal_context.tools.services import Services

KEEPS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)

ADD_URL: Final = """\
Keep a web page in the owner's knowledge: its text, as Markdown.

The same page again brings what is kept up to date, but never overwrites edits. What needs a
login or scripts gives an error: then use add_content with the text that matters."""

Overwrite = Annotated[
    bool,
    Field(description="Replace what is kept even if somebody edited it. Only when the owner asks."),
]


class AddedUrlOutput(AddedOutput):
    """What became of a page."""

    outcome: str = Field(
        description="added, updated (it was kept, and had changed), unchanged, or edited (it had "
        "changed, but what is kept was edited since, and stays)."
    )


def page_output(kept: KeptPage) -> AddedUrlOutput:
    """Return the outcome of keeping a page in the form of the tool."""
    added = added_output(kept.content).model_dump()
    return AddedUrlOutput(**added, outcome=kept.outcome.value)


def register_pages(mcp: FastMCP, services: Services) -> None:
    """Add the tool that keeps web pages to *mcp*."""

    @mcp.tool(
        title="Keep a web page",
        description=ADD_URL,
        annotations=KEEPS,
        output_schema=schema_of(AddedUrlOutput),
    )
    async def add_url(
        url: Annotated[str, Field(description="The page's address.")],
        title: Annotated[str | None, Field(description="Default: the page's own title.")] = None,
        tags: Annotated[
            list[str] | None,
            Field(description="Added to those that it has."),
        ] = None,
        collection_id: Annotated[
            str | None,
            Field(description="As in add_content."),
        ] = None,
        parent_id: Annotated[
            str | None,
            Field(description="As in add_content."),
        ] = None,
        overwrite: Overwrite = False,  # noqa: FBT002 - a model names it
    ) -> ToolResult:
        new = NewPage(url, title, tags, collection_id, parent_id, overwrite=overwrite)
        kept = await services.pages.add(new)
        return tool_result(added_text(kept.content), page_output(kept))
