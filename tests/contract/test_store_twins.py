"""What ports.Store promises of contents that are added again."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from builders import HANDBOOK, LOG, NOW, content, content_id, mirror_all, note, prepared

from personal_context.domain.models import LogEntry, PushState


async def add(store, document, **more):
    return await store.add(document, prepared(document), log=LogEntry("create"), **more)


async def again(store, number=9, **more):
    """Tell what is found of `note(1)` when it is added once more."""
    return await add(store, note(number, **more), once=True)


async def test_the_same_title_and_text_are_written_once(store):
    first = await add(store, note(1, "The Key", "Hall\n"), once=True, push_to=HANDBOOK)
    second = await add(store, note(2, "the key!", "\nHall"), once=True, push_to=HANDBOOK)

    assert (first.content_id, first.created) == (content_id(1), True)
    assert (second.content_id, second.created) == (content_id(1), False)
    assert (await store.counts()).contents == 1
    assert [entry.content_id for entry in await store.outbox(limit=9)] == [content_id(1)]
    assert len(await store.log(limit=9)) == 1


async def test_another_title_or_text_is_another_content(store):
    await add(store, note(1, "Key", "a > b"))

    assert (await add(store, note(2, "Key", "a < b"), once=True)).created
    assert (await add(store, note(3, "Keys", "a > b"), once=True)).created


async def test_of_many_who_add_at_once_one_writes(store):
    kept = await asyncio.gather(*(add(store, note(n), once=True) for n in range(1, 9)))

    assert len({one.content_id for one in kept}) == 1
    assert sum(one.created for one in kept) == 1


async def test_whoever_wants_a_second_one_gets_it_and_is_told(store):
    documents = [note(n, created_at=NOW + timedelta(minutes=n)) for n in (2, 1, 3)]
    for document in documents:
        last = await add(store, document)

    assert last.created
    assert last.same_text == last.same_title == (content_id(2), content_id(1))
    assert (await again(store)).content_id == content_id(1)


async def test_namesakes_and_copies_are_told_and_the_trash_is_not(store):
    await mirror_all(store, content(1, "Key", "Hall"), content(2, "Other", "Door"))
    await mirror_all(store, content(3, "KEY", "Cellar"), content(4, "Gone", "Door"))
    await store.trash(content_id(4), reason="gone", log=LOG)

    kept = await add(store, note(5, "Key", "Door"), once=True)

    assert kept.created
    assert set(kept.same_title) == {content_id(1), content_id(3)}
    assert kept.same_text == (content_id(2),)


async def test_no_more_than_five_are_told_newest_first(store):
    for number in range(1, 9):
        await add(store, note(number, created_at=NOW + timedelta(minutes=number)))
    kept = await add(store, note(9))

    assert kept.same_title == tuple(content_id(n) for n in (8, 7, 6, 5, 4))


async def claimed(store):
    return await store.claim_push(content_id(1), "me", now=NOW, until=NOW + timedelta(minutes=5))


async def test_it_is_known_again_after_outline_has_spelt_it_its_own_way(store):
    ours = note(1, "Key", "- hall\n- door")
    await add(store, ours, push_to=HANDBOOK)
    standing = await claimed(store)
    theirs = replace(content(1, "Key", "* hall\n* door"), source_type=ours.source_type)
    assert await store.settle(standing, push=None, write=(theirs, prepared(theirs)))

    assert not (await again(store, title="Key", text="- hall\n- door")).created
    # A look that finds nothing new changes nothing about that, nor does a move.
    await mirror_all(store, theirs, replace(theirs, position=4))
    assert not (await again(store, title="Key", text="- hall\n- door")).created


async def test_once_a_person_changed_it_the_old_text_is_another(store):
    await mirror_all(store, content(1, "Key", "Hall"))
    assert not (await again(store, title="Key", text="Hall")).created

    await mirror_all(store, content(1, "Key", "Cellar"))

    assert not (await again(store, title="Key", text="Cellar")).created
    assert (await again(store, title="Key", text="Hall")).created


async def test_a_conflict_that_outline_wins_makes_its_text_the_one(store):
    await add(store, note(1, "Key", "Ours"), push_to=HANDBOOK)
    standing = await claimed(store)
    clash = replace(standing.push, state=PushState.CONFLICT)
    assert await store.settle(standing, push=clash)
    theirs = content(1, "Key", "Theirs")
    standing = await store.standing(content_id(1))
    assert await store.settle(standing, push=None, write=(theirs, prepared(theirs)))

    assert (await again(store, title="Key", text="Ours")).created
    assert not (await again(store, 8, title="Key", text="Theirs")).created


async def test_the_trash_is_not_searched_and_what_comes_back_is_known(store):
    document = content(1, "Key", "Hall")
    await mirror_all(store, document)
    await store.trash(document.id, reason="gone", log=LOG)
    assert (await again(store, 2, title="Key", text="Hall")).content_id == content_id(2)

    await mirror_all(store, replace(document, created_at=NOW - timedelta(days=1)))

    assert (await again(store, title="Key", text="Hall")).content_id == document.id
    assert (await store.get(document.id)).text == "Hall"
