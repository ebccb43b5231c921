from datetime import UTC, datetime, timedelta

import pytest

from personal_context.domain.errors import UpstreamUnavailable
from personal_context.domain.times import has_passed, is_due
from personal_context.sync.breaker import Breaker

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("moment", "due"),
    [(NOW, True), (NOW - DAY, True), (NOW + HOUR, False), (NOW + DAY, True)],
)
def test_a_moment_further_off_than_any_was_set_is_due(moment, due):
    assert is_due(moment, NOW, longest=HOUR) is due


@pytest.mark.parametrize(
    ("since", "passed"),
    [(NOW - HOUR, True), (NOW - HOUR / 2, False), (NOW, False), (NOW + DAY, True)],
)
def test_since_a_moment_in_the_future_any_time_has_passed(since, passed):
    assert has_passed(HOUR, since, NOW) is passed


def test_a_clock_that_goes_back_does_not_lengthen_the_wait_for_an_ill_outline():
    now = [NOW + DAY]
    breaker = Breaker(lambda: now[0])
    breaker.note(UpstreamUnavailable("down"))
    assert not breaker.may_ask

    now[0] = NOW

    assert breaker.may_ask
