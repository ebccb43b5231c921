"""One pass: bring one collection of the wiki into the store.

A pass gathers (tree, then the list), lets plan.py decide, and writes document by document, each in
its own transaction. Removals come after the writes, the cursor last, so a pass that dies anywhere
leaves a store that is whole and a cursor that repeats what was not finished.
"""

import logging
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass, replace

from personal_context.domain.errors import (
    PersonalContextError,
    UpstreamForbidden,
    UpstreamNotFound,
    UpstreamUnreadable,
)
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    LogEntry,
    Page,
    PassReport,
    SyncState,
    SyncStatus,
    UpstreamCollection,
    UpstreamDocument,
)
from personal_context.ports import Clock, PrepareText, Store, Upstream
from personal_context.sync.mirroring import as_content
from personal_context.sync.overlap import Overlap
from personal_context.sync.passes import Pass
from personal_context.sync.plan import (
    Action,
    compare,
    judge,
    moved,
    placements,
    suspects,
    too_many_removals,
)

logger = logging.getLogger(__name__)

PAGE_SIZE = 100
"""Documents per page: the most that Outline gives."""

Progress = Callable[[int, int], None]
"""(documents done, documents in the collection); called after each document."""


class Stopped(Exception):
    """A signal, not an error: the process is going down; the pass ended between two documents."""


@dataclass(frozen=True, slots=True)
class PassOptions:
    """How to run a pass.

    Attributes:
        full: Look at every document, not only at what changed since the cursor.
        confirm_removals: A person agreed to many removals.
        on_progress: Told after each document.
        stopping: Asked between two documents; True ends the pass with Stopped.
    """

    full: bool = False
    confirm_removals: bool = False
    on_progress: Progress = lambda _done, _total: None
    stopping: Callable[[], bool] = lambda: False


class Puller:
    """Runs passes. One at a time: the caller sees to that."""

    def __init__(
        self, *, store: Store, upstream: Upstream, prepare: PrepareText, clock: Clock
    ) -> None:
        self._store = store
        self._upstream = upstream
        self._prepare = prepare
        self._clock = clock
        self._overlap = Overlap(clock)
        self._retry: dict[CollectionId, frozenset[ContentId]] = {}

    async def run(
        self,
        collection: UpstreamCollection,
        mirrored_collections: Collection[CollectionId],
        options: PassOptions | None = None,
    ) -> PassReport:
        """Make the mirror of one collection equal to the wiki.

        Args:
            collection: Which one.
            mirrored_collections: All that are mirrored: a document that moves to one of them is
                kept.
            options: See PassOptions.

        Returns:
            What was done. A pass that failed as a whole says so in `error`: the cursor stays, and
            nothing was removed.

        Raises:
            Stopped: Options asked for it.
        """
        options = options or PassOptions()
        before = self._upstream.requests_sent
        state = await self._begin(collection)
        work = Pass(collection.id, await self._store.mirrored(collection.id), options.on_progress)
        error: str | None = None
        try:
            await self._run(work, state, mirrored_collections, options)
        except Stopped:
            await self._store.save_sync_state(replace(state, status=SyncStatus.IDLE))
            raise
        except PersonalContextError as failure:
            error = str(failure)
            await self._fail(state, error)
        return work.report(
            name=collection.name, requests=self._upstream.requests_sent - before, error=error
        )

    async def _begin(self, collection: UpstreamCollection) -> SyncState:
        state = await self._store.sync_state(collection.id) or SyncState(collection.id)
        state = replace(state, name=collection.name)
        if state.status is SyncStatus.SYNCING or (
            state.status is SyncStatus.ERROR and collection.id not in self._retry
        ):
            # A pass was cut short, or failed in a process that is gone: what it left undone
            # isn't known, so everything is compared.
            state = replace(state, last_pull_at=None)
        self._retry.setdefault(collection.id, frozenset())
        await self._store.save_sync_state(replace(state, status=SyncStatus.SYNCING))
        return state

    async def _run(
        self,
        work: Pass,
        state: SyncState,
        mirrored_collections: Collection[CollectionId],
        options: PassOptions,
    ) -> None:
        work.placements = placements(await self._upstream.tree(work.collection_id))
        cursor = None if options.full else state.last_pull_at
        async for page in self._pages(work, cursor):
            work.failed.update(page.broken)
            for document in page.documents:
                if options.stopping():
                    raise Stopped
                await self._apply_listed(work, document)
        await self._resolve(work, mirrored_collections, options)
        await self._store.place(work.collection_id, work.placements)
        work.moved = len(moved(work.mirrored, work.placements))
        await self._finish(work, state)

    async def _pages(self, work: Pass, cursor: str | None) -> AsyncIterator[Page]:
        """Yield every page, oldest document first; or what may have changed, newest first.

        `createdAt` doesn't move while we page, `updatedAt` does. What offset paging loses all the
        same, the tree shows.
        """
        cutoff = self._overlap.cutoff(work.collection_id, cursor)
        offset = 0
        while True:
            page = await self._upstream.list_documents(
                work.collection_id,
                sort="updatedAt" if cutoff else "createdAt",
                direction="DESC" if cutoff else "ASC",
                offset=offset,
                limit=PAGE_SIZE,
            )
            kept = work.kept
            yield page
            all_known = work.kept - kept == len(page.documents) and not page.broken
            if page.last or (cutoff and cutoff.reached(page.documents, all_known=all_known)):
                break
            offset += PAGE_SIZE

    async def _apply_listed(self, work: Pass, document: UpstreamDocument) -> None:
        if document.id in work.listed:
            return
        if document.collection_id != work.collection_id or not document.live:
            # Not what was asked for. If it belongs here the tree knows it.
            logger.warning("list of %s holds a stranger: %s", work.collection_id, document.id)
            return
        work.listed.add(document.id)
        work.newest = max(work.newest or "", document.updated_at)
        await self._apply(work, compare(work.mirrored.get(document.id), document))

    async def _resolve(
        self, work: Pass, mirrored_collections: Collection[CollectionId], options: PassOptions
    ) -> None:
        """Ask for every document that list and tree leave open, then write and remove."""
        retry = self._retry[work.collection_id] & set(work.placements) - work.listed
        found = suspects(work.mirrored, work.listed, work.placements)
        for content_id in sorted({*found.missing, *retry}):
            if options.stopping():
                raise Stopped
            await self._fetch(work, content_id)

        actions = []
        for content_id in found.gone:
            try:
                document = await self._ask(content_id)
            except UpstreamUnreadable as error:
                work.failed[content_id] = error.what  # No evidence that it is gone.
                continue
            actions.append(
                judge(
                    content_id,
                    document,
                    here=work.collection_id,
                    mirrored_collections=mirrored_collections,
                )
            )
        await self._check_removals(work, actions, options)
        for action in actions:
            await self._apply(work, action)

    async def _fetch(self, work: Pass, content_id: ContentId) -> None:
        try:
            document = await self._ask(content_id)
        except UpstreamUnreadable as error:
            work.failed[content_id] = error.what
            return
        if document is None or not document.live or document.collection_id != work.collection_id:
            return  # It left between the tree and now; the next pass knows more.
        await self._apply(work, compare(work.mirrored.get(content_id), document))

    async def _ask(self, content_id: ContentId) -> UpstreamDocument | None:
        try:
            return await self._upstream.document(content_id)
        except (UpstreamNotFound, UpstreamForbidden):
            return None

    async def _check_removals(
        self, work: Pass, actions: Collection[Action], options: PassOptions
    ) -> None:
        """Believe the removals only if the collection answers, and they are not too many."""
        removals = sum(action.kind.removes for action in actions)
        if not removals:
            return
        await self._upstream.collection(work.collection_id)
        if too_many_removals(removals, len(work.mirrored)) and not options.confirm_removals:
            raise PersonalContextError(
                f"{removals} of {len(work.mirrored)} documents would be removed; stopped.",
                cause="Outline no longer shows them in this collection.",
                hint="If that is right, run `personal-context sync --confirm-removals`.",
            )

    async def _apply(self, work: Pass, action: Action) -> None:
        try:
            if action.document is not None:
                await self._write(work, action, action.document)
            elif action.kind.removes:
                await self._store.trash(
                    action.content_id, reason=action.reason, log=_log(work, action)
                )
        except Exception as error:  # One bad document must not stop the others.
            logger.warning("document %s failed", action.content_id, exc_info=error)
            work.failed[action.content_id] = (
                error.what if isinstance(error, PersonalContextError) else repr(error)
            )
            return
        work.count(action)

    async def _write(self, work: Pass, action: Action, document: UpstreamDocument) -> None:
        indexed = await self._prepare(document.title, document.text)
        await self._store.mirror(
            as_content(document, indexed, work.placements.get(document.id)),
            indexed,
            log=_log(work, action),
        )

    async def _finish(self, work: Pass, state: SyncState) -> None:
        self._retry[work.collection_id] = frozenset(work.failed)
        cursor = max(filter(None, (work.newest, state.last_pull_at)), default=None)
        self._overlap.finished(work.collection_id, cursor)
        message = work.failures()
        if message:
            await self._log_error(state, message)
        await self._store.save_sync_state(
            replace(
                state,
                status=SyncStatus.ERROR if message else SyncStatus.IDLE,
                last_pull_at=cursor,
                finished_at=self._clock(),
                error_message=message,
            )
        )

    async def _fail(self, state: SyncState, message: str) -> None:
        logger.warning("pull of %s failed: %s", state.name or state.collection_id, message)
        await self._log_error(state, message)
        await self._store.save_sync_state(
            replace(state, status=SyncStatus.ERROR, error_message=message)
        )

    async def _log_error(self, state: SyncState, message: str) -> None:
        if message != state.error_message:  # an outage is one line, not one every pass
            await self._store.add_log(
                LogEntry("error", collection_id=state.collection_id, details=message)
            )


def _log(work: Pass, action: Action) -> LogEntry:
    return LogEntry(
        action.kind.value,
        collection_id=work.collection_id,
        content_id=action.content_id,
        outline_doc_id=action.content_id,
        details=action.reason,
    )
