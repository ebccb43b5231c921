"""What is changed on both sides in the moment in which an edit is sent."""

import pytest
from mirror_world import mirror_world
from pushed_page import agree, here, push_of, there

from personal_context.domain.models import Edit, EditMode, PushState

TEXT = "one\n\ntwo"


@pytest.fixture(params=["1.9.2", "main"])
async def world(request, tmp_path):
    async with mirror_world(tmp_path, version=request.param) as world:
        world.page = world.create("Page", TEXT)
        await world.pull()
        await world.client.abilities(world.page)
        yield world


def while_it_is_sent(world, *doing):
    """Do it before Outline takes the update."""

    async def do():
        for one in doing:
            await one()

    world.sandbox.faults.before_request(1, do, endpoint="documents.update")


async def ada_writes(world):
    """Above what there is."""
    world.sandbox.documents.edit(world.page, text=f"Ada's\n\n{TEXT}")


@pytest.mark.parametrize("order", ["ours first", "theirs first"])
async def test_a_text_written_without_reading_theirs_does_not_replace_it(world, order):
    await world.edit(world.page, Edit(EditMode.APPEND, "three"))
    deeds = [
        lambda: world.edit(world.page, Edit(EditMode.REPLACE, "new")),
        lambda: ada_writes(world),
    ]
    while_it_is_sent(world, *(deeds if order == "ours first" else reversed(deeds)))

    assert await world.push(world.page) is PushState.CONFLICT
    assert "Ada's" in there(world).text
    assert (await here(world)).text == "new"
    assert "Ada's" in (await push_of(world)).remote.text


async def test_a_page_deleted_without_reading_theirs_is_not_trashed(world):
    await world.edit(world.page, Edit(EditMode.APPEND, "three"))
    while_it_is_sent(world, lambda: world.delete(world.page), lambda: ada_writes(world))

    assert await world.push(world.page) is PushState.CONFLICT
    assert there(world).live
    assert "Ada's" in (await push_of(world)).remote.text


async def test_an_edit_that_fits_goes_on_top_of_theirs(world):
    await world.edit(world.page, Edit(EditMode.APPEND, "three"))
    patch = Edit(EditMode.PATCH, "2", find="two")
    while_it_is_sent(world, lambda: world.edit(world.page, patch), lambda: ada_writes(world))

    assert await world.push(world.page) is PushState.SYNCED
    assert there(world).text == "Ada's\n\none\n\n2\n\nthree"
    await agree(world)
