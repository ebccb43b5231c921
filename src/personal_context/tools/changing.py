"""The tools that change, delete and restore what is kept."""

from typing import Annotated, Any, Final, Literal

from fastmcp import FastMCP
from fastmcp.tools.base import ToolResult
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

from personal_context.content.changing import Changed
from personal_context.content.editing import Change
from personal_context.domain.models import EditMode
from personal_context.tools.results import tool_result
from personal_context.tools.services import Services

PATIENCE: Final = 3.0
"""Seconds that a change waits for Outline, so that a conflict is told at once."""

CHANGES: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True
)
DELETES: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=True
)
RESTORES: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)

UPDATE_CONTENT: Final = """\
Change a document: its text, title or tags. Read it with get_content first.

For a correction use mode patch: it replaces one passage and leaves all else alone. What people
edited in Outline at the same place is never overwritten."""

DELETE_CONTENT: Final = """\
Move a document to the trash, only when the owner asks for it. It can be restored.

A document of the Outline wiki goes to Outline's trash, if the owner's settings allow it."""

RESTORE_CONTENT: Final = """\
Bring back a document that was deleted with delete_content, here and in Outline."""

Reference = Annotated[str, Field(description="An id from search, or a document's address.")]


class ChangedOutput(BaseModel):
    """What became of a change."""

    id: str
    title: str
    url: str | None = Field(description="Its address in Outline, if Outline has it.")
    hash: str = Field(description="Of what is stored now: expected_hash of the next change.")
    outline: str = Field(
        description="synced, pending (on its way, nothing to repeat), conflict (changed in "
        "Outline too; both are kept, the owner chooses), failed, or local (kept here only)."
    )
    message: str
    warnings: list[str] = Field(description="What the owner should know of what was given.")


def changed_output(changed: Changed) -> ChangedOutput:
    """Return the outcome of a change in the form of the tools."""
    return ChangedOutput(
        id=changed.id,
        title=changed.title,
        url=changed.url,
        hash=changed.hash,
        outline=changed.outline.value,
        message=changed.message,
        warnings=list(changed.warnings),
    )


def changed_text(changed: Changed) -> str:
    """Return the outcome of a change as a short text."""
    return "\n".join([f"{changed.title} (id {changed.id})", changed.message, *changed.warnings])


def register_changing(mcp: FastMCP, services: Services) -> None:
    """Add the tools that change what is kept to *mcp*."""
    shape: dict[str, Any] = ChangedOutput.model_json_schema()

    @mcp.tool(
        title="Change a document",
        description=UPDATE_CONTENT,
        annotations=CHANGES,
        output_schema=shape,
    )
    async def update_content(
        content_id: Reference,
        content: Annotated[
            str | None,
            Field(
                description="Markdown: the whole new text, what is added, or with patch what takes "
                "the place of `find`."
            ),
        ] = None,
        title: Annotated[str | None, Field(description="The new title.")] = None,
        tags: Annotated[list[str] | None, Field(description="All that it is to have.")] = None,
        mode: Annotated[
            Literal["replace", "append", "prepend", "patch"],
            Field(description="What to do with it."),
        ] = "replace",
        find: Annotated[
            str | None,
            Field(
                description="With patch: the passage, word for word as in get_content; it must "
                "occur once."
            ),
        ] = None,
        expected_hash: Annotated[
            str | None,
            Field(
                description="`hash` of what you read; if it was changed since, nothing is written."
            ),
        ] = None,
    ) -> ToolResult:
        change = Change(content, title, tags, EditMode(mode), find, expected_hash)
        changed = await services.changes.update(content_id, change, patience=PATIENCE)
        return tool_result(changed_text(changed), changed_output(changed))

    @mcp.tool(
        title="Delete a document",
        description=DELETE_CONTENT,
        annotations=DELETES,
        output_schema=shape,
    )
    async def delete_content(content_id: Reference) -> ToolResult:
        changed = await services.changes.delete(content_id, patience=PATIENCE)
        return tool_result(changed_text(changed), changed_output(changed))

    @mcp.tool(
        title="Restore a document",
        description=RESTORE_CONTENT,
        annotations=RESTORES,
        output_schema=shape,
    )
    async def restore_content(content_id: Reference) -> ToolResult:
        changed = await services.changes.restore(content_id, patience=PATIENCE)
        return tool_result(changed_text(changed), changed_output(changed))
