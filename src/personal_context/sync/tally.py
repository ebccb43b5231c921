"""What a pass has seen and done while it runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from personal_context.domain.models import (
    CollectionId,
    ContentId,
    MirroredDocument,
    PassReport,
    Placement,
)
from personal_context.sync.plan import Action, Kind


@dataclass(slots=True)
class Tally:
    """The running sums of one pass.

    Attributes:
        mirrored: What the mirror held when the pass began.
        trashed: What waited in the local trash then.
        placements: The tree, numbered.
        listed: Documents that documents.list has shown.
        newest: The newest `updatedAt` among them.
        unseen: Documents that Outline didn't show when they were asked for.
        failed: Documents that could not be stored now, with the reason.
        titles: Titles of those that failed, where known.
        held: Removals that wait for a person's word.
    """

    collection_id: CollectionId
    mirrored: Mapping[ContentId, MirroredDocument]
    trashed: frozenset[ContentId]
    on_progress: Callable[[int, int], None]
    placements: Mapping[ContentId, Placement] = field(default_factory=dict)
    listed: set[ContentId] = field(default_factory=set)
    newest: str | None = None
    unseen: set[ContentId] = field(default_factory=set)
    created: int = 0
    updated: int = 0
    restored: int = 0
    removed: int = 0
    kept: int = 0
    moved: int = 0
    held: int = 0
    failed: dict[ContentId, str] = field(default_factory=dict)
    titles: dict[ContentId, str] = field(default_factory=dict)

    def title(self, content_id: ContentId) -> str:
        """Return a document's title as the mirror had it, or an empty text."""
        mirrored = self.mirrored.get(content_id)
        return mirrored.title if mirrored else ""

    def count(self, action: Action) -> None:
        """Note that an action was carried out."""
        match action.kind:
            case Kind.CREATE:
                self.created += 1
            case Kind.RESTORE:
                self.restored += 1
            case Kind.UPDATE | Kind.RETITLE | Kind.MOVE:
                self.updated += 1
            case Kind.KEEP:
                self.kept += 1
            case Kind.TRASH | Kind.ARCHIVE | Kind.UNPUBLISH | Kind.FORGET:
                self.removed += 1
        done = self.created + self.restored + self.updated + self.kept
        self.on_progress(done, max(done, len(self.placements)))

    def report(self, *, name: str, requests: int, error: str | None) -> PassReport:
        """Return the sums as a value."""
        return PassReport(
            collection_id=self.collection_id,
            name=name,
            created=self.created,
            updated=self.updated,
            restored=self.restored,
            moved=self.moved,
            removed=self.removed,
            unchanged=self.kept,
            held=self.held,
            requests=requests,
            failed=dict(self.failed),
            error=error,
        )
