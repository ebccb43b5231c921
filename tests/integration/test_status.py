"""What a status says of a mirror, from whichever process it is asked."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from mirror_world import MovingClock
from patience import until
from product import beside, opened_product

from personal_context.domain.models import Health, SyncStatus, SyncTrouble


async def collection(runtime, name="Handbook"):
    return next(one for one in (await runtime.status()).collections if one.name == name)


@pytest.fixture
async def product(tmp_path):
    clock = MovingClock()
    async with opened_product(tmp_path, clock=clock) as product:
        product.clock = clock
        yield product


async def test_a_pulled_collection_is_up_to_date(product):
    product.write("Rule", "Be kind.")
    await product.sync()

    one = await collection(product.runtime)

    assert (one.health, one.documents, one.trouble) == (Health.GOOD, 1, None)
    assert one.finished_at is not None
    assert one.next_pull_at is None  # nothing runs by itself here
    assert not (await product.runtime.status()).clock_runs


async def test_another_process_tells_how_far_its_pass_is(tmp_path):
    async with opened_product(tmp_path) as product:
        for number in range(3):
            product.write(f"Rule {number}", "Be kind.")
        gate = product.sandbox.faults.hold("documents.list")
        other = beside(product, tmp_path)
        async with other:
            syncing = asyncio.create_task(product.runtime.sync.sync_now())

            async def under_way():
                return (await other.status()).passes

            [told] = await until(under_way)
            meanwhile = await collection(other, told.name)
            gate.set()
            await syncing
            after = await other.status()

    assert told.total >= 0
    assert (meanwhile.health, meanwhile.status) == (Health.SYNCING, SyncStatus.SYNCING)
    assert meanwhile.progress.collection_id == meanwhile.collection_id
    assert list(after.passes) == []
    assert {one.health for one in after.collections} == {Health.GOOD}


async def test_who_asks_another_process_is_told_how_far_it_is(tmp_path):
    async with opened_product(tmp_path) as product:
        product.write("Rule", "Be kind.")
        seen = []
        asker = beside(product, tmp_path)
        async with asker, product.runtime.background():
            await asker.sync.sync_now()  # the pass of the start has ended
            gate = product.sandbox.faults.hold("documents.list")
            asking = asyncio.create_task(
                asker.sync.sync_now(on_progress=lambda name, *_: seen.append(name))
            )

            async def told():
                return seen

            await until(told)
            gate.set()
            reports = await asking

    assert set(seen) <= {report.name for report in reports}


async def test_a_request_is_withdrawn_when_its_asker_gives_up(tmp_path):
    async with opened_product(tmp_path) as product:
        store = product.runtime.store
        asker = beside(product, tmp_path)
        # Somebody has the clock and takes up no request.
        await store.acquire_lease("clock", "x:1:y", now=_now(), ttl=timedelta(seconds=50))
        async with asker:
            asking = asyncio.create_task(asker.sync.sync_now())
            await until(store.pending_sync_request)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking

        assert await store.pending_sync_request() is None


async def test_the_process_with_the_clock_knows_when_it_pulls_next(tmp_path):
    async with opened_product(tmp_path) as product:
        product.write("Rule", "Be kind.")
        async with beside(product, tmp_path) as other, product.runtime.background():

            async def scheduled():
                one = await collection_or_none(product.runtime)
                return one if one and one.next_pull_at and one.finished_at else None

            here = await until(scheduled)
            there = await collection(other)
            overall = await other.status()

    assert here.next_pull_at > _now()
    assert there.next_pull_at > _now()
    assert overall.clock_runs
    assert overall.next_sync_at is not None


async def collection_or_none(runtime):
    found = (await runtime.status()).collections
    return next((one for one in found if one.name == "Handbook"), None)


async def test_lost_access_is_told_as_such(product):
    product.write("Rule", "Be kind.")
    await product.sync()
    product.sandbox.collections.update(product.handbook, permission=None)
    person = product.sandbox.services.world.person
    product.sandbox.collections.remove_member(product.handbook, person)
    product.clock.advance(minutes=20)
    await product.runtime.sync.poll()

    one = await collection(product.runtime)

    assert (one.health, one.documents) == (Health.ACCESS_LOST, 1)
    assert "403" in one.error_message or "Access lost" in one.error_message
    assert one.way_out


async def test_held_removals_name_the_command_and_its_yes_ends_them(product):
    ids = [product.write(f"Rule {number}", "Be kind.") for number in range(20)]
    await product.sync()
    for content_id in ids[:15]:
        product.sandbox.documents.trash(content_id)
    await product.runtime.sync.sync_now()

    held = await collection(product.runtime)
    name = held.way_out.rpartition(" ")[2]
    await product.runtime.sync.sync_now(confirm_removals=[name])
    after = await collection(product.runtime)

    assert (held.health, held.pending_removals) == (Health.HELD, 15)
    assert (after.health, after.documents, after.trouble) == (Health.GOOD, 5, None)


@pytest.mark.parametrize(
    ("status", "trouble", "again"),
    [(503, SyncTrouble.UNREACHABLE, True), (401, SyncTrouble.KEY_REFUSED, False)],
)
async def test_an_ill_outline_is_told_with_its_next_try(product, status, trouble, again):
    await product.sync()
    product.sandbox.faults.status("*", status, times=999)
    product.clock.advance(minutes=20)
    await product.runtime.sync.poll()

    one = await collection(product.runtime)

    assert (one.health, one.trouble) == (Health.ERROR, trouble)
    assert (one.next_try_at is not None) is again
    assert one.error_message


async def test_an_outage_is_not_told_of_what_the_settings_left_out(tmp_path):
    async with opened_product(tmp_path) as product:
        product.write("Rule", "Be kind.")
        await product.sync()
    async with opened_product(tmp_path, sync_collections=("Elsewhere",)) as product:
        product.sandbox.faults.status("*", 503, times=999)
        await product.runtime.sync.poll()

        one = await collection(product.runtime)

    assert (one.health, one.error_message, one.documents) == (Health.LET_GO, None, 1)
    assert "PERSONAL_CONTEXT_SYNC_COLLECTIONS" in one.way_out


def _now():
    return datetime.now(UTC)
