"""What the trash holds inside the file."""

import pytest
from builders import LOG, content, content_id, mirror_all

from personal_context.db.connection import Database
from personal_context.db.sqlite import SqliteStore


@pytest.fixture
async def database(tmp_path):
    async with Database(tmp_path / "context.db") as opened:
        yield opened


async def rows(database, sql):
    return await database.write(lambda c: c.execute(sql).fetchall())


async def columns(database, table):
    return {
        name for (name,) in await rows(database, f"SELECT name FROM pragma_table_info('{table}')")
    }


@pytest.mark.parametrize(
    ("table", "trash"),
    [("content", "trash"), ("sections", "trash_sections"), ("links", "trash_links")],
)
async def test_the_trash_has_a_place_for_every_column(database, table, trash):
    found_again = {"target_id"}  # by the target, when the link comes back
    assert await columns(database, table) - found_again <= await columns(database, trash)


async def test_links_that_were_not_read_from_the_text_come_back(database):
    store = SqliteStore(database)
    await mirror_all(store, content(1), content(2))
    declared = (content_id(1), "url0000002", "supersedes", "declared", 0.5, "why")
    await rows(
        database,
        "INSERT INTO links (source_id, target, type, origin, confidence, context, target_id)"
        f" VALUES {(*declared, content_id(2))}",
    )
    before = await rows(database, "SELECT source_id, target, type, origin, target_id FROM links")
    for number in (2, 1):
        await store.trash(content_id(number), reason="gone", log=LOG)
    assert await rows(database, "SELECT * FROM links") == []
    await mirror_all(store, content(1))
    assert await rows(database, "SELECT target_id FROM links") == [(None,)]
    await mirror_all(store, content(2))
    after = await rows(database, "SELECT source_id, target, type, origin, target_id FROM links")
    assert after == before
    assert await rows(database, "SELECT confidence, context FROM links") == [(0.5, "why")]


async def test_nothing_of_what_left_the_trash_stays_there(database):
    store = SqliteStore(database)
    await mirror_all(store, content(1), content(2))
    for number in (1, 2):
        await store.trash(content_id(number), reason="gone", log=LOG)
    await mirror_all(store, content(1))
    (gone,) = await store.trashed(limit=9)
    assert await store.purge(before=gone.trashed_at.max.replace(tzinfo=gone.trashed_at.tzinfo))
    for table in ("trash", "trash_tags", "trash_links", "trash_sections", "trash_vectors"):
        assert await rows(database, f"SELECT * FROM {table}") == []
