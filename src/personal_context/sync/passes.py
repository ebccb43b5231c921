"""One pass over one collection: gather, let plan.py decide, write.

Each document is written in its own transaction. Removals come after the writes, so a pass that
dies anywhere leaves a store that is whole.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from personal_context.domain.errors import LeaseLost, PersonalContextError, UpstreamNotFound
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    LogEntry,
    Page,
    TreeNode,
    UpstreamDocument,
)
from personal_context.ports import Clock, PrepareText, Store, Upstream
from personal_context.sync.ahead import Ahead
from personal_context.sync.asking import Asking, Told
from personal_context.sync.listing import Listing
from personal_context.sync.meeting import Meeting
from personal_context.sync.mirroring import as_content
from personal_context.sync.overlap import Cutoff, in_future
from personal_context.sync.plan import (
    Action,
    Kind,
    compare,
    judge,
    moved,
    placements,
    suspects,
    titles,
    too_many_removals,
)
from personal_context.sync.tally import Tally

logger = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
"""(documents done, documents in the collection); called after each document."""


@dataclass(frozen=True, slots=True)
class PassOptions:
    """How to run a pass.

    Attributes:
        full: A sweep: look at every document, not only at what changed since the cursor.
        departed: Outline shows nothing of the collection any more: it was archived or deleted.
        agreed_removals: A person agreed to so many removals.
        asked: A person asked for it, and wants to know how those do that failed.
        on_progress: Told after each document.
    """

    full: bool = False
    departed: bool = False
    agreed_removals: int = 0
    asked: bool = False
    on_progress: Progress = lambda _done, _total: None


class CollectionLeft(Exception):
    """A signal, not an error: the collection of a pass was archived or deleted meanwhile."""


@dataclass(slots=True)
class OnePass:
    """A pass under way.

    Attributes:
        store: Fenced, if other processes may take over.
        meeting: Where what Outline says meets what was changed here.
        mirrored_collections: A document that moves to one of them is kept.
        cutoff: Where the list may end; None to see every document.
        known_held: Removals that a person was asked about before, 0 for none.
    """

    store: Store
    upstream: Upstream
    asking: Asking
    meeting: Meeting
    prepare: PrepareText
    clock: Clock
    tally: Tally
    options: PassOptions
    mirrored_collections: Collection[CollectionId]
    cutoff: Cutoff | None
    known_held: int

    async def run(self) -> None:
        """Bring the collection into the store.

        Raises:
            CollectionLeft: Outline keeps it in the archive; only a pass that knows goes on.
            PersonalContextError: Outline or the database failed; nothing was removed on that.
        """
        tally = self.tally
        tree: Sequence[TreeNode] = ()
        if not self.options.departed:
            tree = await self.upstream.tree(tally.collection_id)
            tally.placements = await asyncio.to_thread(placements, tree)
            self._judge_the_cursor()
            if await self._take_list() and self.cutoff is not None:
                # It may have changed. What a whole list doesn't show is asked for.
                self.cutoff = None
                await self._take_list()
            await self._look_whether_it_left()
        await self._resolve()
        nameless = tally.failed.keys() - tally.titles.keys()
        tally.titles.update(await asyncio.to_thread(titles, tree, nameless))
        await self.store.place(tally.collection_id, tally.placements)
        tally.moved = len(await asyncio.to_thread(moved, tally.mirrored, tally.placements))
        await self.asking.note_failures(self.store)

    # --- what Outline lists

    def _judge_the_cursor(self) -> None:
        """Look at everything if the cursor is from a time that the wiki's clock gave up since."""
        now = self.upstream.time
        if self.cutoff is not None and now is not None and self.cutoff.before > now:
            name = self.tally.collection_id
            logger.warning("the wiki's clock went back: everything in %s is compared", name)
            self.cutoff = None

    async def _take_list(self) -> int:
        """Take over what Outline lists; return how many rows it can't list."""
        listing = Listing(self.upstream, self.tally.collection_id, self.cutoff)
        async with aclosing(listing.pages()) as pages:
            async for page in pages:
                listing.all_known = await self._apply_page(page)
        return listing.lost

    async def _look_whether_it_left(self) -> None:
        """Ask for the collection if its list is empty: archived, it still has its whole tree."""
        tally = self.tally
        if tally.placements and not tally.listed and not tally.failed:
            found = await self.upstream.collection(tally.collection_id)
            if found.archived_at or found.deleted_at:
                raise CollectionLeft

    async def _apply_page(self, page: Page) -> bool:
        """Take over what a page shows; tell whether it brought nothing new."""
        tally, known = self.tally, self.asking.failures.keys()
        kept = tally.kept
        # What can't be read and was tried a moment ago has not failed once more.
        new = {i: why for i, why in page.broken.items() if self.asking.may_try(i)}
        tally.failed.update(new)
        actions = await self.compared([d for d in page.documents if self._notes(d)])
        shown = [action.document for action, _ in actions if action.document is not None]
        async with Ahead(self.prepare, shown) as ahead:
            for action, title in actions:
                await self.apply(action, title, ahead)
        again = tally.failed.keys() & known & {document.id for document in page.documents}
        return tally.kept - kept + len(again) == len(page.documents) and new.keys() <= known

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
        if not in_future(document, self.upstream.time):
            tally.newest = max(tally.newest or "", document.updated_at)
        return True

    async def compared(self, documents: Sequence[UpstreamDocument]) -> Sequence[tuple[Action, str]]:
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
        actions: list[Action] = []
        phantoms = self.asking.phantoms
        phantoms.keep(tally.placements)
        missing = [i for i in found.missing if self.cutoff is None or phantoms.may_try(i)]
        for content_id in sorted({*missing, *self._unseen(), *self._due()}):
            actions += await self.fetch(content_id)
        if self._is_held(found.gone):
            tally.held = len(found.gone)
            return
        actions += await self.verdicts(found.gone)
        for action in await self.allowed(actions):
            await self.apply(action, tally.title(action.content_id))

    def _unseen(self) -> set[ContentId]:
        """Documents that a sweep was not shown: offset paging loses some of equal age."""
        swept = self.cutoff is None and not self.options.departed
        return set(self.tally.placements) - self.tally.listed if swept else set()

    def _due(self) -> set[ContentId]:
        """Documents that failed before, are still there, and whose time has come."""
        due = {i for i in self.asking.failures if self.asking.may_try(i)}
        return due & self.tally.placements.keys() - self.tally.listed

    async def fetch(self, content_id: ContentId) -> Sequence[Action]:
        """Ask for a document that the tree shows, and write it if it is here.

        Returns:
            What it means otherwise. What Outline says of one document is newer than its tree,
            which may be a copy; only a refusal is no evidence against it.
        """
        told = await self.asking.ask(content_id) if self.asking.may_try(content_id) else None
        if told is None:
            return ()
        document = told.document
        if document and document.live and document.collection_id == self.tally.collection_id:
            for action, title in await self.compared([document]):
                await self.apply(action, title)
            return ()
        if told.refused or content_id not in self.tally.mirrored:
            self.asking.phantoms.note(content_id)
            return ()  # It left between the tree and now; a later pass knows more.
        return (self.verdict(content_id, told),)

    # --- removals

    def _is_held(self, gone: Sequence[ContentId]) -> bool:
        """Tell whether so many are gone that nobody needs to be asked but a person.

        Outline isn't asked for each of them while a person's answer is waited for, nor where a
        whole collection left.
        """
        return (
            not self.options.agreed_removals
            and (self.options.departed or 0 < self.known_held <= len(gone))
            and too_many_removals(len(gone), len(self.tally.mirrored))
        )

    async def verdicts(self, gone: Sequence[ContentId]) -> Sequence[Action]:
        """Decide about each document that the tree no longer shows."""
        actions = []
        for content_id in gone:
            told = await self.asking.ask(content_id) if self.asking.may_try(content_id) else None
            if told is not None:
                actions.append(self.verdict(content_id, told))
        return actions

    def verdict(self, content_id: ContentId, told: Told) -> Action:
        """Decide about one document that was asked for and isn't here as it was."""
        if told.document is None:
            self.tally.unseen.add(content_id)
        return judge(
            content_id,
            told.document,
            here=self.tally.collection_id,
            mirrored_collections=self.mirrored_collections,
        )

    async def allowed(self, actions: Sequence[Action]) -> Sequence[Action]:
        """Leave out all removals if they are too many, or if the collection doesn't answer."""
        removals = sum(action.kind.removes for action in actions)
        if any(action.content_id in self.tally.unseen for action in actions):
            await self._look_whether_it_answers()
        too_many = too_many_removals(removals, len(self.tally.mirrored))
        if too_many and removals > self.options.agreed_removals:
            self.tally.held = removals
            return [action for action in actions if not action.kind.removes]
        return actions

    async def _look_whether_it_answers(self) -> None:
        """Make sure that what was not shown is gone: a 403 counts while the collection answers.

        That one which left isn't found is an answer. Forbidden, it is the access that was lost.
        """
        try:
            await self.upstream.collection(self.tally.collection_id)
        except UpstreamNotFound:
            if not self.options.departed:
                raise

    # --- writing

    async def apply(self, action: Action, title: str, ahead: Ahead | None = None) -> None:
        """Carry out an action; what fails is noted and stops no other.

        Args:
            action: What was decided.
            title: Of its document, if it is known.
            ahead: Makes its document ready, if that has begun.
        """
        log = LogEntry(
            action.kind.value,
            collection_id=self.tally.collection_id,
            content_id=action.content_id,
            outline_doc_id=action.content_id,
            details=f"{title}: {action.reason}" if title else action.reason,
            created_at=self.clock(),
            actor=(action.document.updated_by or "") if action.document else "",
        )
        try:
            if action.document is not None:
                if not await self._write(action.document, log, ahead):
                    action = Action(Kind.KEEP, action.content_id, "it waits in the outbox")
            elif action.kind.removes:
                await self.store.trash(action.content_id, reason=action.reason, log=log)
            elif action.content_id in self.asking.failures:
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

    async def _write(self, document: UpstreamDocument, log: LogEntry, ahead: Ahead | None) -> bool:
        """Write what Outline shows; False if nothing changes here, for what waits in the outbox."""
        if ahead is None:
            indexed = await self.prepare(document.title, document.text)
        else:
            indexed = await ahead.take(document)
        placement = self.tally.placements.get(document.id)

        async def mirror() -> bool:
            content = as_content(document, indexed, placement)
            return await self.store.mirror(content, indexed, log=log)

        return await mirror() or await self.meeting.meet(document, placement, mirror)
