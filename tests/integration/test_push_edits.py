"""Edits reach Outline; what people wrote there is never overwritten."""

import pytest
from mirror_world import mirror_world
from pushed_page import agree, here, push_of, there

from personal_context.domain.models import Edit, EditMode, PushState

REPLACE, APPEND, PREPEND, PATCH, RETITLE = EditMode
TEXT = "one\n\ntwo\n\nthree"
EDITS = {
    "replace": Edit(REPLACE, "- new\n- text"),
    "append": Edit(APPEND, "four"),
    "prepend": Edit(PREPEND, "zero"),
    "patch": Edit(PATCH, "zwei", find="two"),
    "retitle": Edit(RETITLE, "New title"),
}
every_edit = pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)


@pytest.fixture(params=["1.9.2", "main"])
async def world(request, tmp_path):
    async with mirror_world(tmp_path, version=request.param) as world:
        world.page = world.create("Page", TEXT)
        await world.pull()
        yield world


# --- edits


@every_edit
async def test_an_edit_reaches_outline_and_the_next_pull_sees_no_change(world, edit):
    await world.edit(world.page, edit)

    assert await world.push(world.page) is PushState.SYNCED
    assert edit.text.replace("- ", "* ") in (there(world).title, *there(world).text.split("\n\n"))
    await agree(world)


async def test_each_edit_of_a_part_goes_by_itself(world):
    """So a person's comments stay, and whoever has the document open goes on typing."""
    await world.edit(world.page, Edit(APPEND, "four"))
    await world.edit(world.page, Edit(RETITLE, "New"), Edit(PATCH, "1", find="one"))
    await world.edit(world.page, Edit(PATCH, "2", find="two"))
    await world.edit(world.page, Edit(PREPEND, "zero"))
    before = len(world.sandbox.calls())

    assert await world.push(world.page) is PushState.SYNCED
    assert there(world).text == "zero\n\n1\n\n2\n\nthree\n\nfour"
    assert there(world).title == "New"
    updates = [call for call in world.sandbox.calls()[before:] if _writes(call)]
    assert [call.body["editMode"] for call in updates] == ["append", "patch", "patch", "prepend"]
    assert [call.body.get("findText") for call in updates] == [None, "one", "two", None]
    await agree(world)


@pytest.mark.parametrize("lost", [1, 2])
async def test_a_part_that_arrived_unknown_is_not_told_again(world, lost):
    await world.client.abilities(world.page)
    for edit in (Edit(PATCH, "one, one", find="one"), Edit(APPEND, "four"), Edit(PREPEND, "zero")):
        await world.edit(world.page, edit)

    def lose():
        world.sandbox.faults.timeout("documents.update", after=True)
        world.sandbox.faults.refuse("documents.update", times=9)

    world.sandbox.faults.before_request(lost, lose, endpoint="documents.update")
    for _ in range(3):
        await world.push(world.page)
        world.sandbox.faults.clear()
        world.clock.advance(hours=1)
    assert there(world).text == "zero\n\none, one\n\ntwo\n\nthree\n\nfour"
    await agree(world)


def _writes(call):
    body = call.body
    return call.endpoint == "documents.update" and ("text" in body or "title" in body)


async def test_a_pull_leaves_an_edit_that_waits(world):
    await world.edit(world.page, EDITS["replace"])

    report = await world.pull(full=True)
    assert (report.updated, report.failed) == (0, {})
    assert (await here(world)).text == "- new\n- text"
    assert await world.push(world.page) is PushState.SYNCED
    await agree(world)


async def test_a_touch_in_outline_is_no_edit(world):
    await world.edit(world.page, EDITS["replace"])
    world.sandbox.documents.edit(world.page, icon="📘")

    await world.pull()
    assert (await here(world)).revision == there(world).revision
    assert await world.push(world.page) is PushState.SYNCED
    await agree(world)


@pytest.mark.parametrize("name", ["append", "prepend", "patch", "retitle"])
@pytest.mark.parametrize("how", ["pull", "push", "in between"])
async def test_edits_of_two_sides_that_do_not_touch_are_put_together(world, name, how):
    await world.edit(world.page, EDITS[name])
    theirs = "one\n\ntwo\n\n*three*, says Ada"

    def edit():
        world.sandbox.documents.edit(world.page, text=theirs)

    if how == "in between":
        world.sandbox.faults.before_request(1, edit, endpoint="documents.update")
    else:
        edit()
    if how == "pull":
        await world.pull()

    assert await world.push(world.page) is PushState.SYNCED
    expected = {
        "append": f"{theirs}\n\nfour",
        "prepend": f"zero\n\n{theirs}",
        "patch": theirs.replace("two", "zwei"),
        "retitle": theirs,
    }
    assert there(world).text == expected[name]
    assert there(world).title == ("New title" if name == "retitle" else "Page")
    await agree(world)


CLASHES = {
    "text": (Edit(REPLACE, "ours"), {"text": "theirs"}),
    "patch": (Edit(PATCH, "zwei", find="two"), {"text": "one\n\n2\n\nthree"}),
    "title": (Edit(RETITLE, "Ours"), {"title": "Theirs"}),
}


@pytest.mark.parametrize("clash", CLASHES.values(), ids=CLASHES)
@pytest.mark.parametrize("how", ["pull", "push"])
async def test_edits_of_the_same_are_a_conflict_and_both_are_kept(world, clash, how):
    edit, theirs = clash
    await world.edit(world.page, edit)
    ours = await here(world)
    world.sandbox.documents.edit(world.page, **theirs)
    edited = there(world)

    if how == "pull":
        await world.pull()
    else:
        assert await world.push(world.page) is PushState.CONFLICT
    push = await push_of(world)
    assert push.state is PushState.CONFLICT
    assert (push.remote.title, push.remote.text) == (edited.title, edited.text)
    assert (push.base.title, push.base.text) == ("Page", TEXT)
    assert "edited in Outline" in push.error
    assert there(world) == edited
    assert (await here(world)).text == ours.text
    assert [line.operation for line in await world.store.log(limit=1)] == ["conflict"]
    world.clock.advance(days=1)
    assert await world.pusher().drain() == 0
    assert there(world) == edited


@pytest.mark.parametrize("number", range(1, 4))
async def test_an_edit_between_two_requests_is_not_overwritten(world, number):
    """Also where Outline doesn't look at revisions: what replaces a text names that text."""
    await world.push(world.page)
    await world.edit(world.page, EDITS["replace"])
    await world.client.abilities(world.page)  # so that the requests are those of the push
    world.sandbox.faults.before_request(
        number, lambda: world.sandbox.documents.edit(world.page, text="theirs")
    )

    state = await world.push(world.page)
    if there(world).text == "theirs":
        push = await push_of(world)
        assert (state, push.remote.text) == (PushState.CONFLICT, "theirs")
        assert (await here(world)).text == "- new\n- text"
    else:
        assert (state, there(world).text) == (PushState.SYNCED, "* new\n* text")
        assert number > 2  # after it was told


async def test_a_conflict_follows_what_people_go_on_writing(world):
    await world.edit(world.page, Edit(REPLACE, "ours"))
    for text in ("theirs", "theirs, later"):
        world.sandbox.documents.edit(world.page, text=text)
        await world.pull()
        assert (await push_of(world)).remote.text == text
    conflicts = [line for line in await world.store.log(limit=99) if line.operation == "conflict"]
    assert len(conflicts) == 1


@pytest.mark.parametrize("text", ["ours", TEXT])
async def test_a_conflict_ends_when_both_agree_or_the_other_edit_is_undone(world, text):
    await world.edit(world.page, Edit(REPLACE, "ours"))
    world.sandbox.documents.edit(world.page, text="theirs")
    await world.pull()
    world.sandbox.documents.edit(world.page, text=text)

    await world.pull()
    assert await world.push(world.page) is PushState.SYNCED
    assert there(world).text == "ours"
    await agree(world)


async def test_a_pass_says_nothing_of_a_conflict_that_is_known(world):
    await world.edit(world.page, Edit(REPLACE, "ours"))
    world.sandbox.documents.edit(world.page, text="theirs")
    await world.pull()

    report = await world.pull(full=True)
    assert (report.updated, report.created, report.failed) == (0, 0, {})


@every_edit
@pytest.mark.parametrize("fault", ["timeout", "garbage", "cut", "refuse", "status"])
async def test_an_answer_that_got_lost_edits_nothing_twice(world, edit, fault):
    await world.client.abilities(world.page)
    await world.edit(world.page, edit)
    expected = (await here(world)).text.replace("- ", "* ")
    faults = world.sandbox.faults
    if fault == "status":
        faults.status("documents.update", 503, after=True)
    else:
        getattr(faults, fault)(
            "documents.update", **({"after": True} if fault == "timeout" else {})
        )

    for _ in range(3):
        await world.push(world.page)
        world.clock.advance(hours=1)
    assert there(world).text == expected
    await agree(world)


@pytest.mark.parametrize("name", ["append", "prepend", "patch"])
async def test_an_edit_that_arrived_unknown_and_was_edited_is_not_made_again(world, name):
    await world.client.abilities(world.page)
    await world.edit(world.page, EDITS[name])
    world.sandbox.faults.timeout("documents.update", after=True)
    world.sandbox.faults.refuse("documents.update", times=9)
    world.sandbox.faults.refuse("documents.info", times=0)
    await world.push(world.page)
    world.sandbox.faults.clear()
    if await push_of(world) is None:
        return  # where Outline looks at revisions it was seen at once
    edited = f"{there(world).text}\n\nAda was here"
    world.sandbox.documents.edit(world.page, text=edited)
    world.clock.advance(hours=1)

    assert await world.pusher().drain() == 1
    assert there(world).text == edited
    await agree(world)


REFUSALS = {
    "title": (400, "validation_error", "Document title must be 100 characters or less (title)"),
    "text": (400, "validation_error", "text: Too big: expected string to have <=1536000"),
    "not allowed": (403, "authorization_error", "Authorization error"),
    "size": (413, "", "request entity too large"),
}


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_what_outline_refuses_waits_for_a_person(world, refusal):
    await world.client.abilities(world.page)
    await world.edit(world.page, EDITS["replace"])
    status, error, message = REFUSALS[refusal]
    world.sandbox.faults.status("documents.update", status, error=error, message=message, times=9)

    assert await world.push(world.page) is PushState.FAILED
    assert message in (await push_of(world)).error
    assert (await here(world)).text == "- new\n- text"
    assert there(world).text == TEXT
    world.clock.advance(days=1)
    assert await world.pusher().drain() == 0


async def test_a_patch_that_outline_does_not_find_is_told_as_a_whole(world):
    # Outline shows quotes in another form than it keeps them in.
    await world.client.abilities(world.page)
    await world.edit(world.page, EDITS["patch"])
    world.sandbox.faults.status(
        "documents.update", 404, error="not_found", message="Resource not found"
    )

    assert await world.push(world.page) is PushState.SYNCED
    assert there(world).text == "one\n\nzwei\n\nthree"


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_nothing_is_overwritten_while_outline_does_not_say_what_guards_it(world, status):
    await world.edit(world.page, EDITS["replace"])
    faults = world.sandbox.faults
    faults.status("documents.update", status, times=2)
    faults.before_request(
        3,
        lambda: world.sandbox.documents.edit(world.page, text="theirs"),
        endpoint="documents.update",
    )

    for _ in range(3):
        await world.push(world.page)
        world.clock.advance(hours=1)
    assert there(world).text == "theirs"
    assert (await push_of(world)).state is PushState.CONFLICT


# --- what is gone


async def test_a_conflict_about_what_was_only_hidden_for_a_moment_solves_itself(world):
    await world.edit(world.page, EDITS["append"])
    world.sandbox.faults.status("documents.info", 403, error="authorization_error")
    assert await world.push(world.page) is PushState.CONFLICT

    await world.pull(full=True)
    assert await world.push(world.page) is PushState.SYNCED
    assert there(world).text == f"{TEXT}\n\nfour"
    await agree(world)


@pytest.mark.parametrize("gone", ["trash", "archive", "unpublish"])
@pytest.mark.parametrize("how", ["pull", "push"])
async def test_an_edit_of_what_people_removed_is_a_conflict(world, gone, how):
    await world.edit(world.page, EDITS["replace"])
    getattr(world.sandbox.documents, gone)(world.page)

    if how == "pull":
        await world.pull()
    else:
        assert await world.push(world.page) is PushState.CONFLICT
        await world.pull()
    standing = await world.store.standing(world.page)
    assert standing.push.state is PushState.CONFLICT
    assert standing.content.text == "- new\n- text"
    assert standing.trashed
    assert not there(world).live


async def test_an_edit_goes_on_when_what_was_removed_comes_back(world):
    await world.edit(world.page, EDITS["append"])
    world.sandbox.documents.trash(world.page)
    await world.pull()
    world.sandbox.documents.restore(world.page)

    await world.pull()
    assert (await here(world)).text == f"{TEXT}\n\nfour"
    assert await world.push(world.page) is PushState.SYNCED
    assert there(world).text == f"{TEXT}\n\nfour"
    await agree(world)


async def test_an_edit_of_what_was_moved_goes_where_it_is_now(world):
    other = world.sandbox.collections.create("Runbooks")
    world.mirrored = {other.id}
    await world.edit(world.page, EDITS["append"])
    world.sandbox.documents.move(world.page, collection_id=other.id)

    await world.pull()
    assert (await here(world)).collection_id == other.id
    assert await world.push(world.page) is PushState.SYNCED
    assert there(world).text == f"{TEXT}\n\nfour"
