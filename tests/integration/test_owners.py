"""One owner among many processes: what a process may still do that was asleep or is gone."""

import asyncio
import os
from pathlib import Path

import pytest
from mirror_world import MovingClock
from product import beside, opened_product

from personal_context.domain.models import SyncStatus
from personal_context.owners import is_gone, process_name
from personal_context.sync.lease import Lease, LeaseTimes

TTL = LeaseTimes().ttl


def held(sandbox, endpoint):
    """Keep the next request to an endpoint waiting; return (it has arrived, let it go on)."""
    arrived = asyncio.Event()
    gate = sandbox.faults.hold(endpoint)
    sandbox.faults.before_request(1, arrived.set, endpoint=endpoint)
    return arrived, gate


async def test_an_owner_that_was_asleep_writes_nothing_when_it_wakes(tmp_path):
    """As SIGSTOP and SIGCONT would have it: its lease ran out, another one pulled meanwhile."""
    clock = MovingClock()
    async with opened_product(tmp_path, clock=clock, sync_collections=("Handbook",)) as product:
        rule = product.write("Rule", "first")
        await product.sync()
        product.sandbox.documents.edit(rule, text="second")
        arrived, gate = held(product.sandbox, "documents.list")
        asleep = asyncio.create_task(product.runtime.sync.poll())
        await arrived.wait()
        clock.advance(seconds=TTL.total_seconds() + 1)
        async with beside(product, tmp_path, clock=clock) as other:
            await other.sync.poll()
            product.sandbox.documents.edit(rule, text="third")
            clock.advance(minutes=1)
            await other.sync.poll()
            before = await other.store.sync_state(product.handbook)
            gate.set()
            reports = await asleep
            after = await other.store.sync_state(product.handbook)
            text = (await other.store.get(rule)).text

    assert reports is None
    assert text == "third"
    assert after == before
    assert after.status is SyncStatus.IDLE


@pytest.fixture
async def store(tmp_path):
    async with opened_product(tmp_path) as product:
        yield product.runtime.store


async def test_the_lease_of_a_killed_process_need_not_run_out(store):
    clock = MovingClock()
    dead = Lease("clock", store=store, owner="dead", clock=clock)
    assert await dead.acquire() == 1
    patient = Lease("clock", store=store, owner="patient", clock=clock)
    knowing = Lease("clock", store=store, owner="knowing", clock=clock, is_dead="dead".__eq__)

    assert await patient.acquire() is None
    assert await knowing.acquire() == 2
    assert await patient.held_elsewhere()
    clock.advance(seconds=TTL.total_seconds() + 1)
    assert await patient.acquire() == 3


def test_only_a_process_that_is_known_to_be_gone_counts_as_gone():
    own = process_name()
    host, _, _ = own.split(":")

    assert not is_gone(own)
    assert is_gone(f"{host}:{2**22 + 1}:abcd")  # above the largest process id of Linux
    assert not is_gone("elsewhere:1:abcd")
    assert not is_gone("nonsense")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no births are known here")
def test_a_predecessor_with_the_number_of_a_living_process_is_gone():
    """In a container each gateway is process 1, as the one before it was."""
    host, pid, mark = process_name().split(":")
    born, _, token = mark.partition("-")

    assert is_gone(f"{host}:{pid}:{'0' * len(born)}-{token}")
    assert is_gone(f"{host}:{os.getppid()}:{mark}")
    assert not is_gone(f"{host}:{pid}:{born}-{'0' * len(token)}")  # another part of this process
    assert not is_gone(f"{host}:{pid}:-{token}")  # nobody knew when it began
