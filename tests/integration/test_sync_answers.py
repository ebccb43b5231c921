"""How long answers to syncs that were asked for are kept."""

from datetime import timedelta

from builders import NOW

from personal_context.db.connection import Database
from personal_context.db.sqlite import SqliteStore


async def test_answers_are_kept_for_a_day_and_requests_until_they_are_answered(tmp_path):
    now = NOW
    async with Database(tmp_path / "context.db") as database:
        store = SqliteStore(database, clock=lambda: now)
        old, young, last, open_ = [
            await store.request_sync(full=False, confirm_removals=[], now=NOW) for _ in range(4)
        ]
        await store.answer_sync_request(old, "old")
        now += timedelta(hours=1)
        await store.answer_sync_request(young, "young")
        now += timedelta(hours=23, seconds=1)
        assert await store.sync_answer(old) == "old"
        await store.answer_sync_request(last, "last")
        answers = [await store.sync_answer(one) for one in (old, young, last)]
        assert answers == [None, "young", "last"]
        now += timedelta(days=9)
        await store.answer_sync_request(last + 99, "nobody asked")
        assert await store.sync_answer(last) is None
        pending = await store.pending_sync_request()
        assert pending is not None
        assert pending.id == open_
        await store.answer_sync_request(open_, "late")
        assert await store.sync_answer(open_) == "late"
        assert await store.request_sync(full=False, confirm_removals=[], now=NOW) > open_
