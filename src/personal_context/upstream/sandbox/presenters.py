"""Rows in the form of the API's answers."""

import re

from personal_context.upstream.sandbox.auth import Access
from personal_context.upstream.sandbox.models import (
    Collection,
    Document,
    Json,
    Subscription,
    User,
    Version,
)
from personal_context.upstream.sandbox.params import Paging
from personal_context.upstream.sandbox.policies import collection_policy, document_policy
from personal_context.upstream.sandbox.state import State

_TASK = re.compile(r"^\s*- \[([ x])\]", re.MULTILINE)


def present_user(user: User) -> Json:
    """Return a user as it stands inside documents."""
    return {
        "id": user.id,
        "name": user.name,
        "avatarUrl": None,
        "color": user.color,
        "role": user.role,
        "isSuspended": bool(user.suspended),
        "createdAt": user.created_at,
        "updatedAt": user.updated_at,
        "deletedAt": None,
        "lastActiveAt": user.updated_at,
        "timezone": None,
    }


def rich_text(text: str) -> Json:
    """Return Markdown as an editor document, one plain paragraph for each of its own."""
    paragraphs: list[Json] = []
    for part in re.split(r"\n{2,}", text):
        content = [{"text": part, "type": "text"}] if part else []
        paragraphs.append({"type": "paragraph"} | ({"content": content} if content else {}))
    return {"type": "doc", "content": paragraphs}


class Presenter:
    """Presents rows for one request.

    Args:
        state: The wiki's rows.
        version: Which Outline.
        api_version: Of the `x-api-version` header: from 3, `data` takes the place of `text`.
    """

    def __init__(self, state: State, version: Version, api_version: int = 1) -> None:
        self._version = version
        self._api_version = api_version
        self._users = {user.id: present_user(user) for user in state.select(User, "")}
        self._gone = {row.id for row in state.select(Collection, "WHERE deleted_at IS NOT NULL")}

    def document(self, row: Document) -> Json:
        """Return a document."""
        done = [mark == "x" for mark in _TASK.findall(row.text)]
        newer = self._api_version > 2  # noqa: PLR2004 - the number of the API's version
        document: Json = {
            "id": row.id,
            "url": row.url,
            "urlId": row.url_id,
            "title": row.title,
            **({"data": rich_text(row.text)} if newer else {"text": row.text}),
            "icon": row.icon,
            "color": row.color,
            "tasks": {"completed": sum(done), "total": len(done)},
            "language": row.language,
            "createdAt": row.created_at,
            "createdBy": self._users.get(row.created_by),
            "updatedAt": row.updated_at,
            "updatedBy": self._users.get(row.updated_by),
            "publishedAt": row.published_at,
            "archivedAt": row.archived_at,
            "deletedAt": row.deleted_at,
            "collaboratorIds": list(dict.fromkeys((row.created_by, row.updated_by))),
            "revision": row.revision,
            "fullWidth": bool(row.full_width),
            **({"preferences": None} if self._version == "main" else {}),
            "collectionId": row.collection_id,
            "parentDocumentId": row.parent_id,
            "isCollectionDeleted": row.collection_id in self._gone,
            "templateId": None,
            "insightsEnabled": True,
            "popularityScore": 0,
        }
        return document

    def collection(self, row: Collection, *, archiver: bool = True) -> Json:
        """Return a collection; lists leave out who archived it."""
        by = {"archivedBy": self._users.get(row.archived_by or "")} if archiver else {}
        return {
            "id": row.id,
            "url": row.url,
            "urlId": row.url_id,
            "name": row.name,
            "description": row.description,
            "sort": {"field": "index", "direction": "asc"},
            "icon": row.icon,
            "color": row.color,
            "createdAt": row.created_at,
            "updatedAt": row.updated_at,
            **by,
            "index": row.rank,
            "sharing": True,
            "commenting": None,
            "templateManagement": "admin",
            "permission": row.permission,
            "deletedAt": row.deleted_at,
            "archivedAt": row.archived_at,
        }

    def subscription(self, row: Subscription, *, maker: bool) -> Json:
        """Return a webhook subscription, its secret in clear; lists tell who made it."""
        return {
            "id": row.id,
            "name": row.name,
            "url": row.url,
            "secret": row.secret,
            "events": row.event_list,
            "enabled": bool(row.enabled),
            **({"createdBy": self._users.get(row.created_by)} if maker else {}),
            "createdById": row.created_by,
            "createdAt": row.created_at,
            "updatedAt": row.updated_at,
        }


def pagination(endpoint: str, paging: Paging, total: int | None = None) -> Json:
    """Return a list's pagination; `nextPath` is always there, also past the end."""
    following = paging.offset + paging.limit
    page: Json = {
        "limit": paging.limit,
        "offset": paging.offset,
        "nextPath": f"/api/{endpoint}?limit={paging.limit}&offset={following}",
    }
    return page if total is None else page | {"total": total}


def one(presenter: Presenter, access: Access, row: Document) -> Json:
    """Return the answer that is one document."""
    return {"data": presenter.document(row), "policies": [document_policy(row, access)]}


def many(presenter: Presenter, access: Access, rows: list[Document]) -> Json:
    """Return the answer that is some documents."""
    return {
        "data": [presenter.document(row) for row in rows],
        "policies": [document_policy(row, access) for row in rows],
    }


def one_collection(presenter: Presenter, access: Access, row: Collection) -> Json:
    """Return the answer that is one collection."""
    return {"data": presenter.collection(row), "policies": [collection_policy(row, access)]}
