"""Outline's JSON, read strictly into our values.

A wrong type or a missing member is an error and never a guess: text that is empty by mistake
would overwrite a document.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from personal_context.domain.models import (
    CollectionId,
    ContentId,
    TreeNode,
    UpstreamCollection,
    UpstreamDocument,
    UpstreamWebhook,
)
from personal_context.upstream.json_text import clean

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_LONGEST_NAME = 255
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z", re.ASCII)


class Unreadable(ValueError):
    """A member is missing or of a wrong type; the text says which and why."""


@dataclass(frozen=True, slots=True)
class AuthInfo:
    """Whom an API key acts as."""

    user_name: str
    team_name: str


def document(data: object, *, base_url: str) -> UpstreamDocument:
    """Read a document.

    Args:
        data: Decoded JSON of one document.
        base_url: Address of the wiki without a slash at the end.

    Raises:
        Unreadable: It is not a whole document.
    """
    fields = _object(data, "document")
    collection = _optional(fields, "collectionId", _uuid)
    parent = _optional(fields, "parentDocumentId", _uuid)
    return UpstreamDocument(
        id=ContentId(_uuid(fields, "id")),
        url_id=_named(fields, "urlId"),
        url=base_url + _path(fields, "url"),
        title=_text(fields, "title"),
        text=_text(fields, "text"),
        collection_id=None if collection is None else CollectionId(collection),
        parent_id=None if parent is None else ContentId(parent),
        created_at=_time(fields, "createdAt"),
        updated_at=_time(fields, "updatedAt"),
        published_at=_optional(fields, "publishedAt", _time),
        archived_at=_optional(fields, "archivedAt", _time),
        deleted_at=_optional(fields, "deletedAt", _time),
        revision=_count(fields, "revision"),
        updated_by=_person(fields.get("updatedBy")),
    )


def collection(data: object) -> UpstreamCollection:
    """Read a collection.

    Raises:
        Unreadable: It is not a whole collection.
    """
    fields = _object(data, "collection")
    return UpstreamCollection(
        id=CollectionId(_uuid(fields, "id")),
        url_id=_named(fields, "urlId"),
        name=_text(fields, "name"),
        archived_at=_optional(fields, "archivedAt", _time),
        deleted_at=_optional(fields, "deletedAt", _time),
    )


def auth_info(data: object) -> AuthInfo:
    """Read whom the key acts as.

    Raises:
        Unreadable: There is no user or no team.
    """
    fields = _object(data, "auth.info")
    return AuthInfo(
        user_name=_text(_object(fields.get("user"), "user"), "name"),
        team_name=_text(_object(fields.get("team"), "team"), "name"),
    )


def webhook(data: object) -> UpstreamWebhook:
    """Read a webhook subscription; its secret is left behind.

    Raises:
        Unreadable: It is not a whole subscription.
    """
    fields = _object(data, "webhook")
    enabled = fields.get("enabled")
    if not isinstance(enabled, bool):
        raise Unreadable(f"`enabled`: expected true or false, got {_kind(enabled)}")
    return UpstreamWebhook(
        id=_uuid(fields, "id"),
        name=_text(fields, "name"),
        url=_text(fields, "url"),
        enabled=enabled,
    )


def items(data: object) -> list[Any]:
    """Return the members of a list.

    Raises:
        Unreadable: It is no list.
    """
    if not isinstance(data, list):
        raise Unreadable(f"expected a list, got {_kind(data)}")
    return data


def document_id(data: object) -> ContentId | None:
    """Return the id of a document that may be broken, or None if that is broken too."""
    try:
        return ContentId(_uuid(_object(data, "document"), "id"))
    except Unreadable:
        return None


@dataclass(slots=True)
class _Node:
    title: str
    children: list[ContentId] = field(default_factory=list)


def tree(data: object) -> tuple[TreeNode, ...]:
    """Read a collection's tree, of any depth.

    When an id comes twice, the first place counts, and what is below the second one is put below
    the first: an id that is lost here would look as if its document were deleted.

    Raises:
        Unreadable: A node has no id, or something is no node.
    """
    nodes: dict[ContentId, _Node] = {}
    tops: list[ContentId] = []
    waiting = [(node, tops) for node in reversed(items(data))]
    while waiting:
        raw, siblings = waiting.pop()
        fields = _object(raw, "node")
        node_id = ContentId(_uuid(fields, "id"))
        if node_id not in nodes:
            nodes[node_id] = _Node(_optional(fields, "title", _text) or "")
            siblings.append(node_id)
        below = nodes[node_id].children
        children = [] if fields.get("children") is None else items(fields["children"])
        waiting += [(child, below) for child in reversed(children)]
    built: dict[ContentId, TreeNode] = {}
    # A node was met after the one that it hangs on: backwards, children come first.
    for node_id, node in reversed(nodes.items()):
        below_it = tuple(built[child] for child in node.children)
        built[node_id] = TreeNode(node_id, node.title, below_it)
    return tuple(built[top] for top in tops)


def _object(data: object, name: str) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise Unreadable(f"{name}: expected an object, got {_kind(data)}")
    return data


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise Unreadable(f"`{name}`: expected text, got {_kind(value)}")
    return clean(value)


def _named(fields: Mapping[str, Any], name: str) -> str:
    value = _text(fields, name)
    if not value:
        raise Unreadable(f"`{name}`: expected text, got none")
    return value


def _uuid(fields: Mapping[str, Any], name: str) -> str:
    value = _text(fields, name).lower()
    if not _UUID.fullmatch(value):
        raise Unreadable(f"`{name}`: expected a UUID, got {value[:40]!r}")
    return value


def _time(fields: Mapping[str, Any], name: str) -> str:
    value = _text(fields, name)
    if not _is_time(value):
        raise Unreadable(f"`{name}`: expected a time in UTC, got {value[:40]!r}")
    return value


def _is_time(value: str) -> bool:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return _TIME.fullmatch(value) is not None


def _path(fields: Mapping[str, Any], name: str) -> str:
    value = _text(fields, name)
    if not value.startswith("/") or re.search(r"[\s\x00-\x1f]", value):
        raise Unreadable(f"`{name}`: expected a path, got {value[:40]!r}")
    return value


def _person(data: object) -> str | None:
    """Return the name of a user, or None: nobody depends on it."""
    name = data.get("name") if isinstance(data, dict) else None
    return clean(name).strip()[:_LONGEST_NAME] or None if isinstance(name, str) else None


def _count(fields: Mapping[str, Any], name: str) -> int:
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise Unreadable(f"`{name}`: expected a whole number, got {_kind(value)}")
    return value


def _optional(
    fields: Mapping[str, Any], name: str, read: Callable[[Mapping[str, Any], str], str]
) -> str | None:
    # Outline leaves undefined members out and sends others as null.
    return None if fields.get(name) is None else read(fields, name)


def _kind(value: object) -> str:
    names = {"NoneType": "nothing", "str": "text", "dict": "an object", "list": "a list"}
    return names.get(type(value).__name__, f"a {type(value).__name__}")
