"""Outline as it is seen over its API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from personal_context.domain.models.content import CollectionId, ContentId


@dataclass(frozen=True, slots=True)
class UpstreamDocument:
    """A document as Outline returned it. Timestamps are Outline's strings, unparsed.

    Attributes:
        url: Absolute address.
        updated_by: Name of the person who changed it last, if Outline tells.
    """

    id: ContentId
    url_id: str
    url: str
    title: str
    text: str
    collection_id: CollectionId | None
    parent_id: ContentId | None
    created_at: str
    updated_at: str
    published_at: str | None
    archived_at: str | None
    deleted_at: str | None
    revision: int
    updated_by: str | None = None

    @property
    def live(self) -> bool:
        """Published, and neither archived nor in the trash."""
        return self.published_at is not None and not (self.archived_at or self.deleted_at)


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an Outline understands of an update; it ignores in silence what it doesn't know.

    Attributes:
        last_revision: It refuses an update that is based on another revision than the present.
        edit_modes: It can append and prepend, instead of replacing the whole text.
        patch: It can replace a part of the text.
    """

    last_revision: bool = False
    edit_modes: bool = False
    patch: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list of documents.

    Attributes:
        documents: In the order asked for; shorter than the limit also when some are broken.
        last: There are no more.
        rows: How many Outline gave, readable or not: the next page begins behind them. It may give
            fewer than were asked for.
        broken: Documents that could not be read, with the reason. One without a usable id is
            not here, it is only logged.
    """

    documents: Sequence[UpstreamDocument]
    last: bool
    rows: int
    broken: Mapping[ContentId, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UpstreamCollection:
    """A collection as Outline returned it."""

    id: CollectionId
    url_id: str
    name: str
    archived_at: str | None = None
    deleted_at: str | None = None


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A published document in a collection's tree. `children` are in the order shown."""

    id: ContentId
    title: str
    children: tuple["TreeNode", ...] = ()


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a document stands in its collection's tree; position counts from 0, depth first."""

    parent_id: ContentId | None
    position: int
