"""What Outline drops of an update is put right; what it only writes shorter is left alone."""

import pytest
from mirror_world import mirror_world
from pushed_page import agree, there

from personal_context.domain.models import Edit, EditMode, PushState

EDITS = {
    "append": Edit(EditMode.APPEND, "four"),
    "prepend": Edit(EditMode.PREPEND, "zero"),
    "patch": Edit(EditMode.PATCH, "zwei", find="two"),
}


@pytest.fixture(params=["1.9.2", "main"])
async def world(request, tmp_path):
    async with mirror_world(tmp_path, version=request.param) as world:
        world.page = world.create("Page", "one\n\ntwo\n\nthree")
        await world.pull()
        yield world


async def test_a_patch_that_drops_something_is_put_right(world):
    await world.client.abilities(world.page)
    await world.edit(world.page, EDITS["patch"])
    real = world.sandbox.documents.change

    def dropping(reference, changes, **more):
        world.sandbox.documents.change = real
        return real(reference, {"text": "zwei"}, **more)

    world.sandbox.documents.change = dropping

    assert await world.push(world.page) is PushState.SYNCED
    assert there(world).text == "one\n\nzwei\n\nthree"
    await agree(world)


async def test_what_somebody_writes_while_it_is_put_right_is_not_replaced(world):
    """Outline drops a part of the append, and of the patch after it; then somebody is quicker."""
    can = await world.client.abilities(world.page)
    await world.edit(world.page, EDITS["append"])
    real, times = world.sandbox.documents.change, iter(range(9))

    def dropping(reference, changes, **more):
        time = next(times)
        if time > 1:
            return real(reference, changes, **more)
        answer = real(reference, {"text": f"one\n\ntwo\n\nthree\n\n{'fo'[: 2 - time]}"}, **more)
        if time == 1:
            world.sandbox.documents.edit(world.page, text="A person's.")
        return answer

    world.sandbox.documents.change = dropping
    state = await world.push(world.page)

    assert there(world).text == "A person's."
    # Where it looks at revisions the whole is replaced at once, and the next pass sees the edit.
    assert state is (PushState.SYNCED if can.last_revision else PushState.CONFLICT)


@pytest.mark.parametrize(
    "text",
    [
        "AT&amp;T and &copy; 2024&nbsp;Acme",
        "first<br>second<br/>third",
        'see [docs][1]\n\n[1]: http://example.org/some/long/path "Title"',
    ],
)
async def test_what_outline_writes_shorter_is_not_taken_for_dropped(world, text):
    await world.client.abilities(world.page)
    await world.edit(world.page, Edit(EditMode.APPEND, text))
    before = len(world.sandbox.calls("documents.update"))

    assert await world.push(world.page) is PushState.SYNCED
    assert len(world.sandbox.calls("documents.update")) == before + 1
    await agree(world)


@pytest.mark.parametrize("name", ["append", "prepend"])
async def test_what_somebody_shortened_meanwhile_is_not_taken_for_dropped(world, name):
    await world.client.abilities(world.page)
    await world.edit(world.page, EDITS[name])
    world.sandbox.faults.before_request(
        1,
        lambda: world.sandbox.documents.edit(world.page, text="1"),
        endpoint="documents.update",
    )

    assert await world.push(world.page) is PushState.SYNCED
    assert there(world).text == {"append": "1\n\nfour", "prepend": "zero\n\n1"}[name]
    await agree(world)
