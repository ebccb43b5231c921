"""What ports.Store promises of leases, and of writing behind their fence."""

import asyncio
from datetime import timedelta

import pytest
from builders import HANDBOOK, JOURNAL, LOG, NOW, content, content_id, mirror_all, note, prepared

from personal_context.domain.errors import LeaseLost, StoreError
from personal_context.domain.models import (
    LogEntry,
    Placement,
    RunningPass,
    SyncFailure,
    SyncState,
    SyncStatus,
)

TTL = timedelta(seconds=30)


async def acquire(store, owner, at=NOW, name="sync"):
    return await store.acquire_lease(name, owner, now=at, ttl=TTL)


# --- leases


async def test_a_lease_has_one_owner(store):
    assert await acquire(store, "a")
    assert await acquire(store, "b", NOW + TTL / 2) is None
    assert await acquire(store, "b", name="other")
    assert await acquire(store, "a", NOW + TTL / 2)
    assert await acquire(store, "b", NOW + TTL) is None
    assert await acquire(store, "b", NOW + TTL * 1.5)
    await store.release_lease("sync", "a")
    assert await store.lease_owner("sync") == "b"
    assert await acquire(store, "a", NOW + TTL * 1.5) is None
    await store.release_lease("sync", "b")
    assert await store.lease_owner("sync") is None
    assert await acquire(store, "a", NOW + TTL * 1.5)


async def test_of_many_that_ask_at_once_one_gets_the_lease(store):
    answers = await asyncio.gather(*(acquire(store, f"{n}") for n in range(10)))
    assert sorted(answers, key=str) == [1] + [None] * 9


async def test_the_token_grows_with_each_change_of_owner(store):
    assert await acquire(store, "a") == 1
    assert await acquire(store, "a", NOW + TTL * 3) == 1  # late, but nobody took over
    assert await acquire(store, "b", NOW + TTL * 9) == 2
    assert await acquire(store, "a", NOW + TTL * 20) == 3
    await store.release_lease("sync", "a")
    await store.release_lease("sync", "a")
    assert await acquire(store, "a", NOW) == 4
    await store.release_lease("sync", "a")
    assert await acquire(store, "b", NOW) == 5
    assert await acquire(store, "b", name="other") == 1


# --- the fence

FAILURE = SyncFailure(content_id(1), HANDBOOK, "", "500", 1, NOW)
GONE = LogEntry("trash", created_at=NOW)

WRITES = {
    "mirror": lambda s: mirror_all(s, content(1, "New")),
    "trash": lambda s: s.trash(content_id(1), reason="gone", log=LOG),
    "purge": lambda s: s.purge(before=NOW + TTL),
    "place": lambda s: s.place(HANDBOOK, {content_id(1): Placement(None, 99)}),
    "save_sync_state": lambda s: s.save_sync_state(SyncState(HANDBOOK, "New")),
    "save_pass": lambda s: s.save_pass(RunningPass(JOURNAL, 1, 2, NOW, NOW)),
    "forget_collection": lambda s: s.forget_collection(HANDBOOK),
    "add_log": lambda s: s.add_log(LOG),
    "trim_log": lambda s: s.trim_log(before=NOW + TTL),
    "save_failure": lambda s: s.save_failure(FAILURE),
    "forget_failure": lambda s: s.forget_failure(content_id(7)),
}


async def everything(store):
    return (
        await store.in_collection(HANDBOOK),
        await store.trashed(limit=9),
        await store.sync_states(),
        await store.running_passes(),
        await store.log(limit=99),
        await store.failures(),
        await store.outbox_entry(content_id(4)),
    )


@pytest.fixture
async def filled(store):
    """Hold something for every write to change."""
    await mirror_all(store, content(1), content(2))
    await store.trash(content_id(2), reason="gone", log=GONE)
    await store.add(note(4), prepared(note(4)), log=LOG, push_to=HANDBOOK)
    await store.save_sync_state(SyncState(HANDBOOK, "Handbook"))
    await store.save_sync_state(SyncState(JOURNAL, "Journal", SyncStatus.SYNCING))
    await store.save_failure(SyncFailure(content_id(7), HANDBOOK, "", "500", 1, NOW))
    return store


async def overtaken(store):
    await acquire(store, "b", NOW + TTL * 2)


async def given_back(store):
    await store.release_lease("sync", "a")


async def given_back_and_taken_again(store):
    await store.release_lease("sync", "a")
    await acquire(store, "a")


@pytest.mark.parametrize("lose", [overtaken, given_back, given_back_and_taken_again])
@pytest.mark.parametrize("name", WRITES)
async def test_who_lost_the_lease_writes_nothing(filled, name, lose):
    fenced = filled.fenced("sync", "a", await acquire(filled, "a"))
    await lose(filled)
    before = await everything(filled)
    with pytest.raises(LeaseLost) as error:
        await WRITES[name](fenced)
    assert isinstance(error.value, StoreError)
    assert "sync" in error.value.what
    assert error.value.hint
    assert await everything(filled) == before
    assert await everything(fenced) == before


@pytest.mark.parametrize("name", WRITES)
async def test_who_holds_the_lease_writes(filled, name):
    fenced = filled.fenced("sync", "a", await acquire(filled, "a"))
    await acquire(filled, "a", NOW + TTL * 2)
    before = await everything(filled)
    await WRITES[name](fenced)
    assert await everything(filled) != before


async def test_a_fence_without_a_lease_holds(store):
    with pytest.raises(LeaseLost):
        await store.fenced("sync", "a", 1).add_log(LOG)
    with pytest.raises(LeaseLost):
        await store.fenced("sync", "", 1).add_log(LOG)
    token = await acquire(store, "a")
    for name, owner, number in (("other", "a", token), ("sync", "b", token), ("sync", "a", 7)):
        with pytest.raises(LeaseLost):
            await store.fenced(name, owner, number).add_log(LOG)
    assert await store.log(limit=9) == []


async def test_what_is_born_here_needs_no_lease(store):
    fenced = store.fenced("sync", "a", 1)
    await fenced.add(note(1), prepared(note(1)), log=LOG)
    assert (await store.get(content_id(1))).title == "Note"


async def test_writes_at_the_moment_of_a_takeover_are_whole_or_refused(store):
    fenced = store.fenced("sync", "a", await acquire(store, "a"))
    writes = [mirror_all(fenced, content(number)) for number in range(1, 30)]
    writes.insert(15, overtaken(store))
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    del outcomes[15]
    stored = {one.id for one in await store.in_collection(HANDBOOK)}
    assert 0 < len(stored) < 29
    for number, outcome in enumerate(outcomes, start=1):
        assert (outcome is None) == (content_id(number) in stored)
        assert outcome is None or isinstance(outcome, LeaseLost)
