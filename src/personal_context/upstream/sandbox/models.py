"""The rows of the sandbox's wiki. Timestamps are strings as the API shows them."""

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal

Clock = Callable[[], datetime]
"""Gives the present moment, aware."""

Json = dict[str, Any]
"""A JSON object."""

Version = Literal["1.9.2", "main"]
"""The released Outline, or the one under development with filters and `lastRevision`."""


def iso(moment: datetime) -> str:
    """Return a moment as Outline writes it: UTC, exactly milliseconds, `Z`."""
    utc = moment.astimezone(UTC)
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def slug(title: str) -> str:
    """Return the readable part of an address; `untitled` if nothing ASCII is left."""
    ascii_title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_title.lower()).strip("-") or "untitled"


@dataclass(frozen=True, slots=True)
class User:
    """A member of the workspace."""

    table: ClassVar[str] = "users"
    id: str
    name: str
    email: str
    role: str
    color: str
    created_at: str
    updated_at: str
    suspended: int = 0

    @property
    def admin(self) -> bool:
        """Whether the user runs the workspace."""
        return self.role == "admin"


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection. `permission` None means private: only members see it."""

    table: ClassVar[str] = "collections"
    id: str
    url_id: str
    name: str
    description: str | None
    icon: str | None
    color: str | None
    permission: str | None
    rank: str
    created_at: str
    created_by: str
    updated_at: str
    archived_at: str | None = None
    archived_by: str | None = None
    deleted_at: str | None = None

    @property
    def url(self) -> str:
        """Relative address."""
        return f"/collection/{slug(self.name)}-{self.url_id}"

    @property
    def live(self) -> bool:
        """Neither archived nor deleted."""
        return self.archived_at is None and self.deleted_at is None


@dataclass(frozen=True, slots=True)
class Document:
    """A document, a draft while `published_at` is None."""

    table: ClassVar[str] = "documents"
    id: str
    url_id: str
    title: str
    icon: str | None
    color: str | None
    language: str | None
    created_at: str
    created_by: str
    updated_at: str
    updated_by: str
    published_at: str | None
    archived_at: str | None
    deleted_at: str | None
    revision: int
    full_width: int
    collection_id: str | None
    parent_id: str | None
    text: str

    @property
    def url(self) -> str:
        """Relative address."""
        return f"/doc/{slug(self.title)}-{self.url_id}"

    @property
    def active(self) -> bool:
        """Neither archived nor in the trash; drafts count."""
        return self.archived_at is None and self.deleted_at is None

    @property
    def live(self) -> bool:
        """Active and published: what a list shows."""
        return self.active and self.published_at is not None


@dataclass(frozen=True, slots=True)
class Subscription:
    """A webhook subscription. `events` is a JSON array."""

    table: ClassVar[str] = "subscriptions"
    id: str
    name: str
    url: str
    secret: str | None
    events: str
    enabled: int
    created_by: str
    created_at: str
    updated_at: str

    @property
    def event_list(self) -> list[str]:
        """Names, prefixes, or `*`."""
        return [str(event) for event in json.loads(self.events)]


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came as a data: image in some text."""

    table: ClassVar[str] = "attachments"
    id: str
    content_type: str
    data: bytes
