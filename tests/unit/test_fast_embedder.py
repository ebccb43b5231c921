"""Models of fastembed: how they are asked, and what is said if they can't be."""

import sys

import numpy as np
import pytest
from fastembed_stand_in import DIMENSION, MODEL, READS, stand_in

from personal_context.domain.errors import EmbeddingRejected, EmbeddingUnavailable
from personal_context.domain.models import EmbeddingModel, ModelChoice
from personal_context.embeddings.auto import AutoEmbedder
from personal_context.embeddings.fast import FastEmbedder
from personal_context.embeddings.select import Wanted, embedder_for


@pytest.fixture
def package(monkeypatch):
    module = stand_in()
    monkeypatch.setitem(sys.modules, "fastembed", module)
    return module.TextEmbedding


@pytest.fixture
def absent(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastembed", None)


async def test_a_model_that_wants_prefixes_gets_them(package):
    async with FastEmbedder(MODEL) as embedder:
        await embedder.embed(["a text"])
        await embedder.embed_query("a question")
    [loaded] = package.loaded
    assert loaded.read == ["passage: a text", "query: a question"]


async def test_it_is_loaded_once_and_not_before_it_is_needed(package):
    async with FastEmbedder(MODEL) as embedder:
        assert await embedder.choice() == ModelChoice("fastembed", MODEL)
        assert await embedder.model() == EmbeddingModel("fastembed", MODEL, DIMENSION)
        assert package.loaded == []
        await embedder.embed(["one", "two", "three"])
        await embedder.embed_query("four")
    [loaded] = package.loaded
    assert (loaded.model_name, loaded.threads, loaded.more) == (MODEL, 1, {})


async def test_of_a_long_text_everything_is_read(package):
    words = [f"word{number}" for number in range(100)]
    async with FastEmbedder(MODEL) as embedder:
        await embedder.embed([" ".join(words)])
    [loaded] = package.loaded
    assert "".join(one.removeprefix("passage: ") for one in loaded.read).split() == words
    assert all(len(one) <= 2 * READS for one in loaded.read)


async def test_without_the_package_it_is_said_how_to_install_it(absent):
    async with FastEmbedder() as embedder:
        assert (await embedder.choice()).provider == "fastembed"
        for asked in (embedder.model(), embedder.embed(["x"]), embedder.embed_query("x")):
            with pytest.raises(EmbeddingRejected) as caught:
                await asked
            assert "not installed" in caught.value.what
            assert "personal-context[fastembed]" in caught.value.hint


async def test_an_unknown_model_is_told_with_those_that_are_like_it(package):
    async with FastEmbedder("stand-in/e5-smal") as embedder:
        with pytest.raises(EmbeddingRejected) as caught:
            await embedder.model()
    assert MODEL in caught.value.cause
    assert "EMBEDDING_MODEL" in caught.value.hint


async def test_another_dimension_than_the_model_has_is_told(package):
    async with FastEmbedder(MODEL, 512) as embedder:
        with pytest.raises(EmbeddingRejected, match="48 numbers, not of 512"):
            await embedder.model()
    async with FastEmbedder(MODEL, DIMENSION) as embedder:
        assert (await embedder.model()).dimension == DIMENSION


async def test_weights_that_can_not_be_fetched_may_come_later(package):
    package.failing = ValueError("Could not load model from any source.")
    async with FastEmbedder(MODEL) as embedder:
        with pytest.raises(EmbeddingUnavailable) as caught:
            await embedder.embed_query("x")
        assert "any source" in caught.value.cause
        package.failing = None
        assert (await embedder.embed_query("x")).shape == (DIMENSION,)


@pytest.mark.parametrize(
    "answer",
    [
        np.full(DIMENSION, np.nan),
        np.zeros(DIMENSION),
        np.ones(DIMENSION - 1),
        np.ones(DIMENSION + 1),
    ],
)
async def test_what_is_no_vector_is_refused(package, answer):
    async with FastEmbedder(MODEL) as embedder:
        package.answer = answer.astype(np.float32)
        [refused] = await embedder.embed(["x"])
        assert isinstance(refused, EmbeddingRejected)
        with pytest.raises(EmbeddingRejected):
            await embedder.embed_query("x")
        package.answer = None
        assert np.linalg.norm(await embedder.embed_query("x")) == pytest.approx(1)


async def test_the_settings_choose_it_and_its_old_vectors_stay_of_use(package):
    wanted = Wanted("fastembed", model=MODEL)
    async with AutoEmbedder(wanted) as embedder:
        made = await embedder.model()
    assert made == EmbeddingModel("fastembed", MODEL, DIMENSION)
    other = await embedder_for(Wanted("local"), made)
    assert (await other.choice()).made(made)


async def test_closed_it_says_so(package):
    embedder = FastEmbedder(MODEL)
    with pytest.raises(EmbeddingUnavailable, match="closed"):
        await embedder.embed_query("x")
