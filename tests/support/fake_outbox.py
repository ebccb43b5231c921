"""An outbox that the page can be tried on."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from personal_context.content.comparing import Comparison
from personal_context.content.diffing import short_diff
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    Operation,
    OutboxEntry,
    PushState,
    Wording,
)

NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
TEXT = "Stop the writers.\n\nCopy the newest backup over the data folder.\n\nStart one writer."
THEIRS = Wording("Restoring the database", TEXT)
OURS = Wording(
    "Restoring the database", TEXT.replace("newest", "tested") + "\n\nThen tell the team in #ops."
)


def waiting(state=PushState.CONFLICT, number=1, **more):
    """A push as the outbox lists it."""
    values = {
        "content_id": ContentId(f"5d2b7c1e-0b57-4c51-9a3e-1c5a4a1d2f{number:02}"),
        "collection_id": CollectionId("c1"),
        "state": state,
        "attempts": 3,
        "next_try_at": NOW + timedelta(minutes=6),
        "operation": Operation.UPDATE,
        "title": "Restoring the database",
        "queued_at": NOW - timedelta(hours=2),
        "error": "It was changed in Outline at the same place.",
    }
    return OutboxEntry(**{**values, **more})


def waiting_ones():
    return [
        waiting(),
        waiting(
            PushState.FAILED,
            2,
            operation=Operation.CREATE,
            title="What we decided about backups",
            error="Outline answered 403: the key may not write to this collection.",
        ),
        waiting(
            PushState.PENDING,
            3,
            operation=Operation.TRASH,
            title="Old restore notes",
            error="Outline did not answer within 30 s.",
        ),
        waiting(PushState.PENDING, 4, title="Weekly review", attempts=0, error=None),
    ]


SEEN = "0123456789ab"


@dataclass
class FakeOutbox:
    """Does what it is told, and forgets the entry."""

    waits: list[OutboxEntry] = field(default_factory=list)
    ours: Wording = OURS
    theirs: Wording | None = THEIRS
    told: list[tuple[str, ...]] = field(default_factory=list)
    seen: list[str | None] = field(default_factory=list)

    def _take(self, reference: str) -> OutboxEntry:
        for entry in self.waits:
            if entry.content_id == reference:
                return entry
        raise InvalidInput("Nothing waits in the outbox for it.")

    async def compare(self, reference: str) -> Comparison:
        diff = short_diff(self.theirs, self.ours).splitlines() if self.theirs else ()
        return Comparison(self._take(reference), self.ours, self.theirs, diff, seen=SEEN)

    async def retry(self, reference: str, *, patience: float) -> PushState:
        return self._done("retry", reference)

    async def resolve(
        self, reference: str, keep: str, *, seen: str | None = None, patience: float
    ) -> PushState:
        self.seen.append(seen)
        return self._done(keep, reference)

    async def discard(self, reference: str, *, seen: str | None = None) -> PushState:
        self.seen.append(seen)
        return self._done("discard", reference)

    def _done(self, what: str, reference: str) -> PushState:
        entry = self._take(reference)
        self.waits.remove(entry)
        self.told.append((what, entry.content_id))
        return PushState.SYNCED
