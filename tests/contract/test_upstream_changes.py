"""What ports.Upstream promises of changing documents, see test_upstream.py."""

import contextlib
from typing import Any

import pytest
from upstream_wiki import create

from personal_context.domain.errors import (
    UpstreamConflict,
    UpstreamForbidden,
    UpstreamNotFound,
    UpstreamUnavailable,
)
from personal_context.domain.models import EditMode


async def test_every_way_to_edit(wiki):
    async with wiki.client() as upstream:
        document = await create(upstream, wiki, "First", text="one\n\ntwo")
        can = await upstream.abilities(document.id)
        assert (can.edit_modes, can.patch) == (True, True)
        found = await upstream.document(document.id)
        assert (found.title, found.text) == ("First", "one\n\ntwo")

        async def text_after(text: str, mode: EditMode, **more: Any) -> str:
            return (await upstream.update_document(document.id, text=text, mode=mode, **more)).text

        assert await text_after("\n\nlow", EditMode.APPEND) == "one\n\ntwo\n\nlow"
        assert await text_after("top\n\n", EditMode.PREPEND) == "top\n\none\n\ntwo\n\nlow"
        assert await text_after("2", EditMode.PATCH, find="two") == "top\n\none\n\n2\n\nlow"
        assert await text_after("new", EditMode.REPLACE) == "new"
        renamed = await upstream.update_document(document.id, title="Second")
        assert (renamed.title, renamed.text) == ("Second", "new")
        assert renamed.revision > document.revision


async def test_a_whole_text_can_be_patched_as_long_as_it_is_there(wiki):
    async with wiki.client() as upstream:
        document = await create(upstream, wiki, text="one\n\n* two\n* three")
        patch = {"text": "new\n\n* four", "mode": EditMode.PATCH, "find": document.text}
        assert (await upstream.update_document(document.id, **patch)).text == "new\n\n* four"
        with pytest.raises(UpstreamNotFound):
            await upstream.update_document(document.id, **patch)


async def test_a_stale_revision_is_refused_where_the_abilities_say_so(wiki):
    async with wiki.client() as upstream:
        document = await create(upstream, wiki, text="one")
        newer = await upstream.update_document(document.id, text="two")
        can = await upstream.abilities(document.id)
        if can.last_revision:
            with pytest.raises(UpstreamConflict):
                await upstream.update_document(
                    document.id, text="three", last_revision=newer.revision - 1
                )
            assert (await upstream.document(document.id)).text == "two"
        now = await upstream.update_document(
            document.id, text="four", last_revision=(await upstream.document(document.id)).revision
        )
    assert now.text == "four"


async def test_to_the_trash_and_back(wiki):
    async with wiki.client() as upstream:
        document = await create(upstream, wiki, text="one")
        with pytest.raises(UpstreamForbidden):
            await upstream.restore_document(document.id)
        await upstream.trash_document(document.id)
        assert (await upstream.document(document.id)).deleted_at is not None
        for change in (
            upstream.trash_document(document.id),
            upstream.update_document(document.id, text="two"),
        ):
            with pytest.raises(UpstreamForbidden):
                await change
        back = await upstream.restore_document(document.id)
    assert back.live
    assert back.text == "one"


@pytest.mark.parametrize(
    ("last_revision", "mode", "text", "sent"),
    [
        (None, EditMode.REPLACE, "new", 1),
        (None, EditMode.APPEND, "new", 1),
        (None, EditMode.PATCH, "new", 2),
        (None, EditMode.PATCH, "old and new", 1),
        (3, EditMode.REPLACE, "new", 2),
        (3, EditMode.APPEND, "new", 2),
    ],
)
async def test_an_update_whose_answer_is_lost_is_repeated_if_it_does_no_harm(
    sandboxed, last_revision, mode, text, sent
):
    more = {} if last_revision is None else {"last_revision": last_revision}
    find = {"find": "old"} if mode is EditMode.PATCH else {}
    async with sandboxed.client() as upstream:
        document = await create(upstream, sandboxed, text="old")
        sandboxed.sandbox.faults.timeout("documents.update", after=True)
        with contextlib.suppress(UpstreamUnavailable, UpstreamConflict, UpstreamNotFound):
            await upstream.update_document(document.id, text=text, mode=mode, **find, **more)
    endpoints = [entry.endpoint for entry in sandboxed.sandbox.calls()]
    assert endpoints.count("documents.update") == sent


async def test_abilities_are_asked_for_once(sandboxed):
    async with sandboxed.client() as upstream:
        document = await create(upstream, sandboxed)
        first = await upstream.abilities(document.id)
        assert await upstream.abilities(document.id) == first
    assert first.last_revision == (sandboxed.sandbox.services.world.version == "main")
    endpoints = [entry.endpoint for entry in sandboxed.sandbox.calls()]
    assert endpoints.count("documents.update") == 2


async def test_a_proxy_teaches_nothing_about_abilities(sandboxed):
    async with sandboxed.client() as upstream:
        document = await create(upstream, sandboxed)
        sandboxed.sandbox.faults.html("documents.update")
        with pytest.raises(UpstreamUnavailable):
            await upstream.abilities(document.id)
        assert (await upstream.abilities(document.id)).patch
