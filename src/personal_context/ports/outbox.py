"""What Outline is still to be told, kept where the contents are."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from personal_context.domain.models import (
    CollectionId,
    Content,
    ContentId,
    Indexed,
    LogEntry,
    OutboxEntry,
    Push,
    Standing,
    Wording,
)


class OutboxStore(Protocol):
    """The pushes, one for each content at most. Every method is one transaction.

    Who changes something reads how a content stands, decides, and settles it. If it stands
    otherwise by then, because another task or process was quicker, nothing is written, and the
    decision is made again.
    """

    async def outbox_entry(self, content_id: ContentId) -> OutboxEntry | None:
        """Return a content's push as it is listed, or None when nothing waits."""
        ...

    async def outbox(self, *, limit: int) -> Sequence[OutboxEntry]:
        """Return pushes, those first that wait for a person, then in the order of their coming."""
        ...

    async def standing(self, content_id: ContentId) -> Standing:
        """Return how a content stands between here and Outline, also from the local trash.

        Raises:
            ContentNotFound: There is none with this id.
        """
        ...

    async def settle(
        self,
        standing: Standing,
        *,
        push: Push | None,
        write: tuple[Content, Indexed] | None = None,
        back: bool = False,
        away: str | None = None,
        log: LogEntry | None = None,
        durable: bool = False,
    ) -> bool:
        """Write what was decided about a content, if it still stands as it did.

        It stands so as long as all that is stored of it and of its push is the same.

        Args:
            standing: What the decision was made on.
            push: What is left to tell; None if nothing is.
            write: The content as it is now, with tags and metadata, and its sections and links.
                From the trash it comes back by it.
            back: It comes back from the trash as it went.
            away: It goes to the trash, for this reason.
            log: Written in the same transaction.
            durable: Wait for the disk.

        Returns:
            False if it stands otherwise; nothing was written then.
        """
        ...

    async def due_pushes(self, now: datetime, *, limit: int) -> Sequence[ContentId]:
        """Return contents whose push is to be tried: pending and due, or left by its claimer.

        A document that is to be created under one that is to be created itself waits for that. A
        try that is put off by more than twelve hours was dated by a clock that was ahead: it is
        due.

        Returns:
            Oldest first.
        """
        ...

    async def claim_push(
        self, content_id: ContentId, owner: str, *, now: datetime, until: datetime
    ) -> Standing | None:
        """Take a pending push for oneself, also before it is due; it is `sending` then.

        Returns:
            How the content stands, or None if nothing is to be sent: there is no push, somebody
            else is at it, a person has to look, or what it stands under was not created yet.
        """
        ...

    async def push_owners(self) -> Collection[str]:
        """Return the processes that have claimed pushes."""
        ...

    async def release_pushes(self, owner: str) -> None:
        """Give back what a process that is gone had claimed."""
        ...

    async def offer_local(
        self, collection_id: CollectionId, *, now: datetime
    ) -> Sequence[ContentId]:
        """Queue the creation of every content that is kept here only.

        Returns:
            Their ids, oldest first.
        """
        ...

    async def version(self, content_id: ContentId, text_hash: str) -> Wording | None:
        """Return what a content said before, when it had this hash; None if that is forgotten.

        Args:
            content_id: Which content.
            text_hash: The hash, or its beginning.
        """
        ...
