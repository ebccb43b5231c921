"""A provider may give anything for a question: words answer then, and the answer says why."""

import math

import numpy as np
import pytest
from backends import hybrid, sqlite
from builders import LOG, content, indexed
from hashing_embedder import HashingEmbedder

from personal_context.content.likeness import Likeness
from personal_context.domain.errors import EmbeddingError
from personal_context.indexing.indexer import Indexer
from personal_context.search.meaning import MeaningSearch
from personal_context.search.similar import SimilarSearch

PIECES = {1: "kettles of copper", 2: "cups of tin", 3: "a kettle and a cup"}
DIMENSION = 64


class Spoilt(HashingEmbedder):
    """Gives this vector for every question, once it is set."""

    given = None

    async def embed_query(self, text):
        usual = await super().embed_query(text)
        return usual if self.given is None else self.given


def full(number, length=DIMENSION):
    return np.full(length, number, np.float32)


def one_off(number):
    vector = full(0.125)
    vector[7] = number
    return vector


BAD = {
    "nan": full(math.nan),
    "one nan": one_off(math.nan),
    "one infinity": one_off(-math.inf),
    "zero": full(0.0),
    "shorter": full(0.1, DIMENSION - 1),
    "longer": full(0.1, DIMENSION + 1),
    "empty": full(0.1, 0),
    "two rows": np.ones((2, DIMENSION), np.float32),
}


@pytest.fixture(params=BAD)
def bad(request):
    return BAD[request.param]


@pytest.fixture
def embedder():
    return Spoilt(DIMENSION)


@pytest.fixture
async def backend(tmp_path, embedder):
    async with sqlite(tmp_path) as opened:
        for number, piece in PIECES.items():
            document = content(number, text=piece)
            await opened.store.mirror(document, indexed("Title", [piece]), log=LOG)
        await Indexer(opened.index, embedder).run_backlog()
        yield opened


async def test_words_answer_and_the_next_question_is_answered_in_full(backend, embedder, bad):
    search = hybrid(backend, embedder)
    before = await search.search("kettles")
    embedder.given = bad
    answer = await search.search("kettles")
    embedder.given = None
    after = await search.search("kettles")

    assert answer.mode == "keyword"
    assert answer.degraded
    assert [one.content.title for one in answer.results] == ["Title", "Title"]
    assert all(one.breakdown.cosine is None for one in answer.results)
    assert after.mode == before.mode == "hybrid"
    assert after.results == before.results


async def test_words_answer_a_first_question(backend, embedder, bad):
    embedder.given = bad
    answer = await hybrid(backend, embedder).search("kettles")
    assert (answer.mode, len(answer.results)) == ("keyword", 2)


async def test_what_is_alike_says_why_it_can_not_be_told(backend, embedder, bad):
    embedder.given = bad
    similar = SimilarSearch(backend.store, backend.snapshots, embedder)
    with pytest.raises(EmbeddingError) as caught:
        await similar.find_similar(text="kettles")
    assert caught.value.what
    assert caught.value.hint


async def test_a_new_text_is_like_nothing(backend, embedder, bad):
    embedder.given = bad
    likeness = Likeness(MeaningSearch(backend.snapshots, embedder))
    look = likeness.look("Title", indexed("Title", ["kettles"]), seconds=5)
    assert await look.until(5) == {}
    await likeness.close()


@pytest.mark.parametrize("length", [1e-42, 1e-6, 1e6, 3e38])
async def test_a_vector_of_any_length_says_what_it_says(backend, embedder, length):
    search = hybrid(backend, embedder)
    before = await search.search("kettles")
    embedder.given = full(length) * np.sign(await HashingEmbedder(DIMENSION).embed_query("cups"))
    answer = await search.search("kettles")
    embedder.given = None

    assert answer.mode == "hybrid"
    assert all(-1 <= one.breakdown.cosine <= 1 for one in answer.results)
    assert (await search.search("kettles")).results == before.results
