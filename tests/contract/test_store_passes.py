"""What ports.Store promises of passes under way."""

from dataclasses import replace
from datetime import timedelta

import pytest
from builders import HANDBOOK, JOURNAL, NOW

from personal_context.domain.models import RunningPass, SyncState, SyncStatus

RUNNING = RunningPass(HANDBOOK, 3, 9, NOW, NOW + timedelta(seconds=2))


@pytest.fixture(autouse=True)
async def _syncing(store):
    for collection_id in (HANDBOOK, JOURNAL):
        await store.save_sync_state(SyncState(collection_id, status=SyncStatus.SYNCING))


async def test_no_pass_runs(store):
    assert await store.running_passes() == []


async def test_a_pass_is_told_again_and_again_oldest_pass_first(store):
    earlier = replace(RUNNING, collection_id=JOURNAL, started_at=NOW - timedelta(minutes=1))
    await store.save_pass(RUNNING)
    await store.save_pass(earlier)
    further = replace(RUNNING, done=4, told_at=NOW + timedelta(seconds=3))
    await store.save_pass(further)
    assert await store.running_passes() == [earlier, further]


@pytest.mark.parametrize("ended", [SyncStatus.IDLE, SyncStatus.ERROR])
async def test_the_state_that_it_ends_with_ends_it(store, ended):
    await store.save_pass(RUNNING)
    await store.save_pass(replace(RUNNING, collection_id=JOURNAL))
    await store.save_sync_state(SyncState(HANDBOOK, status=ended))
    assert [one.collection_id for one in await store.running_passes()] == [JOURNAL]


async def test_what_is_told_late_is_ignored(store):
    await store.save_sync_state(SyncState(HANDBOOK))
    await store.save_pass(RUNNING)
    await store.save_pass(replace(RUNNING, collection_id="nowhere"))
    assert await store.running_passes() == []


async def test_a_forgotten_collection_has_no_pass(store):
    await store.save_pass(RUNNING)
    await store.forget_collection(HANDBOOK)
    assert await store.running_passes() == []
