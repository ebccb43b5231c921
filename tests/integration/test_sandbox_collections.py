"""Collections: who sees them, and what their fate does to documents."""

import pytest
from sandbox_world import Wiki

MEMBER = "ol_api_member000000000000000000000000000000000"
NOBODY = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def wiki():
    return Wiki()


@pytest.fixture
def member(wiki):
    user = wiki.sandbox.people.add_user("Bob Member")
    wiki.sandbox.people.add_key(MEMBER, user_id=user.id)
    return user.id


async def test_newest_collection_first(wiki):
    wiki.sandbox.collections.create("Newest")
    names = [row["name"] for row in await wiki.ask("collections.list")]

    assert names == ["Newest", "Engineering", "Operations"]


async def test_a_collection_over_the_api(wiki):
    made = await wiki.ask("collections.create", name="New", permission="read", icon="📘")
    renamed = await wiki.ask("collections.update", id=made["id"], name="Newer")

    assert renamed["name"] == "Newer"
    assert renamed["url"] == f"/collection/newer-{made['urlId']}"
    assert (await wiki.ask("collections.create", name="Mine"))["permission"] is None
    assert (await wiki.refusal("collections.create", name=""))[0] == 400
    assert (await wiki.refusal("collections.create"))[0] == 400


async def test_archive_and_back(wiki):
    kept = wiki.add("Kept")
    earlier = wiki.add("Archived before")
    wiki.sandbox.documents.archive(earlier)
    revision = wiki.sandbox.documents.get(kept).revision
    wiki.clock.tick()

    await wiki.ask("collections.archive", id=wiki.eng)

    assert wiki.eng not in [row["id"] for row in await wiki.ask("collections.list")]
    assert await wiki.titles(collectionId=wiki.eng) == []
    assert [n["title"] for n in await wiki.ask("collections.documents", id=wiki.eng)] == ["Kept"]
    assert (await wiki.refusal("documents.create", title="x", collectionId=wiki.eng))[0] == 403

    wiki.clock.tick()
    await wiki.ask("collections.restore", id=wiki.eng)

    assert await wiki.titles(collectionId=wiki.eng) == ["Kept"]
    assert wiki.sandbox.documents.get(kept).revision == revision
    assert wiki.sandbox.documents.get(kept).updated_at.endswith(":04.000Z")
    assert wiki.sandbox.documents.get(earlier).archived_at is not None


async def test_a_deleted_collection_is_404_here_and_403_there(wiki):
    documents = [wiki.add("One"), wiki.add("Two")]
    wiki.clock.tick()

    await wiki.ask("collections.delete", id=wiki.eng)

    for key in (wiki.eng, NOBODY):
        assert (await wiki.refusal("collections.info", id=key))[0] == 404
        assert (await wiki.refusal("collections.documents", id=key))[0] == 404
        assert (await wiki.refusal("documents.list", collectionId=key))[0] == 403
        assert (await wiki.refusal("collections.delete", id=key))[0] == 403
    rows = [await wiki.ask("documents.info", id=key) for key in documents]
    assert len({row["deletedAt"] for row in rows}) == 1
    assert all(row["isCollectionDeleted"] for row in rows)
    refusal = await wiki.refusal("documents.restore", id=documents[0])
    assert refusal[0] == 400
    restored = await wiki.ask("documents.restore", id=documents[0], collectionId=wiki.ops)
    assert restored["collectionId"] == wiki.ops


async def test_what_was_archived_with_its_collection_comes_back_elsewhere_with_all_below(wiki):
    parent = wiki.add("Parent")
    child = wiki.add("Child", parent)
    wiki.sandbox.collections.archive(wiki.eng)
    wiki.clock.tick()

    await wiki.ask("documents.restore", id=parent, collectionId=wiki.ops)

    [shown] = await wiki.ask("collections.documents", id=wiki.ops)
    assert (shown["id"], [below["id"] for below in shown["children"]]) == (parent, [child])
    assert await wiki.ask("collections.documents", id=wiki.eng) == []


async def test_a_private_collection_hides_everything_from_others(wiki, member):
    secret = wiki.sandbox.collections.create("Secret", permission=None).id
    key = wiki.add("Plan", collection_id=secret)

    async def sees(endpoint, **arguments):
        return (await wiki.send(endpoint, key=MEMBER, **arguments)).json()

    assert secret not in [row["id"] for row in (await sees("collections.list"))["data"]]
    assert (await sees("documents.list"))["data"] == []
    assert (await sees("documents.search", query="plan"))["data"] == []
    for answer in (
        await sees("documents.info", id=key),
        await sees("documents.list", collectionId=secret),
        await sees("collections.info", id=secret),
        await sees("collections.documents", id=secret),
    ):
        assert answer["status"] == 403

    wiki.sandbox.collections.add_member(secret, member)
    assert (await sees("documents.list"))["data"][0]["id"] == key
    wiki.sandbox.collections.remove_member(secret, member)
    assert (await sees("documents.info", id=key))["status"] == 403


async def test_an_admin_is_no_member(wiki, member):
    theirs = wiki.sandbox.collections.create("Bob's", permission=None, by=member).id

    assert (await wiki.refusal("collections.info", id=theirs))[0] == 403


async def test_a_readable_collection_can_t_be_written(wiki, member):
    library = wiki.sandbox.collections.create("Library", permission="read").id
    key = wiki.add("Book", collection_id=library)

    async def status(endpoint, **arguments):
        return (await wiki.send(endpoint, key=MEMBER, **arguments)).status_code

    assert await status("documents.info", id=key) == 200
    assert await status("documents.update", id=key, text="x") == 403
    assert await status("documents.create", title="x", collectionId=library) == 403
    assert await status("documents.delete", id=key) == 403
    assert await status("collections.delete", id=library) == 403


async def test_drafts_are_their_author_s(wiki, member):
    wiki.sandbox.documents.create("Mine", publish=False)
    theirs = wiki.sandbox.documents.create("Bob's", publish=False, by=member)

    assert await wiki.titles("documents.drafts") == ["Mine"]
    assert (await wiki.refusal("documents.info", id=theirs.id))[0] == 403
