"""What ports.Upstream promises, against the sandbox in both versions.

With PERSONAL_CONTEXT_TEST_OUTLINE_URL and PERSONAL_CONTEXT_TEST_OUTLINE_KEY set it also runs
against that server, in a collection that is made for each test and deleted after it.
"""

from typing import Any

import pytest
from upstream_wiki import READER, create, made_collection, new_id, page, sandbox_wiki

from personal_context.domain.errors import (
    UpstreamAuthError,
    UpstreamForbidden,
    UpstreamIdTaken,
    UpstreamNotFound,
    UpstreamRejected,
    UpstreamUnavailable,
)
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    TreeNode,
)


def shape(nodes: tuple[TreeNode, ...]) -> Any:
    return {node.title: shape(node.children) for node in nodes}


# --- the contract


async def test_what_is_created_is_found_everywhere(wiki):
    async with wiki.client() as upstream:
        content_id = new_id()
        created = await create(upstream, wiki, "Ünï 🚀", content_id=content_id)
        found = await upstream.document(content_id)
        listed = await page(upstream, wiki)
        tree = await upstream.tree(wiki.collection_id)
        by_url_id = await upstream.document(ContentId(created.url_id))
    assert created.id == content_id
    assert created.title == "Ünï 🚀"
    assert created.text.strip() == "Stop the *writers*."
    assert created.collection_id == wiki.collection_id
    assert created.url.startswith(f"{wiki.url}/doc/")
    assert created.live
    assert found == by_url_id == listed.documents[0]
    assert (found.text, found.updated_at) == (created.text, created.updated_at)
    assert (len(listed.documents), listed.last, listed.broken) == (1, True, {})
    assert [node.id for node in tree] == [content_id]


async def test_a_child_hangs_below_its_parent(wiki):
    async with wiki.client() as upstream:
        parent = await create(upstream, wiki, "Parent")
        child = await create(upstream, wiki, "Child", parent_id=parent.id)
        tree = await upstream.tree(wiki.collection_id)
    assert child.parent_id == parent.id
    assert shape(tuple(tree)) == {"Parent": {"Child": {}}}


@pytest.mark.parametrize("publish", [True, False], ids=["published", "a draft"])
async def test_what_stands_below_is_seen_until_it_is_trashed(wiki, publish):
    async with wiki.client() as upstream:
        parent = await create(upstream, wiki, "Parent")
        alone = await upstream.has_below(parent.id)
        child = await wiki.change(
            "documents.create", title="Child", parentDocumentId=parent.id, publish=publish
        )
        with_child = await upstream.has_below(parent.id)
        await wiki.change("documents.delete", id=child["id"])
        alone_again = await upstream.has_below(parent.id)
    assert (alone, with_child, alone_again) == (False, True, False)


async def test_pages_hold_every_document_once_and_tell_the_last(wiki):
    async with wiki.client() as upstream:
        made = [(await create(upstream, wiki, f"Page {number}")).id for number in range(4)]
        pages = [await page(upstream, wiki, offset=offset, limit=2) for offset in (0, 2, 4)]
    assert {document.id for each in pages for document in each.documents} == set(made)
    assert [len(each.documents) for each in pages] == [2, 2, 0]
    assert [each.last for each in pages] == [False, False, True]


@pytest.mark.parametrize("leave", ["delete", "archive", "unpublish"])
async def test_what_leaves_the_list_can_still_be_asked_for(wiki, leave):
    async with wiki.client() as upstream:
        document = await create(upstream, wiki)
        await wiki.change(f"documents.{leave}", id=document.id)
        found = await upstream.document(document.id)
        listed = await page(upstream, wiki)
        tree = await upstream.tree(wiki.collection_id)
    assert not found.live
    assert (found.deleted_at is not None) == (leave == "delete")
    assert (found.archived_at is not None) == (leave == "archive")
    assert (found.published_at is None) == (leave == "unpublish")
    assert not listed.documents
    assert not tree


async def test_collections_are_found_until_they_are_archived(wiki):
    async with wiki.client() as upstream:
        everything = await upstream.collections()
        one = await upstream.collection(wiki.collection_id)
        assert one in everything
        assert one.name == "Contract"
        await wiki.change("collections.archive", id=one.id)
        assert one.id not in [each.id for each in await upstream.collections()]
        assert (await upstream.collection(one.id)).archived_at is not None


async def test_what_is_missing_is_told_apart(wiki):
    async with wiki.client() as upstream:
        with pytest.raises(UpstreamNotFound):
            await upstream.document(new_id())
        with pytest.raises(UpstreamNotFound):
            await upstream.collection(CollectionId(new_id()))
        with pytest.raises(UpstreamForbidden):
            await upstream.list_documents(
                CollectionId(new_id()), sort="createdAt", direction="ASC", offset=0, limit=1
            )


async def test_an_id_is_taken_once(wiki):
    async with wiki.client() as upstream:
        first = await create(upstream, wiki, "First")
        with pytest.raises(UpstreamIdTaken):
            await create(upstream, wiki, "Second", content_id=first.id)
        assert (await upstream.document(first.id)).title == "First"


async def test_what_outline_does_not_take_is_rejected_in_its_words(wiki):
    async with wiki.client() as upstream:
        with pytest.raises(UpstreamRejected, match="title") as caught:
            await create(upstream, wiki, "x" * 101)
        assert caught.value.status == 400
        version_5 = ContentId("9f0c6f0a-5b7b-5d55-9f3c-0a6c1f1f2b11")
        with pytest.raises(UpstreamRejected, match="id"):
            await create(upstream, wiki, content_id=version_5)


async def test_text_that_no_database_holds_arrives_all_the_same(wiki):
    async with wiki.client() as upstream:
        created = await create(upstream, wiki, "a\0b", text="c\ud83d d\0")
    assert created.title == "a\ufffdb"
    assert "\0" not in created.text


async def test_a_wrong_key_is_an_auth_error(wiki):
    wrong = "ol_api_" + "x" * 38
    async with wiki.client(wrong) as upstream:
        with pytest.raises(UpstreamAuthError):
            await upstream.collections()
        with pytest.raises(UpstreamAuthError):
            await upstream.scopes()


async def test_asking_for_scopes_changes_nothing(wiki):
    async with wiki.client() as upstream:
        document = await upstream.document((await create(upstream, wiki)).id)
        before = (await page(upstream, wiki), await upstream.collections())
        drafts = await wiki.change("documents.drafts")
        assert all((await upstream.scopes()).values())
        assert (await page(upstream, wiki), await upstream.collections()) == before
        assert await wiki.change("documents.drafts") == drafts
        assert await upstream.document(document.id) == document
        assert (await upstream.auth_info()).team_name


# --- what only a sandbox can be made to do


async def test_scopes_of_a_reader(sandboxed):
    async with sandboxed.client(READER) as upstream:
        scopes = await upstream.scopes()
        with pytest.raises(UpstreamAuthError, match=r"documents\.create"):
            await create(upstream, sandboxed)
    assert scopes["documents.list"]
    assert scopes["documents.info"]
    assert scopes["collections.documents"]
    assert scopes["documents.archived"] is False
    assert scopes["documents.create"] is False
    assert scopes["documents.delete"] is False


async def test_a_suspended_user_is_an_auth_error(sandboxed):
    sandboxed.sandbox.people.suspend(sandboxed.sandbox.services.world.person)
    async with sandboxed.client() as upstream:
        with pytest.raises(UpstreamAuthError, match="suspended"):
            await upstream.document(new_id())


@pytest.mark.parametrize("trouble", ["timeout", "html", "status", "garbage", "cut"])
async def test_a_create_whose_answer_is_lost_creates_one_document(sandboxed, trouble):
    faults, later = sandboxed.sandbox.faults, {"after": True}
    if trouble == "status":
        faults.status("documents.create", 503, **later)
    else:
        more = {} if trouble in {"garbage", "cut"} else later
        getattr(faults, trouble)("documents.create", **more)
    async with sandboxed.client() as upstream:
        with pytest.raises(UpstreamIdTaken):
            await create(upstream, sandboxed, content_id=(key := new_id()))
        listed = await page(upstream, sandboxed)
    assert [document.id for document in listed.documents] == [key]
    endpoints = [entry.endpoint for entry in sandboxed.sandbox.calls()]
    assert endpoints.count("documents.create") == 2


@pytest.mark.parametrize("trouble", ["timeout", "refuse", "html", "garbage", "cut"])
async def test_trouble_passes_or_is_told(sandboxed, trouble):
    order = getattr(sandboxed.sandbox.faults, trouble)
    async with sandboxed.client() as upstream:
        await create(upstream, sandboxed)
        order("documents.list", times=2)
        assert len((await page(upstream, sandboxed)).documents) == 1
        order("documents.list", times=3)
        with pytest.raises(UpstreamUnavailable):
            await page(upstream, sandboxed)


async def test_the_limits_are_kept_before_the_server_has_to_say_so(sandboxed):
    async with sandboxed.client() as upstream:
        for _ in range(30):
            await create(upstream, sandboxed)
        for _ in range(210):
            await page(upstream, sandboxed, limit=1)
        for _ in range(50):
            await upstream.tree(sandboxed.collection_id)
    assert {entry.status for entry in sandboxed.sandbox.calls()} == {200}
    # 30 creates are two windows, 210 lists three.
    assert sandboxed.time.now - 1000 <= 240


@pytest.mark.parametrize("version", ["1.9.2", "main"])
async def test_a_server_with_a_smaller_limit_is_learned_from(version):
    async with sandbox_wiki(version, requests_per_minute=10) as wiki, made_collection(wiki):
        async with wiki.client() as upstream:
            for _ in range(40):
                await upstream.tree(wiki.collection_id)
        statuses = [entry.status for entry in wiki.sandbox.calls("collections.documents")]
    assert statuses.count(200) == 40
    assert statuses.count(429) == 1
