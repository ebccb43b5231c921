"""What stands below something is created after it."""

import pytest
from mirror_world import mirror_world

from personal_context.domain.models import ContentId, PushState

TOP = ContentId("0b2c4d6e-8f10-4a2b-9c3d-4e5f60718293")
MIDDLE = ContentId("1b2c4d6e-8f10-4a2b-9c3d-4e5f60718293")
LEAF = ContentId("2b2c4d6e-8f10-4a2b-9c3d-4e5f60718293")


@pytest.fixture
async def world(tmp_path):
    async with mirror_world(tmp_path) as world:
        await world.add(LEAF, "Leaf", parent_id=MIDDLE)
        await world.add(MIDDLE, "Middle", parent_id=TOP)
        await world.add(TOP, "Top")
        yield world


async def shape(world):
    return [(row[1], row[3]) for row in await world.wiki_shows()]


EXPECTED = [("Top", None), ("Middle", TOP), ("Leaf", MIDDLE)]


async def test_what_stands_above_goes_first(world):
    assert await world.push(LEAF) is PushState.SYNCED
    assert await shape(world) == EXPECTED
    assert await world.store.outbox(limit=9) == []


async def test_the_order_of_adding_does_not_matter(world):
    await world.pusher().drain()

    assert await shape(world) == EXPECTED


async def test_a_child_waits_for_a_parent_that_is_refused(world):
    world.sandbox.faults.status("documents.create", 403, error="authorization_error")

    assert await world.push(LEAF) is PushState.PENDING
    states = {entry.title: entry.state for entry in await world.store.outbox(limit=9)}
    assert states == {
        "Top": PushState.FAILED,
        "Middle": PushState.PENDING,
        "Leaf": PushState.PENDING,
    }
    assert await shape(world) == []


async def test_a_child_does_not_wait_for_the_choice_about_a_parent_that_is_there(world):
    world.create("Top", "Somebody else's.", id=TOP)

    assert await world.push(LEAF) is PushState.SYNCED
    entries = await world.store.outbox(limit=9)
    assert [(entry.title, entry.state) for entry in entries] == [("Top", PushState.CONFLICT)]
    assert await shape(world) == EXPECTED


@pytest.mark.parametrize("gone", ["trash", "archive", "unpublish"])
async def test_a_child_waits_for_the_choice_about_a_parent_that_is_gone(world, gone):
    world.create("Top", "Somebody else's.", id=TOP)
    getattr(world.sandbox.documents, gone)(TOP)

    assert await world.push(LEAF) is PushState.PENDING
    assert (await world.store.outbox_entry(TOP)).state is PushState.CONFLICT
