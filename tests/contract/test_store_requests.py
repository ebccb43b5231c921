"""What ports.Store promises of syncs that one process asks of another."""

import asyncio
from datetime import timedelta

import pytest
from builders import HANDBOOK, NOW

from personal_context.domain.errors import LeaseLost
from personal_context.domain.models import LetGo, SyncRequest


async def ask(store, *confirm_removals, full=False, now=NOW):
    return await store.request_sync(full=full, confirm_removals=confirm_removals, now=now)


async def test_nobody_asked(store):
    assert await store.pending_sync_request() is None
    assert await store.sync_answer(1) is None
    await store.answer_sync_request(1, "{}")
    assert await store.sync_answer(1) is None


async def test_the_oldest_request_comes_first(store):
    first = await ask(store, HANDBOOK, "Ünicode \ud800", full=True)
    second = await ask(store, now=NOW - timedelta(days=1))
    expected = SyncRequest(
        first, full=True, confirm_removals=(HANDBOOK, "Ünicode \ufffd"), requested_at=NOW
    )
    assert await store.pending_sync_request() == expected
    assert await store.pending_sync_request() == expected
    await store.answer_sync_request(first, "[]")
    assert await store.pending_sync_request() == SyncRequest(
        second, full=False, confirm_removals=(), requested_at=NOW - timedelta(days=1)
    )


async def test_a_collection_may_be_asked_to_go(store):
    wish = LetGo(HANDBOOK, 12)
    request_id = await store.request_letting_go(wish, now=NOW)
    assert await store.pending_sync_request() == SyncRequest(
        request_id, full=False, confirm_removals=(), requested_at=NOW, let_go=wish
    )


async def test_an_answer_reaches_whoever_asked(store):
    first, second = await ask(store), await ask(store)
    assert await store.sync_answer(first) is None
    await store.answer_sync_request(first, '{"text": "é\0"}')
    assert await store.sync_answer(first) == '{"text": "é\0"}'
    assert await store.sync_answer(second) is None
    await store.answer_sync_request(first, "later")
    assert await store.sync_answer(first) == '{"text": "é\0"}'


async def test_an_empty_answer_is_one(store):
    first = await ask(store)
    await store.answer_sync_request(first, "")
    assert await store.sync_answer(first) == ""
    assert await store.pending_sync_request() is None


async def test_who_gives_up_withdraws_the_request(store):
    first, second = await ask(store), await ask(store)
    await store.withdraw_sync_request(first)
    assert (await store.pending_sync_request()).id == second
    await store.answer_sync_request(first, "late")
    assert await store.sync_answer(first) is None
    await store.answer_sync_request(second, "done")
    await store.withdraw_sync_request(second)
    assert await store.sync_answer(second) == "done"


async def test_many_may_ask_at_once(store):
    ids = await asyncio.gather(*(ask(store) for _ in range(9)))
    assert len(set(ids)) == 9
    assert (await store.pending_sync_request()).id == min(ids)


async def test_only_the_owner_answers(store):
    first = await ask(store)
    token = await store.acquire_lease("sync", "a", now=NOW, ttl=timedelta(seconds=1))
    fenced = store.fenced("sync", "a", token)
    await store.release_lease("sync", "a")
    with pytest.raises(LeaseLost):
        await fenced.answer_sync_request(first, "{}")
    assert await store.sync_answer(first) is None
    assert await ask(fenced) > first
