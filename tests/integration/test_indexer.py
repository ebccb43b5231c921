import asyncio

import numpy as np
import pytest
from backends import sqlite
from builders import LOG, content, indexed
from hashing_embedder import HashingEmbedder, unavailable

from personal_context.domain.errors import EmbeddingRejected
from personal_context.domain.models import GenerationState, IndexProgress
from personal_context.indexing.indexer import Indexer


@pytest.fixture
async def backend(tmp_path):
    async with sqlite(tmp_path) as opened:
        yield opened


@pytest.fixture
def embedder():
    return HashingEmbedder()


@pytest.fixture
def indexer(backend, embedder):
    return Indexer(backend.index, embedder, batch=4)


async def put(backend, number, *pieces):
    await backend.store.mirror(
        content(number, text="\n\n".join(pieces)), indexed("Title", pieces), log=LOG
    )


async def test_the_first_turn_makes_a_generation_and_all_vectors(backend, embedder, indexer):
    for number in range(1, 4):
        await put(backend, number, f"one {number}", f"two {number}", f"three {number}")
    assert await indexer.run_backlog() == 9
    status = await indexer.status()
    assert (status.model, status.progress) == (await embedder.model(), IndexProgress(9, 9))
    assert status.degraded is None
    assert min(embedder.embedded) == "Title\none 1"


async def test_a_second_turn_has_nothing_to_do(backend, embedder, indexer):
    await put(backend, 1, "text")
    await indexer.run_backlog()
    assert await indexer.run_backlog() == 0
    assert len(embedder.embedded) == 1


async def test_what_is_known_is_not_embedded_again(backend, embedder, indexer):
    await put(backend, 1, "same")
    await indexer.run_backlog()
    await put(backend, 2, "same", "new")
    assert (await indexer.status()).progress == IndexProgress(3, 2)
    assert await indexer.run_backlog() == 1
    assert embedder.embedded == ["Title\nsame", "Title\nnew"]


async def test_two_turns_at_once_embed_nothing_twice(backend, embedder, indexer):
    await put(backend, 1, *(f"piece {i}" for i in range(10)))
    assert sorted(await asyncio.gather(indexer.run_backlog(), indexer.run_backlog())) == [0, 10]
    assert len(embedder.embedded) == len(set(embedder.embedded))


async def test_an_empty_store_gets_its_generation(backend, indexer):
    generation = await indexer.open_generation()
    assert [generation] == await backend.index.generations()
    assert generation.state is GenerationState.ACTIVE
    assert await indexer.run_backlog() == 0


async def test_a_refused_text_is_marked_and_the_others_go_on(backend, embedder, indexer):
    await put(backend, 1, *(f"piece {i}." for i in range(11)))
    embedder.refused = {"piece 3.", "piece 10."}
    assert await indexer.run_backlog() == 9
    status = await indexer.status()
    assert status.progress == IndexProgress(11, 9, failed=2)
    assert status.degraded is None
    assert await indexer.run_backlog() == 0


async def test_a_provider_that_refuses_everything_blames_no_section(backend, embedder, indexer):
    await put(backend, 1, "one", "two")
    generation = await indexer.open_generation()
    embedder.failing = EmbeddingRejected("The key is wrong.", hint="Make a new one.")
    embedder.failing_after = 0
    embedder.model = HashingEmbedder().model
    assert await indexer.run_backlog() == 0
    assert (await indexer.status()).degraded == "The key is wrong. Make a new one."
    assert await backend.index.progress(generation.id) == IndexProgress(2, 0)
    embedder.failing = None
    assert await indexer.run_backlog() == 2
    assert (await indexer.status()).degraded is None


class Narrowing(HashingEmbedder):
    """Says one dimension and sends another."""

    def vector(self, text):
        return super().vector(text)[:8] / 2


async def test_vectors_of_another_length_blame_no_section(backend):
    await put(backend, 1, "one", "two")
    indexer = Indexer(backend.index, Narrowing())
    assert await indexer.run_backlog() == 0
    status = await indexer.status()
    assert status.progress == IndexProgress(2, 0)
    assert "8 numbers instead of 64" in status.degraded


class Miscounting(HashingEmbedder):
    async def embed(self, texts):
        return (await super().embed(texts))[: max(1, len(texts) - 1)]


async def test_too_few_vectors_are_not_stored_for_the_wrong_texts(backend):
    await put(backend, 1, "one", "two", "three")
    indexer = Indexer(backend.index, Miscounting())
    assert await indexer.run_backlog() == 0
    status = await indexer.status()
    assert status.progress == IndexProgress(3, 0)
    assert "2 vectors for 3 texts" in status.degraded


class Spoiling(HashingEmbedder):
    """Gives for some texts what is no vector."""

    def __init__(self, **spoilt):
        super().__init__()
        self.spoilt = spoilt

    def vector(self, text):
        return self.spoilt.get(text.split()[-1], super().vector(text))


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (np.full(64, np.nan, dtype=np.float32), "none"),
        (np.full(64, np.inf, dtype=np.float32), "none"),
        (np.zeros(64, dtype=np.float32), "none"),
        (np.ones(8, dtype=np.float32), "8 numbers instead of 64"),
    ],
)
async def test_a_bad_vector_in_a_batch_spoils_no_other(backend, bad, why):
    await put(backend, 1, *(f"piece {i}" for i in range(7)))
    indexer = Indexer(backend.index, Spoiling(**{"3": bad}))
    assert await indexer.run_backlog() == 6
    status = await indexer.status()
    assert (status.progress, status.degraded) == (IndexProgress(7, 6, failed=1), None)
    (generation,) = await backend.index.generations()
    hits = await backend.index.nearest(generation.id, HashingEmbedder().vector("piece 3"), limit=9)
    assert all(np.isfinite(hit.similarity) for hit in hits)
    assert await indexer.run_backlog() == 0


async def test_if_no_vector_is_any_good_no_section_is_blamed(backend):
    await put(backend, 1, "one", "two")
    zero = np.zeros(64, dtype=np.float32)
    indexer = Indexer(backend.index, Spoiling(**{"one": zero, "two": zero, "takes.": zero}))
    assert await indexer.run_backlog() == 0
    status = await indexer.status()
    assert status.progress == IndexProgress(2, 0)
    assert "a vector that is none" in status.degraded


class Dropping(HashingEmbedder):
    """Does not answer for some texts, for now."""

    def __init__(self, *dropped):
        super().__init__()
        self.dropped = set(dropped)

    async def embed(self, texts):
        made = await super().embed(texts)
        return [unavailable() if t in self.dropped else v for t, v in zip(texts, made, strict=True)]


async def test_what_was_embedded_before_a_failure_is_kept(backend):
    await put(backend, 1, *(f"piece {i}" for i in range(6)))
    embedder = Dropping("Title\npiece 2", "Title\npiece 3")
    indexer = Indexer(backend.index, embedder)
    assert await indexer.run_backlog() == 4
    status = await indexer.status()
    assert status.progress == IndexProgress(6, 4)
    assert "is down" in status.degraded
    embedder.dropped.clear()
    assert await indexer.run_backlog() == 2
    assert (await indexer.status()).degraded is None


async def test_equal_texts_are_embedded_once(backend, embedder, indexer):
    for number in range(1, 4):
        await put(backend, number, "same", "same", f"own {number}")
    assert await indexer.run_backlog() == 9
    assert embedder.embedded.count("Title\nsame") == 1


async def test_a_provider_that_fails_in_the_middle_ends_the_turn_quietly(
    backend, embedder, indexer
):
    await put(backend, 1, *(f"piece {i}" for i in range(10)))
    embedder.failing, embedder.failing_after = unavailable(), 8
    assert await indexer.run_backlog() == 0  # not even the model answers
    embedder.model = HashingEmbedder().model
    assert await indexer.run_backlog() == 8
    status = await indexer.status()
    assert status.progress == IndexProgress(10, 8)
    assert "The test embedder is down." in status.degraded
    embedder.failing = None
    assert await indexer.run_backlog() == 2
    assert (await indexer.status()).degraded is None


async def test_without_a_model_there_is_no_generation(backend, embedder, indexer):
    embedder.failing = unavailable()
    assert await indexer.open_generation() is None
    status = await indexer.status()
    assert (status.model, status.progress) == (None, IndexProgress(0, 0))
    assert "is down" in status.degraded


async def test_vectors_of_another_model_stay_until_somebody_reindexes(backend, embedder, indexer):
    await put(backend, 1, "text")
    await indexer.run_backlog()
    await put(backend, 2, "more")
    other = Indexer(backend.index, HashingEmbedder(name="other"))
    assert await other.run_backlog() == 0
    assert await other.open_generation() is None
    status = await other.status()
    assert status.model == await embedder.model()
    assert status.progress == IndexProgress(2, 1)
    assert "Reindex" in status.degraded


async def test_before_the_first_vector_the_status_says_so(backend, indexer):
    assert "no vectors yet" in (await indexer.status()).degraded
    await put(backend, 1, "text")
    await indexer.open_generation()
    assert "no vectors yet" in (await indexer.status()).degraded


async def test_another_process_may_make_the_generation_first(backend, embedder):
    class Racing:
        def __init__(self, index):
            self._index = index
            self.raced = False

        def __getattr__(self, name):
            return getattr(self._index, name)

        async def create(self, model, state):
            await self._index.create(model, state)
            return await self._index.create(model, state)

    generation = await Indexer(Racing(backend.index), embedder).open_generation()
    assert [generation] == await backend.index.generations()
