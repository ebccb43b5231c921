"""What ports.Quota promises, and that clients who share one keep Outline's limit together."""

import asyncio
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from fake_time import FakeTime
from mirror_world import MovingClock

from personal_context.db.connection import Database
from personal_context.db.quota import SqliteQuota
from personal_context.upstream.limits import PER_MINUTE, RateLimits

CREATE = "documents.create"
about = partial(pytest.approx, abs=0.1)


@pytest.fixture
async def database(tmp_path):
    async with Database(tmp_path / "context.db") as database:
        yield database


async def taken(quota, times, **more):
    told = {"limit": 3, "seconds": 60.0} | more
    return [await quota.take(CREATE, **told) for _ in range(times)]


async def test_no_window_has_more_than_the_limit(database):
    clock = MovingClock()
    quota = SqliteQuota(database, clock)
    assert await taken(quota, 2) == [0.0, 0.0]
    clock.advance(seconds=10)
    assert await taken(quota, 2) == about([0.0, 50.0])
    clock.advance(seconds=50)
    assert await taken(quota, 3) == about([0.0, 0.0, 10.0])


async def test_endpoints_and_a_lower_limit_are_counted_for_themselves(database):
    quota = SqliteQuota(database, MovingClock())
    assert await taken(quota, 2) == [0.0, 0.0]
    assert await quota.take("documents.import", limit=1, seconds=60) == 0.0
    assert await quota.take(CREATE, limit=1, seconds=60) == about(60.0)


async def test_a_clock_that_is_set_back_blocks_nobody_for_long(database):
    clock = MovingClock()
    quota = SqliteQuota(database, clock)
    await taken(quota, 3)
    clock.advance(days=-1)
    assert await taken(quota, 1) == [0.0]


async def test_processes_and_restarts_share_it(tmp_path):
    clock = MovingClock()
    for expected in (0.0, 0.0, 0.0, 60.0):
        async with Database(tmp_path / "context.db") as database:
            assert await taken(SqliteQuota(database, clock), 1) == about([expected])


async def test_two_clients_keep_the_limit_together(tmp_path):
    time = FakeTime()
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    started = []

    async def client(database):
        quota = SqliteQuota(database, lambda: begin + timedelta(seconds=time.monotonic()))
        limits = RateLimits(monotonic=time.monotonic, sleep=time.sleep, patience=120, quota=quota)
        for _ in range(40):
            async with limits.request(CREATE):
                started.append(time.monotonic())

    async with Database(tmp_path / "a.db") as one, Database(tmp_path / "a.db") as other:
        await asyncio.gather(client(one), client(other))

    assert len(started) == 80
    for first in started:
        window = [moment for moment in started if first <= moment < first + 60]
        assert len(window) <= PER_MINUTE[CREATE]
