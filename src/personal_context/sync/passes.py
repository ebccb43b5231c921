"""One pass over one collection: gather, let plan.py decide, write.

Each document is written in its own transaction. Removals come after the writes, so a pass that
dies anywhere leaves a store that is whole.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import timedelta

from personal_context.domain.errors import (
    LeaseLost,
    PersonalContextError,
    UpstreamForbidden,
    UpstreamNotFound,
    UpstreamUnavailable,
    UpstreamUnreadable,
)
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    LogEntry,
    Page,
    SyncFailure,
    UpstreamDocument,
)
from personal_context.domain.times import is_due
from personal_context.ports import Clock, PrepareText, Store, Upstream
from personal_context.sync.meeting import Meeting
from personal_context.sync.mirroring import as_content
from personal_context.sync.overlap import Cutoff
from personal_context.sync.plan import (
    Action,
    Kind,
    compare,
    judge,
    moved,
    placements,
    suspects,
    too_many_removals,
)
from personal_context.sync.tally import Tally

logger = logging.getLogger(__name__)

PAGE_SIZE = 100
"""Documents per page: the most that Outline gives."""

FIRST_RETRY = timedelta(minutes=1)
LONGEST_RETRY = timedelta(hours=6)
"""Between two tries of a document that fails the wait doubles, up to this."""

ILL_AFTER = 3
"""Documents in a row that Outline doesn't answer for: then it is Outline that is ill, not they."""

Progress = Callable[[int, int], None]
"""(documents done, documents in the collection); called after each document."""


@dataclass(frozen=True, slots=True)
class PassOptions:
    """How to run a pass.

    Attributes:
        full: A sweep: look at every document, not only at what changed since the cursor.
        departed: Outline shows nothing of the collection any more: it was archived or deleted.
        confirm_removals: A person agreed to many removals.
        on_progress: Told after each document.
    """

    full: bool = False
    departed: bool = False
    confirm_removals: bool = False
    on_progress: Progress = lambda _done, _total: None


@dataclass(slots=True)
class OnePass:
    """A pass under way.

    Attributes:
        store: Fenced, if other processes may take over.
        meeting: Where what Outline says meets what was changed here.
        mirrored_collections: A document that moves to one of them is kept.
        cutoff: Where the list may end; None to see every document.
        known_held: Removals that a person was asked about before, 0 for none.
        failures: Documents that failed in earlier passes.
        unanswered: Documents in a row that Outline didn't answer for.
    """

    store: Store
    upstream: Upstream
    meeting: Meeting
    prepare: PrepareText
    clock: Clock
    tally: Tally
    options: PassOptions
    mirrored_collections: Collection[CollectionId]
    cutoff: Cutoff | None
    known_held: int
    failures: Mapping[ContentId, SyncFailure]
    unanswered: int = 0

    async def run(self) -> None:
        """Bring the collection into the store.

        Raises:
            PersonalContextError: Outline or the database failed; nothing was removed on that.
        """
        tally = self.tally
        if not self.options.departed:
            tree = await self.upstream.tree(tally.collection_id)
            tally.placements = await asyncio.to_thread(placements, tree)
            async with aclosing(self._pages()) as pages:
                async for page in pages:
                    await self._apply_page(page)
        await self._resolve()
        await self.store.place(tally.collection_id, tally.placements)
        tally.moved = len(await asyncio.to_thread(moved, tally.mirrored, tally.placements))
        await self._note_failures()

    # --- what Outline lists

    async def _apply_page(self, page: Page) -> None:
        self.tally.failed.update(page.broken)
        for action, title in await self._compared([d for d in page.documents if self._notes(d)]):
            await self._apply(action, title)

    async def _pages(self) -> AsyncGenerator[Page, None]:
        """Yield every page, oldest document first; or what may have changed, newest first.

        `createdAt` doesn't move while we page, `updatedAt` does. What offset paging loses all the
        same, the tree shows.
        """
        offset = 0
        coming = self._list(offset)
        try:
            while True:
                page = await coming
                offset += PAGE_SIZE
                if self.cutoff is None and not page.last:
                    coming = self._list(offset)  # Outline works while we write.
                kept = self.tally.kept
                yield page
                all_known = self.tally.kept - kept == len(page.documents) and not page.broken
                if page.last or (
                    self.cutoff and self.cutoff.reached(page.documents, all_known=all_known)
                ):
                    break
                if self.cutoff is not None:
                    coming = self._list(offset)
        finally:
            coming.cancel()
            await asyncio.wait([coming])
            # Looked at, or asyncio would log it: the pass has ended for another reason.
            _ = coming.cancelled() or coming.exception()

    def _list(self, offset: int) -> "asyncio.Task[Page]":
        return asyncio.create_task(
            self.upstream.list_documents(
                self.tally.collection_id,
                sort="updatedAt" if self.cutoff else "createdAt",
                direction="DESC" if self.cutoff else "ASC",
                offset=offset,
                limit=PAGE_SIZE,
            )
        )

    def _notes(self, document: UpstreamDocument) -> bool:
        """Note that a document was listed; tell whether it is the first time, and belongs here."""
        tally = self.tally
        if document.id in tally.listed:
            return False
        if document.collection_id != tally.collection_id or not document.live:
            # Not what was asked for. If it belongs here the tree knows it.
            logger.warning("list of %s holds a stranger: %s", tally.collection_id, document.id)
            return False
        tally.listed.add(document.id)
        tally.newest = max(tally.newest or "", document.updated_at)
        return True

    async def _compared(
        self, documents: Sequence[UpstreamDocument]
    ) -> Sequence[tuple[Action, str]]:
        """Decide about documents, each with its title; the hashes of long texts take a while."""

        def decide() -> Sequence[tuple[Action, str]]:
            tally = self.tally
            return [
                (
                    compare(tally.mirrored.get(one.id), one, trashed=one.id in tally.trashed),
                    one.title,
                )
                for one in documents
            ]

        return await asyncio.to_thread(decide)

    # --- what list and tree leave open

    async def _resolve(self) -> None:
        """Ask for every document that list and tree leave open, then write and remove."""
        tally = self.tally
        found = await asyncio.to_thread(suspects, tally.mirrored, tally.listed, tally.placements)
        for content_id in sorted({*found.missing, *self._unseen(), *self._due()}):
            await self._fetch(content_id)
        if self._held_before(found.gone):
            tally.held = len(found.gone)
            return
        for action in await self._judged(found.gone):
            await self._apply(action, self._title(action.content_id))

    def _unseen(self) -> set[ContentId]:
        """Documents that a sweep was not shown: offset paging loses some of equal age."""
        swept = self.cutoff is None and not self.options.departed
        return set(self.tally.placements) - self.tally.listed if swept else set()

    def _due(self) -> set[ContentId]:
        """Documents that failed before, are still there, and whose time has come."""
        due = {i for i, failure in self.failures.items() if self._may_retry(failure)}
        return due & self.tally.placements.keys() - self.tally.listed

    def _may_retry(self, failure: SyncFailure) -> bool:
        return is_due(failure.next_try_at, self.clock(), LONGEST_RETRY)

    async def _fetch(self, content_id: ContentId) -> None:
        failure = self.failures.get(content_id)
        if failure and not self._may_retry(failure):
            return
        told, document = await self._ask(content_id)
        if not told:
            return
        if (
            document is None
            or not document.live
            or document.collection_id != self.tally.collection_id
        ):
            return  # It left between the tree and now; the next pass knows more.
        for action, title in await self._compared([document]):
            await self._apply(action, title)

    async def _ask(self, content_id: ContentId) -> tuple[bool, UpstreamDocument | None]:
        """Ask for one document.

        Returns:
            Whether that told anything, and the document, or None if it can't be seen. What told
            nothing is noted as a failure of this document, and is no evidence of anything.

        Raises:
            UpstreamUnavailable: Outline answers for no document any more.
        """
        try:
            document = await self.upstream.document(content_id)
        except (UpstreamNotFound, UpstreamForbidden):
            document = None
        except UpstreamUnreadable as error:
            self.tally.failed[content_id] = error.what
            return False, None
        except UpstreamUnavailable as error:
            # One document that Outline stumbles over must not stop all others for good.
            self.unanswered += 1
            if self.unanswered >= ILL_AFTER:
                raise
            self.tally.failed[content_id] = error.what
            return False, None
        self.unanswered = 0
        return True, document

    # --- removals

    def _held_before(self, gone: Sequence[ContentId]) -> bool:
        """Tell whether a person was asked about these already and has not answered."""
        return (
            not self.options.confirm_removals
            and 0 < self.known_held <= len(gone)
            and too_many_removals(len(gone), len(self.tally.mirrored))
        )

    async def _judged(self, gone: Sequence[ContentId]) -> Sequence[Action]:
        """Decide about each document that the tree no longer shows; none, if they are too many."""
        actions = []
        for content_id in gone:
            told, document = await self._ask(content_id)
            if not told:
                continue
            actions.append(
                judge(
                    content_id,
                    document,
                    here=self.tally.collection_id,
                    mirrored_collections=self.mirrored_collections,
                )
            )
        removals = sum(action.kind.removes for action in actions)
        if removals and not self.options.departed:
            # A 403 counts only while the collection itself answers.
            await self.upstream.collection(self.tally.collection_id)
        if (
            too_many_removals(removals, len(self.tally.mirrored))
            and not self.options.confirm_removals
        ):
            self.tally.held = removals
            return [action for action in actions if not action.kind.removes]
        return actions

    def _title(self, content_id: ContentId) -> str:
        mirrored = self.tally.mirrored.get(content_id)
        return mirrored.title if mirrored else ""

    # --- writing

    async def _apply(self, action: Action, title: str) -> None:
        log = LogEntry(
            action.kind.value,
            collection_id=self.tally.collection_id,
            content_id=action.content_id,
            outline_doc_id=action.content_id,
            details=f"{title}: {action.reason}" if title else action.reason,
            created_at=self.clock(),
        )
        try:
            if action.document is not None:
                if not await self._write(action.document, log):
                    action = Action(Kind.KEEP, action.content_id, "it waits in the outbox")
            elif action.kind.removes:
                await self.store.trash(action.content_id, reason=action.reason, log=log)
            elif action.content_id in self.failures:
                await self.store.forget_failure(action.content_id)  # It was read by now.
        except LeaseLost:
            raise
        except Exception as error:  # One bad document must not stop the others.
            logger.warning("document %s failed", action.content_id, exc_info=error)
            self.tally.failed[action.content_id] = (
                error.what if isinstance(error, PersonalContextError) else repr(error)
            )
            self.tally.titles[action.content_id] = title
            return
        self.tally.count(action)

    async def _write(self, document: UpstreamDocument, log: LogEntry) -> bool:
        """Write what Outline shows; False if nothing changes here, for what waits in the outbox."""
        indexed = await self.prepare(document.title, document.text)
        placement = self.tally.placements.get(document.id)

        async def mirror() -> bool:
            content = as_content(document, indexed, placement)
            return await self.store.mirror(content, indexed, log=log)

        return await mirror() or await self.meeting.meet(document, placement, mirror)

    async def _note_failures(self) -> None:
        """Keep what failed for the next passes, and forget what is no longer there to fail."""
        tally = self.tally
        for content_id, reason in tally.failed.items():
            before = self.failures.get(content_id)
            attempts = (before.attempts if before else 0) + 1
            wait: timedelta = min(FIRST_RETRY * 2 ** min(attempts - 1, 20), LONGEST_RETRY)
            await self.store.save_failure(
                SyncFailure(
                    content_id=content_id,
                    collection_id=tally.collection_id,
                    title=tally.titles.get(content_id) or self._title(content_id),
                    error=reason,
                    attempts=attempts,
                    next_try_at=self.clock() + wait,
                )
            )
        for content_id in self.failures.keys() - tally.failed.keys() - tally.placements.keys():
            if content_id not in tally.mirrored:
                await self.store.forget_failure(content_id)
