"""What ports.OutboxStore promises of what Outline is still to be told."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from builders import (
    HANDBOOK,
    LOG,
    NOW,
    content,
    content_id,
    mirror_all,
    note,
    prepared,
    words,
)
from push_builders import waiting

from personal_context.domain.errors import ContentNotFound
from personal_context.domain.models import (
    Edit,
    EditMode,
    Operation,
    Placement,
    PushState,
    UpstreamDocument,
    Wording,
)
from personal_context.domain.text import content_hash

SOON = NOW + timedelta(minutes=5)
ONE = content_id(1)

REMOTE = UpstreamDocument(
    id=ONE,
    url_id="url0000001",
    url="https://wiki.example.com/doc/title-url0000001",
    title="Theirs",
    text="Their \\n text",
    collection_id=HANDBOOK,
    parent_id=None,
    created_at="2026-02-01T00:00:00.000Z",
    updated_at="2026-02-03T00:00:00.000Z",
    published_at="2026-02-01T00:00:00.000Z",
    archived_at=None,
    deleted_at=None,
    revision=7,
)


async def changed(store, number=1, *, write=True, **more):
    """Change a mirrored content here; return how it stood before."""
    before = await store.standing(content_id(number))
    document = replace(before.content, title="Mine", text="My words", readable="My words")
    base = Wording(before.content.title, before.content.text)
    written = (document, prepared(document)) if write else None
    assert await store.settle(before, push=waiting(base=base, **more), write=written, log=LOG)
    return before


# --- how a content stands


async def test_nothing_waits_for_what_is_mirrored(store):
    await mirror_all(store, content(1, tags=("a",)))
    standing = await store.standing(ONE)
    assert standing.content == await store.get(ONE)
    assert standing.hash == content_hash("Title", "Text")
    assert (standing.trashed, standing.push) == (None, None)


async def test_what_is_in_the_trash_stands_there(store):
    ours = note(tags=("b", "a"), metadata={"k": [1]})
    await store.add(ours, prepared(ours), log=LOG)
    before = await store.standing(ONE)
    await store.trash(ONE, reason="gone", log=LOG)
    standing = await store.standing(ONE)
    assert replace(standing, trashed=None, stamp=before.stamp) == before
    assert standing.trashed == "gone"


@pytest.mark.parametrize("wanted", ["nope", "\ud800"])
async def test_what_is_not_there_does_not_stand(store, wanted):
    with pytest.raises(ContentNotFound):
        await store.standing(wanted)


async def test_a_push_comes_back_as_it_was_settled(store):
    await mirror_all(store, content(1))
    given = waiting(
        operation=Operation.RESTORE,
        state=PushState.SENDING,
        next_try_at=SOON,
        version=5,
        sent_version=4,
        attempts=3,
        error="no\nway",
        edits=(
            Edit(EditMode.PATCH, "new", find="old", version=4),
            Edit(EditMode.RETITLE, "T\u00e9", version=5),
        ),
        base=Wording("", "base"),
        sent=Wording("sent", ""),
        remote=REMOTE,
        owner="me",
        claimed_until=SOON,
        token=9,
    )
    assert await store.settle(await store.standing(ONE), push=given)
    assert (await store.standing(ONE)).push == given
    other = waiting()
    assert await store.settle(await store.standing(ONE), push=other)
    assert (await store.standing(ONE)).push == other


# --- settling


@pytest.mark.parametrize(
    "meanwhile",
    [
        {"sent_version": 1},
        {"sent": Wording("sent", "")},
        {"base": Wording("Title", "other")},
        {"edits": ()},
        {"token": 2},
        {"attempts": 1},
    ],
)
async def test_nothing_is_settled_on_a_push_that_became_another(store, meanwhile):
    await mirror_all(store, content(1))
    first = waiting(operation=Operation.UPDATE, edits=(Edit(EditMode.APPEND, "x"),))
    assert await store.settle(await store.standing(ONE), push=first)
    seen = await store.standing(ONE)
    other = replace(first, **meanwhile)
    assert await store.settle(seen, push=other)
    assert not await store.settle(seen, push=replace(first, version=2))
    assert (await store.standing(ONE)).push == other


async def test_what_is_changed_here_is_searchable_and_keeps_what_hangs_on_it(store):
    await mirror_all(store, content(1, tags=("kept",)))
    await changed(store, edits=(Edit(EditMode.REPLACE, "My words"),))
    found = await store.get(ONE)
    assert (found.title, found.text, found.tags) == ("Mine", "My words", ("kept",))
    hits = await store.search_keyword(words("my"), limit=5)
    assert [hit.content_id for hit in hits] == [ONE]
    assert [line.operation for line in await store.log(limit=9)] == ["update", "update"]


async def test_tags_are_written_and_unused_ones_go(store, index):
    await mirror_all(store, content(1), content(2))
    for number, tags in ((1, ("a", "b")), (2, ("b",)), (1, ("c",))):
        standing = await store.standing(content_id(number))
        document = replace(standing.content, tags=tags)
        assert await store.settle(standing, push=None, write=(document, prepared(document)))
    assert (await store.get(ONE)).tags == ("c",)
    assert (await store.get(content_id(2))).tags == ("b",)


async def moved_on(store):
    await mirror_all(store, content(1, text="newer"))


async def touched(store):
    await mirror_all(store, content(1, revision=2))


async def trashed(store):
    await store.trash(ONE, reason="gone", log=LOG)


async def placed(store):
    await store.place(HANDBOOK, {ONE: Placement(None, 99)})


async def tagged(store):
    standing = await store.standing(ONE)
    document = replace(standing.content, tags=("new",))
    await store.settle(standing, push=standing.push, write=(document, prepared(document)))


async def queued(store):
    await store.settle(await store.standing(ONE), push=waiting())


@pytest.mark.parametrize("meanwhile", [moved_on, touched, trashed, placed, tagged, queued])
async def test_a_decision_about_the_past_writes_nothing(store, meanwhile):
    await mirror_all(store, content(1))
    before = await store.standing(ONE)
    await meanwhile(store)
    now = await store.standing(ONE)
    document = replace(before.content, text="late")
    written = await store.settle(
        before, push=waiting(), write=(document, prepared(document)), away="late", log=LOG
    )
    assert not written
    assert await store.standing(ONE) == now


@pytest.mark.parametrize(
    "meanwhile", [{"version": 2}, {"token": 1}, {"state": PushState.FAILED}], ids=str
)
async def test_a_push_that_went_on_is_not_settled_as_it_was(store, meanwhile):
    await mirror_all(store, content(1))
    await store.settle(await store.standing(ONE), push=waiting())
    before = await store.standing(ONE)
    await store.settle(before, push=waiting(**meanwhile))
    assert not await store.settle(before, push=None)
    assert (await store.standing(ONE)).push == waiting(**meanwhile)


async def test_of_many_that_decide_at_once_one_writes(store):
    await mirror_all(store, content(1))
    before = await store.standing(ONE)
    written = await asyncio.gather(
        *(store.settle(before, push=waiting(version=number)) for number in range(1, 9))
    )
    assert sorted(written) == [False] * 7 + [True]


async def test_away_and_back(store):
    ours = note(tags=("a",))
    await store.add(ours, prepared(ours), log=LOG)
    assert await store.settle(await store.standing(ONE), push=waiting(), away="deleted here")
    with pytest.raises(ContentNotFound, match="no longer there"):
        await store.get(ONE)
    assert (await store.standing(ONE)).push == waiting()
    assert await store.settle(await store.standing(ONE), push=None, back=True)
    assert await store.get(ONE) == ours
    assert (await store.standing(ONE)).push is None


async def test_what_is_written_comes_out_of_the_trash(store):
    await mirror_all(store, content(1, tags=("a",)))
    await store.trash(ONE, reason="gone", log=LOG)
    standing = await store.standing(ONE)
    document = replace(standing.content, text="Back")
    assert await store.settle(standing, push=None, write=(document, prepared(document)))
    assert await store.get(ONE) == document
    assert await store.trashed(limit=9) == []


# --- what sync sees of it


async def test_a_change_made_here_is_no_change_in_outline(store):
    await mirror_all(store, content(1))
    await changed(store)
    known = (await store.mirrored(HANDBOOK))[ONE]
    assert (known.hash, known.title) == (content_hash("Title", "Text"), "Title")


async def test_in_a_conflict_the_document_there_is_what_is_known(store):
    await mirror_all(store, content(1))
    await changed(store, state=PushState.CONFLICT, remote=REMOTE)
    known = (await store.mirrored(HANDBOOK))[ONE]
    assert known.hash == content_hash(REMOTE.title, REMOTE.text)


async def test_what_waits_to_be_restored_is_not_taken_for_mirrored(store):
    await mirror_all(store, content(1), content(2))
    await changed(store, operation=Operation.RESTORE, write=False)
    assert (await store.mirrored(HANDBOOK)).keys() == {content_id(2)}


async def test_mirror_leaves_a_change_alone(store):
    await mirror_all(store, content(1))
    await changed(store)
    assert not await store.mirror(content(1, text="Theirs"), prepared(content(1)), log=LOG)
    assert (await store.get(ONE)).text == "My words"


async def test_what_leaves_outline_while_a_change_waits_is_a_conflict(store):
    await mirror_all(store, content(1))
    await changed(store, remote=REMOTE)
    await store.trash(ONE, reason="archived in Outline", log=LOG)
    standing = await store.standing(ONE)
    assert standing.content.text == "My words"
    assert (standing.push.state, standing.push.remote) == (PushState.CONFLICT, None)
    assert "archived in Outline" in standing.push.error
    assert standing.push.base == Wording("Title", "Text")
    (entry,) = await store.outbox(limit=9)
    assert (entry.title, entry.trashed, entry.operation) == ("Mine", True, Operation.UPDATE)


async def test_what_waits_in_the_outbox_is_not_purged(store):
    await mirror_all(store, content(1), content(2))
    await changed(store)
    for number in (1, 2):
        await store.trash(content_id(number), reason="gone", log=LOG)
    (kept,) = [one for one in await store.trashed(limit=9) if one.id == ONE]
    assert await store.purge(before=kept.trashed_at + timedelta(days=1)) == [content_id(2)]
    assert (await store.standing(ONE)).push is not None
