"""A content as a Markdown file that brings back all of it. Pure.

Title, tags and metadata stand in the front matter as other tools expect them; what only this
product knows stands under one key of its own. The text is the stored one, to the character.
"""

import base64
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from personal_context.content.front_matter import put_back, take_out
from personal_context.domain.collections import is_id
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import (
    CollectionId,
    Content,
    ContentId,
    ContentSummary,
    SourceType,
)

OURS = "personal-context"
"""The key of what only this product knows."""

_LIMIT = 1_000_000
_SHOWN = ("title", "tags", OURS)
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)")
_LONGEST = 120
"""Bytes of a name: a path of some levels stays below what file systems take."""


def portable(content: Content) -> str:
    """Return a content as a file, see `from_portable`."""
    facts = {name: value for name, value in _facts(content).items() if value is not None}
    front: dict[str, Any] = {"title": content.title, "tags": list(content.tags)}
    metadata = dict(content.metadata)
    if not metadata.keys() & set(_SHOWN):
        text = put_back({**front, **metadata, OURS: facts}, content.text)
        if from_portable(text) == _unread(content):
            return text
    # Too big for what front matter is read of, too deep, or with our own words as keys. The
    # brackets of something deep would be taken for YAML's, so nobody is to see them.
    packed = base64.b64encode(json.dumps(metadata).encode()).decode()
    return put_back({**front, OURS: {**facts, "metadata": packed}}, content.text)


def from_portable(text: str) -> Content | None:
    """Return the content that a file holds; its readable form is empty.

    Args:
        text: Of a file.

    Returns:
        None if the file is not one of ours.

    Raises:
        InvalidInput: It is one of ours, and something in it can't be read.
    """
    parted = take_out(text, limit=_LIMIT)
    facts = parted.metadata.get(OURS)
    if not isinstance(facts, Mapping) or "id" not in facts:
        return None
    try:
        return _content(parted.metadata, facts, parted.body)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(
            f"What stands under “{OURS}” can't be read.",
            cause=str(error) or type(error).__name__,
            hint="Leave these lines as they were exported, or delete them all: the file is added "
            "as a new document then.",
        ) from None


def file_names(summaries: Sequence[ContentSummary]) -> Mapping[ContentId, PurePosixPath]:
    """Return where each content goes: folders named for its collection and what it stands below.

    No two names are equal, also where capitals don't count. What came first keeps its name.

    Args:
        summaries: In the order in which names are given.
    """
    taken: set[str] = set()
    found: dict[ContentId, PurePosixPath] = {}
    for summary in summaries:
        folder = PurePosixPath(*(_name(part) for part in summary.path or ("Local",)))
        for name in _candidates(summary):
            path = folder / f"{name}.md"
            key = unicodedata.normalize("NFC", str(path)).casefold()
            if key not in taken:
                break
        taken.add(key)
        found[summary.id] = path
    return found


def _candidates(summary: ContentSummary) -> Iterator[str]:
    name = _name(summary.title)
    yield name
    yield f"{name} {summary.id[:8]}"
    yield f"{name} {summary.id}"


def _name(title: str) -> str:
    """Return a title as a name that every file system takes."""
    name = " ".join(_FORBIDDEN.sub("-", title).split()).strip(". ")
    name = name.encode("utf-8", "replace")[:_LONGEST].decode("utf-8", "ignore").strip(". ")
    return f"_{name}" if not name or _RESERVED.match(name) else name


def _facts(content: Content) -> dict[str, Any]:
    return {
        "id": content.id,
        "source": content.source_type.value,
        "source_id": content.source_id,
        "source_url": content.source_url,
        "url_id": content.url_id,
        "collection_id": content.collection_id,
        "parent_id": content.parent_id,
        "position": content.position,
        "created_at": content.created_at.isoformat(),
        "updated_at": content.updated_at.isoformat(),
        "outline_doc_id": content.outline_doc_id,
        "outline_url": content.outline_url,
        "outline_updated_at": content.outline_updated_at,
        "revision": content.revision,
    }


def _unread(content: Content) -> Content:
    """Return a content as `from_portable` returns it."""
    return _content(
        {"title": content.title, "tags": list(content.tags), **content.metadata},
        _facts(content),
        content.text,
    )


def _content(front: Mapping[str, Any], facts: Mapping[str, Any], text: str) -> Content:
    metadata = {key: value for key, value in front.items() if key not in _SHOWN}
    if "metadata" in facts:
        metadata = json.loads(base64.b64decode(facts["metadata"], validate=True))
    tags = front.get("tags") or []
    if not isinstance(tags, list):
        raise TypeError("tags are no list")
    collection, parent = _text(facts, "collection_id"), _text(facts, "parent_id")
    held = _text(facts, "outline_doc_id")
    return Content(
        id=_id(facts["id"]),
        source_type=SourceType(facts["source"]),
        title=str(front.get("title") or ""),
        text=text,
        readable="",
        created_at=_time(facts["created_at"]),
        updated_at=_time(facts["updated_at"]),
        source_id=_text(facts, "source_id"),
        source_url=_text(facts, "source_url"),
        url_id=_text(facts, "url_id"),
        collection_id=None if collection is None else CollectionId(collection),
        parent_id=None if parent is None else _id(parent),
        position=int(facts.get("position", 0)),
        outline_doc_id=None if held is None else _id(held),
        outline_url=_text(facts, "outline_url"),
        outline_updated_at=_text(facts, "outline_updated_at"),
        revision=None if facts.get("revision") is None else int(facts["revision"]),
        metadata=metadata,
        tags=tuple(str(tag) for tag in tags),
    )


def _id(value: object) -> ContentId:
    if not is_id(str(value)):
        raise ValueError(f"{str(value)[:60]!r} is no id")
    return ContentId(str(value).lower())


def _time(value: object) -> datetime:
    found = datetime.fromisoformat(str(value))
    if found.tzinfo is None:
        raise ValueError(f"{value} has no time zone")
    return found


def _text(facts: Mapping[str, Any], name: str) -> str | None:
    value = facts.get(name)
    return None if value is None else str(value)
