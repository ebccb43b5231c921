"""Letting go of a collection that is no longer mirrored: on a person's word, and on no less.

Its contents leave search for the local trash, from which they come back if it is mirrored again.
What Outline doesn't have as it is here, stays.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from personal_context.domain.collections import is_wanted, state_is, unknown_collection
from personal_context.domain.errors import ContentNotFound, InvalidInput, PersonalContextError
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    LetGo,
    LetGoReport,
    LogEntry,
    SyncState,
    SyncTrouble,
)
from personal_context.ports import Store
from personal_context.sync.desk import Desk
from personal_context.sync.turns import Stopped, Turns

PATIENCE = timedelta(seconds=30)
"""How long a person waits for a pass that runs."""

TRIES = 3
"""How often a content is looked at anew that somebody changes just then."""

OnProgress = Callable[[str, int, int], None]
"""(collection name, contents done, contents in all)."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """A collection that may go, for a person to agree to.

    Attributes:
        documents: Contents in it.
    """

    collection_id: CollectionId
    name: str
    documents: int


class LettingGo:
    """Moves the contents of collections that are no longer mirrored to the local trash.

    Args:
        store: Holds them.
        turns: Keeps passes from running meanwhile.
        desk: Hands a person's word to the process that pulls: its settings count.
        wanted: Collections as the settings name them; None without Outline, when nobody can tell.
    """

    def __init__(
        self, *, store: Store, turns: Turns, desk: Desk, wanted: Sequence[str] | None
    ) -> None:
        self._store = store
        self._turns = turns
        self._desk = desk
        self._wanted = wanted

    async def look(self, name: str) -> Leaving:
        """Say what would be let go.

        Args:
            name: A collection's id, address, or name.

        Raises:
            InvalidInput: There is no such collection, or it is mirrored.
        """
        states = await self._store.sync_states()
        found = [state for state in states if state_is(state, name)]
        if not found:
            raise unknown_collection(name, [state.name for state in states])
        if len(found) > 1:
            raise InvalidInput(
                f"There is more than one collection {name!r}.",
                hint=f"Name one by its id: {', '.join(state.collection_id for state in found)}.",
            )
        self._check_left(found[0])
        return await self._leaving(found[0])

    async def let_go(
        self, name: str, *, documents: int, on_progress: OnProgress | None = None
    ) -> LetGoReport:
        """Let a collection go, as a person agreed to.

        If another process pulls, its settings decide, and it does the work.

        Args:
            name: A collection's id, address, or name.
            documents: How many contents it held when the person was asked.
            on_progress: Told after each content.

        Raises:
            InvalidInput: There is no such collection, it is mirrored, or it holds more or less
                contents by now.
            PersonalContextError: A pass runs, and takes long; or this process stops.
        """
        leaving = await self.look(name)
        wish = LetGo(leaving.collection_id, documents)
        _check_count(leaving, documents)
        report = await self._desk.ask_to_let_go(wish)
        return report or await self.release(wish, on_progress=on_progress)

    async def release(self, wish: LetGo, *, on_progress: OnProgress | None = None) -> LetGoReport:
        """Do it here, if these settings allow it. Raises as `let_go` does."""

        async def work() -> LetGoReport:
            leaving = await self.look(wish.collection_id)
            _check_count(leaving, wish.documents)
            return await self._move(leaving, on_progress or (lambda *_: None))

        try:
            return await self._turns.take(work, patience=PATIENCE)
        except Stopped:
            raise PersonalContextError(
                "The collection was let go in part: the program is stopping.",
                hint="Nothing is lost. Ask again for the rest.",
            ) from None

    def _check_left(self, state: SyncState) -> None:
        name = state.name or state.collection_id
        if self._wanted is None:
            raise InvalidInput(
                f"Nobody knows here whether {name!r} is still mirrored.",
                cause="No Outline is set: the settings of this process are not those of the one "
                "that mirrors.",
                hint="Run it with the same environment and .env as the server.",
            )
        # What the key can't see any more is not brought back by the next pull.
        if is_wanted(state, self._wanted) and state.trouble is not SyncTrouble.ACCESS_LOST:
            raise InvalidInput(
                f"{name!r} is mirrored; the next pull would bring it back.",
                hint="Take it out of PERSONAL_CONTEXT_SYNC_COLLECTIONS first, and start the "
                "server again.",
            )

    async def _leaving(self, state: SyncState) -> Leaving:
        counts = (await self._store.counts()).by_collection
        documents = counts.get(state.collection_id, 0)
        return Leaving(state.collection_id, state.name or state.collection_id, documents)

    async def _move(self, leaving: Leaving, on_progress: OnProgress) -> LetGoReport:
        reason = f"the collection {leaving.name!r} was let go"
        mirrored = await self._store.mirrored(leaving.collection_id)
        moved = 0
        for number, content_id in enumerate(mirrored, start=1):
            moved += await self._move_one(content_id, leaving.collection_id, reason)
            on_progress(leaving.name, number, len(mirrored))
        state = await self._store.sync_state(leaving.collection_id)
        kept = (await self._leaving(state)).documents if state else 0
        if not kept:
            await self._store.forget_collection(leaving.collection_id)
        report = LetGoReport(leaving.collection_id, leaving.name, moved, kept)
        await self._store.add_log(
            LogEntry(
                "let go",
                collection_id=leaving.collection_id,
                details=f"{leaving.name}: {moved} documents to the local trash, {kept} kept",
            )
        )
        return report

    async def _move_one(
        self, content_id: ContentId, collection_id: CollectionId, reason: str
    ) -> bool:
        """Move a content that is here as Outline has it; say whether it went."""
        for _ in range(TRIES):
            try:
                standing = await self._store.standing(content_id)
            except ContentNotFound:
                return False
            content = standing.content
            moved_elsewhere = content.collection_id != collection_id
            if standing.trashed or standing.push is not None or moved_elsewhere:
                return False
            log = LogEntry(
                "forget",
                collection_id=collection_id,
                content_id=content_id,
                outline_doc_id=content_id,
                details=f"{content.title}: {reason}",
            )
            if await self._store.settle(standing, push=None, away=reason, log=log):
                return True
        return False


def _check_count(leaving: Leaving, documents: int) -> None:
    if leaving.documents != documents:
        raise InvalidInput(
            f"{leaving.name!r} holds {leaving.documents} documents, not {documents}.",
            cause="It has changed since you were asked.",
            hint=f"If all {leaving.documents} may go, say so: documents={leaving.documents}.",
        )
