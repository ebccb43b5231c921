"""A key that may only read: all is mirrored, and what is missed is said at every door."""

import pytest
from fastmcp import Client
from mirror_world import MovingClock
from product import opened_product
from rich.console import Console

from personal_context.cli.status import status_text
from personal_context.content.checks import NewContent
from personal_context.domain.models import Health, KeyScopes
from personal_context.server.mcp import build_mcp
from personal_context.sync.key import WITHOUT, key_status
from personal_context.upstream.sandbox.auth import DEMO_KEY


@pytest.fixture
async def product(tmp_path):
    clock = MovingClock()
    async with opened_product(tmp_path, clock=clock) as product:
        product.sandbox.services.people.add_key(DEMO_KEY, scopes=("read",))
        product.clock = clock
        yield product


@pytest.mark.parametrize("leave", ["trash", "archive", "unpublish", "purge"])
async def test_every_way_of_leaving_is_seen(product, leave):
    gone = product.write("Rule", "Be kind.")
    kept = product.write("Other", "Be quick.")
    await product.sync()
    documents = product.sandbox.documents
    if leave == "purge":
        documents.trash(gone)
    getattr(documents, leave)(gone)
    product.clock.advance(minutes=20)
    await product.runtime.sync.sync_now()

    found = await product.runtime.store.in_collection(product.handbook)
    assert [one.id for one in found] == [kept]


async def test_a_status_says_what_the_key_may_not_do(product):
    product.write("Rule", "Be kind.")
    await product.sync()
    before = (await product.runtime.status()).key
    await product.runtime.key.look()
    now = await product.runtime.status()

    console = Console(width=200, no_color=True)
    with console.capture() as captured:
        console.print(status_text(now, product.clock()))
    async with Client(build_mcp(product.runtime)) as client:
        told = (await client.call_tool("sync_status", {})).structured_content

    assert before is None
    assert {one.health for one in now.collections} == {Health.GOOD}
    assert set(now.key.refused) == set(WITHOUT)
    assert len(now.key.limits) == 5  # archive and trash are one
    assert "Key: What is added here doesn't reach Outline" in captured.get()
    assert "Key: Outline's archive and trash can't be listed." in captured.get()
    assert told["key_limits"] == list(now.key.limits)


async def test_what_is_added_is_kept_and_says_why_it_waits(product):
    await product.sync()
    added = await product.runtime.contents.add(NewContent(title="Note", text="Copper."))
    await product.runtime.push_pending()
    [entry] = (await product.runtime.status()).outbox

    assert entry.content_id == added.content.id
    assert "scope" in entry.error
    assert (await product.runtime.search.search("copper")).results


async def test_an_ill_outline_leaves_what_was_known(product):
    await product.runtime.key.look()
    product.sandbox.faults.status("*", 503, times=99)
    await product.runtime.key.look()

    assert (await product.runtime.key.known()).refused


def test_a_key_that_may_do_everything_has_no_limits():
    status = key_status(KeyScopes(dict.fromkeys(WITHOUT, True), MovingClock()()))

    assert (status.refused, list(status.limits)) == ([], [])
