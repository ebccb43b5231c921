"""Looking at single documents that something happened to, without going through a list."""

import asyncio
from collections.abc import Collection, Mapping

from personal_context.domain.models import CollectionId, ContentId
from personal_context.sync.asking import Told
from personal_context.sync.passes import OnePass
from personal_context.sync.plan import Action, placements, suspects, too_many_removals
from personal_context.sync.webhooks import Hint

MANY = 20
"""Documents above which a pass costs less than a request for each."""


def where_to_look(
    hints: Mapping[ContentId, Hint],
    held: Mapping[ContentId, CollectionId | None],
    mirrored_collections: Collection[CollectionId],
) -> Mapping[CollectionId, Mapping[ContentId, Hint]]:
    """Sort hints by the collection in which each is to be looked at.

    A document that isn't held and not shown, a draft above all, is nothing to us; nor is one that
    is, and was, elsewhere.

    Args:
        hints: What happened.
        held: Where the store has what it has of these documents.
        mirrored_collections: All that are mirrored.
    """
    found: dict[CollectionId, dict[ContentId, Hint]] = {}
    for content_id, hint in hints.items():
        if content_id not in held and hint.shown is False:
            continue
        # Where it came to is looked at before where it was: nothing has to be removed then.
        places = (hint.collection_id, held.get(content_id))
        here = next((place for place in places if place in mirrored_collections), None)
        if here is not None:
            found.setdefault(here, {})[content_id] = hint
    return found


async def look(one: OnePass, hints: Mapping[ContentId, Hint]) -> bool:
    """Bring some documents of a collection into the store, and the tree if that may differ.

    Args:
        one: A pass over the collection, not run.
        hints: What happened to which documents; all are asked for.

    Returns:
        False if that can't settle it and the pass has to run. What was written is right for all
        that.

    Raises:
        UpstreamError: Outline answered for none, or gave no tree.
    """
    tally = one.tally
    asked = {content_id: await one.asking.ask(content_id) for content_id in sorted(hints)}
    told = {content_id: answer for content_id, answer in asked.items() if answer is not None}
    here = {i: answer for i, answer in told.items() if _is_here(one, answer)}
    if all(_has_its_place(one, i, here.get(i), hints[i]) for i in told):
        tally.placements = {i: tally.mirrored[i].placement for i in here}
        await _write(one, here)
    elif not await _look_at_tree(one, told, here):
        return False
    return not tally.failed and not tally.held


def _is_here(one: OnePass, told: Told) -> bool:
    document = told.document
    return (
        document is not None and document.live and document.collection_id == one.tally.collection_id
    )


def _has_its_place(one: OnePass, content_id: ContentId, told: Told | None, hint: Hint) -> bool:
    """Tell whether a document stands where the mirror has it, as far as it says itself."""
    mirrored = one.tally.mirrored.get(content_id)
    if told is None or told.document is None or mirrored is None:
        return False
    return not hint.moves and told.document.parent_id == mirrored.placement.parent_id


async def _write(one: OnePass, here: Mapping[ContentId, Told]) -> None:
    documents = [told.document for told in here.values() if told.document is not None]
    for action, title in await one.compared(documents):
        await one.apply(action, title)


async def _look_at_tree(
    one: OnePass, told: Mapping[ContentId, Told], here: Mapping[ContentId, Told]
) -> bool:
    """Settle what came, went or moved, with all that did so along with it."""
    tally = one.tally
    tree = await one.upstream.tree(tally.collection_id)
    tally.placements = await asyncio.to_thread(placements, tree)
    found = await asyncio.to_thread(suspects, tally.mirrored, here, tally.placements)
    missing = [i for i in found.missing if i not in told]
    gone = [i for i in found.gone if i not in told]
    if len(missing) + len(gone) > MANY:
        return False
    await _write(one, here)
    actions: list[Action] = []
    for content_id in missing:
        actions += await one.fetch(content_id)
    actions += [
        one.verdict(i, answer)
        for i, answer in told.items()
        # A refusal is no evidence against a tree that shows the document.
        if i not in here and i in tally.mirrored and not (answer.refused and i in tally.placements)
    ]
    actions += await one.verdicts(gone)
    removals = sum(action.kind.removes for action in actions)
    if too_many_removals(removals, len(tally.mirrored)):
        return False
    for action in await one.allowed(actions):
        await one.apply(action, tally.title(action.content_id))
    await one.store.place(tally.collection_id, tally.placements)
    return True
