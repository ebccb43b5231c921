"""The stand-in that other tests build on."""

import numpy as np
import pytest
from hashing_embedder import HashingEmbedder, unavailable

from personal_context.domain.errors import EmbeddingRejected, EmbeddingUnavailable


async def test_texts_that_share_words_are_nearer():
    async with HashingEmbedder() as embedder:
        query = await embedder.embed_query("restore the database")
        near, far = await embedder.embed(["How to restore a database", "Tea and cake"])

    assert query @ near > query @ far


@pytest.mark.parametrize("text", ["", "  ", "\0", "\ud800", "日本語", "a " * 10_000])
def test_every_text_has_a_unit_vector(text):
    assert np.linalg.norm(HashingEmbedder(8).vector(text)) == pytest.approx(1)


def test_another_model_gives_other_vectors():
    text = "restore the database"

    one, other = HashingEmbedder(name="one"), HashingEmbedder(name="other")

    assert not np.allclose(one.vector(text), other.vector(text))


async def test_it_fails_when_told_to():
    embedder = HashingEmbedder()
    embedder.failing, embedder.failing_after = unavailable(), 1
    embedder.refused = {"poison"}

    with pytest.raises(EmbeddingUnavailable):
        await embedder.embed(["first", "second"])
    with pytest.raises(EmbeddingUnavailable):
        await embedder.embed_query("anything")
    embedder.failing = None
    refused, made = await embedder.embed(["poison", "cure"])

    assert isinstance(refused, EmbeddingRejected)
    assert made.shape == (64,)
    assert embedder.embedded == ["first", "cure"]
