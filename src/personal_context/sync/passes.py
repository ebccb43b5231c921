"""The tally of a pass while it runs."""

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

_SHOWN = 3
"""Failing documents that are named in the message; the log has them all."""


@dataclass(slots=True)
class Pass:
    """What one pass has seen and done so far.

    Attributes:
        mirrored: What the mirror held when the pass began.
        placements: The tree, numbered.
        listed: Documents that documents.list has shown.
        newest: The newest `updatedAt` among them.
        failed: Documents that could not be stored, with the reason.
    """

    collection_id: CollectionId
    mirrored: Mapping[ContentId, MirroredDocument]
    on_progress: Callable[[int, int], None]
    placements: Mapping[ContentId, Placement] = field(default_factory=dict)
    listed: set[ContentId] = field(default_factory=set)
    newest: str | None = None
    created: int = 0
    updated: int = 0
    removed: int = 0
    kept: int = 0
    moved: int = 0
    failed: dict[ContentId, str] = field(default_factory=dict)

    def count(self, action: Action) -> None:
        """Note that an action was carried out."""
        match action.kind:
            case Kind.CREATE | Kind.RESTORE:
                self.created += 1
            case Kind.UPDATE | Kind.RETITLE | Kind.MOVE:
                self.updated += 1
            case Kind.KEEP:
                self.kept += 1
            case Kind.TRASH | Kind.ARCHIVE | Kind.UNPUBLISH | Kind.FORGET:
                self.removed += 1
        done = self.created + self.updated + self.kept
        self.on_progress(done, max(done, len(self.placements)))

    def failures(self) -> str | None:
        """Say which documents failed, or None."""
        if not self.failed:
            return None
        named = "; ".join(f"{i}: {why}" for i, why in sorted(self.failed.items())[:_SHOWN])
        more = f"; and {len(self.failed) - _SHOWN} more" if len(self.failed) > _SHOWN else ""
        return f"{len(self.failed)} documents could not be stored: {named}{more}"

    def report(self, *, name: str, requests: int, error: str | None) -> PassReport:
        """Return the tally as a value."""
        return PassReport(
            collection_id=self.collection_id,
            name=name,
            created=self.created,
            updated=self.updated,
            moved=self.moved,
            removed=self.removed,
            unchanged=self.kept,
            requests=requests,
            failed=dict(self.failed),
            error=error,
        )
