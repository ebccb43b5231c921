import asyncio

import pytest
from fake_time import FakeTime
from hypothesis import given, strategies as st

from personal_context.domain.errors import UpstreamRateLimited
from personal_context.upstream.limits import RateLimits, Window


@given(
    limit=st.integers(1, 5),
    requests=st.lists(
        st.tuples(
            st.floats(0, 40),  # pause before it
            st.floats(0, 90),  # how long it runs
            st.floats(0, 1),  # when in that time it reaches the server
        ),
        max_size=40,
    ),
)
def test_no_window_of_the_server_ever_sees_more_than_the_limit(limit, requests):
    window, now = Window(limit), 0.0
    running: list[float] = []  # when each running request ends
    arrivals: list[float] = []
    for pause, lasts, share in requests:
        now += pause
        while True:
            for end in sorted(end for end in running if end <= now):
                window.end(end)
                running.remove(end)
            wait = window.wait(now)
            if wait == 0.0:
                break
            now = min(running) if wait is None else now + wait
        window.begin()
        running.append(now + lasts)
        arrivals.append(now + lasts * share)
    arrivals.sort()
    for first, last in zip(arrivals, arrivals[limit:], strict=False):
        assert last - first >= 60 - 1e-6


def test_bursts_up_to_the_limit_wait_for_nothing():
    window = Window(90)
    for _ in range(90):
        assert window.wait(0.0) == 0.0
        window.begin()
    assert window.wait(0.0) is None
    window.end(1.0)
    assert window.wait(1.0) == 60.0
    assert window.wait(61.0) == 0.0


def test_a_lowered_limit_counts_what_was_sent_before():
    window = Window(3)
    for now in (0.0, 1.0, 2.0):
        window.begin()
        window.end(now)
    window.limit = 1
    assert window.wait(3.0) == 59.0


async def send(limits: RateLimits, endpoint: str, count: int) -> None:
    for _ in range(count):
        async with limits.request(endpoint):
            pass


@pytest.fixture
def time():
    return FakeTime()


@pytest.fixture
def limits(time):
    return RateLimits(monotonic=time.monotonic, sleep=time.sleep, patience=120)


@pytest.mark.parametrize(
    ("endpoint", "burst"),
    [("documents.create", 22), ("documents.list", 90), ("documents.info", 900)],
)
async def test_each_endpoint_has_its_burst_and_then_waits(limits, time, endpoint, burst):
    await send(limits, endpoint, burst)
    assert time.now == 1000
    await send(limits, endpoint, 1)
    assert time.now == 1060


async def test_endpoints_with_their_own_limit_do_not_hold_others_back(limits, time):
    await send(limits, "documents.create", 22)
    await send(limits, "documents.list", 90)
    await send(limits, "collections.info", 1)
    assert time.now == 1000


async def test_endpoints_without_their_own_limit_share_one(limits, time):
    await send(limits, "documents.info", 800)
    await send(limits, "documents.list", 90)
    await send(limits, "collections.info", 10)
    assert time.now == 1000
    await send(limits, "collections.documents", 1)
    assert time.now == 1060


async def test_first_come_first_served(limits, time):
    await send(limits, "documents.create", 22)
    order: list[int] = []

    async def one(number: int) -> None:
        async with limits.request("documents.create"):
            order.append(number)

    await asyncio.gather(*(one(number) for number in range(30)))
    assert order == list(range(30))
    assert time.now == 1120


async def test_when_all_places_run_a_caller_waits_for_the_first_to_end(limits, time):
    limits.slow_down("documents.create", seconds=None, limit=1)
    done = asyncio.Event()

    async def first() -> None:
        async with limits.request("documents.create"):
            await done.wait()

    running = asyncio.create_task(first())
    await asyncio.sleep(0)
    waiting = asyncio.create_task(send(limits, "documents.create", 1))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not waiting.done()
    done.set()
    await asyncio.gather(running, waiting)
    assert time.now == 1060


async def test_a_cancelled_caller_leaves_its_turn_to_the_next(limits, time):
    limits.slow_down("documents.create", seconds=None, limit=1)
    done = asyncio.Event()

    async def first() -> None:
        async with limits.request("documents.create"):
            await done.wait()

    running = asyncio.create_task(first())
    await asyncio.sleep(0)
    second = asyncio.create_task(send(limits, "documents.create", 1))
    third = asyncio.create_task(send(limits, "documents.create", 1))
    await asyncio.sleep(0)
    second.cancel()
    done.set()
    await asyncio.gather(running, third)
    assert second.cancelled()
    assert time.now == 1060


async def test_a_pause_is_waited_for_or_told(limits, time):
    limits.slow_down("documents.list", seconds=59, limit=None)
    await send(limits, "documents.info", 1)
    assert time.now == 1000
    await send(limits, "documents.list", 1)
    assert time.now == 1060
    limits.slow_down("documents.list", seconds=500, limit=None)
    with pytest.raises(UpstreamRateLimited) as caught:
        await send(limits, "documents.list", 1)
    assert caught.value.retry_after == 501
    assert time.now == 1060
