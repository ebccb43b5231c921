"""What the clock clears away by itself, and what it keeps."""

import asyncio
from datetime import UTC, datetime, timedelta

from product import opened_product

from personal_context.domain.models import LogEntry


async def details_once(store, gone):
    """Return the log's details as soon as one line is gone."""
    async with asyncio.timeout(20):
        while True:
            found = {entry.details for entry in await store.log(limit=99)}
            if gone not in found:
                return found
            await asyncio.sleep(0.01)


async def aged(runtime, *days):
    now = datetime.now(UTC)
    for ago in days:
        entry = LogEntry("pull", details=str(ago), created_at=now - timedelta(days=ago))
        await runtime.store.add_log(entry)


async def test_the_log_is_kept_for_three_months(tmp_path):
    async with opened_product(tmp_path) as product:
        runtime = product.runtime
        await aged(runtime, 400, 91, 89, 0)
        async with runtime.background():
            assert {"89", "0"} <= await details_once(runtime.store, "91")
        assert "400" not in {entry.details for entry in await runtime.store.log(limit=99)}


async def test_the_log_is_kept_as_long_as_the_trash(tmp_path):
    async with opened_product(tmp_path, sync_trash_days=365) as product:
        runtime = product.runtime
        await aged(runtime, 400, 300)
        async with runtime.background():
            assert "300" in await details_once(runtime.store, "400")
