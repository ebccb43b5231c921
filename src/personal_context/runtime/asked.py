"""What both doors, the one for models and the one for people, need of the product."""

from typing import Protocol

from personal_context.content.adding import Added, IfExists
from personal_context.content.checks import NewContent
from personal_context.content.excerpts import WHOLE, Excerpt, Wanted
from personal_context.content.reading import ReadContent
from personal_context.domain.models import (
    EVERYTHING,
    ContextAnswer,
    ContextForm,
    Listing,
    ListSort,
    SearchAnswer,
    SearchFilters,
    SimilarAnswer,
)


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
        cursor: str | None = None,
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
