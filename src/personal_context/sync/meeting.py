"""A pass meets a document whose content waits in the outbox."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from personal_context.domain.models import (
    Operation,
    Placement,
    Push,
    PushState,
    Standing,
    UpstreamDocument,
    Wording,
)
from personal_context.ports import Clock, Store
from personal_context.sync.delivery import Clash, Rebase, Tell, decide
from personal_context.sync.queueing import unawaited
from personal_context.sync.settling import Settled, Settler, known_clash

_ROUNDS = 5


class Meeting:
    """Lets what Outline says meet what was changed here; neither is lost.

    Args:
        store: Holds contents and outbox.
        settler: Writes what is decided.
        clock: Tells when something is due again.
    """

    def __init__(self, store: Store, settler: Settler, clock: Clock) -> None:
        self._store = store
        self._settler = settler
        self._clock = clock

    async def meet(
        self,
        document: UpstreamDocument,
        placement: Placement | None,
        otherwise: Callable[[], Awaitable[bool]],
    ) -> bool:
        """Settle a document that Outline showed as published.

        Args:
            document: As it was shown.
            placement: Where the tree shows it.
            otherwise: Mirrors it, if nothing waits in the outbox any more.

        Returns:
            False if nothing was changed here.
        """
        for _ in range(_ROUNDS):
            standing = await self._store.standing(document.id)
            push = standing.push
            if push is None and standing.content.outline_doc_id is None:
                push = unawaited(standing.content, self._clock())
            if push is None:
                if await otherwise():
                    return True
                continue
            if push.state is PushState.SENDING:
                return False  # Whoever sends it looks at the document for itself.
            step = _step(standing, push, document)
            if step is None:
                return False
            if isinstance(step, Rebase):
                step = replace(step, push=self._waiting(step.push))
            if await self._settler.settle(standing, push, step, placement):
                return True
        return False

    def _waiting(self, push: Push) -> Push:
        """A conflict that solved itself waits for Outline again."""
        if push.state is not PushState.CONFLICT:
            return push
        return replace(
            push, state=PushState.PENDING, remote=None, error=None, next_try_at=self._clock()
        )


def _step(standing: Standing, push: Push, document: UpstreamDocument) -> Settled | None:
    """Decide what is to be written; None if nothing is new."""
    step = decide(standing, push, document)
    if isinstance(step, Tell):
        return (
            None if _nothing_new(standing, push, document) else _refreshed(standing, push, document)
        )
    if isinstance(step, Clash) and known_clash(push, step.document):
        return None
    return step


def _nothing_new(standing: Standing, push: Push, document: UpstreamDocument) -> bool:
    """Tell whether a document is as it was known to be, text and all."""
    if push.state is PushState.CONFLICT:
        return False
    content = standing.content
    known = (content.outline_updated_at, content.revision, content.collection_id)
    shown = (document.updated_at, document.revision, document.collection_id)
    return known == shown or push.operation is Operation.TRASH


def _refreshed(standing: Standing, push: Push, document: UpstreamDocument) -> Rebase:
    content = standing.content
    return Rebase(document, Wording(content.title, content.text), push)
