"""What can be broken in a store is found, set right, and the texts stay as they are."""

import contextlib
import struct

import pytest
from mirror_world import PREPARE
from product import beside, opened_product

from personal_context.db.checkup.checkup import Checkup
from personal_context.db.opening import open_connection

DEAD = "a dead process"

QUESTIONS = ("restore the database", "soup", "release", "Lunch", "title:vault backup")


@pytest.fixture
async def product(tmp_path):
    async with opened_product(tmp_path) as opened:
        lunch = opened.write("Lunch", "The menu of the canteen: soup and bread.")
        url = opened.sandbox.documents.get(lunch).url_id
        opened.write("Deploy", "Release the service, then restore the old release after a failure.")
        opened.write("Restore", f"Restore the [database](/doc/x-{url}).\n\n## Vault\n\nThe backup.")
        await opened.sync()
        yield opened


@pytest.fixture
def checkup(product):
    return Checkup(product.runtime.database, PREPARE, lambda name: name == DEAD)


@contextlib.contextmanager
def unguarded(product):
    """A connection that lets everything through."""
    connection = open_connection(product.runtime.settings.db_path)
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        yield connection
    finally:
        connection.close()


def hide_from_an_index(connection):
    """Change a row while an index doesn't look."""
    [row] = connection.execute(
        "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema"
        " WHERE name = 'idx_content_created'"
    ).fetchall()
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("DELETE FROM sqlite_schema WHERE name = 'idx_content_created'")
    connection.execute("PRAGMA writable_schema = RESET")
    connection.execute("UPDATE content SET created_at = '1999-01-01T00:00:00.000Z' WHERE rowid = 1")
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", row)
    connection.execute("PRAGMA writable_schema = RESET")


VECTOR = struct.pack("64f", 1.0, *[0.0] * 63)

BREAKS = {
    "an index lacks a row": ("file", hide_from_an_index),
    "a trigger is gone": ("schema", "DROP TRIGGER sections_backlog"),
    "an index is gone": ("schema", "DROP INDEX idx_sections_content"),
    "another trigger has its name": (
        "schema",
        (
            "DROP TRIGGER sections_terms_delete; CREATE TRIGGER sections_terms_delete"
            " AFTER DELETE ON sections BEGIN SELECT 1; END"
        ),
    ),
    "the vectors' trigger is gone": ("tables of vectors", "DROP TRIGGER content_vec_1_delete"),
    "the vectors are gone": ("tables of vectors", "DROP TABLE content_vec_1"),
    "vectors of no model": (
        "tables of vectors",
        "CREATE VIRTUAL TABLE content_vec_99 USING vec0 (embedding float[3])",
    ),
    "the view is gone": ("tables of vectors", "DROP VIEW content_vec"),
    "sections of no document": (
        "references",
        (
            "INSERT INTO sections (content_id, ordinal, heading_path, start_char, end_char,"
            " line_start, line_end, token_count, hash) VALUES ('gone', 0, '[]', 0, 1, 1, 1, 1, 'x')"
        ),
    ),
    "tags of a document that is gone": (
        "references",
        (
            "INSERT INTO tags (id, name) VALUES (9, 'x');"
            " INSERT INTO content_tags (content_id, tag_id) VALUES ('gone', 9)"
        ),
    ),
    "a backlog of no section": (
        "references",
        "INSERT INTO backlog (generation_id, section_id) VALUES (1, 999)",
    ),
    "terms of no section": ("references", "INSERT INTO section_terms VALUES (999, x'00')"),
    "a tag of no document": ("tags", "INSERT INTO tags (name) VALUES ('idle')"),
    "a link that leads nowhere": ("links", "UPDATE links SET target_id = NULL"),
    "a link that leads elsewhere": (
        "links",
        "UPDATE links SET target_id = (SELECT id FROM content WHERE title = 'Deploy')",
    ),
    "titles of others": ("titles", "UPDATE content_titles SET title = 'other'"),
    "titles are gone": ("titles", "DELETE FROM content_titles"),
    "a section is too short": (
        "sections",
        "UPDATE sections SET end_char = end_char - 4 WHERE end_char > 9",
    ),
    "sections are gone": ("sections", "DELETE FROM sections"),
    "vectors are gone": ("vectors", "DELETE FROM content_vec_1"),
    "a stale backlog": (
        "vectors",
        "INSERT INTO backlog (generation_id, section_id) SELECT 1, min(id) FROM sections",
    ),
    "a vector of no section": (
        "vectors",
        lambda c: c.execute(
            "INSERT INTO content_vec_1 (rowid, embedding) VALUES (999, ?)", (VECTOR,)
        ),
    ),
    "no word finds a section": (
        "index of words",
        "DELETE FROM content_fts WHERE rowid = (SELECT min(id) FROM sections)",
    ),
    "words of no section": (
        "index of words",
        "INSERT INTO content_fts (rowid, title) VALUES (999, 'ghost')",
    ),
    "other words than the text's": (
        "index of words",
        (
            "DELETE FROM content_fts WHERE rowid = 1;"
            " INSERT INTO content_fts (rowid, title) VALUES (1, 'ghost')"
        ),
    ),
    "the index of words is damaged": (
        "index of words",
        "UPDATE content_fts_data SET block = x'00000004' WHERE id > 100",
    ),
    "terms for memory are gone": (
        "index of words",
        "DELETE FROM section_terms WHERE section_id = 1",
    ),
    "terms for memory are wrong": ("index of words", "UPDATE section_terms SET terms = x'0000'"),
    "a lease of the dead": (
        "leases",
        f"INSERT OR REPLACE INTO leases VALUES ('reindex', '{DEAD}', '2026-01-01T00:00:00Z', 4)",
    ),
    "a pass of the dead": (
        "passes",
        (
            f"INSERT OR REPLACE INTO leases VALUES ('pull', '{DEAD}', '2026-01-01T00:00:00Z', 4);"
            " UPDATE sync_state SET status = 'syncing';"
            " INSERT INTO sync_passes SELECT collection_id, 1, 2, '', '' FROM sync_state LIMIT 1"
        ),
    ),
}


async def answers(product, folder):
    """What a process that begins now answers."""
    found = {}
    async with beside(product, folder) as fresh:
        await fresh.embed_backlog()
        for question in QUESTIONS:
            answer = await fresh.search.search(question)
            found[question] = [
                (one.content.id, round(one.score, 5), one.section and one.section.text)
                for one in answer.results
            ]
            found[question, "mode"] = answer.mode
    return found


async def texts(product):
    return await product.runtime.database.read(
        lambda c: c.execute("SELECT id, title, content, metadata FROM content").fetchall()
    )


def named(checked):
    return {one.name: one for one in checked}


async def test_a_good_store_has_nothing_wrong(checkup):
    assert [one for one in await checkup.look() if one.problems] == []
    assert [one for one in await checkup.mend() if one.done] == []


@pytest.mark.parametrize(("name", "broken"), BREAKS.values(), ids=BREAKS)
async def test_what_is_broken_is_found_and_set_right(product, checkup, tmp_path, name, broken):
    before, said = await texts(product), await answers(product, tmp_path)
    with unguarded(product) as connection:
        connection.execute(broken) if isinstance(broken, str) else broken(connection)

    seen = named(await checkup.look())
    mended = named(await checkup.mend())
    after = await checkup.look()

    assert seen[name].problems
    assert seen[name].done is None
    assert mended[name].done, mended[name]
    assert [one for one in after if one.problems] == []
    assert await texts(product) == before
    assert await answers(product, tmp_path) == said


async def test_looking_changes_nothing(product, checkup):
    with unguarded(product) as connection:
        connection.execute("DELETE FROM content_vec_1")

    first = await checkup.look()

    assert await checkup.look() == first


async def test_a_pass_that_somebody_runs_is_left_alone(product, checkup):
    with unguarded(product) as connection:
        connection.execute(
            "INSERT OR REPLACE INTO leases VALUES ('pull', 'alive', '2026-01-01T00:00:00Z', 4);"
            "UPDATE sync_state SET status = 'syncing'"
        )

    await checkup.mend()

    states = await product.runtime.store.sync_states()
    assert {state.status for state in states} == {"syncing"}


async def test_what_can_not_be_set_right_says_what_to_do(product, checkup):
    with unguarded(product) as connection:
        connection.execute("DROP TABLE content_keys")

    found = named(await checkup.mend())["schema"]

    assert found.done is None
    assert "content_keys" in found.problems[0]
    assert "restore FILE" in found.hint
