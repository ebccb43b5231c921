"""Syncs that somebody asks for: who joins, who may cancel, what is kept."""

import asyncio

import pytest
from fake_services import NOW, REPORT, clock
from patience import until

from personal_context.domain.errors import PersonalContextError, UpstreamUnavailable
from personal_context.sync.by_hand import Asked, SyncByHand


class Slow:
    """A sync that goes on until it is let go, or told to stop."""

    def __init__(self):
        self.go = asyncio.Event()
        self.asked = []
        self.error = None
        self.stopped = False

    async def sync_now(self, *, full, confirm_removals, on_progress):
        self.asked.append((full, confirm_removals))
        on_progress("Handbook", 1, 2)
        await self.go.wait()
        if self.error:
            raise self.error
        return [REPORT]

    def stop(self):
        self.stopped = True
        self.error = PersonalContextError("The sync was stopped.")
        self.go.set()


@pytest.fixture
def slow():
    return Slow()


@pytest.fixture
async def by_hand(slow):
    by_hand = SyncByHand(slow, clock)
    yield by_hand
    await by_hand.close()


async def begun(by_hand, slow, asked=None, **options):
    options.setdefault("patience", None)
    asking = asyncio.create_task(by_hand.ask(asked or Asked(), **options))
    count = len(slow.asked)

    async def seen():
        await asyncio.sleep(0)
        return len(slow.asked) > count or by_hand.running

    await until(seen)
    return asking


async def test_who_waits_gets_what_it_came_to(by_hand, slow):
    slow.go.set()
    outcome = await by_hand.ask(Asked(), patience=None)

    assert (outcome.reports, outcome.error, outcome.ok) == ([REPORT], None, True)
    assert outcome.ended_at == NOW
    assert by_hand.outcome == outcome
    assert not by_hand.running


async def test_who_has_no_patience_gets_nothing_and_it_goes_on(by_hand, slow):
    assert await by_hand.ask(Asked(), patience=0) is None
    assert by_hand.running
    slow.go.set()
    assert (await by_hand.ask(Asked(), patience=None)).ok
    assert len(slow.asked) == 1


async def test_all_who_join_are_told_of_its_progress(by_hand, slow):
    first, second = [], []
    one = await begun(by_hand, slow, on_progress=lambda *told: first.append(told))
    two = await begun(by_hand, slow, on_progress=lambda *told: second.append(told))
    slow.go.set()
    await asyncio.gather(one, two)

    assert first == [("Handbook", 1, 2)]
    assert len(slow.asked) == 1


async def test_what_does_more_comes_after_what_runs(by_hand, slow):
    one = await begun(by_hand, slow)
    two = await begun(by_hand, slow, Asked(confirm_removals=("a",)))
    slow.go.set()
    await asyncio.gather(one, two)

    assert slow.asked == [(False, ()), (False, ("a",))]


async def test_a_cancelled_wait_ends_a_sync_that_nobody_else_waits_for(by_hand, slow):
    asking = await begun(by_hand, slow)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    async def ended():
        return not by_hand.running

    await until(ended)
    assert "cancelled" in by_hand.outcome.error.what
    assert not by_hand.outcome.ok


async def test_a_cancelled_wait_leaves_a_sync_to_those_who_wait_on(by_hand, slow):
    first, second = await begun(by_hand, slow), await begun(by_hand, slow)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    slow.go.set()

    assert (await second).ok


async def test_a_cancelled_wait_leaves_a_sync_that_somebody_counts_on(by_hand, slow):
    await by_hand.ask(Asked(), patience=0)
    asking = await begun(by_hand, slow)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    slow.go.set()

    assert (await by_hand.ask(Asked(), patience=None)).ok


async def test_what_goes_wrong_is_an_outcome(by_hand, slow):
    slow.error = UpstreamUnavailable("Outline does not answer.")
    slow.go.set()

    assert (await by_hand.ask(Asked(), patience=None)).error is slow.error


async def test_what_nobody_foresaw_is_logged_and_gives_nothing_away(by_hand, slow, caplog):
    slow.error = RuntimeError("/home/joe/secret.db")
    slow.go.set()
    outcome = await by_hand.ask(Asked(), patience=None)

    assert isinstance(outcome.error, PersonalContextError)
    assert "secret" not in str(outcome.error)
    assert "secret.db" in caplog.text


async def test_closing_ends_it(by_hand, slow):
    await by_hand.ask(Asked(), patience=0)
    await by_hand.close()

    assert slow.stopped
    assert not by_hand.running
    assert "stopped" in by_hand.outcome.error.what
