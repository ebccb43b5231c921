"""Answers from memory are those of the database, whoever writes meanwhile."""

import asyncio
import random
import threading

import pytest
from builders import HANDBOOK, JOURNAL, LOG, content, content_id, embed, indexed, model, vector
from hashing_embedder import HashingEmbedder

from personal_context.config import load_settings
from personal_context.db import nearest
from personal_context.db.accelerator.meaning import MeaningCache
from personal_context.db.connection import Database
from personal_context.db.sqlite import SqliteStore
from personal_context.db.vectors import SqliteVectorIndex
from personal_context.domain.models import EVERYTHING, GenerationState, SearchFilters
from personal_context.runtime import build_runtime

ACTIVE, BUILDING = GenerationState.ACTIVE, GenerationState.BUILDING
FILTERS = [EVERYTHING, SearchFilters(collection=JOURNAL), SearchFilters(tags=frozenset({"none"}))]


class Later:
    """Runs jobs when it is told to, instead of in the background."""

    def __init__(self, database):
        self._database = database
        self.jobs = []

    def __call__(self, job):
        self.jobs.append(job)

    async def run(self):
        while self.jobs:
            await self._database.read(self.jobs.pop(0))


@pytest.fixture
async def database(tmp_path):
    async with Database(tmp_path / "context.db") as opened:
        yield opened


@pytest.fixture
async def other(database):
    """The same file, opened by somebody else."""
    async with Database(database.path) as opened:
        yield opened


async def mirror(database, number, *pieces, collection_id=HANDBOOK):
    document = content(number, collection_id=collection_id)
    await SqliteStore(database).mirror(document, indexed("Title", pieces), log=LOG)


def random_vector(draw):
    return vector(*(draw.gauss(0, 1) for _ in range(6)))


async def same_as_exact(database, index, generation, draw):
    """Check one question with every filter; return how many contents were found."""
    question = random_vector(draw)
    found = 0
    for filters in FILTERS:
        limit = draw.choice([1, 3, 100])
        hits = await index.nearest(generation.id, question, limit=limit, filters=filters)
        exact = await database.read(
            lambda c, limit=limit, filters=filters: nearest.nearest(
                c, generation.id, question, limit, filters
            )
        )
        assert [(hit.content_id, hit.section_id) for hit in hits] == [
            (hit.content_id, hit.section_id) for hit in exact
        ]
        assert [hit.similarity for hit in hits] == pytest.approx(
            [hit.similarity for hit in exact], abs=1e-4
        )
        found += len(hits)
    ids = [hit.content_id for hit in exact] + [content_id(1), content_id(2), content_id(99)]
    close = await index.similarities(generation.id, question, ids)
    exactly = await database.read(lambda c: nearest.similarities(c, generation.id, question, ids))
    assert {one: hit.section_id for one, hit in close.items()} == {
        one: hit.section_id for one, hit in exactly.items()
    }
    return found


async def change(databases, generation, draw, pieces):
    """Let somebody write something."""
    database = draw.choice(databases)
    index = SqliteVectorIndex(database)
    number = draw.randint(1, 12)
    match draw.randrange(4):
        case 0:
            await SqliteStore(database).trash(content_id(number), reason="test", log=LOG)
        case 1:
            items = await index.backlog(generation.id, limit=draw.randint(1, 9))
            await index.store(generation.id, [(item, random_vector(draw)) for item in items])
        case _:
            chosen = draw.sample(pieces, draw.randint(1, 5))
            collection = draw.choice([HANDBOOK, JOURNAL])
            await mirror(database, number, *chosen, collection_id=collection)


@pytest.mark.parametrize("at_once", [0, 2_000], ids=["background", "at once"])
@pytest.mark.parametrize("seed", range(3))
async def test_answers_are_those_of_the_database(database, other, seed, at_once):
    draw = random.Random(seed)
    later = Later(database)
    index = SqliteVectorIndex(database, MeaningCache(later, read_at_once=at_once))
    generation = await index.create(model(6), ACTIVE)
    pieces = [f"piece {number}" for number in range(40)]
    found = 0
    for step in range(60):
        await change([database, other], generation, draw, pieces)
        found += await same_as_exact(database, index, generation, draw)
        if step % 20 == 10:
            await later.run()
    assert found > 100


async def test_a_switch_of_generations(database, other):
    index = SqliteVectorIndex(database)
    await mirror(database, 1, "a", "b")
    old = await index.create(model(2), ACTIVE)
    await embed(index, old, {"a": vector(1, 0), "b": vector(0, 1)})
    assert len(await index.nearest(old.id, vector(1, 0), limit=9)) == 1
    theirs = SqliteVectorIndex(other)
    new = await theirs.create(model(3), BUILDING)
    await embed(theirs, new, {"a": vector(1, 0, 0), "b": vector(0, 1, 0)})
    assert len(await index.nearest(old.id, vector(1, 0), limit=9)) == 1
    await theirs.activate(new.id)
    assert await index.nearest(old.id, vector(1, 0), limit=9) == []
    (hit,) = await index.nearest(new.id, vector(0, 1, 0), limit=9)
    assert hit.similarity == pytest.approx(1)


async def test_changes_that_are_forgotten_are_read_anew(database, other):
    index = SqliteVectorIndex(database)
    await mirror(database, 1, "a")
    generation = await index.create(model(2), ACTIVE)
    await embed(index, generation, {"a": vector(1, 0)})
    assert len(await index.nearest(generation.id, vector(1, 0), limit=9)) == 1
    await mirror(other, 2, "b")
    await embed(SqliteVectorIndex(other), generation, {"b": vector(1, 0)})
    await other.write(
        lambda c: c.execute(
            "DELETE FROM index_changes WHERE seq < (SELECT max(seq) FROM index_changes)"
        )
    )
    assert len(await index.nearest(generation.id, vector(1, 0), limit=9)) == 2


async def test_changes_are_not_kept_for_ever(database):
    await database.write(
        lambda c: c.execute(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 101500)"
            " INSERT INTO index_changes (section_id) SELECT i FROM n"
        )
    )
    [[first, last]] = await database.read(
        lambda c: c.execute("SELECT min(seq), max(seq) FROM index_changes").fetchall()
    )
    assert (first, last) == (1_001, 101_500)


async def test_a_filling_that_fails_leaves_the_database_to_answer(database, caplog):
    later = Later(database)
    index = SqliteVectorIndex(database, MeaningCache(later, read_at_once=0))
    await mirror(database, 1, "a")
    generation = await index.create(model(2), ACTIVE)
    await embed(index, generation, {"a": vector(1, 0)})
    assert len(await index.nearest(generation.id, vector(1, 0), limit=9)) == 1
    (job,) = later.jobs
    later.jobs.clear()
    with pytest.raises(ZeroDivisionError):
        job(Broken())
    for _ in range(2):
        assert len(await index.nearest(generation.id, vector(1, 0), limit=9)) == 1
        await later.run()


class Broken:
    """A connection that fails."""

    def execute(self, *_):
        raise ZeroDivisionError


async def test_many_ask_while_others_write(database, other):
    index = SqliteVectorIndex(database)
    generation = await index.create(model(6), ACTIVE)
    draw = random.Random(1)
    for number in range(1, 30):
        await mirror(database, number, f"piece {number}")
    items = await index.backlog(generation.id, limit=99)
    await index.store(generation.id, [(item, random_vector(draw)) for item in items])

    async def ask():
        for _ in range(20):
            assert len(await index.nearest(generation.id, random_vector(draw), limit=99)) >= 29

    async def write():
        for number in range(30, 50):
            await mirror(other, number, f"piece {number - 29}")

    await asyncio.gather(ask(), ask(), write())
    assert len(await index.nearest(generation.id, random_vector(draw), limit=99)) == 49


async def test_a_job_in_the_background_has_a_connection_of_its_own(database, caplog):
    told = threading.Event()
    seen = []

    def job(connection):
        seen.append(connection.execute("SELECT count(*) FROM content").fetchall())
        told.set()

    database.in_background(job)
    assert await asyncio.to_thread(told.wait, 20)
    assert seen == [[(0,)]]


def test_what_a_closed_database_is_to_do_in_the_background_never_begins(tmp_path):
    Database(tmp_path / "context.db").in_background(lambda _: pytest.fail("it began"))


@pytest.mark.parametrize("accelerator", ["auto", "off"])
async def test_answers_are_the_same_when_it_is_switched_off(tmp_path, accelerator):
    settings = load_settings(
        db_path=tmp_path / "context.db",
        embedding_provider="local",
        search_accelerator=accelerator,
    )
    async with build_runtime(settings, embedder=HashingEmbedder()) as runtime:
        for number, piece in enumerate(["kettles of copper", "cups of tin", "a kettle"], 1):
            await runtime.store.mirror(content(number), indexed("Title", [piece]), log=LOG)
        await runtime.embed_backlog()
        answers = [await runtime.search.search("kettles of tin") for _ in range(2)]
        held = (runtime.snapshots._words._segments, runtime.snapshots._meaning._table)

    assert [one is not None for one in held] == [accelerator == "auto"] * 2
    for answer in answers:
        assert answer.mode == "hybrid"
        assert [one.preview for one in answer.results] == [
            "cups of tin",
            "kettles of copper",
            "a kettle",
        ]
