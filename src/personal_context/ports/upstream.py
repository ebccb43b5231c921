"""The wiki."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

from personal_context.domain.models import (
    Abilities,
    CollectionId,
    ContentId,
    EditMode,
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

    @property
    def time(self) -> datetime | None:
        """What the wiki's clock said in its latest answer, to the second; None if it never did."""
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

    async def has_below(self, content_id: ContentId) -> bool:
        """Tell whether documents stand right below one: published, archived, or as drafts."""
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
            UpstreamIdTaken: A document has this id already: an earlier try arrived, maybe one of
                this very call. What became of the document since is for the caller to see.
        """
        ...

    async def abilities(self, content_id: ContentId) -> Abilities:
        """Find out what this Outline understands of an update; asked once, then known.

        Args:
            content_id: A document that the key may edit. Nothing is changed.
        """
        ...

    async def update_document(
        self,
        content_id: ContentId,
        *,
        title: str | None = None,
        text: str | None = None,
        mode: EditMode = EditMode.REPLACE,
        find: str = "",
        last_revision: int | None = None,
    ) -> UpstreamDocument:
        """Change a document.

        An update whose answer was lost is not repeated here, unless it can do no harm: it is made
        on the ground of a revision, or of the text that it replaces.

        Args:
            content_id: Which document.
            title: Its new title; None keeps it.
            text: The new text, or what is added to it or put into it; None keeps it.
            mode: What becomes of the text there.
            find: What a patch replaces, where it occurs first.
            last_revision: The revision that the change is based on; only where the abilities
                say that Outline looks at it.

        Raises:
            UpstreamConflict: It has another revision.
            UpstreamNotFound: There is no such document, or nothing for the patch to replace.
        """
        ...

    async def trash_document(self, content_id: ContentId) -> None:
        """Move a document to Outline's trash, with all below it. Not repeated by itself.

        Raises:
            UpstreamForbidden: It is there already, or the key may not.
        """
        ...

    async def restore_document(self, content_id: ContentId) -> UpstreamDocument:
        """Bring a document back from Outline's trash, alone. Not repeated by itself.

        Raises:
            UpstreamForbidden: It is not in the trash, or the key may not.
        """
        ...
