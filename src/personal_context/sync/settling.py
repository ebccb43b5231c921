"""Writing down what was decided about a push; decided again, if the content stands otherwise."""

import logging
from dataclasses import replace

from personal_context.domain.models import (
    Content,
    Indexed,
    LogEntry,
    Operation,
    Placement,
    Push,
    PushState,
    Standing,
    UpstreamDocument,
    Wording,
)
from personal_context.ports import PrepareText, Store
from personal_context.sync.delivery import Clash, Done, Leave, Rebase, wording_of
from personal_context.sync.mirroring import as_content

logger = logging.getLogger(__name__)

Settled = Done | Rebase | Clash | Leave
"""A step that needs nothing of Outline."""


class Settler:
    """Writes steps of `delivery` that need nothing of Outline.

    Args:
        store: Holds contents and outbox.
        prepare: Indexes what is stored.
    """

    def __init__(self, store: Store, prepare: PrepareText) -> None:
        self._store = store
        self._prepare = prepare

    async def settle(
        self,
        standing: Standing,
        push: Push,
        step: Settled,
        placement: Placement | None = None,
    ) -> bool:
        """Write a step; return False if the content stands otherwise by now.

        Args:
            standing: What the step was decided on.
            push: Its push.
            step: What to write.
            placement: Where the tree shows the document; None to leave it where it is.
        """
        match step:
            case Done(document):
                return await self._done(standing, push, document, placement)
            case Rebase(document, wording, left):
                write = await self._written(standing, document, wording, placement)
                stays = left.operation is Operation.TRASH
                return await self._store.settle(standing, push=left, write=None if stays else write)
            case Clash(reason, document):
                return await self._clash(standing, push, reason, document)
            case Leave(reason):
                log = _log("trash", standing, f"{standing.content.title}: {reason}")
                return await self._store.settle(standing, push=None, away=reason, log=log)

    async def _done(
        self,
        standing: Standing,
        push: Push,
        document: UpstreamDocument | None,
        placement: Placement | None,
    ) -> bool:
        log = _log("push", standing, f"{push.operation.value} arrived in Outline")
        if document is None:
            return await self._store.settle(standing, push=None, log=log)
        write = await self._written(standing, document, wording_of(document), placement)
        log = replace(log, collection_id=document.collection_id)
        return await self._store.settle(standing, push=None, write=write, log=log)

    async def _clash(
        self, standing: Standing, push: Push, reason: str, document: UpstreamDocument | None
    ) -> bool:
        if known_clash(push, document):
            return True
        clash = replace(
            push,
            state=PushState.CONFLICT,
            remote=document,
            error=f"It was changed here, but {reason}.",
            owner=None,
            claimed_until=None,
        )
        log = None
        if push.state is not PushState.CONFLICT:
            logger.warning("conflict about %s: %s", standing.content.id, reason)
            log = _log("conflict", standing, f"{standing.content.title}: {reason}")
        return await self._store.settle(standing, push=clash, log=log)

    async def _written(
        self,
        standing: Standing,
        document: UpstreamDocument,
        wording: Wording,
        placement: Placement | None,
    ) -> tuple[Content, Indexed]:
        ours = standing.content
        indexed = await self._prepare(wording.title, wording.text)
        place = placement or Placement(document.parent_id, ours.position)
        theirs = as_content(document, indexed, place).beside(ours)
        if wording != wording_of(document):
            theirs = replace(
                theirs, title=wording.title, text=wording.text, updated_at=ours.updated_at
            )
        return theirs, indexed


def known_clash(push: Push, document: UpstreamDocument | None) -> bool:
    """Tell whether a person was asked to choose between just these two already."""
    return push.state is PushState.CONFLICT and push.remote == document


def _log(operation: str, standing: Standing, details: str) -> LogEntry:
    content = standing.content
    return LogEntry(operation, content.collection_id, content.id, content.id, details)
