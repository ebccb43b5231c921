"""Documents as Outline returns them, for tests that need no server."""

from typing import Any

from personal_context.domain.models import CollectionId, ContentId, UpstreamDocument

NOW = "2026-01-01T00:00:00.000Z"


def upstream(content_id: str = "a", **changes: Any) -> UpstreamDocument:
    """Return a published document in the collection `here`."""
    values: dict[str, Any] = {
        "id": ContentId(content_id),
        "url_id": "u",
        "url": "https://wiki.example.com/doc/u",
        "title": "Cats",
        "text": "purr",
        "collection_id": CollectionId("here"),
        "parent_id": None,
        "created_at": NOW,
        "updated_at": NOW,
        "published_at": NOW,
        "archived_at": None,
        "deleted_at": None,
        "revision": 1,
    }
    return UpstreamDocument(**(values | changes))
