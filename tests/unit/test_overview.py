"""How a collection is, from what was noted: each rule, and which comes first."""

from dataclasses import replace
from datetime import timedelta

import pytest
from builders import HANDBOOK, JOURNAL, NOW, content_id
from hypothesis import given, strategies as st

from personal_context.domain.models import (
    Counts,
    Health,
    PassProgress,
    RunningPass,
    SyncFailure,
    SyncState,
    SyncStatus,
    SyncTrouble,
)
from personal_context.sync.overview import Noted, overview
from personal_context.sync.progress import progress_of

GOOD = SyncState(HANDBOOK, "Handbook", finished_at=NOW - timedelta(minutes=2))
INTERVAL = timedelta(minutes=5)


def noted(*states, **changes):
    values = {
        "states": states,
        "counts": Counts(7, 9, {}, {HANDBOOK: 7}, {}),
        "failures": [],
        "passes": [],
        "wanted": ["Handbook", "Journal"],
        "interval": INTERVAL,
        "next_pull": lambda _: None,
        "now": NOW,
    }
    return Noted(**values | changes)


def seen(state, **changes):
    [one] = overview(noted(state, **changes))
    return one


def ill(trouble, **changes):
    return replace(GOOD, status=SyncStatus.ERROR, error_message="why", trouble=trouble, **changes)


@pytest.mark.parametrize(
    ("state", "health"),
    [
        (GOOD, Health.GOOD),
        (SyncState(HANDBOOK, "Handbook"), Health.NEW),
        (ill(SyncTrouble.UNREACHABLE), Health.ERROR),
        (ill(None), Health.ERROR),
        (ill(SyncTrouble.ACCESS_LOST), Health.ACCESS_LOST),
        (ill(SyncTrouble.REMOVALS_HELD, pending_removals=12), Health.HELD),
        # Outline went away after it was asked for: the question stands.
        (ill(SyncTrouble.UNREACHABLE, pending_removals=12), Health.HELD),
        (ill(SyncTrouble.UNREACHABLE, name="Left out"), Health.LET_GO),
        (replace(GOOD, name="Left out"), Health.LET_GO),
        (replace(GOOD, name="Left out", pending_removals=12), Health.LET_GO),
        # Killed in the middle: nothing runs.
        (replace(GOOD, status=SyncStatus.SYNCING), Health.GOOD),
        (replace(ill(None), status=SyncStatus.SYNCING), Health.ERROR),
    ],
)
def test_what_is_said_first(state, health):
    assert seen(state).health is health


def test_a_pass_that_runs_comes_before_all_else():
    progress = PassProgress(HANDBOOK, "Handbook", 3, 7)
    state = replace(ill(SyncTrouble.ACCESS_LOST), status=SyncStatus.SYNCING)

    one = seen(state, passes=[progress])

    assert one.health is Health.SYNCING
    assert one.status is SyncStatus.SYNCING
    assert one.progress == progress


def test_what_a_killed_process_left_is_not_told_as_a_pass():
    state = replace(GOOD, status=SyncStatus.SYNCING)

    assert seen(state).status is SyncStatus.IDLE
    assert seen(replace(state, error_message="why")).status is SyncStatus.ERROR


def test_all_wanted_is_all():
    assert seen(replace(GOOD, name="Anything"), wanted=["*"]).health is Health.GOOD


def test_documents_and_failures_go_with_their_collection():
    journal = SyncState(JOURNAL, "Journal")
    failure = SyncFailure(content_id(1), JOURNAL, "Odd", "500", 1, NOW)

    first, second = overview(noted(GOOD, journal, failures=[failure]))

    assert (first.documents, first.failing) == (7, ())
    assert (second.documents, list(second.failing)) == (0, [failure])
    assert (first.health, second.health) == (Health.GOOD, Health.ERROR)


@pytest.mark.parametrize(
    ("state", "changes", "expected"),
    [
        (GOOD, {}, timedelta(minutes=3)),
        (GOOD, {"next_pull": lambda _: NOW + timedelta(seconds=9)}, timedelta(seconds=9)),
        (replace(GOOD, finished_at=NOW - timedelta(days=1)), {}, timedelta(0)),
        (ill(None, next_try_at=NOW + timedelta(minutes=9)), {}, timedelta(minutes=9)),
        (SyncState(HANDBOOK, "Handbook"), {}, None),
        (GOOD, {"interval": None}, None),
        (GOOD, {"wanted": ["Journal"]}, None),
        (ill(SyncTrouble.KEY_REFUSED), {}, None),
    ],
)
def test_when_it_is_pulled_next(state, changes, expected):
    moment = seen(state, **changes).next_pull_at

    assert moment == (None if expected is None else NOW + expected)


def test_the_way_out_names_the_collection_as_a_shell_takes_it():
    held = ill(SyncTrouble.REMOVALS_HELD, pending_removals=12)

    def command(state, *more):
        return overview(noted(state, *more, wanted=["*"]))[0].way_out.rpartition(": ")[2]

    confirm = "personal-context sync --confirm-removals"
    assert command(held) == f"{confirm} Handbook=12"
    assert command(replace(held, name="Bob's; rm -rf")) == f"{confirm} 'Bob'\"'\"'s; rm -rf'=12"
    assert command(replace(held, name="two\nlines")) == f"{confirm} {HANDBOOK}=12"
    # Two of one name: the id alone tells which.
    assert command(held, SyncState(JOURNAL, "Handbook")) == f"{confirm} {HANDBOOK}=12"


def test_a_way_out_is_told_only_where_a_person_is_needed():
    assert seen(GOOD).way_out == ""
    assert seen(ill(SyncTrouble.UNREACHABLE)).way_out == ""
    assert "PERSONAL_CONTEXT_OUTLINE_API_KEY" in seen(ill(SyncTrouble.KEY_REFUSED)).way_out
    assert "Outline" in seen(ill(SyncTrouble.ACCESS_LOST)).way_out
    assert "forget Handbook" in seen(ill(SyncTrouble.ACCESS_LOST)).way_out
    left = seen(replace(GOOD, name="Left out")).way_out
    assert left.endswith("personal-context forget 'Left out'")
    assert "PERSONAL_CONTEXT_SYNC_COLLECTIONS" in left


# --- how far


def test_a_pass_has_its_rate_and_what_is_left():
    running = RunningPass(HANDBOOK, 50, 200, NOW, NOW + timedelta(seconds=10))

    progress = progress_of(running, "Handbook", NOW + timedelta(seconds=15))

    assert (progress.done, progress.total, progress.rate) == (50, 200, 5.0)
    assert progress.eta_seconds == 25.0


@given(
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.timedeltas(timedelta(days=-1), timedelta(days=1)),
    st.timedeltas(timedelta(days=-1), timedelta(days=1)),
)
def test_no_clock_breaks_the_figures(done, total, took, since):
    running = RunningPass(HANDBOOK, done, total, NOW, NOW + took)

    progress = progress_of(running, "", NOW + took + since)

    assert progress.rate >= 0
    assert progress.eta_seconds is None or progress.eta_seconds >= 0
