"""When jobs run, also after the machine's clock has jumped."""

from datetime import UTC, datetime, timedelta

import pytest

from personal_context.sync.ticking import Ticks

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize("jitter", [None, 2])
def test_runs_follow_each_other(jitter):
    ticks = Ticks(seconds=20, jitter=jitter, timezone="UTC")

    following = ticks.get_next_fire_time(NOW, NOW + SECOND)

    assert timedelta(0) <= following - (NOW + 20 * SECOND) <= 2 * SECOND


def test_of_fifty_years_of_missed_runs_one_is_made_up_for():
    ticks = Ticks(seconds=5, timezone="UTC")
    before = NOW - timedelta(days=50 * 365)

    assert ticks.get_next_fire_time(before, NOW) == NOW + 5 * SECOND
