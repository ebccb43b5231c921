"""What the door for models needs from the product; the runtime satisfies it by shape."""

from collections.abc import Sequence
from typing import Protocol

from personal_context.content.changing import Changer
from personal_context.content.from_web import PageService
from personal_context.content.outbox import OutboxService
from personal_context.content.prompts import Prompts
from personal_context.domain.models import (
    CollectionId,
    Content,
    ContentSummary,
    LogEntry,
    Status,
)
from personal_context.indexing.reindex import Reindexer
from personal_context.runtime.asked import (
    Comparing,
    Contents,
    ContextBuilding,
    ListingContents,
    Searching,
)
from personal_context.sync.by_hand import SyncByHand


class ListingWithTrees(ListingContents, Protocol):
    """Lists what there is, and follows what changes."""

    async def tree(self, collection: str) -> Sequence[ContentSummary]:
        """Return a collection's contents as they stand."""
        ...

    async def collections(self) -> Sequence[tuple[CollectionId, str]]:
        """Return id and name of each mirrored collection."""
        ...

    async def complete(self, typed: str) -> Sequence[ContentSummary]:
        """Return contents whose titles begin so."""
        ...

    async def news(self, mark: int | None) -> tuple[int, Sequence[LogEntry]]:
        """Return what was logged after a mark, oldest first, and the next mark."""
        ...


class PromptLibrary(Protocol):
    """Reads the owner's prompts."""

    async def load(self, *, cursor: str | None = None) -> Prompts:
        """Return every prompt document as one text, or as much of it as fits."""
        ...

    async def documents(self) -> Sequence[Content]:
        """Return the prompt documents in tree order."""
        ...

    async def collection(self) -> CollectionId | None:
        """Return the prompts collection, if it is set and known."""
        ...

    async def guidance(self) -> str | None:
        """Return what the owner wants every agent to know."""
        ...


class Services(Protocol):
    """Everything that the tools use."""

    @property
    def version(self) -> str:
        """The program's version."""
        ...

    @property
    def search(self) -> Searching:
        """Search."""
        ...

    @property
    def context(self) -> ContextBuilding:
        """Context for a model."""
        ...

    @property
    def similar(self) -> Comparing:
        """What is alike."""
        ...

    @property
    def listing(self) -> ListingWithTrees:
        """What there is, and what changed."""
        ...

    @property
    def contents(self) -> Contents:
        """Adding and reading."""
        ...

    @property
    def pages(self) -> PageService:
        """Keeping web pages."""
        ...

    @property
    def changes(self) -> Changer:
        """Changing, deleting and restoring."""
        ...

    @property
    def outbox(self) -> OutboxService:
        """What Outline is still to be told."""
        ...

    @property
    def prompts(self) -> PromptLibrary:
        """The owner's prompts."""
        ...

    @property
    def by_hand(self) -> SyncByHand:
        """Syncs with Outline that somebody asks for."""
        ...

    @property
    def reindex(self) -> Reindexer:
        """Reindexing of everything."""
        ...

    async def status(self) -> Status:
        """Return everything that a person wants to know at a glance."""
        ...
