"""What becomes of documents, and what that does to time, revision, tree and children."""

from datetime import timedelta

import pytest
from sandbox_world import Wiki

from personal_context.upstream.sandbox.errors import ApiError

V4 = "11111111-1111-4111-8111-111111111111"
V5 = "9f0c6f0a-5b7b-5d55-9f3c-0a6c1f1f2b11"


@pytest.fixture
def wiki():
    return Wiki()


@pytest.fixture
def family(wiki):
    parent = wiki.add("Parent")
    children = [wiki.add("Child 1", parent), wiki.add("Child 2", parent)]
    wiki.clock.tick()
    return parent, children


def get(wiki, key):
    return wiki.sandbox.documents.get(key)


async def tree(wiki, collection=None):
    def titles(nodes):
        return [(node["title"], titles(node["children"])) for node in nodes]

    return titles(await wiki.ask("collections.documents", id=collection or wiki.eng))


async def test_new_documents_stand_on_top(wiki):
    wiki.add("First")
    second = wiki.add("Second")
    wiki.add("Below", second)
    wiki.add("Draft", publish=False)
    wiki.add("Between", index=1)

    assert await tree(wiki) == [("Second", [("Below", [])]), ("Between", []), ("First", [])]


async def test_a_client_s_id_makes_a_push_repeatable(wiki):
    arguments = {"id": V4, "title": "Note", "text": "x", "collectionId": wiki.eng, "publish": True}

    created = await wiki.ask("documents.create", **arguments)

    assert created["id"] == V4
    assert await wiki.refusal("documents.create", **arguments) == (400, "id must be unique (id)")
    wiki.sandbox.documents.trash(V4)
    assert await wiki.refusal("documents.create", **arguments) == (400, "id must be unique (id)")
    assert len(await wiki.titles("documents.deleted")) == 1


async def test_only_v4_ids(wiki):
    refusal = await wiki.refusal("documents.create", id=V5, title="x", collectionId=wiki.eng)

    assert refusal == (400, "Validation isUUID on id failed (id)")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"title": "x" * 101}, "Document title must be 100 characters or less (title)"),
        (
            {"text": "x" * 1_536_001},
            "text: Too big: expected string to have <=1536000 characters",
        ),
        ({"title": 5}, "title: Invalid input: expected string, received number"),
        ({"publish": "yes"}, "publish: Invalid input: expected boolean, received string"),
        ({"icon": "notanicon"}, "icon: Invalid input"),
        ({"createdAt": "2999-01-01"}, "createdAt: Invalid input"),
        ({"createdAt": "yesterday"}, "createdAt: Invalid input"),
    ],
)
async def test_wrong_documents(wiki, arguments, message):
    refusal = await wiki.refusal("documents.create", **arguments)

    assert refusal == (400, message)
    assert await wiki.titles("documents.drafts") == []


async def test_limits_are_inclusive(wiki):
    document = await wiki.ask("documents.create", title="x" * 100, text="😀" * 768_000)

    assert len(document["text"]) == 768_000


async def test_publishing_needs_a_place(wiki):
    refusal = await wiki.refusal("documents.create", title="x", publish=True)

    assert refusal == (400, "collectionId or parentDocumentId is required to publish")


async def test_the_revision_grows_behind_a_new_document(wiki):
    created = await wiki.ask("documents.create", title="x", collectionId=wiki.eng, publish=True)
    later = await wiki.ask("documents.info", id=created["id"])

    assert (created["revision"], later["revision"]) == (2, 3)
    assert created["updatedAt"] == later["updatedAt"]


async def test_odd_text_is_kept_as_far_as_it_can_be(wiki):
    raw = b'{"title": "a\\ud800b\\u0000c \\ud83d\\ude00", "text": "x\\udfffy", "x": ["\\ud800"]}'

    created = (await wiki.send("documents.create", raw)).json()["data"]

    assert created["title"] == "a\ufffdb\ufffdc 😀"
    assert created["text"] == "x\ufffdy"


async def test_an_unchanged_update_changes_nothing(wiki):
    key = wiki.add("Title", text="- a\n- b")
    before = get(wiki, key)
    wiki.clock.tick()

    await wiki.ask("documents.update", id=key, title="Title", text="- a\n- b")

    assert get(wiki, key) == before


async def test_an_update_s_effects(wiki, family):
    parent, (child, _) = family
    before, child_before = get(wiki, parent), get(wiki, child)

    after = await wiki.ask("documents.update", id=parent, title="Renamed", icon="📘")

    assert after["revision"] == before.revision + 1
    assert after["updatedAt"] > before.updated_at
    assert after["url"] == f"/doc/renamed-{before.url_id}"
    assert get(wiki, child) == child_before


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"text": "new"}, "new"),
        ({"text": "\n\nnew", "editMode": "append"}, "one two one\n\nnew"),
        ({"text": "\n\nnew", "append": True}, "one two one\n\nnew"),
        ({"text": "new ", "editMode": "prepend"}, "new one two one"),
        ({"text": "1", "editMode": "patch", "findText": "one"}, "1 two one"),
        ({"text": ""}, ""),
    ],
)
async def test_ways_to_change_the_text(wiki, arguments, expected):
    key = wiki.add("Title", text="one two one")

    assert (await wiki.ask("documents.update", id=key, **arguments))["text"] == expected


async def test_a_patch_that_finds_nothing(wiki):
    key = wiki.add("Title", text="one")
    arguments = {"id": key, "text": "x", "editMode": "patch", "findText": "two"}

    assert (await wiki.refusal("documents.update", **arguments))[0] == 404
    assert get(wiki, key).text == "one"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"editMode": "patch"}, "text is required when using patch editMode"),
        ({"editMode": "patch", "text": "x"}, "findText is required when using patch editMode"),
        ({"editMode": "append"}, "text is required when using append, prepend, or editMode"),
        (
            {"editMode": "prepend", "text": ""},
            "text is required when using append, prepend, or editMode",
        ),
        ({"append": True}, "text is required when using append, prepend, or editMode"),
        ({"editMode": "upside down", "text": "x"}, "editMode: Invalid input"),
    ],
)
async def test_an_edit_mode_misses_what_it_needs(wiki, arguments, message):
    key = wiki.add("Title", text="one")

    assert await wiki.refusal("documents.update", id=key, **arguments) == (400, message)
    assert get(wiki, key).text == "one"


async def test_last_revision_guards_on_main(wiki):
    key = wiki.add("Title")
    stale = await wiki.send("documents.update", id=key, text="x", lastRevision=1)
    fresh = await wiki.send("documents.update", id=key, text="x", lastRevision=3)

    assert (stale.status_code, stale.json()["error"]) == (409, "document_conflict")
    assert fresh.status_code == 200


async def test_the_release_takes_a_stale_revision():
    wiki = Wiki(version="1.9.2")
    key = wiki.add("Title")

    assert (await wiki.ask("documents.update", id=key, text="x", lastRevision=1))["text"] == "x"
    assert "preferences" not in await wiki.ask("documents.info", id=key)


async def test_the_trash_takes_children_along_and_gives_only_the_parent_back(wiki, family):
    parent, children = family
    revisions = [get(wiki, child).revision for child in children]

    assert await wiki.ask("documents.delete", id=parent) is None
    trashed = [get(wiki, key) for key in (parent, *children)]
    assert len({row.updated_at for row in trashed} | {row.deleted_at for row in trashed}) == 1
    assert [row.revision for row in trashed[1:]] == revisions
    assert await tree(wiki) == []
    assert (await wiki.ask("documents.info", id=children[0]))["deletedAt"] is not None
    assert (await wiki.refusal("documents.delete", id=parent))[0] == 403
    assert (await wiki.refusal("documents.update", id=parent, title="x"))[0] == 403

    await wiki.ask("documents.restore", id=parent)
    assert await tree(wiki) == [("Parent", [])]
    await wiki.ask("documents.restore", id=children[0])
    assert await tree(wiki) == [("Parent", [("Child 1", [])])]


async def test_a_child_restored_without_its_parent_moves_to_the_top(wiki, family):
    parent, children = family
    await wiki.ask("documents.delete", id=parent)

    restored = await wiki.ask("documents.restore", id=children[1])

    assert restored["parentDocumentId"] is None
    assert await tree(wiki) == [("Child 2", [])]


async def test_a_child_archived_before_its_parent_comes_back_below_it(wiki, family):
    parent, children = family
    await wiki.ask("documents.archive", id=children[0])
    await wiki.ask("documents.archive", id=parent)

    await wiki.ask("documents.restore", id=parent)

    [(_, below)] = await tree(wiki)
    assert len(below) == len(children)
    assert get(wiki, children[0]).archived_at is None


async def test_the_archive_takes_children_along_and_gives_them_back(wiki, family):
    parent, children = family
    before = await tree(wiki)
    revisions = [get(wiki, key).revision for key in (parent, *children)]

    await wiki.ask("documents.archive", id=parent)
    rows = [get(wiki, key) for key in (parent, *children)]
    assert [row.revision for row in rows] == [number + 1 for number in revisions]
    assert all(row.archived_at == row.updated_at for row in rows)
    assert await tree(wiki) == []
    assert (await wiki.refusal("documents.update", id=parent, title="x"))[0] == 403

    await wiki.ask("documents.restore", id=parent)
    assert await tree(wiki) == before


async def test_purging_needs_the_trash_first_and_an_admin(wiki, family):
    parent, children = family
    assert (await wiki.refusal("documents.delete", id=parent, permanent=True))[0] == 403
    wiki.sandbox.documents.trash(parent)

    await wiki.ask("documents.delete", id=parent, permanent=True)

    assert (await wiki.refusal("documents.info", id=parent))[0] == 404
    assert (await wiki.ask("documents.info", id=children[0]))["deletedAt"]


async def test_the_trash_is_emptied_in_time(wiki, family):
    wiki.sandbox.documents.trash(family[0])
    assert wiki.sandbox.documents.empty_trash() == 0
    wiki.clock.tick(30 * 24 * 3600)

    assert wiki.sandbox.documents.empty_trash(timedelta(days=30)) == 3


async def test_moving_elsewhere_stamps_children_in_bulk(wiki, family):
    parent, children = family
    revision = get(wiki, parent).revision

    moved = await wiki.ask("documents.move", id=parent, collectionId=wiki.ops)

    assert [row["id"] for row in moved["documents"]] == [*children, parent]
    assert {row["collectionId"] for row in moved["documents"]} == {wiki.ops}
    assert len({get(wiki, child).updated_at for child in children}) == 1
    assert get(wiki, children[0]).revision == 3
    assert get(wiki, parent).revision == revision + 1
    assert await tree(wiki) == []
    assert len((await tree(wiki, wiki.ops))[0][1]) == 2


async def test_reordering_leaves_the_time_alone(wiki):
    first, second = wiki.add("First"), wiki.add("Second")
    before = get(wiki, first)
    wiki.clock.tick()

    await wiki.ask("documents.move", id=first, collectionId=wiki.eng, index=0)

    assert await tree(wiki) == [("First", []), ("Second", [])]
    assert get(wiki, first).updated_at == before.updated_at
    assert get(wiki, first).revision == before.revision + 1
    assert get(wiki, second).revision == 3


async def test_no_document_gets_below_itself(wiki, family):
    parent, (child, _) = family

    for target in (parent, child):
        status, _ = await wiki.refusal("documents.move", id=parent, parentDocumentId=target)
        assert status == 400


async def test_unpublishing(wiki, family):
    parent, children = family
    assert (await wiki.refusal("documents.unpublish", id=parent))[0] == 400

    draft = await wiki.ask("documents.unpublish", id=children[0])

    assert draft["publishedAt"] is None
    assert "Child 1" not in await wiki.titles()
    assert await wiki.titles("documents.drafts") == ["Child 1"]
    assert (await wiki.ask("documents.update", id=children[0], publish=True))["publishedAt"]
    assert await tree(wiki) == [("Parent", [("Child 1", []), ("Child 2", [])])]


async def test_three_ways_to_name_a_document(wiki):
    key = wiki.add("Some Title")
    row = get(wiki, key)

    for reference in (key, row.url_id, f"some-title-{row.url_id}", f"stale-{row.url_id}"):
        assert (await wiki.ask("documents.info", id=reference))["id"] == key


@pytest.mark.parametrize(
    "endpoint", ["update", "delete", "archive", "restore", "unpublish", "move"]
)
async def test_missing_documents_are_forbidden_to_change(wiki, endpoint):
    assert await wiki.refusal(f"documents.{endpoint}", id=V4) == (403, "Authorization error")
    assert await wiki.refusal("documents.info", id=V4) == (404, "Resource not found")


async def test_export_is_real_markdown(wiki):
    key = wiki.add("Title", text="one  \ntwo", icon="📘")

    assert (await wiki.ask("documents.info", id=key))["text"] == "one\\ntwo"
    assert await wiki.ask("documents.export", id=key) == "# 📘 Title\n\none  \ntwo"


async def test_images_become_attachments(wiki):
    key = wiki.add("Title", text="![dot](data:image/png;base64,aGVsbG8=)")
    text = get(wiki, key).text
    assert text.startswith(" ![dot](/api/attachments.redirect?id=")

    again = await wiki.ask("documents.update", id=key, text=text + "\n\nmore")

    assert again["text"] == f"{text}\n\nmore"


def test_a_person_s_hands_meet_the_same_refusals(wiki):
    with pytest.raises(ApiError, match="Resource not found"):
        wiki.sandbox.documents.edit("nothing", text="x")
