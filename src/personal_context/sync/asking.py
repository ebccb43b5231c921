"""Asking for documents one by one, and leaving those alone for a while that always fail."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from personal_context.domain.errors import (
    UpstreamForbidden,
    UpstreamNotFound,
    UpstreamUnavailable,
    UpstreamUnreadable,
)
from personal_context.domain.models import ContentId, SyncFailure, UpstreamDocument
from personal_context.domain.times import is_due
from personal_context.ports import Clock, Store, Upstream
from personal_context.sync.tally import Tally

FIRST_RETRY = timedelta(minutes=1)
LONGEST_RETRY = timedelta(hours=6)
"""Between two tries of a document that fails the wait doubles, up to this."""

ILL_AFTER = 3
"""Documents in a row that Outline doesn't answer for: then it is Outline that is ill, not they."""


def wait_after(attempts: int) -> timedelta:
    """Return how long a document is left alone that has failed so often in a row, at least 1."""
    wait: timedelta = min(FIRST_RETRY * 2 ** min(attempts - 1, 20), LONGEST_RETRY)
    return wait


class Phantoms:
    """Remembers documents that a tree shows and Outline doesn't: not each poll asks for them.

    A tree may be an old copy, and may name what the key can't see. One that goes out of the tree
    is forgotten.

    Args:
        clock: Tells when one is asked for again.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: dict[ContentId, tuple[int, datetime]] = {}

    def may_try(self, content_id: ContentId) -> bool:
        """Tell whether a document's time has come."""
        seen = self._seen.get(content_id)
        return seen is None or is_due(seen[1], self._clock(), LONGEST_RETRY)

    def note(self, content_id: ContentId) -> None:
        """Note that Outline didn't show it."""
        attempts = self._seen[content_id][0] + 1 if content_id in self._seen else 1
        self._seen[content_id] = (attempts, self._clock() + wait_after(attempts))

    def keep(self, tree: Collection[ContentId]) -> None:
        """Forget those that the tree doesn't show any more."""
        self._seen = {i: seen for i, seen in self._seen.items() if i in tree}


@dataclass(frozen=True, slots=True)
class Told:
    """What Outline said of one document.

    Attributes:
        document: As it is there, wherever that is; None if it can't be seen.
        refused: It can't be seen because of a 403, which is weaker than a 404.
    """

    document: UpstreamDocument | None
    refused: bool = False


@dataclass(slots=True)
class Asking:
    """Asks for documents, and keeps account of those that fail.

    Attributes:
        failures: Documents that failed in earlier passes.
        phantoms: Documents that the tree shows and Outline doesn't.
        impatient: A person asks: what failed is tried again, whenever that was.
        unanswered: Documents in a row that Outline didn't answer for.
    """

    upstream: Upstream
    clock: Clock
    tally: Tally
    failures: Mapping[ContentId, SyncFailure]
    phantoms: Phantoms
    impatient: bool = False
    unanswered: int = 0

    def may_try(self, content_id: ContentId) -> bool:
        """Tell whether a document's time has come; that of one that never failed always has."""
        failure = None if self.impatient else self.failures.get(content_id)
        return failure is None or is_due(failure.next_try_at, self.clock(), LONGEST_RETRY)

    async def ask(self, content_id: ContentId) -> Told | None:
        """Ask for one document.

        Returns:
            None if that told nothing: that is noted as a failure of this document, and is no
            evidence of anything.

        Raises:
            UpstreamUnavailable: Outline answers for no document any more.
        """
        try:
            told = Told(await self.upstream.document(content_id))
        except (UpstreamNotFound, UpstreamForbidden) as error:
            told = Told(None, refused=isinstance(error, UpstreamForbidden))
        except UpstreamUnreadable as error:
            self.tally.failed[content_id] = error.what
            return None
        except UpstreamUnavailable as error:
            # One document that Outline stumbles over must not stop all others for good.
            self.unanswered += 1
            if self.unanswered >= ILL_AFTER:
                raise
            self.tally.failed[content_id] = error.what
            return None
        self.unanswered = 0
        return told

    async def note_failures(self, store: Store) -> None:
        """Keep what failed for the next passes, and forget what is no longer there to fail."""
        tally = self.tally
        for content_id, reason in tally.failed.items():
            before = self.failures.get(content_id)
            attempts = (before.attempts if before else 0) + 1
            title = tally.titles.get(content_id) or (before.title if before else "")
            await store.save_failure(
                SyncFailure(
                    content_id=content_id,
                    collection_id=tally.collection_id,
                    title=title or tally.title(content_id),
                    error=reason,
                    attempts=attempts,
                    next_try_at=self.clock() + wait_after(attempts),
                )
            )
        for content_id in self.failures.keys() - tally.failed.keys() - tally.placements.keys():
            if content_id not in tally.mirrored:
                await store.forget_failure(content_id)
