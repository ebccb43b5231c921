"""What the door for models needs from the product; the runtime satisfies it by shape."""

from collections.abc import Sequence
from typing import Protocol

from personal_context.content.adding import Added, IfExists
from personal_context.content.changing import Changer
from personal_context.content.checks import NewContent
from personal_context.content.excerpts import WHOLE, Excerpt, Wanted
from personal_context.content.from_web import PageService
from personal_context.content.outbox import OutboxService
from personal_context.content.prompts import Prompts
from personal_context.content.reading import ReadContent
from personal_context.domain.models import (
    EVERYTHING,
    CollectionId,
    Content,
    ContentSummary,
    ContextAnswer,
    ContextForm,
    Listing,
    ListSort,
    LogEntry,
    SearchAnswer,
    SearchFilters,
    SimilarAnswer,
    Status,
)
from personal_context.indexing.reindex import Reindexer
from personal_context.sync.by_hand import SyncByHand


class Searching(Protocol):
    """Answers queries."""

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        cursor: str | None = None,
        filters: SearchFilters = EVERYTHING,
    ) -> SearchAnswer:
        """Return at most *limit* contents that answer *query*, best first."""
        ...


class ContextBuilding(Protocol):
    """Puts together what a model should read."""

    async def get_context(
        self,
        query: str,
        *,
        max_tokens: int = 4000,
        form: ContextForm = "markdown",
        filters: SearchFilters = EVERYTHING,
    ) -> ContextAnswer:
        """Return the sections that answer a query best, within a number of tokens."""
        ...


class Comparing(Protocol):
    """Finds what is alike."""

    async def find_similar(
        self,
        *,
        content_id: str | None = None,
        text: str | None = None,
        threshold: float = 0.5,
        limit: int = 10,
        filters: SearchFilters = EVERYTHING,
    ) -> SimilarAnswer:
        """Return at most *limit* contents like a content or a text, nearest first."""
        ...


class ListingContents(Protocol):
    """Lists what there is."""

    async def list_content(
        self,
        *,
        updated_since: str | None = None,
        sort: ListSort = "updated",
        limit: int = 20,
        cursor: str | None = None,
        filters: SearchFilters = EVERYTHING,
    ) -> Listing:
        """Return contents, and what was logged of each last."""
        ...

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


class Contents(Protocol):
    """Adds and reads contents."""

    async def add(self, new: NewContent, *, if_exists: IfExists = "return") -> Added:
        """Store a content, then offer it to Outline."""
        ...

    async def get(self, reference: str) -> ReadContent:
        """Return a content by id, urlId or address."""
        ...

    async def read(self, reference: str, wanted: Wanted = WHOLE) -> tuple[ReadContent, Excerpt]:
        """Return a content with the part of its text that is wanted."""
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
    def listing(self) -> ListingContents:
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
