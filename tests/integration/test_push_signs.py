"""What people change is seen to the sign, also when an answer got lost on the way."""

import pytest
from mirror_world import mirror_world
from pushed_page import here, push_of, there

from personal_context.domain.models import Edit, EditMode, PushState

TEXT = "Take x < 5, see [the plan](https://a.example/old).\n\nMore."
WHO = "They know."


@pytest.fixture(params=["1.9.2", "main"])
async def world(request, tmp_path):
    async with mirror_world(tmp_path, version=request.param) as world:
        world.page = world.create("Page", TEXT)
        await world.pull()
        await world.client.abilities(world.page)
        yield world


async def unanswered(world, edit, *, arrived):
    """Make an edit whose answer gets lost, and nobody can look what became of it."""
    await world.edit(world.page, edit)
    faults = world.sandbox.faults
    faults.timeout("documents.update", after=arrived)
    faults.refuse("documents.update", times=99)
    await world.push(world.page)
    faults.clear()
    world.clock.advance(hours=1)


PATCHES = [
    Edit(EditMode.PATCH, "x > 5", find="x < 5"),
    Edit(EditMode.PATCH, "https://a.example/new", find="https://a.example/old"),
    Edit(EditMode.PATCH, "**More.**", find="More."),
]


@pytest.mark.parametrize("edit", PATCHES, ids=lambda edit: edit.find)
@pytest.mark.parametrize("arrived", [False, True])
async def test_a_patch_of_signs_arrives_once_beside_somebodys_edit(world, edit, arrived):
    await unanswered(world, edit, arrived=arrived)
    world.sandbox.documents.edit(world.page, text=f"{WHO}\n\n{there(world).text}")

    await world.pusher().drain()

    assert await push_of(world) is None
    assert there(world).text == f"{WHO}\n\n{TEXT.replace(edit.find, edit.text)}"
    assert (await here(world)).text == there(world).text


@pytest.mark.parametrize("mode", [EditMode.APPEND, EditMode.PREPEND])
async def test_an_addition_that_somebody_corrected_is_not_made_again(world, mode):
    await unanswered(world, Edit(mode, "The meeting is on Monday."), arrived=True)
    if await push_of(world) is None:
        pytest.skip("this Outline said at once that it had arrived")
    corrected = there(world).text.replace("Monday", "Tuesday")
    assert "Tuesday" in corrected
    world.sandbox.documents.edit(world.page, text=corrected)

    await world.pusher().drain()

    assert there(world).text == corrected
    push = await push_of(world)
    assert push.state is PushState.CONFLICT
    assert push.remote.text == corrected


async def test_a_correction_of_what_was_created_unanswered_is_not_overwritten(world):
    note = "10000000-0000-4000-8000-00000000000a"
    await world.add(note, text=TEXT)
    faults = world.sandbox.faults
    faults.timeout("documents.create", after=True)
    faults.refuse("documents.info", times=99)
    await world.push(note)
    faults.clear()
    world.page = note
    corrected = there(world).text.replace("x < 5", "x > 5")
    world.sandbox.documents.edit(note, text=corrected)
    await world.edit(note, Edit(EditMode.REPLACE, f"{TEXT}\n\nA line of the agent."))
    world.clock.advance(hours=1)

    await world.pusher().drain()

    assert there(world).text == corrected
    push = await push_of(world)
    assert push.state is PushState.CONFLICT
    assert push.remote.text == corrected
