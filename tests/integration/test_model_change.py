"""The settings ask for another model than the one that made the vectors."""

import logging

import pytest
from backends import hybrid, sqlite
from builders import LOG, content, indexed
from embedding_server import BASE, EmbeddingServer
from hashing_embedder import HashingEmbedder, unavailable

from personal_context.domain.models import IndexProgress, ModelChoice
from personal_context.embeddings.auto import AutoEmbedder
from personal_context.embeddings.select import Wanted
from personal_context.indexing.indexer import Indexer
from personal_context.indexing.reindex import Reindexer


@pytest.fixture
async def backend(tmp_path):
    async with sqlite(tmp_path) as opened:
        yield opened


@pytest.fixture
async def old(backend):
    """The embedder that made the vectors of two documents."""
    embedder = HashingEmbedder(name="old")
    await put(backend, 1, "kettles of copper")
    await put(backend, 2, "cups of tin")
    await Indexer(backend.index, embedder).run_backlog()
    return embedder


@pytest.fixture
def new(old):
    """Another one, which reaches the old."""
    embedder = HashingEmbedder(dimension=32, name="new")
    embedder.others["old"] = old
    return embedder


async def put(backend, number, *pieces):
    await backend.store.mirror(
        content(number, text="\n\n".join(pieces)), indexed("Title", pieces), log=LOG
    )


async def test_search_goes_on_with_the_vectors_that_are_there(backend, new):
    answer = await hybrid(backend, new).search("kettles")

    assert (answer.mode, answer.degraded) == ("hybrid", None)
    assert answer.results[0].breakdown.vector > answer.results[-1].breakdown.vector
    assert new.queries == []


async def test_the_status_says_what_is_set_and_what_to_press(backend, new):
    status = await Indexer(backend.index, new).status()

    assert (status.model.name, status.degraded) == ("old", None)
    assert status.wanted == ModelChoice("test", "new", 32)
    assert "Reindex All Embeddings" in status.advice


async def test_what_is_added_gets_a_vector_of_the_old_model(backend, old, new, caplog):
    await put(backend, 3, "spoons")
    indexer = Indexer(backend.index, new)
    with caplog.at_level(logging.WARNING):
        assert await indexer.run_backlog() == 1
        await indexer.run_backlog()

    assert old.embedded[-1] == "Title\nspoons"
    assert new.embedded == []
    [line] = caplog.messages
    assert "test old" in line
    assert "test new" in line


async def test_without_the_old_provider_words_answer_and_say_what_to_press(backend, new):
    new.others.clear()
    answer = await hybrid(backend, new).search("kettles")
    indexer = Indexer(backend.index, new)
    await put(backend, 3, "spoons")

    assert await indexer.run_backlog() == 0
    status = await indexer.status()
    assert answer.mode == "keyword"
    for told in (answer.degraded, status.degraded):
        assert "test old (64 numbers)" in told
        assert "test new (32 numbers) is set" in told
        assert "Reindex All Embeddings" in told
    assert status.progress == IndexProgress(3, 2)


async def test_an_old_provider_that_is_down_does_not_hide_what_to_press(backend, old, new):
    old.failing = unavailable()
    answer = await hybrid(backend, new).search("kettles")
    indexer = Indexer(backend.index, new)
    await put(backend, 3, "spoons")
    await indexer.run_backlog()
    status = await indexer.status()

    assert answer.mode == "keyword"
    assert "is down" in answer.degraded
    assert "is down" in status.degraded
    assert status.wanted == ModelChoice("test", "new", 32)


async def test_after_a_reindex_nothing_is_left_to_say(backend, new):
    reindexer = Reindexer(backend.index, new)
    await reindexer.start()
    await reindexer.wait()
    status = await Indexer(backend.index, new).status()
    answer = await hybrid(backend, new).search("kettles")

    assert (status.model.name, status.wanted, status.advice) == ("new", None, None)
    assert answer.mode == "hybrid"
    assert new.queries == ["kettles"]


async def test_what_comes_in_during_a_reindex_lands_in_both(backend, old, new):
    indexer, reindexer = Indexer(backend.index, new), Reindexer(backend.index, new)
    await reindexer.start()
    await put(backend, 3, "spoons")
    await indexer.run_backlog()
    await reindexer.wait()

    assert old.embedded.count("Title\nspoons") == 1
    assert new.embedded.count("Title\nspoons") == 1


async def test_a_generation_without_a_vector_is_replaced_without_a_word(tmp_path, new):
    empty = HashingEmbedder(name="never used")
    async with sqlite(tmp_path / "fresh") as fresh:
        await Indexer(fresh.index, empty).open_generation()
        await put(fresh, 1, "text")
        indexer = Indexer(fresh.index, new)
        assert await indexer.run_backlog() == 1
        assert (await indexer.status()).wanted is None


async def test_a_server_that_changed_the_length_of_its_vectors_is_told(backend):
    server = EmbeddingServer()
    wanted = Wanted("openai", api_base=BASE, model="m", transport=server.transport)
    async with AutoEmbedder(wanted) as embedder:
        await put(backend, 1, "kettles")
        await Indexer(backend.index, embedder).run_backlog()
    server.dimension = 48
    async with AutoEmbedder(wanted) as embedder:
        answer = await hybrid(backend, embedder).search("kettles")

    assert answer.mode == "keyword"
    assert "48 numbers" in answer.degraded
    assert "32 numbers" in answer.degraded


@pytest.mark.parametrize("bad", [float("nan"), 0.0])
async def test_a_bad_vector_for_a_query_leaves_the_words(backend, bad):
    server = EmbeddingServer()
    wanted = Wanted("openai", api_base=BASE, model="m", transport=server.transport)
    async with AutoEmbedder(wanted) as embedder:
        await put(backend, 1, "kettles")
        await Indexer(backend.index, embedder).run_backlog()
        server.poison = {"kettles": [bad] * 32}
        answer = await hybrid(backend, embedder).search("kettles")

    assert answer.mode == "keyword"
    assert len(answer.results) == 1
    assert answer.degraded
