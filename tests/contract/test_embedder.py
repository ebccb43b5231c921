"""What every embedder promises, whoever computes the vectors."""

import asyncio
import os
import sys

import numpy as np
import pytest
from embedding_server import BASE, KEY, EmbeddingServer
from fastembed_stand_in import MODEL, stand_in
from hashing_embedder import HashingEmbedder

from personal_context.domain.models import EmbeddingModel
from personal_context.embeddings.auto import AutoEmbedder
from personal_context.embeddings.client import OpenAIEmbedder
from personal_context.embeddings.fast import FastEmbedder
from personal_context.embeddings.local import LocalEmbedder
from personal_context.embeddings.select import Wanted

REAL_BASE = os.environ.get("PERSONAL_CONTEXT_TEST_EMBEDDING_BASE", "")
REAL_KEY = os.environ.get("PERSONAL_CONTEXT_TEST_EMBEDDING_KEY")
REAL_MODEL = os.environ.get("PERSONAL_CONTEXT_TEST_EMBEDDING_MODEL", "text-embedding-3-small")


def _ollama():
    server = EmbeddingServer()
    server.models, server.openai = ["nomic-embed-text"], False
    return OpenAIEmbedder(
        BASE, None, "nomic-embed-text", transport=server.transport, provider="ollama"
    )


EMBEDDERS = {
    "hashing": HashingEmbedder,
    "local": lambda: LocalEmbedder(threads=1),
    "openai": lambda: OpenAIEmbedder(BASE, KEY, "model", transport=EmbeddingServer().transport),
    "ollama": _ollama,
    "fastembed": lambda: FastEmbedder(MODEL),
    "auto": lambda: AutoEmbedder(Wanted(transport=EmbeddingServer().transport)),
    "real": lambda: OpenAIEmbedder(REAL_BASE, REAL_KEY, REAL_MODEL),
}


@pytest.fixture(autouse=True)
def _fastembed(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastembed", stand_in())


@pytest.fixture(
    params=[
        pytest.param(
            name,
            marks=pytest.mark.skipif(
                name == "real" and not REAL_BASE,
                reason="PERSONAL_CONTEXT_TEST_EMBEDDING_BASE is not set",
            ),
        )
        for name in EMBEDDERS
    ]
)
async def embedder(request):
    async with EMBEDDERS[request.param]() as embedder:
        yield embedder


AWKWARD = ["", " ", "\n", "\0", "\ud800", "日本語のテキスト", "🙂", "word " * 2000, "x" * 5000]


async def test_vectors_are_as_the_model_says(embedder):
    model = await embedder.model()
    vectors = await embedder.embed(["one", "two"])

    assert model.provider
    assert model.name
    for vector in [*vectors, await embedder.embed_query("one")]:
        assert vector.shape == (model.dimension,)
        assert vector.dtype == np.float32


async def test_it_serves_its_own_vectors_and_no_unknown_ones(embedder):
    model = await embedder.model()
    serving = await embedder.serving(model)

    assert (await embedder.choice()).made(model)
    np.testing.assert_allclose(
        await serving.embed_query("x"), await embedder.embed_query("x"), atol=1e-5
    )
    assert await embedder.serving(EmbeddingModel("nobody", model.name, model.dimension)) is None


async def test_the_model_stays_the_same(embedder):
    before = await embedder.model()
    await embedder.embed(["one"])

    assert await embedder.model() == before


@pytest.mark.parametrize("text", AWKWARD)
async def test_every_text_has_a_finite_unit_vector(embedder, text):
    [vector] = await embedder.embed([text])

    for made in (vector, await embedder.embed_query(text)):
        assert np.isfinite(made).all()
        assert np.linalg.norm(made) == pytest.approx(1, abs=1e-4)


async def test_nothing_gives_nothing(embedder):
    assert list(await embedder.embed([])) == []


async def test_vectors_come_in_the_order_of_the_texts(embedder):
    texts = [f"number {n} of the list" for n in range(70)]

    together = await embedder.embed(texts)
    singly = [(await embedder.embed([texts[n]]))[0] for n in (0, 33, 69)]

    assert len(together) == 70
    for n, vector in zip((0, 33, 69), singly, strict=True):
        np.testing.assert_allclose(together[n], vector, atol=1e-3)


async def test_the_same_text_twice_gives_the_same_vector_twice(embedder):
    one, other = await embedder.embed(["same", "same"])

    np.testing.assert_allclose(one, other, atol=1e-3)


async def test_a_query_is_nearest_to_the_passage_with_its_words(embedder):
    query = await embedder.embed_query("restore the database backup")
    near, far = await embedder.embed(
        ["How to restore the database backup", "Cake recipes with apples and cinnamon"]
    )

    assert query @ near > query @ far


async def test_many_may_ask_at_once(embedder):
    answers = await asyncio.gather(
        *(embedder.embed([f"text {n}"]) for n in range(8)),
        *(embedder.embed_query(f"query {n}") for n in range(8)),
    )

    assert len(answers) == 16
    np.testing.assert_allclose(answers[3][0], (await embedder.embed(["text 3"]))[0], atol=1e-3)


async def test_a_cancelled_caller_leaves_it_usable(embedder):
    caller = asyncio.create_task(embedder.embed(["word " * 100] * 30))
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.wait([caller])

    assert len(await embedder.embed(["again"])) == 1


async def test_closing_twice_is_fine(embedder):
    await embedder.embed(["one"])

    await embedder.__aexit__(None, None, None)
    await embedder.__aexit__(None, None, None)
