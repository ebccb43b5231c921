"""What must hold inside the file after any sequence of steps."""

import tempfile
from pathlib import Path

from backends import backend_of
from builders import model, vector
from hypothesis import given, settings, strategies as st
from store_model import Twin, steps

from personal_context.db.connection import Database
from personal_context.domain.models import GenerationState


@settings(max_examples=40, deadline=None)
@given(steps=steps, embed_every=st.integers(1, 4), rebuild_at=st.integers(0, 10))
async def test_all_parts_of_the_file_agree(steps, embed_every, rebuild_at):
    with tempfile.TemporaryDirectory() as folder:
        async with Database(Path(folder) / "context.db") as database:
            backend = backend_of(database)
            await backend.index.create(model(2), GenerationState.ACTIVE)
            twin = Twin()
            for number, step in enumerate(steps):
                await twin.take(backend, step)
                if number == rebuild_at:
                    await backend.index.create(model(3), GenerationState.BUILDING)
                if number % embed_every == 0:
                    await embed_some(backend.index)
                if number == rebuild_at + 5:
                    await backend.index.activate((await backend.index.generations())[-1].id)
            # The full-text check writes nothing, but FTS5 spells it as an INSERT.
            await database.write(check)


async def embed_some(index):
    for generation in await index.generations():
        items = await index.backlog(generation.id, limit=3)
        ones = vector(*[1] * generation.model.dimension)
        await index.store(generation.id, [(item, ones) for item in items])


def check(connection):
    def rows(sql):
        return connection.execute(sql).fetchall()

    assert rows("PRAGMA integrity_check") == [("ok",)]
    assert rows("PRAGMA foreign_key_check") == []
    rows("INSERT INTO content_fts (content_fts, rank) VALUES ('integrity-check', 1)")
    sections = {row[0] for row in rows("SELECT id FROM sections")}
    generations = rows("SELECT id, state FROM generations")
    for generation, state in generations:
        waiting = rows(f"SELECT section_id FROM backlog WHERE generation_id = {generation}")
        stored = rows(f"SELECT rowid FROM content_vec_{generation}")
        assert sorted(waiting + stored) == sorted((key,) for key in sections)
        if state == "active":
            assert rows("SELECT section_id FROM content_vec") == stored
    assert rows("SELECT * FROM trash WHERE id IN (SELECT id FROM content)") == []
    assert sections.isdisjoint(row[0] for row in rows("SELECT id FROM trash_sections"))
    tables = rows("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%vec0%'")
    assert {name for (name,) in tables} == {f"content_vec_{key}" for key, _ in generations}
    assert rows("SELECT * FROM tags WHERE id NOT IN (SELECT tag_id FROM content_tags)") == []
    unresolved = (
        "SELECT * FROM links JOIN content ON links.target IN (content.id, content.url_id)"
        " WHERE links.target_id IS NOT content.id"
    )
    assert rows(unresolved) == []
