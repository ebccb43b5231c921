"""Carries one push to Outline and looks what is there: requests, and what their refusals mean."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from personal_context.domain.collections import is_id
from personal_context.domain.errors import (
    ConfigError,
    UpstreamConflict,
    UpstreamError,
    UpstreamForbidden,
    UpstreamIdTaken,
    UpstreamNotFound,
    UpstreamRejected,
    UpstreamUnavailable,
)
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    Operation,
    Push,
    Standing,
    TreeNode,
    UpstreamDocument,
)
from personal_context.ports import Upstream
from personal_context.sync.delivery import absence_of, outgoing, wording_of
from personal_context.sync.telling import Message, Part, lost_something, message, next_part


@dataclass(frozen=True, slots=True)
class Told:
    """What came of telling Outline something.

    Attributes:
        done: Outline has done it.
        version: The version that it was told.
        document: What it answered; None after a trashing.
        look: Our id is taken there: look before anything else.
        stranger: Nothing of ours can have arrived, so it is somebody else's.
        plain: No patch can be made there: replace the whole text.
        refused: Outline has done nothing of it.
        guarded: Outline would have refused it, had anybody come between the look and it.
    """

    done: bool = False
    version: int = 0
    document: UpstreamDocument | None = None
    look: bool = False
    stranger: bool = False
    plain: bool = False
    refused: bool = False
    guarded: bool = False


class Courier:
    """Tells Outline.

    Args:
        upstream: Outline.
        resolve: Finds a collection's id by the name that somebody gave.
        may_trash: Whether documents may be moved to Outline's trash.
    """

    def __init__(
        self,
        upstream: Upstream,
        resolve: Callable[[str], Awaitable[CollectionId]],
        *,
        may_trash: bool,
    ) -> None:
        self._upstream = upstream
        self._resolve = resolve
        self._may_trash = may_trash

    async def look(self, content_id: ContentId) -> UpstreamDocument | None:
        """Return what Outline shows under an id, also from its trash; None for nothing."""
        try:
            return await self._upstream.document(content_id)
        except (UpstreamNotFound, UpstreamForbidden):
            return None

    async def home(self, push: Push) -> CollectionId:
        """Return the id of the collection that a push is meant for.

        Raises:
            InvalidInput: Outline shows no collection of that name.
            UpstreamError: Outline didn't answer.
        """
        name = push.collection_id
        return name if is_id(name) else await self._resolve(name)

    async def part(
        self, standing: Standing, push: Push, document: UpstreamDocument | None, before: Told
    ) -> Part:
        """Return as much of a push as is told next; for all but an update that is everything.

        Raises:
            UpstreamError: Outline didn't say what it understands of updates.
        """
        if document is None or push.operation in {Operation.TRASH, Operation.RESTORE}:
            return Part(push.edits, outgoing(standing), push.version)
        abilities = await self._upstream.abilities(document.id)
        return next_part(standing, push, document, abilities, plain=before.plain)

    async def tell(
        self,
        standing: Standing,
        push: Push,
        document: UpstreamDocument | None,
        part: Part,
        before: Told,
    ) -> Told:
        """Tell Outline what it has to know; what it answers may ask for another look.

        Args:
            standing: How the content stands here.
            push: What to tell.
            document: What Outline has; None for nothing.
            part: As much of it as is told now.
            before: What came of the round before.

        Raises:
            UpstreamError: It refused, or didn't answer.
            ConfigError: It may not be told this.
            InvalidInput: It can't be told this.
        """
        if document is None:
            return await self._create(standing, push, before)
        match push.operation:
            case Operation.TRASH:
                return await self._trash(push, document)
            case Operation.RESTORE:
                return await self._restore(push, document)
            case _:
                return await self._update(document, part, before)

    async def _create(self, standing: Standing, push: Push, before: Told) -> Told:
        content, wanted = standing.content, outgoing(standing)
        try:
            made = await self._upstream.create_document(
                content.id,
                title=wanted.title,
                text=wanted.text,
                collection_id=push.collection_id,
                parent_id=content.parent_id,
            )
        except UpstreamIdTaken as error:
            if before.look:
                raise _hidden(content.id, error) from error
            return Told(look=True, stranger=push.sent_version == 0 and not error.maybe_arrived)
        return Told(done=True, version=push.version, document=made)

    async def _update(self, document: UpstreamDocument, part: Part, before: Told) -> Told:
        abilities = await self._upstream.abilities(document.id)
        told = message(part, document, abilities, plain=before.plain)
        if not told.is_guarded and await self._changed(document):
            return Told(plain=before.plain, refused=True)
        whole = replace(part, edits=())
        try:
            seen, answer = document, await self._send(document.id, told)
            for plain in (False, True):  # guarded first, where Outline can do that
                if not lost_something(told, part.wording, seen, answer):
                    break
                told = message(whole, answer, abilities, plain=plain)
                if not told.is_guarded and await self._changed(answer, maybe_arrived=True):
                    return Told(plain=before.plain)
                seen, answer = answer, await self._send_again(document.id, told)
        except UpstreamConflict as error:
            return Told(plain=before.plain, refused=not error.maybe_arrived)
        except (UpstreamForbidden, UpstreamNotFound) as error:
            refused = not error.maybe_arrived
            if await self._changed(document, maybe_arrived=error.maybe_arrived):
                return Told(plain=before.plain, refused=refused)
            if isinstance(error, UpstreamForbidden) or before.plain:
                raise
            return Told(plain=True, refused=refused)
        guarded = told.last_revision is not None
        return Told(done=True, version=part.version, document=answer, guarded=guarded)

    async def _send(self, content_id: ContentId, told: Message) -> UpstreamDocument:
        return await self._upstream.update_document(
            content_id,
            title=told.title,
            text=told.text,
            mode=told.mode,
            find=told.find,
            last_revision=told.last_revision,
        )

    async def _send_again(self, content_id: ContentId, told: Message) -> UpstreamDocument:
        try:
            return await self._send(content_id, told)
        except UpstreamError as error:
            error.maybe_arrived = True  # a part of it has
            raise

    async def _trash(self, push: Push, document: UpstreamDocument) -> Told:
        if not self._may_trash:
            raise not_allowed()
        await self._check_nothing_below(document)
        try:
            await self._upstream.trash_document(document.id)
        except UpstreamForbidden:
            if not await self._changed(document):
                raise
        return await self._trashed(push, document)

    async def _trashed(self, push: Push, document: UpstreamDocument) -> Told:
        """Outline trashes whatever there is: what somebody wrote since the look comes back."""
        try:
            gone = await self.look(document.id)
            if gone is None or not gone.deleted_at or wording_of(gone) == wording_of(document):
                return Told(done=True, version=push.version)
            await self._upstream.restore_document(document.id)
        except UpstreamError as error:
            error.maybe_arrived = True  # the deletion has
            raise
        return Told()

    async def _restore(self, push: Push, document: UpstreamDocument) -> Told:
        try:
            back = await self._upstream.restore_document(document.id)
        except UpstreamForbidden:
            if not await self._changed(document):
                raise
            return Told()
        return Told(done=True, version=push.version, document=back)

    async def _check_nothing_below(self, document: UpstreamDocument) -> None:
        """Outline trashes what is below a document with it, and nobody asked for that."""
        if document.collection_id is None:
            return
        node = _node(await self._upstream.tree(document.collection_id), document.id)
        if node is None:
            raise UpstreamUnavailable(
                f"Outline does not say what is below {document.title!r}.",
                cause="The tree of its collection lacks it at this moment.",
            )
        # Outline may show a tree of a moment ago, and shows no drafts in it.
        if node.children or await self._upstream.has_below(document.id):
            raise UpstreamRejected(
                f"Outline has documents below {document.title!r}.",
                cause="They would go to the trash together with it.",
                hint="Move or delete them first, then `personal-context outbox retry`; or "
                "`personal-context outbox discard` to keep the document.",
            )

    async def _changed(self, document: UpstreamDocument, *, maybe_arrived: bool = False) -> bool:
        """Tell whether a document is not any more what it was a moment ago."""
        try:
            now = await self.look(document.id)
        except UpstreamError as error:
            error.maybe_arrived |= maybe_arrived
            raise
        if now is None:
            return True
        return wording_of(now) != wording_of(document) or absence_of(now) != absence_of(document)


def not_allowed() -> ConfigError:
    """Return the error for a deletion that no setting allows."""
    return ConfigError(
        "Documents may not be moved to Outline's trash.",
        cause="PERSONAL_CONTEXT_OUTLINE_ALLOW_DELETE is not set.",
        hint="Set PERSONAL_CONTEXT_OUTLINE_ALLOW_DELETE=true to allow it, or delete the document "
        "in Outline: it leaves here with the next sync.",
    )


def _hidden(content_id: ContentId, error: UpstreamIdTaken) -> UpstreamRejected:
    return UpstreamRejected(
        f"Outline has a document with the id {content_id}, and doesn't show it.",
        status=error.status,
        cause="It was deleted there, or moved where the API key does not reach.",
        hint="Look into Outline's trash. `personal-context outbox discard` keeps the content here.",
    )


def _node(tree: Sequence[TreeNode], wanted: ContentId) -> TreeNode | None:
    waiting = list(tree)
    while waiting:
        node = waiting.pop()
        if node.id == wanted:
            return node
        waiting.extend(node.children)
    return None
