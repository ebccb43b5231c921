"""What ports.Store promises of the mirror and the outbox."""

from dataclasses import replace
from datetime import timedelta

from builders import (
    HANDBOOK,
    JOURNAL,
    LOG,
    NOW,
    content,
    content_id,
    mirror_all,
    note,
    prepared,
)

from personal_context.domain.models import (
    LogEntry,
    MirroredDocument,
    Placement,
    SyncFailure,
    SyncState,
    SyncStatus,
)
from personal_context.domain.text import content_hash

# --- the mirror


async def test_mirrored_is_what_outline_is_known_to_hold(store):
    await mirror_all(store, content(1, parent_id=content_id(2), position=4), content(2))
    await mirror_all(store, content(3, collection_id=JOURNAL))
    ours = note(4, collection_id=HANDBOOK)
    await store.add(ours, prepared(ours), log=LOG, push_to=HANDBOOK)
    found = await store.mirrored(HANDBOOK)
    assert found.keys() == {content_id(1), content_id(2)}
    assert found[content_id(1)] == MirroredDocument(
        content_id(1),
        content_hash("Title", "Text"),
        "2026-02-01T00:00:00.000Z",
        Placement(content_id(2), 4),
        "Title",
    )


async def test_what_is_known_already_is_not_logged_as_new(store):
    """It was pushed after the pass had looked what is here."""
    created = LogEntry("create")
    for text in ("Text", "Text", "Other"):
        document = content(1, text=text)
        await store.mirror(document, prepared(document), log=created)

    assert len(await store.log(limit=9)) == 2
    assert (await store.get(content_id(1))).text == "Other"


async def test_place_moves_what_is_there(store):
    await mirror_all(store, content(1), content(2), content(3, collection_id=JOURNAL))
    await store.place(
        HANDBOOK,
        {
            content_id(1): Placement(content_id(2), 1),
            content_id(2): Placement(None, 0),
            content_id(3): Placement(content_id(1), 9),
            content_id(8): Placement(None, 2),
        },
    )
    found = await store.mirrored(HANDBOOK)
    assert found[content_id(1)].placement == Placement(content_id(2), 1)
    assert found[content_id(2)].placement == Placement(None, 0)
    assert (await store.get(content_id(3))).parent_id is None
    await store.place(HANDBOOK, {})
    assert found == await store.mirrored(HANDBOOK)


async def test_sync_states_are_kept_by_name(store):
    full = SyncState(
        HANDBOOK,
        "Handbook",
        SyncStatus.ERROR,
        "2026-02-01T00:00:00.001Z",
        NOW,
        "no \ud800 access",
        last_sweep_at=NOW - timedelta(hours=1),
        next_try_at=NOW + timedelta(hours=2),
        pending_removals=11,
        failed_passes=3,
        former_name="Old",
    )
    await store.save_sync_state(SyncState(JOURNAL, "Journal"))
    await store.save_sync_state(full)
    kept = replace(full, error_message="no \ufffd access")
    assert await store.sync_state(HANDBOOK) == kept
    assert await store.sync_states() == [kept, SyncState(JOURNAL, "Journal")]
    await store.save_sync_state(SyncState(HANDBOOK, "Renamed"))
    assert await store.sync_state(HANDBOOK) == SyncState(HANDBOOK, "Renamed")
    assert await store.sync_state("nope") is None


async def test_forgetting_a_collection_leaves_its_contents(store):
    for collection_id in (HANDBOOK, JOURNAL):
        await store.save_sync_state(SyncState(collection_id, "Name"))
        await store.save_failure(SyncFailure(collection_id, collection_id, "", "500", 1, NOW))
    await mirror_all(store, content(1))
    await store.forget_collection(HANDBOOK)
    await store.forget_collection("nope")
    assert [state.collection_id for state in await store.sync_states()] == [JOURNAL]
    assert [one.collection_id for one in await store.failures()] == [JOURNAL]
    assert (await store.mirrored(HANDBOOK)).keys() == {content_id(1)}


async def test_old_lines_of_the_log_go_oldest_first_and_a_few_at_a_time(store):
    days = [40, 30, 20, 0]
    for ago in days:
        await store.add_log(LogEntry("pull", details=f"{ago}", created_at=NOW - timedelta(ago)))
    before = NOW - timedelta(20)
    assert await store.trim_log(before=before, limit=1) == 1
    assert [entry.details for entry in await store.log(limit=9)] == ["0", "20", "30"]
    assert await store.trim_log(before=before) == 1
    assert await store.trim_log(before=before) == 0
    assert [entry.details for entry in await store.log(limit=9)] == ["0", "20"]


async def test_log_is_newest_first(store):
    entries = [
        LogEntry("move", HANDBOOK, content_id(1), content_id(1), f"line {n}", NOW) for n in range(5)
    ]
    for entry in entries:
        await store.add_log(entry)
    assert await store.log(limit=3) == entries[:1:-1]


async def test_a_log_line_without_a_time_gets_one(store):
    await store.add_log(LOG)
    (line,) = await store.log(limit=9)
    assert line.created_at is not None
    assert line.created_at.utcoffset() == timedelta(0)
