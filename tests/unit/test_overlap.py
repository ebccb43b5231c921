from datetime import UTC, datetime, timedelta

from upstream_builders import upstream

from personal_context.sync.overlap import OVERLAP, Overlap

CURSOR = "2026-01-01T00:10:00.000Z"
OLD = "2026-01-01T00:00:00.000Z"


class Clock:
    def __init__(self):
        self.now = datetime(2026, 6, 1, tzinfo=UTC)

    def __call__(self):
        return self.now


def test_without_a_cursor_everything_is_seen():
    assert Overlap(Clock()).cutoff("c", None) is None


def test_a_page_that_reaches_behind_the_overlap_is_the_last():
    cutoff = Overlap(Clock()).cutoff("c", CURSOR)

    assert cutoff.reached([upstream(updated_at=CURSOR), upstream(updated_at=OLD)], all_known=False)
    assert not cutoff.reached([upstream(updated_at=CURSOR)], all_known=False)


def test_the_overlap_is_walked_once_when_it_is_due_and_not_before():
    clock = Clock()
    overlap = Overlap(clock)
    crowded = [upstream(updated_at=CURSOR)]

    def stops_at_the_first_page():
        cutoff = overlap.cutoff("c", CURSOR)
        stops = cutoff.reached(crowded, all_known=True)
        overlap.finished("c", CURSOR)
        return stops

    overlap.cutoff("c", None)
    overlap.finished("c", CURSOR)
    soon = stops_at_the_first_page()
    clock.now += OVERLAP
    due = stops_at_the_first_page()
    afterwards = stops_at_the_first_page()
    clock.now += timedelta(days=1)
    much_later = stops_at_the_first_page()

    assert (soon, due, afterwards, much_later) == (True, False, True, True)


def test_a_new_process_walks_it_too():
    cutoff = Overlap(Clock()).cutoff("c", CURSOR)

    assert not cutoff.reached([upstream(updated_at=CURSOR)], all_known=True)
