import pytest
from backends import hybrid, sqlite
from builders import LOG, content, content_id, indexed
from hashing_embedder import HashingEmbedder, unavailable
from hypothesis import HealthCheck, given, settings, strategies as st

from personal_context.domain.errors import EmbeddingRejected, InvalidInput
from personal_context.domain.models import GenerationState, SearchFilters, SourceType
from personal_context.indexing.indexer import Indexer

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
    return hybrid(backend, embedder)


def narrow(backend, embedder, snapshots=None):
    """A search that takes one candidate from each list."""
    return hybrid(backend, embedder, snapshots=snapshots, depth=1)


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
    search = hybrid(backend, embedder)
    answer = await search.search("restore")
    assert answer.mode == "keyword"
    assert "no text has a vector yet" in answer.degraded.lower()
    assert embedder.queries == []


async def test_without_vectors_words_answer(backend, embedder):
    await Indexer(backend.index, embedder).open_generation()
    answer = await hybrid(backend, embedder).search("restore")
    assert answer.mode == "keyword"
    assert "no text has a vector yet" in answer.degraded.lower()
    assert set(numbers(answer)) == {1, 3}


async def test_vectors_of_another_model_are_not_compared(backend, search):
    other = HashingEmbedder(256, name="other")
    answer = await hybrid(backend, other).search("restore")
    assert answer.mode == "keyword"
    assert "Reindex" in answer.degraded
    assert set(numbers(answer)) == {1, 3}


class Disturbed:
    """Snapshots, before some of which something happens."""

    def __init__(self, snapshots, disturb, *numbers):
        self._snapshots, self._disturb, self._numbers = snapshots, disturb, numbers
        self.looks = 0

    async def look(self, fn):
        self.looks += 1
        if self.looks in self._numbers:
            await self._disturb()
        return await self._snapshots.look(fn)


def switching(index, embedder):
    """What replaces the active generation by another one of the same model."""

    async def switch():
        made = await index.create(await embedder.model(), GenerationState.BUILDING)
        while items := await index.backlog(made.id, limit=100):
            vectors = await embedder.embed([item.text for item in items])
            await index.store(made.id, list(zip(items, vectors, strict=True)))
        await index.activate(made.id)

    return switch


async def test_a_search_looks_twice(backend, embedder, search):
    snapshots = Disturbed(backend.snapshots, None)
    await narrow(backend, embedder, snapshots).search("canteen restore")
    assert snapshots.looks == 2


@pytest.mark.parametrize("before", [1, 2, 3])
async def test_a_switch_in_the_middle_of_a_search_is_not_noticed(backend, embedder, search, before):
    expected = await narrow(backend, embedder).search("canteen restore")
    switch = switching(backend.index, embedder)
    snapshots = Disturbed(backend.snapshots, switch, before)
    found = narrow(backend, embedder, snapshots)
    answer = await found.search("canteen restore")
    again = await found.search("canteen restore")
    assert (answer.mode, answer.results) == ("hybrid", expected.results)
    assert (again.mode, again.results) == ("hybrid", expected.results)


async def test_when_vectors_are_replaced_again_and_again_words_answer(backend, embedder, search):
    switch = switching(backend.index, embedder)
    snapshots = Disturbed(backend.snapshots, switch, 2, 3, 4)
    answer = await narrow(backend, embedder, snapshots).search("canteen restore")
    assert answer.mode == "keyword"
    assert "replaced" in answer.degraded
    assert len(answer.results) == 1


async def test_a_model_that_takes_over_in_the_middle_is_asked(backend, embedder, search):
    new = HashingEmbedder(64, name="new")
    new.others["hashing"] = embedder
    snapshots = Disturbed(backend.snapshots, switching(backend.index, new), 2)
    answer = await narrow(backend, new, snapshots).search("canteen restore")
    assert answer.mode == "hybrid"
    assert embedder.queries == ["canteen restore"]
    assert new.queries == ["canteen restore"]


async def test_the_question_is_embedded_once(backend, embedder, search):
    for query in ("restore", "soup", "Lunch", '"soup and bread"', "source:note"):
        await search.search(query)
    assert embedder.queries == ["restore", "soup", "Lunch", "soup and bread"]


async def test_what_was_removed_meanwhile_is_left_out(backend, embedder, search):
    async def remove():
        await backend.store.trash(content_id(1), reason="gone", log=LOG)

    snapshots = Disturbed(backend.snapshots, remove, 2)
    answer = await hybrid(backend, embedder, snapshots=snapshots).search("restore")
    assert numbers(answer) == [3, 2, 4]


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
    | st.sampled_from(
        ['"', "a OR", "NEAR(", "title:x", "*", "^a", "a AND NOT", "{a b}: c", "\0", "a\ud800b"]
    )
)
async def test_any_typed_text_is_answered(search, query):
    answer = await search.search(query)
    assert answer.query == query
    only_filters = any("Only filters" in note for note in answer.notes)  # e.g. "-word"
    assert answer.mode == ("keyword" if only_filters else "hybrid")
