import pytest
from backends import sqlite
from builders import LOG, content, content_id, indexed
from hashing_embedder import HashingEmbedder, unavailable
from hypothesis import HealthCheck, given, settings, strategies as st

from personal_context.domain.errors import EmbeddingRejected, InvalidInput
from personal_context.domain.models import GenerationState, SearchFilters, SourceType
from personal_context.indexing.indexer import Indexer
from personal_context.search.hybrid import HybridSearch

DOCUMENTS = {
    1: ("Restore", ["how to restore the database", "the backup is in the vault"]),
    2: ("Lunch", ["the menu of the canteen", "soup and bread"]),
    3: ("Deploy", ["release the service", "restore the old release after a failure"]),
    4: ("Menu", ["soup"]),
}


@pytest.fixture
async def backend(tmp_path):
    async with sqlite(tmp_path) as opened:
        for number, (title, pieces) in DOCUMENTS.items():
            source = SourceType.NOTE if number == 4 else SourceType.OUTLINE
            document = content(number, title, "\n\n".join(pieces), source_type=source)
            if source is SourceType.NOTE:
                await opened.store.add(document, indexed(title, pieces), log=LOG)
            else:
                await opened.store.mirror(document, indexed(title, pieces), log=LOG)
        yield opened


@pytest.fixture
def embedder():
    return HashingEmbedder(256)


@pytest.fixture
async def search(backend, embedder):
    await Indexer(backend.index, embedder).run_backlog()
    return HybridSearch(backend.store, backend.index, embedder)


def narrow(backend, embedder, index=None):
    """A search that takes one candidate from each list."""
    return HybridSearch(backend.store, index or backend.index, embedder, depth=1)


def numbers(answer):
    ids = {content_id(number): number for number in range(1, 20)}
    return [ids[result.content.id] for result in answer.results]


async def test_the_best_section_of_the_best_content_comes_first(search):
    answer = await search.search("restore the database")
    assert answer.mode == "hybrid"
    assert answer.degraded is None
    assert numbers(answer)[0] == 1
    best = answer.results[0]
    assert best.score == 1.0
    assert best.section.text == best.preview == "how to restore the database"
    assert best.content.title == "Restore"
    assert best.breakdown.cosine > 0.5
    assert best.breakdown.bm25 > 0
    assert answer.timings.keys() >= {"embed", "keyword", "vector", "fusion"}
    assert all(milliseconds >= 0 for milliseconds in answer.timings.values())


async def test_results_are_in_order_and_as_many_as_asked(search):
    answer = await search.search("the soup menu", limit=2)
    scores = [result.score for result in answer.results]
    assert len(scores) == 2
    assert scores == sorted(scores, reverse=True)
    assert set(numbers(answer)) == {2, 4}


async def test_only_the_asked_sources(search):
    answer = await search.search("soup", filters=SearchFilters(frozenset({SourceType.NOTE})))
    assert numbers(answer) == [4]
    answer = await search.search("soup", filters=SearchFilters(frozenset({SourceType.WEB})))
    assert (answer.mode, answer.degraded, list(answer.results)) == ("hybrid", None, [])
    assert len((await search.search("soup")).results) == 4


async def test_every_candidate_has_its_exact_cosine(backend, embedder, search):
    answer = await narrow(backend, embedder).search("canteen restore")
    assert len(answer.results) == 2
    assert all(result.breakdown.cosine is not None for result in answer.results)


async def test_what_only_words_find_shows_the_section_with_most_words(backend, embedder, search):
    answer = await narrow(backend, embedder).search("canteen restore releases failure")
    shown = {result.content.title: result.section.text for result in answer.results}
    assert shown["Deploy"] == "restore the old release after a failure"


async def test_ties_are_ordered_by_id(backend, search, embedder):
    for number in (12, 11, 13):
        await backend.store.mirror(
            content(number, "Twin", "zebra"), indexed("Twin", ["zebra"]), log=LOG
        )
    await Indexer(backend.index, embedder).run_backlog()
    assert numbers(await search.search("zebra", limit=3)) == [11, 12, 13]


@pytest.mark.parametrize(
    "error", [unavailable(), EmbeddingRejected("The key is wrong.", hint="Make a new one.")]
)
async def test_without_the_provider_words_answer(search, embedder, error):
    embedder.failing = error
    answer = await search.search("restore")
    assert answer.mode == "keyword"
    assert error.what in answer.degraded
    assert error.hint in answer.degraded
    assert set(numbers(answer)) == {1, 3}
    assert answer.results[0].score == 1.0
    assert answer.results[0].breakdown.cosine is None
    assert answer.results[0].section.text == "how to restore the database"


async def test_words_that_occur_nowhere_find_nothing_without_vectors(search, embedder):
    embedder.failing = unavailable()
    answer = await search.search("zeppelin")
    assert (answer.mode, list(answer.results)) == ("keyword", [])


async def test_without_a_generation_words_answer(backend, embedder):
    search = HybridSearch(backend.store, backend.index, embedder)
    answer = await search.search("restore")
    assert answer.mode == "keyword"
    assert "no text has a vector yet" in answer.degraded.lower()
    assert embedder.queries == []


async def test_without_vectors_words_answer(backend, embedder):
    await Indexer(backend.index, embedder).open_generation()
    answer = await HybridSearch(backend.store, backend.index, embedder).search("restore")
    assert answer.mode == "keyword"
    assert "no text has a vector yet" in answer.degraded.lower()
    assert set(numbers(answer)) == {1, 3}


async def test_vectors_of_another_model_are_not_compared(backend, search):
    other = HashingEmbedder(256, name="other")
    answer = await HybridSearch(backend.store, backend.index, other).search("restore")
    assert answer.mode == "keyword"
    assert "Reindex" in answer.degraded
    assert set(numbers(answer)) == {1, 3}


class Switching:
    """An index whose active generation is replaced right before some method is called."""

    def __init__(self, index, embedder, before):
        self._index, self._embedder, self._before = index, embedder, before
        self.switched = 0

    def __getattr__(self, name):
        method = getattr(self._index, name)

        async def called(*args, **kwargs):
            if name == self._before and not self.switched:
                self.switched += 1
                model = await self._embedder.model()
                made = await self._index.create(model, GenerationState.BUILDING)
                while items := await self._index.backlog(made.id, limit=100):
                    vectors = await self._embedder.embed([item.text for item in items])
                    await self._index.store(made.id, list(zip(items, vectors, strict=True)))
                await self._index.activate(made.id)
            return await method(*args, **kwargs)

        return called


@pytest.mark.parametrize("before", ["nearest", "similarities", "progress"])
async def test_a_switch_in_the_middle_of_a_search_is_not_noticed(backend, embedder, search, before):
    expected = await narrow(backend, embedder).search("canteen restore")
    index = Switching(backend.index, embedder, before)
    answer = await narrow(backend, embedder, index).search("canteen restore")
    assert index.switched == (before != "progress")
    assert (answer.mode, answer.results) == ("hybrid", expected.results)


async def test_what_was_removed_meanwhile_is_left_out(backend, search, monkeypatch):
    summaries = backend.store.summaries

    async def removing(ids):
        await backend.store.trash(content_id(1), reason="gone", log=LOG)
        return await summaries(ids)

    monkeypatch.setattr(backend.store, "summaries", removing)
    assert numbers(await search.search("restore"))[0] == 3


async def test_a_content_without_text_is_found_by_its_title(backend, search):
    await backend.store.mirror(content(5, "Zeppelin", ""), indexed("Zeppelin", []), log=LOG)
    found = (await search.search("zeppelin")).results
    (result,) = [one for one in found if one.content.title == "Zeppelin"]
    assert (result.section, result.preview) == (None, "")


@pytest.mark.parametrize("query", ["", "  \n\t"])
async def test_a_blank_query_is_an_error(search, query):
    with pytest.raises(InvalidInput) as caught:
        await search.search(query)
    assert caught.value.cause
    assert caught.value.hint


@pytest.mark.parametrize("limit", [0, -1, 101])
async def test_a_limit_out_of_range_is_an_error(search, limit):
    with pytest.raises(InvalidInput):
        await search.search("x", limit=limit)


async def test_a_huge_query_is_answered(search, embedder):
    answer = await search.search("restore " + "lorem ipsum " * 100_000)
    assert numbers(answer)
    assert len(embedder.queries[-1]) <= 2_000


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    st.text(st.characters(exclude_categories=()), min_size=1).filter(str.strip)
    | st.sampled_from(['"', "a OR", "NEAR(", "title:x", "*", "^a", "a AND NOT", "{a b}: c", "\0"])
)
async def test_any_typed_text_is_answered(search, query):
    answer = await search.search(query)
    assert answer.query == query
    assert answer.mode == "hybrid"
