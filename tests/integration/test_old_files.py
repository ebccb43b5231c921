"""A file that an older version has written is read by this one without a loss."""

import pytest
from backends import sqlite
from builders import HANDBOOK, LOG, NOW, content, content_id, indexed, prepared, vector, words

from personal_context.db.connection import Database
from personal_context.db.migrate import shipped
from personal_context.domain.models import (
    OutboxEntry,
    PushState,
    SourceType,
    SyncState,
    SyncStatus,
)
from personal_context.domain.text import content_hash, section_hash

DOCUMENT, NOTE = content_id(1), content_id(2)
TIME = "2026-03-01T12:00:00.123Z"  # NOW, as it is stored

# What the first version wrote, in its own words.
CONTENT = (
    "INSERT INTO content (id, source_type, source_id, title, url_id, outline_doc_id, outline_url,"
    " outline_updated_at, revision, collection_id, position, hash, created_at, updated_at,"
    " metadata, content, readable) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
SECTION = (
    "INSERT INTO sections (content_id, ordinal, heading_path, start_char, end_char, line_start,"
    " line_end, token_count, hash) VALUES (?, ?, '[]', ?, ?, ?, ?, 1, ?)"
)
REST = f"""
INSERT INTO tags (id, name) VALUES (1, 'mine'), (2, 'other');
INSERT INTO content_tags VALUES ('{DOCUMENT}', 1), ('{NOTE}', 1), ('{NOTE}', 2);
INSERT INTO links (source_id, target, target_id, type, origin, confidence, context)
  VALUES ('{DOCUMENT}', '{NOTE}', '{NOTE}', 'references', 'parsed', 1.0, 'words');
INSERT INTO sync_state VALUES
  ('{HANDBOOK}', 'Handbook', '2026-02-01T00:00:00.000Z', 'error', 'no access', '{TIME}');
INSERT INTO sync_log (operation, created_at) VALUES ('update', '{TIME}');
INSERT INTO outbox (content_id, collection_id, state, next_try_at)
  VALUES ('{NOTE}', '{HANDBOOK}', 'pending', '{TIME}');
INSERT INTO leases VALUES ('sync', 'old process', '{TIME}');
INSERT INTO generations VALUES (3, 'test', 'test-model', 2, 'active');
CREATE VIRTUAL TABLE content_vec_3 USING vec0 (embedding float[2] distance_metric=cosine);
CREATE TRIGGER content_vec_3_delete AFTER DELETE ON sections
  BEGIN DELETE FROM content_vec_3 WHERE rowid = old.id; END;
DROP VIEW content_vec;
CREATE VIEW content_vec (section_id, embedding) AS SELECT rowid, embedding FROM content_vec_3;
"""


def write_old(connection):
    document, note = ("Title", "one\n\ntwo"), ("Note", "Words")
    for row in (
        (DOCUMENT, "outline", DOCUMENT, document[0], "url0000001", DOCUMENT,
         "https://wiki.example.com/doc/title-url0000001", "2026-02-01T00:00:00.000Z", 1, HANDBOOK,
         1, content_hash(*document), TIME, "2026-03-01T12:01:00.123Z", "{}", document[1],
         document[1]),
        (NOTE, "note", None, note[0], None, None, None, None, None, None, 0, content_hash(*note),
         TIME, TIME, '{"who":"agent"}', note[1], note[1]),
    ):  # fmt: skip
        connection.execute(CONTENT, row)
    for row in (
        (DOCUMENT, 0, 0, 3, 1, 1, section_hash("Title", (), "one")),
        (DOCUMENT, 1, 5, 8, 3, 3, section_hash("Title", (), "two")),
        (NOTE, 0, 0, 5, 1, 1, section_hash("Note", (), "Words")),
    ):
        connection.execute(SECTION, row)
    connection.execute(REST)
    for row in ((1, vector(1, 0).tobytes()), (2, vector(0, 1).tobytes())):
        connection.execute("INSERT INTO content_vec_3 (rowid, embedding) VALUES (?, ?)", row)
    connection.execute("INSERT INTO backlog VALUES (3, 3, NULL)")


@pytest.fixture
async def backend(tmp_path):
    async with Database(tmp_path / "context.db", migrations=shipped()[:1]) as old:
        await old.write(write_old)
    async with sqlite(tmp_path) as opened:
        yield opened


async def test_contents_are_all_there(backend):
    store = backend.store
    assert await store.get(DOCUMENT) == content(1, text="one\n\ntwo", tags=("mine",))
    ours = await store.get(NOTE)
    assert (ours.source_type, ours.tags) == (SourceType.NOTE, ("mine", "other"))
    assert ours.metadata == {"who": "agent"}
    assert [one.text for one in (await store.sections_of([DOCUMENT]))[DOCUMENT]] == ["one", "two"]
    counts = await store.counts()
    assert (counts.contents, counts.sections, counts.trashed) == (2, 3, 0)
    assert (await store.search_keyword(words("two"), limit=5))[0].content_id == DOCUMENT


async def test_the_books_are_all_there(backend):
    store = backend.store
    assert await store.sync_states() == [
        SyncState(
            HANDBOOK, "Handbook", SyncStatus.ERROR, "2026-02-01T00:00:00.000Z", NOW, "no access"
        )
    ]
    assert await store.due_pushes(NOW, limit=9) == [NOTE]
    assert await store.outbox(limit=9) == [
        OutboxEntry(NOTE, HANDBOOK, PushState.PENDING, 0, NOW, title="Note", queued_at=NOW)
    ]
    assert [line.operation for line in await store.log(limit=9)] == ["update"]
    assert await store.lease_owner("sync") == "old process"


async def test_an_old_lease_is_taken_over(backend):
    ttl = NOW - NOW
    assert await backend.store.acquire_lease("sync", "old process", now=NOW, ttl=ttl) == 1
    assert await backend.store.acquire_lease("sync", "new process", now=NOW, ttl=ttl) == 2


async def test_vectors_go_to_the_trash_and_come_back(backend):
    store, index = backend.store, backend.index
    (generation,) = await index.generations()
    assert [item.text for item in await index.backlog(generation.id, limit=9)] == ["Note\nWords"]
    (before,) = await index.nearest(generation.id, vector(1, 0), limit=9)
    await store.trash(DOCUMENT, reason="gone", log=LOG)
    assert await index.nearest(generation.id, vector(1, 0), limit=9) == []
    await store.mirror(content(1), indexed("Title", ["one", "two"]), log=LOG)
    assert [item.text for item in await index.backlog(generation.id, limit=9)] == ["Note\nWords"]
    assert await index.nearest(generation.id, vector(1, 0), limit=9) == [before]
    assert (await store.get(DOCUMENT)).tags == ("mine",)


async def test_the_file_can_be_written(backend):
    document = content(9)
    await backend.store.mirror(document, prepared(document), log=LOG)
    assert await backend.store.get(document.id) == document
