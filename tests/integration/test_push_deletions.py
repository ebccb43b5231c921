"""Deletions and returns reach Outline, if they may; what people edited is not deleted."""

import pytest
from mirror_world import mirror_world
from pushed_page import agree, here, push_of, there

from personal_context.domain.errors import ContentNotFound
from personal_context.domain.models import Edit, EditMode, Operation, PushState

TEXT = "one\n\ntwo\n\nthree"
MORE = Edit(EditMode.APPEND, "four")


@pytest.fixture(params=["1.9.2", "main"])
async def world(request, tmp_path):
    async with mirror_world(tmp_path, version=request.param) as world:
        world.page = world.create("Page", TEXT)
        await world.pull()
        yield world


# --- deleting and restoring


async def test_what_is_deleted_here_goes_to_outlines_trash(world):
    await world.delete(world.page)

    report = await world.pull()
    assert (report.restored, report.failed) == (0, {})
    with pytest.raises(ContentNotFound):
        await here(world)
    assert await world.push(world.page) is PushState.SYNCED
    assert there(world).deleted_at is not None
    assert (await world.pull()).restored == 0


async def test_nothing_is_trashed_without_leave(world):
    await world.delete(world.page)

    assert await world.pusher(may_trash=False).push(world.page) is PushState.FAILED
    assert "PERSONAL_CONTEXT_OUTLINE_ALLOW_DELETE" in (await push_of(world)).error
    assert there(world).live


async def test_what_is_below_is_not_trashed_along(world):
    world.sandbox.documents.create("Child", parent_id=world.page)
    await world.delete(world.page)

    assert await world.push(world.page) is PushState.FAILED
    assert "documents below" in (await push_of(world)).error
    assert there(world).live


@pytest.mark.parametrize("child", ["published", "draft", "archived"])
async def test_what_came_below_a_moment_ago_is_not_trashed_along(world, child):
    """Outline's tree may be one of a moment ago, and shows neither drafts nor the archive."""
    faults = world.sandbox.faults

    def write():
        made = world.sandbox.documents.create(
            "Child", parent_id=world.page, publish=child != "draft"
        )
        if child == "archived":
            world.sandbox.documents.archive(made.id)

    faults.before_request(1, write, endpoint="documents.list")
    await world.delete(world.page)

    assert await world.push(world.page) is PushState.FAILED
    assert "documents below" in (await push_of(world)).error
    assert there(world).live


async def test_a_tree_that_lacks_the_document_is_no_proof_that_nothing_is_below(world):
    empty = b'{"ok":true,"status":200,"data":[],"pagination":{}}'
    world.sandbox.faults.garbage("collections.documents", body=empty)
    await world.delete(world.page)

    assert await world.push(world.page) is PushState.PENDING
    assert there(world).live
    world.clock.advance(hours=1)
    assert await world.push(world.page) is PushState.SYNCED


@pytest.mark.parametrize("how", ["pull", "push"])
async def test_what_was_edited_meanwhile_is_not_trashed(world, how):
    await world.delete(world.page)
    world.sandbox.documents.edit(world.page, text="Keep this!")

    if how == "pull":
        await world.pull()
    else:
        assert await world.push(world.page) is PushState.CONFLICT
    push = await push_of(world)
    assert (push.state, push.operation) == (PushState.CONFLICT, Operation.TRASH)
    assert push.remote.text == "Keep this!"
    assert there(world).live


async def test_what_is_edited_in_the_moment_of_its_deletion_comes_back(world):
    # Outline deletes whatever is there.
    await world.delete(world.page)
    world.sandbox.faults.before_request(1, _edited(world), endpoint="documents.delete")

    assert await world.push(world.page) is PushState.CONFLICT
    assert there(world).live
    assert there(world).text == "Keep this!"


def _edited(world):
    return lambda: world.sandbox.documents.edit(world.page, text="Keep this!")


async def test_that_more_was_deleted_is_seen_although_the_answer_got_lost(world):
    await world.delete(world.page)
    faults = world.sandbox.faults
    faults.before_request(1, _edited(world), endpoint="documents.delete")
    faults.timeout("documents.delete", after=True)
    await world.push(world.page)
    world.clock.advance(hours=1)

    assert await world.push(world.page) is PushState.CONFLICT
    push = await push_of(world)
    assert push.remote.text == "Keep this!"
    assert "just before" in push.error


@pytest.mark.parametrize("fault", ["timeout", "refuse", "status"])
async def test_a_deletion_whose_answer_got_lost_is_seen(world, fault):
    await world.delete(world.page)
    if fault == "status":
        world.sandbox.faults.status("documents.delete", 503, after=True)
    else:
        more = {"after": True} if fault == "timeout" else {}
        getattr(world.sandbox.faults, fault)("documents.delete", **more)

    await world.push(world.page)
    world.clock.advance(hours=1)
    await world.pusher().drain()
    assert there(world).deleted_at is not None
    assert await push_of(world) is None


async def test_what_comes_back_here_comes_back_there(world):
    await world.delete(world.page)
    await world.push(world.page)
    await world.bring_back(world.page)
    assert (await here(world)).text == TEXT
    assert (await world.pull()).removed == 0

    assert await world.push(world.page) is PushState.SYNCED
    assert there(world).live
    await agree(world)


@pytest.mark.parametrize("fault", ["timeout", "refuse"])
async def test_a_return_whose_answer_got_lost_is_seen(world, fault):
    await world.delete(world.page)
    await world.push(world.page)
    await world.bring_back(world.page)
    more = {"after": True} if fault == "timeout" else {}
    getattr(world.sandbox.faults, fault)("documents.restore", **more)

    await world.push(world.page)
    world.clock.advance(hours=1)
    await world.pusher().drain()
    assert there(world).live
    await agree(world)


async def test_a_deletion_that_was_not_told_is_undone_without_a_word(world):
    await world.edit(world.page, MORE)
    await world.delete(world.page)
    await world.bring_back(world.page)

    assert await world.push(world.page) is PushState.SYNCED
    assert there(world).text == f"{TEXT}\n\nfour"
    endpoints = {call.endpoint for call in world.sandbox.calls()}
    assert not endpoints & {"documents.delete", "documents.restore"}


async def test_what_comes_back_and_is_edited_is_both(world):
    await world.delete(world.page)
    await world.push(world.page)
    await world.bring_back(world.page)
    await world.edit(world.page, MORE)

    assert await world.push(world.page) is PushState.SYNCED
    assert there(world).text == f"{TEXT}\n\nfour"
    await agree(world)


async def test_what_was_changed_before_it_was_deleted_comes_back_with_the_change(world):
    """Outline was told of the deletion alone, and has the text of before in its trash."""
    await world.edit(world.page, MORE)
    await world.delete(world.page)
    await world.push(world.page)
    assert there(world).text == TEXT
    await world.bring_back(world.page)

    await world.push(world.page)
    assert there(world).live
    assert (await here(world)).text == f"{TEXT}\n\nfour"
    assert (await push_of(world)).state is PushState.CONFLICT


async def test_what_outline_has_forgotten_can_not_come_back_there(world):
    await world.delete(world.page)
    await world.push(world.page)
    world.sandbox.documents.purge(world.page)
    await world.bring_back(world.page)

    assert await world.push(world.page) is PushState.CONFLICT
    assert (await here(world)).text == TEXT
