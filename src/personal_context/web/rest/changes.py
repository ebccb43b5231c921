"""Documents: change, delete, restore."""

from typing import Literal

from pydantic import Field

from personal_context.content.editing import Change
from personal_context.domain.models import EditMode
from personal_context.web.rest.contents import TAG, Body
from personal_context.web.rest.documents import DocumentChanged, document_changed
from personal_context.web.rest.operations import AnyOperation, Call, Operation

PATIENCE = 3.0
"""Seconds that a change waits for Outline, so that a conflict is told at once."""


class ChangeBody(Body):
    """What is to be changed: the arguments of the tool `update_content`."""

    content: str | None = Field(default=None, description="The new text, or a part of it.")
    title: str | None = None
    tags: list[str] | None = Field(default=None, description="All its tags from now on.")
    mode: Literal["replace", "append", "prepend", "patch"] = Field(
        default="replace", description="What content does; patch puts it in place of find."
    )
    find: str | None = Field(default=None, description="What a patch replaces; it occurs once.")
    expected_hash: str | None = Field(
        default=None, description="hash of what you read; refused if it changed since."
    )


async def _update(call: Call[None, ChangeBody]) -> DocumentChanged:
    body = call.body
    change = Change(
        body.content, body.title, body.tags, EditMode(body.mode), body.find, body.expected_hash
    )
    return document_changed(
        await call.services.changes.update(call.reference, change, patience=PATIENCE)
    )


async def _delete(call: Call[None, None]) -> DocumentChanged:
    return document_changed(await call.services.changes.delete(call.reference, patience=PATIENCE))


async def _restore(call: Call[None, None]) -> DocumentChanged:
    return document_changed(await call.services.changes.restore(call.reference, patience=PATIENCE))


OPERATIONS: tuple[AnyOperation, ...] = (
    Operation(
        "restoreContent",
        "POST",
        "/content/{reference}/restore",
        "Bring a deleted document back",
        "Bring back a document that deleteContent deleted, here and in Outline.",
        TAG,
        _restore,
        {200: DocumentChanged},
        refusals=(404, 409),
    ),
    Operation(
        "updateContent",
        "PATCH",
        "/content/{reference}",
        "Change a document",
        "Change a document's text, title or tags, here and in Outline. Prefer append or patch to "
        "replace, and give expected_hash. What people wrote in Outline meanwhile is never "
        "overwritten.",
        TAG,
        _update,
        {200: DocumentChanged},
        body=ChangeBody,
        refusals=(404, 409),
    ),
    Operation(
        "deleteContent",
        "DELETE",
        "/content/{reference}",
        "Delete a document",
        "Move a document to the trash, here and, if the owner allows it, in Outline. Ask the "
        "owner before you do.",
        TAG,
        _delete,
        {200: DocumentChanged},
        refusals=(404, 409),
    ),
)
