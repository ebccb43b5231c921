"""`sync_status` as a real MCP client meets it, in both eras of the protocol."""

import asyncio
from datetime import UTC, datetime

import pytest
from fastmcp import Client
from patience import until
from product import built_product

from personal_context.domain.models import SyncFailure, SyncStatus
from personal_context.server.mcp import build_mcp
from personal_context.upstream.sandbox.auth import DEMO_KEY


@pytest.fixture(params=["auto", "legacy"])
async def client(request, tmp_path):
    async with built_product(tmp_path, sync_enabled=False) as product:
        product.write("Timetable", "The ferry leaves at seven.")

        async def opened(_):
            await product.sync()

        async with Client(build_mcp(product.runtime, opened=opened), mode=request.param) as client:
            client.product = product
            yield client


async def ask(client, **arguments):
    answer = await client.call_tool("sync_status", arguments)
    return answer.structured_content, answer.content[0].text


def named(told, name="Handbook"):
    return next(one for one in told["collections"] if one["name"] == name)


async def test_it_tells_how_each_collection_is(client):
    told, text = await ask(client)

    assert (named(told)["documents"], named(told)["state"]) == (1, "up to date")
    assert named(told)["last_pull_at"]
    assert told["synced"] is None
    assert "- Handbook: 1 documents, up to date, last pull 20" in text


async def test_looking_asks_outline_nothing(client):
    before = len(client.product.sandbox.requests)
    await ask(client)

    assert len(client.product.sandbox.requests) == before


async def test_waiting_brings_in_what_was_just_written(client):
    client.product.write("Fares", "A ticket costs nine marks.")

    told, text = await ask(client, wait=True)

    assert (told["synced"]["ended"], told["synced"]["ok"], told["synced"]["new"]) == (True, True, 1)
    assert named(told)["documents"] == 2
    assert text.startswith("Synced: 1 new.")


async def test_waiting_is_told_how_far_it_is(client):
    seen = []

    async def progress(done, total, message):
        seen.append((done, total, message))

    gate = client.product.sandbox.faults.hold("documents.list", times=9)
    calling = asyncio.create_task(
        client.call_tool("sync_status", {"wait": True}, progress_handler=progress)
    )

    async def told():
        return seen

    await until(told)
    gate.set()
    await calling

    assert seen[0][0] == 0
    assert [done for done, *_ in seen] == sorted({done for done, *_ in seen})
    assert seen[0][2].endswith(": looking")


async def test_a_cancelled_call_ends_its_sync_and_loses_nothing(client):
    product = client.product
    product.write("Fares", "A ticket costs nine marks.")
    gate = product.sandbox.faults.hold("documents.list")
    calling = asyncio.create_task(client.call_tool("sync_status", {"wait": True}))

    async def waits():
        return product.runtime.by_hand.running and not product.sandbox.faults.waiting

    async def ended():
        return not product.runtime.by_hand.running

    await until(waits)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    await until(ended)
    states = await product.runtime.store.sync_states()
    gate.set()
    told, _ = await ask(client, wait=True)

    assert {state.status for state in states} == {SyncStatus.IDLE}
    assert told["synced"]["new"] == 1


async def test_an_ill_outline_is_an_answer_with_its_reason(client):
    client.product.sandbox.faults.status("*", 401, times=99, error="authentication_required")

    told, text = await ask(client, wait=True)

    assert told["synced"]["ok"] is False
    assert "PERSONAL_CONTEXT_OUTLINE_API_KEY" in told["synced"]["errors"][0]
    assert named(told)["state"] == "needs attention"
    assert "PERSONAL_CONTEXT_OUTLINE_API_KEY" in named(told)["what_to_do"]
    assert text.startswith("Synced with errors: nothing changed.")


async def test_removals_that_wait_are_told_with_the_command_for_the_owner(client):
    product = client.product
    ids = [product.write(f"Rule {number}", "Be kind.") for number in range(20)]
    await product.sync()
    for content_id in ids:
        product.sandbox.documents.trash(content_id)

    told, text = await ask(client, wait=True)

    assert named(told)["state"] == "waiting for your word"
    assert named(told)["removals_waiting"] == 20
    assert "sync --confirm-removals Handbook" in named(told)["what_to_do"]
    assert "20 of 21 documents would be removed" in text


async def test_failing_documents_are_named_with_their_reason(client):
    product = client.product
    odd = product.write("Odd\none", "Text.")
    reason = "It can't\nbe read."
    await product.runtime.store.save_failure(
        SyncFailure(odd, product.handbook, "Odd\none", reason, 1, datetime.now(UTC))
    )

    told, text = await ask(client)

    [failing] = named(told)["failing"]
    assert (failing["title"], failing["reason"]) == ("Odd\none", reason)
    assert named(told)["failing_in_all"] == 1
    assert "    Odd one: It can't be read." in text


async def test_without_outline_it_says_so(tmp_path):
    async with (
        built_product(
            tmp_path,
            outline_api_base=None,
            outline_api_key=None,
            outline_collection_id=None,
            prompts_collection_id=None,
            sync_collections=(),
        ) as product,
        Client(build_mcp(product.runtime)) as client,
    ):
        told, text = await ask(client)
        waited, _ = await ask(client, wait=True)

    assert told["outline"] is None
    assert "No Outline is connected" in text
    assert waited["synced"]["ok"] is False


async def test_a_key_that_may_only_read_mirrors_all_the_same(tmp_path):
    async with built_product(tmp_path, sync_enabled=False) as product:
        product.sandbox.services.people.add_key(DEMO_KEY, scopes=("read",))
        rule = product.write("Rule", "Be kind.")
        kept = product.write("Other", "Be kind.")
        async with Client(build_mcp(product.runtime)) as client:
            first, _ = await ask(client, wait=True)
            product.sandbox.documents.trash(rule)
            product.sandbox.documents.edit(kept, text="Be kinder.")
            second, _ = await ask(client, wait=True)

    assert (first["synced"]["ok"], first["synced"]["new"]) == (True, 2)
    assert (second["synced"]["ok"], second["synced"]["removed"]) == (True, 1)
    assert second["synced"]["changed"] == 1
