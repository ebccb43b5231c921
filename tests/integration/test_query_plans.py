"""The queries that run all the time find their rows by an index."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from builders import (
    HANDBOOK,
    LOG,
    NOW,
    content,
    content_id,
    indexed,
    model,
    prepared,
    vector,
    words,
)

from personal_context.db import (
    backlog,
    contents,
    failures,
    keys,
    keyword,
    leases,
    mirror,
    nearest,
    pushes,
    requests,
    sections,
    standing,
    state,
    trash,
    vector_rows,
)
from personal_context.db.connection import Database
from personal_context.db.sqlite import SqliteStore
from personal_context.db.summaries import summaries
from personal_context.db.vectors import SqliteVectorIndex
from personal_context.domain.models import (
    EVERYTHING,
    GenerationState,
    LogEntry,
    Operation,
    Push,
    PushState,
    SearchFilters,
)

IDS = [content_id(1), content_id(2)]

HARMLESS = {
    # Read from one end, a few rows at a time.
    "SCAN sync_log",
    "SCAN trash USING INDEX idx_trash_trashed_at",
    "SCAN sync_requests USING INDEX idx_sync_requests_open",
    # Tags are compared as people read them, which SQLite can't; there are few.
    "SCAN tags",
    # No table at all.
    "SCAN CONSTANT ROW",
    # Two rows at most.
    "SCAN generations USING INDEX sqlite_autoindex_generations_1",
}

HOT = {
    "get": lambda c: contents.get(c, IDS[0]),
    "find_url_id": lambda c: contents.find_url_id(c, "url0000001"),
    "children": lambda c: contents.children(c, IDS[0]),
    "in_collection": lambda c: contents.in_collection(c, HANDBOOK),
    "summaries": lambda c: summaries(c, IDS),
    "sections_of": lambda c: sections.sections_of(c, IDS),
    "sections": lambda c: sections.sections(c, [1, 2]),
    "search_keyword": lambda c: keyword.search_keyword(c, words("text"), 5, EVERYTHING),
    "search_keyword in one collection": lambda c: keyword.search_keyword(
        c, words("text"), 5, SearchFilters(collection=HANDBOOK)
    ),
    "nearest among the tagged": lambda c: nearest.nearest(
        c, 1, vector(1, 0), 5, SearchFilters(tags=frozenset({"ops"}))
    ),
    "nearest in one collection": lambda c: nearest.nearest(
        c, 1, vector(1, 0), 5, SearchFilters(collection=HANDBOOK)
    ),
    "twin": lambda c: keys.twin(c, content(9), "Text"),
    "kept": lambda c: keys.kept(c, content(9), "Text"),
    "mirrored": lambda c: mirror.mirrored(c, HANDBOOK),
    "place": lambda c: mirror.place(c, HANDBOOK, {}),
    "outbox_entry": lambda c: pushes.entry(c, IDS[0]),
    "due_pushes": lambda c: pushes.due(c, NOW, 5),
    "standing": lambda c: standing.standing(c, IDS[0]),
    "settle": lambda c: settled(c, IDS[0]),
    "claim": lambda c: pushes.claim(c, IDS[0], "me", NOW, NOW),
    "version": lambda c: pushes.version(c, IDS[0], "0"),
    "acquire_lease": lambda c: leases.acquire(c, "sync", "me", NOW, timedelta(seconds=1)),
    "fence": lambda c: leases.Fence("sync", "me", 1).check(c),
    "log": lambda c: state.log(c, 5),
    "mirror": lambda c: mirror.mirror(c, content(1), indexed("Title", ["Text", "more"])),
    "trash": lambda c: trash.trash(c, IDS[0], "gone", NOW),
    "restore": lambda c: mirror.mirror(c, content(9), indexed("Title", ["Text"])),
    "purge": lambda c: trash.purge(c, NOW + timedelta(days=1), 5, NOW),
    "trashed": lambda c: trash.trashed(c, 5),
    "failures": lambda c: failures.failures(c, HANDBOOK),
    "forget_failure": lambda c: failures.forget(c, IDS[0]),
    "request_sync": lambda c: requests.request(c, [], NOW, full=True),
    "pending_sync_request": requests.pending,
    "answer_sync_request": lambda c: requests.answer(c, 1, "{}", NOW),
    "sync_answer": lambda c: requests.answer_to(c, 1),
    "backlog": lambda c: backlog.backlog(c, 1, 5),
    "reject": lambda c: backlog.reject(c, 1, [1], "no"),
    "store": lambda c: backlog.store(
        c, 1, [(item, vector(1, 0)) for item in backlog.backlog(c, 1, 5)]
    ),
    "take_over": lambda c: backlog.take_over(c, 1, 5),
    "known": lambda c: vector_rows.known(c, 1, "hash"),
    "similarities": lambda c: nearest.similarities(c, 1, vector(1, 0), IDS),
    "nearest": lambda c: nearest.nearest(c, 1, vector(1, 0), 5, EVERYTHING),
}


@pytest.fixture
async def database(tmp_path):
    async with Database(tmp_path / "context.db") as opened:
        store = SqliteStore(opened)
        await SqliteVectorIndex(opened).create(model(2), GenerationState.ACTIVE)
        for number in range(1, 4):
            document = content(number, parent_id=content_id(number + 1), tags=("tag",))
            await store.mirror(document, prepared(document), log=LOG)
        gone = content(9, tags=("tag",))
        await store.mirror(gone, prepared(gone), log=LOG)
        await store.trash(gone.id, reason="gone", log=LogEntry("trash", created_at=NOW))
        await store.acquire_lease("sync", "me", now=NOW, ttl=timedelta(seconds=1))
        yield opened


@pytest.mark.parametrize("name", HOT)
async def test_no_table_is_read_from_end_to_end(database, name):
    plans = await database.write(lambda c: explained(c, HOT[name]))
    assert plans
    for sql, plan in plans:
        for step in plan:
            scanned = re.match(r"SCAN \w+", step)
            if scanned and "VIRTUAL TABLE" not in step and step not in HARMLESS:
                pytest.fail(f"{step}\n{sql}")


def settled(connection, key):
    """Write a content anew, with other tags and a push."""
    now = standing.standing(connection, key)
    document = replace(now.content, text="Other", tags=("new",))
    push = Push(Operation.UPDATE, PushState.PENDING, HANDBOOK, queued_at=NOW, next_try_at=NOW)
    written = standing.Settlement(key, push, (document, prepared(document)), False, None, LOG)  # noqa: FBT003 - not back from the trash
    assert written.write_to(connection, now, NOW)


def explained(connection, fn):
    """Run a function and return (statement, steps of its plan) for all that it ran."""
    ran = []

    def trace(_, sql, values):
        ran.append((sql, values))
        return True

    connection.exec_trace = trace
    try:
        fn(connection)
    finally:
        connection.exec_trace = None
    return [
        (sql, [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)])
        for sql, values in ran
    ]
