"""An interval that makes up for one missed run, however many there were."""

from datetime import datetime

from apscheduler.triggers.interval import IntervalTrigger


class Ticks(IntervalTrigger):  # type: ignore[misc]  # APScheduler ships no types
    """Fires every interval.

    APScheduler counts the runs that were missed one by one, on the event loop: a machine whose
    clock jumps ahead, as one without a battery for it does after each start, would stand still for
    minutes.
    """

    def get_next_fire_time(
        self, previous_fire_time: datetime | None, now: datetime
    ) -> datetime | None:
        """Return the time of the next run; after what was missed, one interval from now.

        Args:
            previous_fire_time: When it was to run last.
            now: The time, as APScheduler has it.
        """
        missed = previous_fire_time is not None and now - previous_fire_time > self.interval
        following: datetime | None = super().get_next_fire_time(
            now if missed else previous_fire_time, now
        )
        return following
