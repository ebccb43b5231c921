"""A list of collections that says less than there is: nothing is lost, and work goes on."""

import httpx
import pytest
from mirror_world import MovingClock
from product import built_product, opened_product, product_settings
from spoiled import Spoiled

from personal_context.domain.models import SyncStatus, SyncTrouble
from personal_context.runtime import build_runtime

COLLECTIONS = "collections.list"
INFO = "collections.info"


def spoiled(wires):
    def around(wire):
        wires.append(Spoiled(wire))
        return wires[0]

    return around


@pytest.fixture(params=[("*",), ()], ids=["every collection", "one"])
async def product(request, tmp_path):
    """A product that mirrors two documents, in all collections or in one that is named."""
    wires, clock = [], MovingClock()
    settings = {"sync_collections": request.param, "prompts_collection_id": None}
    async with opened_product(tmp_path, clock=clock, around=spoiled(wires), **settings) as product:
        product.clock, product.changes = clock, wires[0].changes
        product.ids = {product.write("One", "first"), product.write("Two", "first")}
        await product.sync()
        yield product


async def poll(product):
    product.clock.advance(minutes=16)
    return await product.runtime.sync.poll()


async def held(product):
    found = await product.runtime.store.in_collection(product.handbook)
    return {content.id: content.text for content in found}


async def state(product):
    return await product.runtime.store.sync_state(product.handbook)


async def test_an_empty_list_of_collections_stops_nothing(product):
    product.changes[COLLECTIONS] = lambda _rows: []
    one = min(product.ids)
    product.sandbox.documents.edit(one, text="second")

    await poll(product)

    assert (await held(product))[one] == "second"
    assert (await held(product)).keys() == product.ids
    assert (await state(product)).status is SyncStatus.IDLE


async def test_an_empty_list_is_asked_for_again_at_the_next_poll(product):
    product.changes[COLLECTIONS] = lambda _rows: []
    await poll(product)
    product.changes.clear()
    before = len(product.sandbox.requests)

    product.clock.advance(minutes=1)
    await product.runtime.sync.poll()

    asked = [request.endpoint for request in list(product.sandbox.requests)[before:]]
    assert COLLECTIONS in asked
    assert INFO not in asked


async def test_a_collection_without_documents_is_not_forgotten_for_an_empty_list(tmp_path):
    wires, clock = [], MovingClock()
    async with opened_product(tmp_path, clock=clock, around=spoiled(wires)) as product:
        product.clock = clock
        await product.sync()
        wires[0].changes[COLLECTIONS] = lambda _rows: []

        await poll(product)

        assert (await state(product)).status is SyncStatus.IDLE


@pytest.mark.parametrize("trouble", [403, 500])
async def test_what_can_not_be_confirmed_removes_nothing(product, trouble):
    product.changes[COLLECTIONS] = lambda _rows: []
    product.sandbox.faults.status(INFO, trouble, times=99)

    await poll(product)

    assert (await held(product)).keys() == product.ids
    expected = SyncTrouble.ACCESS_LOST if trouble == 403 else SyncTrouble.UNREACHABLE
    assert (await state(product)).trouble is expected


async def test_what_is_confirmed_to_be_deleted_goes(product):
    product.sandbox.collections.delete(product.handbook)
    product.changes[COLLECTIONS] = lambda _rows: []

    await poll(product)

    assert await held(product) == {}


async def test_a_first_look_at_an_empty_list_finds_what_is_named_by_its_id(tmp_path):
    async with built_product(tmp_path) as product:
        product.write("One", "first")
        settings = product_settings(
            tmp_path, sync_collections=(product.handbook, "Nowhere"), prompts_collection_id=None
        )
        wire = Spoiled(httpx.ASGITransport(product.sandbox.app))
        wire.changes[COLLECTIONS] = lambda _rows: []
        async with build_runtime(settings, transport=wire, embedder=product.embedder) as runtime:
            told = {one.name: one.error for one in await runtime.sync.sync_now()}

    assert told["Handbook"] is None
    assert "no collection 'Nowhere'" in told["Nowhere"]
