"""The wiki."""

from collections.abc import Sequence
from typing import Literal, Protocol

from personal_context.domain.models import (
    CollectionId,
    ContentId,
    Page,
    TreeNode,
    UpstreamCollection,
    UpstreamDocument,
)
from personal_context.ports.basics import Resource

SortField = Literal["createdAt", "updatedAt"]
Direction = Literal["ASC", "DESC"]


class Upstream(Resource, Protocol):
    """The Outline workspace.

    All methods obey Outline's rate limits and retry what may pass; what they raise then is
    UpstreamAuthError, UpstreamForbidden, UpstreamNotFound, another UpstreamRejected, or
    UpstreamUnavailable.
    """

    @property
    def requests_sent(self) -> int:
        """Requests sent so far, retries included."""
        ...

    async def collections(self) -> Sequence[UpstreamCollection]:
        """Return all collections that the key sees and that are not archived."""
        ...

    async def collection(self, collection_id: CollectionId) -> UpstreamCollection:
        """Return one collection."""
        ...

    async def tree(self, collection_id: CollectionId) -> Sequence[TreeNode]:
        """Return the published documents of a collection as a tree, in the order shown."""
        ...

    async def list_documents(
        self,
        collection_id: CollectionId,
        *,
        sort: SortField,
        direction: Direction,
        offset: int,
        limit: int,
    ) -> Page:
        """Return one page of published documents, with text. Ties have no order of their own.

        Args:
            collection_id: Which collection.
            sort: Field to sort by.
            direction: ASC or DESC.
            offset: Documents to skip, >= 0.
            limit: Page size, 1..100.
        """
        ...

    async def document(self, content_id: ContentId) -> UpstreamDocument:
        """Return one document by id or urlId, also from the trash or the archive.

        Raises:
            UpstreamNotFound: There is none.
        """
        ...

    async def create_document(
        self,
        content_id: ContentId,
        *,
        title: str,
        text: str,
        collection_id: CollectionId,
        parent_id: ContentId | None = None,
    ) -> UpstreamDocument:
        """Create and publish a document under our id.

        Raises:
            UpstreamIdTaken: A document has this id already: an earlier try arrived.
        """
        ...
