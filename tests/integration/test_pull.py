import asyncio

import pytest
from mirror_world import mirror_world

from personal_context.domain.models import SyncStatus


@pytest.fixture(params=["1.9.2", "main"])
async def world(request, tmp_path):
    async with mirror_world(tmp_path, version=request.param) as world:
        yield world


async def same(world):
    assert await world.mirror() == await world.wiki_shows()


async def test_a_first_pull_mirrors_text_tree_and_order(world):
    parent = world.create("Parent", "# One\n\ntwo\\nthree")
    world.create("Child", parent_id=parent)
    world.create("Naïve 日本語 \u202e title", "Ünïcode 🎉")
    world.sandbox.documents.create("Draft", collection_id=world.collection.id, publish=False)

    report = await world.pull()

    assert report.error is None
    assert report.created == 3
    await same(world)


async def test_a_first_pull_of_n_documents_costs_a_hundredth_and_a_constant(world):
    for number in range(250):
        world.create(f"Document {number}", raw=True)

    report = await world.pull()

    assert report.created == 250
    assert report.requests <= 3 + 3
    await same(world)


async def test_a_quiet_poll_costs_two_requests_and_changes_nothing(world):
    for number in range(150):
        world.create(f"Document {number}", raw=True)
    await world.pull()

    soon = await world.pull()
    world.clock.advance(minutes=5)
    await world.pull()  # looks once behind the cursor
    world.clock.advance(minutes=5)
    later = await world.pull()

    assert (soon.requests, later.requests) == (2, 2)
    assert (later.created, later.updated, later.removed, later.moved) == (0, 0, 0, 0)


async def test_edits_retitles_and_new_documents_are_seen(world):
    first = world.create("First")
    second = world.create("Second")
    await world.pull()
    world.clock.advance(minutes=5)
    world.sandbox.documents.edit(first, text="Another text.")
    world.sandbox.documents.edit(second, title="The second")
    world.create("Third", parent_id=first)

    report = await world.pull()

    assert (report.created, report.updated, report.removed) == (1, 2, 0)
    await same(world)


async def test_moves_and_reorders_are_seen_although_the_time_stays(world):
    ids = [world.create(f"Document {number}") for number in range(4)]
    await world.pull()
    world.sandbox.documents.move(ids[0], collection_id=world.collection.id, index=0)
    world.sandbox.documents.move(ids[1], parent_id=ids[2])

    report = await world.pull()

    assert report.moved >= 2
    await same(world)


@pytest.mark.parametrize("departure", ["trash", "archive", "purge"])
async def test_what_left_the_wiki_leaves_the_mirror_children_included(world, departure):
    parent = world.create("Parent")
    child = world.create("Child", parent_id=parent)
    world.create("Stays")
    await world.pull()
    if departure == "archive":
        world.sandbox.documents.archive(parent)
    else:
        world.sandbox.documents.trash(parent)
    if departure == "purge":
        world.sandbox.documents.purge(child)
        world.sandbox.documents.purge(parent)

    report = await world.pull()

    assert report.removed == 2
    await same(world)


async def test_unpublished_goes_and_comes_back(world):
    document = world.create("Document")
    await world.pull()
    world.sandbox.documents.unpublish(document)
    assert (await world.pull()).removed == 1
    world.sandbox.documents.publish(document)

    assert (await world.pull()).restored == 1
    await same(world)


async def test_a_backdated_document_is_found_by_the_tree(world):
    world.create("Today")
    await world.pull()
    world.create("Imported", created_at=world.clock.now.replace(year=2020))

    assert (await world.pull()).created == 1
    await same(world)


async def test_a_document_that_moves_to_another_mirrored_collection_is_kept(world):
    other = world.sandbox.collections.create("Runbooks")
    document = world.create("Document")
    await world.pull()
    world.sandbox.documents.move(document, collection_id=other.id)
    world.mirrored.add(other.id)

    report = await world.pull()

    assert (report.updated, report.removed) == (1, 0)
    assert [row[0] for row in await world.mirror(other.id)] == [document]


async def test_a_document_that_moves_out_of_sight_leaves(world):
    other = world.sandbox.collections.create("Not mirrored")
    document = world.create("Document")
    await world.pull()
    world.sandbox.documents.move(document, collection_id=other.id)

    assert (await world.pull()).removed == 1
    assert await world.mirror() == []


async def test_children_that_share_one_timestamp_are_all_found(world):
    elsewhere = world.sandbox.collections.create("Elsewhere")
    parent = world.create("Parent", collection_id=elsewhere.id)
    for number in range(130):
        world.create(f"Child {number}", collection_id=None, parent_id=parent, raw=True)
    world.create("Here")
    await world.pull()
    world.sandbox.documents.move(parent, collection_id=world.collection.id)

    await world.pull()

    await same(world)


async def test_a_sweep_asks_for_what_the_list_did_not_show(world):
    moment = world.clock.now.replace(year=2020)
    ids = [world.create(f"Twin {number}", raw=True, created_at=moment) for number in range(230)]
    await world.pull()
    for content_id in ids:
        world.sandbox.documents.edit(content_id, text="edited", raw=True)
    world.sandbox.services.world.state.connection.execute(
        "UPDATE documents SET updated_at = '2020-01-01T00:00:00.000Z'"
    )

    await world.pull(full=True)

    await same(world)


async def test_an_edit_between_two_pages_is_caught_by_the_next_pass(world):
    ids = [world.create(f"Document {number}", raw=True) for number in range(220)]

    def edit():
        world.sandbox.documents.edit(ids[3], text="edited while listed")
        world.sandbox.documents.trash(ids[50])

    world.sandbox.faults.before_page(2, edit)
    await world.pull()
    world.clock.advance(minutes=5)
    await world.pull()

    await same(world)


@pytest.mark.parametrize("endpoint", ["documents.list", "collections.documents"])
@pytest.mark.parametrize("status", [401, 403, 500])
async def test_an_ill_outline_removes_nothing_and_is_shown(world, endpoint, status):
    world.create("Document")
    await world.pull()
    before = await world.store.sync_state(world.collection.id)
    world.sandbox.faults.status(endpoint, status, times=99)

    report = await world.pull()
    state = await world.store.sync_state(world.collection.id)
    world.sandbox.faults.clear()

    assert report.error
    assert state.status is SyncStatus.ERROR
    assert state.error_message
    assert state.last_pull_at == before.last_pull_at
    await same(world)
    assert (await world.pull()).error is None
    assert (await world.store.sync_state(world.collection.id)).error_message is None


@pytest.mark.parametrize("fault", ["cut", "garbage", "html", "timeout", "refuse"])
async def test_a_transient_fault_is_ridden_out(world, fault):
    world.create("Document")
    getattr(world.sandbox.faults, fault)("documents.list")

    assert (await world.pull()).error is None
    await same(world)


async def test_a_key_that_dies_while_suspects_are_checked_removes_nothing(world):
    documents = [world.create(f"Document {number}") for number in range(3)]
    await world.pull()
    world.sandbox.documents.trash(documents[0])
    world.sandbox.faults.status("documents.info", 401, times=9)

    report = await world.pull()

    assert report.error
    assert len(await world.mirror()) == 3


async def test_a_403_counts_only_while_the_collection_answers(world):
    documents = [world.create(f"Document {number}") for number in range(3)]
    await world.pull()
    world.sandbox.documents.trash(documents[0])
    world.sandbox.faults.status("documents.info", 403)
    world.sandbox.faults.status("collections.info", 403)

    refused = await world.pull()
    kept = len(await world.mirror())
    world.sandbox.faults.status("documents.info", 403)
    believed = await world.pull()

    assert refused.error
    assert kept == 3
    assert believed.removed == 1


async def test_many_removals_wait_for_a_persons_word(world):
    documents = [world.create(f"Document {number}", raw=True) for number in range(20)]
    await world.pull()
    for document in documents[:12]:
        world.sandbox.documents.trash(document)

    stopped = await world.pull()
    kept = len(await world.mirror())
    confirmed = await world.pull(agreed_removals=12)

    assert "12 of 20" in stopped.error
    assert kept == 20
    assert confirmed.removed == 12
    await same(world)


async def test_a_document_that_fails_is_tried_again_and_stops_no_other(world):
    good = world.create("Good")
    bad = world.create("Bad", "poison")
    prepare = world.puller._prepare

    async def poisoned(title, text):
        if "poison" in text:
            raise ValueError("can't be read")
        return await prepare(title, text)

    world.puller._prepare = poisoned
    first = await world.pull()
    mirrored = [row[0] for row in await world.mirror()]
    [failure] = await world.store.failures()
    world.restart()
    await world.pull()
    world.clock.advance(minutes=2)
    second = await world.pull()

    assert list(first.failed) == [bad]
    assert mirrored == [good]
    assert (failure.title, failure.attempts) == ("Bad", 1)
    assert "can't be read" in failure.error
    assert second.failed == {}
    assert await world.store.failures() == []
    await same(world)


async def test_a_pass_that_is_cut_short_leaves_no_error_and_the_next_one_finishes(world):
    for number in range(5):
        world.create(f"Document {number}")
    halfway = asyncio.Event()
    cut = asyncio.create_task(
        world.pull(on_progress=lambda done, _total: halfway.set() if done == 2 else None)
    )
    await halfway.wait()
    cut.cancel()

    with pytest.raises(asyncio.CancelledError):
        await cut
    state = await world.store.sync_state(world.collection.id)
    mirrored = len(await world.mirror())
    report = await world.pull()

    assert state.status is SyncStatus.IDLE
    assert state.last_pull_at is None
    assert 2 <= mirrored < 5
    assert (report.created, report.unchanged) == (5 - mirrored, mirrored)
    await same(world)


async def test_a_crash_moves_no_cursor_and_what_it_left_is_done_by_the_next_process(world):
    ids = [world.create(f"Document {number}") for number in range(3)]
    await world.pull()
    before = await world.store.sync_state(world.collection.id)
    for key in ids[:2]:
        world.sandbox.documents.edit(key, text="changed")

    class Killed(BaseException):
        """Nothing catches it, as nothing runs in a killed process any more."""

    def die(*_):
        raise Killed

    with pytest.raises(Killed):
        await world.pull(on_progress=die)
    left = await world.store.sync_state(world.collection.id)
    world.restart()
    await world.pull()

    assert (left.status, left.last_pull_at) == (SyncStatus.SYNCING, before.last_pull_at)
    await same(world)


async def test_tags_and_origin_of_a_note_survive_a_pull(world):
    document = world.create("Document")
    await world.pull()
    world.sandbox.documents.edit(document, text="edited")
    await world.pull()

    content = await world.store.get(document)

    assert content.text == "edited"
    assert content.outline_updated_at == world.sandbox.documents.get(document).updated_at


async def test_a_document_that_can_not_be_read_fails_alone(world):
    good = world.create("Good")
    await world.pull()
    bad = world.create("Bad")
    world.clock.advance(minutes=5)
    world.sandbox.faults.garbage(
        "documents.list",
        body=b'{"ok": true, "data": [{"id": "%s"}], "pagination": {"limit": 100, "offset": 0}}'
        % bad.encode(),
    )
    world.sandbox.faults.garbage(
        "documents.info", times=9, body=b'{"ok": true, "data": {"id": "%s"}}' % bad.encode()
    )

    report = await world.pull()
    world.sandbox.faults.clear()
    mirrored = [row[0] for row in await world.mirror()]
    world.clock.advance(minutes=2)
    again = await world.pull()

    assert report.error is None
    assert list(report.failed) == [bad]
    assert mirrored == [good]
    assert again.failed == {}
    await same(world)


async def test_what_could_not_be_read_once_and_has_not_changed_fails_no_longer(world):
    known = world.create("Known")
    world.clock.advance(hours=1)
    world.create("Newer")
    await world.pull()
    damaged = b'{"ok": true, "data": [{"id": "%s"}], "pagination": {"limit": 100, "offset": 0}}'
    world.sandbox.faults.garbage("documents.list", body=damaged % known.encode())
    world.sandbox.faults.garbage(
        "documents.info", times=9, body=b'{"ok": true, "data": {"id": "%s"}}' % known.encode()
    )
    failed = await world.pull(full=True)
    world.sandbox.faults.clear()
    world.clock.advance(minutes=2)

    again = await world.pull()
    quiet = await world.pull()

    assert known in failed.failed
    assert again.failed == {}
    assert await world.store.failures() == []
    assert quiet.requests == 2
