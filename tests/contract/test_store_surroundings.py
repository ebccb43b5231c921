"""What ports.Store promises of what stands around a content."""

from dataclasses import replace

from builders import HANDBOOK, LOG, content, content_id, indexed, mirror_all, note

from personal_context.domain.models import Link, SyncState, SyncStatus


async def linked(store, number, *links, **more):
    document = content(number, **more)
    await store.mirror(document, indexed(document.title, ["Text"], links), log=LOG)


def ids(neighbours):
    return [one.id for one in neighbours]


async def test_what_is_above_and_below_comes_in_order(store):
    await store.save_sync_state(SyncState(HANDBOOK, "Handbook", SyncStatus.IDLE))
    await mirror_all(
        store,
        content(1, "Top"),
        content(2, "Middle", parent_id=content_id(1)),
        content(3, "Here", parent_id=content_id(2)),
        content(5, "Second", parent_id=content_id(3), position=2),
        content(4, "First", parent_id=content_id(3), position=1),
        content(6, "Elsewhere"),
    )

    found = await store.surroundings(content_id(3), limit=9)

    assert found.collection == "Handbook"
    assert [one.title for one in found.above] == ["Top", "Middle"]
    assert ids(found.below) == [
        content_id(4),
        content_id(5),
    ]
    assert found.linked_from == []
    assert ids((await store.surroundings(content_id(3), limit=1)).below) == ids(found.below)[:1]


async def test_a_circle_ends(store):
    await mirror_all(
        store,
        content(1, parent_id=content_id(2)),
        content(2, parent_id=content_id(1)),
        content(3, parent_id=content_id(3)),
    )

    assert ids((await store.surroundings(content_id(1), limit=9)).above) == [content_id(2)]
    own = await store.surroundings(content_id(3), limit=9)
    assert (own.above, own.below) == ([], [])


async def test_links_are_known_from_both_ends(store):
    await linked(store, 1, title="Target")
    await linked(
        store,
        2,
        Link("url0000001", "see the target"),
        Link(content_id(1), "once more"),
        Link("nowhere123", "gone"),
        title="zeta",
    )
    await linked(store, 3, Link(content_id(1), "as told"), title="Alpha")
    await linked(store, 4, Link(content_id(4), "to itself"))

    found = await store.surroundings(content_id(1), limit=9)

    assert [(one.title, one.words) for one in found.linked_from] == [
        ("Alpha", "as told"),
        ("zeta", "see the target"),
    ]
    assert (await store.surroundings(content_id(2), limit=9)).links == {
        "url0000001": content_id(1),
        content_id(1): content_id(1),
    }
    assert (await store.surroundings(content_id(4), limit=9)).linked_from == []


async def test_what_is_in_the_trash_refers_to_nothing(store):
    await linked(store, 1)
    await linked(store, 2, Link(content_id(1), "here"))
    await store.trash(content_id(2), reason="deleted", log=LOG)

    assert (await store.surroundings(content_id(1), limit=9)).linked_from == []


async def test_an_absent_content_stands_alone(store):
    found = await store.surroundings(content_id(9), limit=9)

    assert (found.collection, found.above, found.below, found.links) == (None, [], [], {})


async def test_a_note_without_collection_has_none(store):
    local = replace(note(1), collection_id=None)
    await mirror_all(store, local)

    assert (await store.surroundings(local.id, limit=9)).collection is None
