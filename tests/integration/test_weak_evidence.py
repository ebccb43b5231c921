"""Lists, trees and dates that say less, or something else, than they seem to."""

import json

import httpx
import pytest
from mirror_world import MovingClock
from product import opened_product
from spoiled import Spoiled

from personal_context.domain.models import SyncTrouble

INFO = "documents.info"
TREE = "collections.documents"
LIST = "documents.list"


class Stingy(httpx.AsyncBaseTransport):
    """A wiki whose pages are shorter than what was asked for."""

    def __init__(self, wire, limit):
        self._wire, self._limit = wire, limit

    async def handle_async_request(self, request):
        body = json.loads(await request.aread() or b"{}")
        if body.get("limit", 0) > self._limit:
            headers = {k: v for k, v in request.headers.items() if k != "content-length"}
            content = json.dumps(body | {"limit": self._limit}).encode()
            request = httpx.Request(request.method, request.url, headers=headers, content=content)
        return await self._wire.handle_async_request(request)


@pytest.fixture
async def product(tmp_path):
    wires, clock = [], MovingClock()

    def around(wire):
        wires.append(Spoiled(wire))
        return wires[0]

    async with opened_product(
        tmp_path, clock=clock, around=around, sync_collections=(), prompts_collection_id=None
    ) as product:
        product.clock, product.changes = clock, wires[0].changes
        yield product


async def texts(product):
    found = await product.runtime.store.in_collection(product.handbook)
    return {content.id: content.text for content in found}


async def poll(product, **duration):
    product.clock.advance(**(duration or {"minutes": 5}))
    return await product.runtime.sync.poll()


async def requests_of_a_poll(product):
    before = len(product.sandbox.requests)
    await poll(product)
    return len(product.sandbox.requests) - before


async def test_pages_shorter_than_asked_for_lose_nothing(tmp_path):
    clock = MovingClock()
    async with opened_product(
        tmp_path, clock=clock, around=lambda wire: Stingy(wire, 25), prompts_collection_id=None
    ) as product:
        product.clock = clock
        ids = [product.write(f"Document {number}", "one") for number in range(90)]
        await product.sync()
        clock.advance(minutes=5)
        for key in ids:
            product.sandbox.documents.edit(key, text="two")

        await poll(product)

        assert set((await texts(product)).values()) == {"two"}


async def test_a_list_that_never_goes_on_is_an_error_and_removes_nothing(product):
    ids = [product.write(f"Document {number}", "one") for number in range(120)]
    await product.sync()
    first = []
    product.changes[LIST] = lambda rows: first or first.extend(rows) or rows

    reports = await product.runtime.sync.sync_now(full=True)

    assert "doesn't go on" in reports[0].error
    assert set(await texts(product)) == set(ids)


def dated(product, key, stamp):
    product.sandbox.services.world.state.connection.execute(
        "UPDATE documents SET updated_at = ? WHERE id = ?", (stamp, key)
    )


async def test_one_document_from_the_future_hides_no_edits(product):
    ids = [product.write(f"Document {number}", "one") for number in range(130)]
    dated(product, ids[0], "2099-01-01T00:00:00.000Z")
    await product.sync()
    await poll(product)
    for key in ids[1:]:
        product.sandbox.documents.edit(key, text="two")

    await poll(product)
    await poll(product)  # looks once more behind the cursor
    await poll(product)

    held = await texts(product)
    assert {held[key] for key in ids[1:]} == {"two"}
    assert await requests_of_a_poll(product) == 2


async def test_what_outline_says_of_a_document_counts_more_than_an_old_tree(product):
    keep, gone, elsewhere = (product.write(f"Document {number}", "one") for number in range(3))
    await product.sync()
    old = []
    product.changes[TREE] = lambda tree: old or old.extend(tree) or tree
    await product.sync()
    product.sandbox.documents.trash(gone)
    product.sandbox.documents.move(elsewhere, collection_id=product.prompts)

    reports = await product.runtime.sync.sync_now(full=True)
    await poll(product)

    assert set(await texts(product)) == {keep}
    assert reports[0].removed == 2


async def test_a_refusal_is_no_evidence_against_a_tree_that_shows_the_document(product):
    rule = product.write("Rule", "one")
    await product.sync()
    product.changes[LIST] = lambda _: []
    product.sandbox.faults.status(INFO, 403, error="authorization_error")

    reports = await product.runtime.sync.sync_now(full=True)

    assert product.sandbox.calls(INFO)
    assert [report.error for report in reports] == [None]
    assert set(await texts(product)) == {rule}


async def test_a_document_that_is_gone_but_not_answered_for_is_asked_about_ever_more_rarely(
    product,
):
    gone = product.write("Gone", "one")
    product.write("Rule", "one")
    await product.sync()
    product.sandbox.documents.trash(gone)
    product.changes[INFO] = lambda row: row | {"title": None}
    for _ in range(12):
        await poll(product)
    asked = len(product.sandbox.calls(INFO))
    product.changes.clear()
    kept = len(await texts(product))
    await poll(product, hours=7)

    assert kept == 2
    assert asked <= 6  # after 1, 2, 4, 8, 16, 32 minutes
    assert len(await texts(product)) == 1
    assert await product.runtime.store.failures() == []


@pytest.mark.parametrize("known", [True, False])
async def test_a_document_that_can_never_be_read_makes_no_poll_dearer(product, known):
    for number in range(130):
        product.write(f"Document {number}", "one")
    bad = product.write("Bad", "one")
    if known:
        await product.sync()

    def spoil(rows):
        return [row | {"text": None} if row["id"] == bad else row for row in rows]

    product.changes[LIST] = spoil
    product.changes[INFO] = lambda row: row | {"text": None}
    await product.sync()
    for _ in range(10):
        await poll(product)

    [failure] = await product.runtime.store.failures()
    assert failure.title == "Bad"
    assert await requests_of_a_poll(product) == 2


async def test_what_only_the_tree_shows_is_asked_for_ever_more_rarely(product):
    """A page that the key can't see, or one that an old copy of the tree still has."""
    hidden = product.write("Hidden", "one")
    product.write("Rule", "one")
    product.changes[LIST] = lambda rows: [row for row in rows if row["id"] != hidden]
    product.sandbox.faults.status(INFO, 403, times=99, error="authorization_error")
    await product.sync()
    for _ in range(12):
        await poll(product)
    asked = len(product.sandbox.calls(INFO))
    quiet = await requests_of_a_poll(product)
    product.sandbox.faults.clear()
    product.changes.clear()
    await poll(product, hours=7)

    assert asked <= 8
    assert quiet == 2
    assert hidden in await texts(product)


async def test_a_date_at_the_end_of_time_stops_nothing(product):
    key = product.write("Late", "one")
    dated(product, key, "9999-12-31T23:59:59.999Z")
    await product.sync()
    product.write("Rule", "one")

    reports = await poll(product)

    assert [report.error for report in reports] == [None]
    assert len(await texts(product)) == 2


async def test_a_whole_collection_that_left_is_asked_about_after_a_persons_yes_only(product):
    for number in range(15):
        product.write(f"Document {number}", "one")
    await product.sync()
    product.sandbox.collections.archive(product.handbook)
    await poll(product, minutes=20)
    await poll(product, minutes=20)
    before = len(product.sandbox.calls(INFO))
    held = await product.runtime.store.sync_state(product.handbook)

    await product.runtime.sync.sync_now(confirm_removals=["Handbook"])

    assert held.pending_removals == 15
    assert before == 0
    assert len(product.sandbox.calls(INFO)) == 15
    assert await texts(product) == {}


async def test_a_refusal_counts_only_while_the_collection_answers_also_when_that_left(product):
    rule = product.write("Rule", "one")
    await product.sync()
    product.sandbox.collections.delete(product.handbook)
    faults = product.sandbox.faults
    faults.status(INFO, 403, times=2, error="authorization_error")
    faults.before_request(
        1,
        lambda: faults.status("collections.info", 403, error="authorization_error"),
        endpoint=INFO,
    )

    await poll(product, minutes=20)
    state = await product.runtime.store.sync_state(product.handbook)

    assert state.trouble is SyncTrouble.ACCESS_LOST
    assert set(await texts(product)) == {rule}
    await poll(product)  # refused again, and the collection answers that it is gone
    assert await texts(product) == {}
