"""What the doors for people need from the product; the runtime satisfies it by shape."""

from collections.abc import Sequence
from typing import Protocol

from personal_context.content.changing import Changer
from personal_context.content.excerpts import Excerpt, Heading
from personal_context.content.from_web import PageService
from personal_context.content.outbox import OutboxService
from personal_context.content.reading import ReadContent
from personal_context.domain.models import (
    ContentId,
    EffectiveSetting,
    ReindexProgress,
    Status,
    Surroundings,
)
from personal_context.runtime.asked import (
    Comparing,
    Contents,
    ContextBuilding,
    ListingContents,
    Searching,
)
from personal_context.runtime.launching import Launch
from personal_context.search.browsing import Browsing
from personal_context.sync.by_hand import SyncByHand
from personal_context.sync.letting_go import LettingGo


class ContentsShown(Contents, Protocol):
    """Adds and reads contents, and tells what stands around them."""

    async def table_of(self, reference: str) -> tuple[ReadContent, Excerpt, Sequence[Heading]]:
        """Return a content with its whole text, and all its headings."""
        ...

    async def around(self, content_id: ContentId) -> Surroundings:
        """Return what stands around a content."""
        ...


class Reindexing(Protocol):
    """Embeds everything anew, beside what search uses meanwhile."""

    async def start(self, *, reuse: bool = False) -> ReindexProgress:
        """Start, or join the run that is under way, here or in another process.

        Args:
            reuse: Take over what the same model has made already.

        Raises:
            EmbeddingError: The settings can't be used, or another process is at it with another
                model.
        """
        ...

    async def pause(self) -> ReindexProgress:
        """Let it stop until somebody resumes it; without one, do nothing."""
        ...

    async def resume(self) -> ReindexProgress:
        """Let what was paused go on; without one, do nothing.

        Raises:
            EmbeddingError: It was begun with another model than is set now.
        """
        ...

    async def cancel(self) -> ReindexProgress:
        """End it; the vectors in use stay. Without one, do nothing."""
        ...

    async def progress(self) -> ReindexProgress:
        """Say how far it is."""
        ...

    async def wait(self) -> ReindexProgress:
        """Return once the run under way has ended or was paused; at once if there is none.

        Giving up the wait does not stop the run.
        """
        ...


class Services(Protocol):
    """Everything that the page and the REST routes use."""

    @property
    def version(self) -> str:
        """The program's version."""
        ...

    @property
    def outline_url(self) -> str | None:
        """Where the wiki is, or None in local mode."""
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
    def browsing(self) -> Browsing:
        """Collections, tags, and what was logged."""
        ...

    @property
    def listing(self) -> ListingContents:
        """What there is, and what changed."""
        ...

    @property
    def contents(self) -> ContentsShown:
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
    def reindex(self) -> Reindexing:
        """Reindexing of everything."""
        ...

    @property
    def by_hand(self) -> SyncByHand:
        """Syncs with Outline that somebody asks for."""
        ...

    @property
    def letting_go(self) -> LettingGo:
        """Letting collections go that are no longer mirrored."""
        ...

    def effective_settings(self) -> Sequence[EffectiveSetting]:
        """Return every setting as it is in force, without secrets."""
        ...

    def launch(self) -> Launch:
        """Return how this program is started again, for MCP clients."""
        ...

    async def status(self) -> Status:
        """Return everything that a person wants to know at a glance."""
        ...
