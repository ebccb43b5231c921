"""Documents and changes for tests of the write-back."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from builders import HANDBOOK, NOW, content, content_id, note

from personal_context.domain.models import (
    Edit,
    EditMode,
    Operation,
    Push,
    PushState,
    Standing,
    UpstreamDocument,
    Wording,
)
from personal_context.sync.queueing import after_edits

BASE = Wording("Title", "one\n\ntwo")
LATER = NOW + timedelta(hours=1)


def there(title: str = BASE.title, text: str = BASE.text, **more: Any) -> UpstreamDocument:
    """Return a published document, as Outline shows it."""
    values: dict[str, Any] = {
        "id": content_id(1),
        "url_id": "url0000001",
        "url": "https://wiki.example.com/doc/title-url0000001",
        "title": title,
        "text": text,
        "collection_id": HANDBOOK,
        "parent_id": None,
        "created_at": "2026-02-01T00:00:00.000Z",
        "updated_at": "2026-02-02T00:00:00.000Z",
        "published_at": "2026-02-01T00:00:00.000Z",
        "archived_at": None,
        "deleted_at": None,
        "revision": 3,
    }
    return UpstreamDocument(**(values | more))


def mirrored(*edits: Edit, title: str = BASE.title, text: str = BASE.text) -> Standing:
    """Return a content from Outline after these edits, each a change of its own."""
    standing = Standing(content(1, title=title, text=text), "hash")
    for edit in edits:
        standing = edited(standing, edit)
    return standing


def added(title: str = "Note", text: str = "noted") -> Standing:
    """Return a content that is to be created."""
    push = Push(Operation.CREATE, PushState.PENDING, HANDBOOK, queued_at=NOW, next_try_at=NOW)
    return Standing(note(1, title, text), "hash", push=push)


def edited(standing: Standing, edit: Edit) -> Standing:
    """Change a content here."""
    ours = standing.content
    text = {
        EditMode.REPLACE: edit.text,
        EditMode.APPEND: f"{ours.text}\n\n{edit.text}",
        EditMode.PREPEND: f"{edit.text}\n\n{ours.text}",
        EditMode.PATCH: ours.text.replace(edit.find or "\0", edit.text),
        EditMode.RETITLE: ours.text,
    }[edit.mode]
    title = edit.text if edit.mode is EditMode.RETITLE else ours.title
    return replace(
        standing,
        content=replace(ours, title=title, text=text),
        push=after_edits(standing, [edit], LATER),
    )


def sent(standing: Standing) -> Standing:
    """Return it as one whose push is under way, and may have arrived."""
    push = standing.push
    assert push is not None
    under_way = replace(push, state=PushState.SENDING, sent_version=push.version, sent=None)
    return replace(standing, push=under_way)


def waiting(**more: Any) -> Push:
    """Return a push of an update that waits, or with other values."""
    values: dict[str, Any] = {
        "operation": Operation.UPDATE,
        "state": PushState.PENDING,
        "collection_id": HANDBOOK,
        "queued_at": NOW,
        "next_try_at": NOW,
    }
    return Push(**(values | more))
