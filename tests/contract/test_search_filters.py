"""What ports.Store and ports.VectorIndex promise of filters: the same of both searches."""

from datetime import timedelta

import pytest
from builders import (
    HANDBOOK,
    JOURNAL,
    LOG,
    NOW,
    content,
    content_id,
    embed,
    mirror_all,
    model,
    note,
    prepared,
    vector,
    words,
)
from hypothesis import HealthCheck, given, settings, strategies as st

from personal_context.domain.models import (
    EVERYTHING,
    GenerationState,
    SearchFilters,
    SourceType,
)

NOTE, OUTLINE, WEB = SourceType.NOTE, SourceType.OUTLINE, SourceType.WEB

# `content(n)` changed n minutes after NOW.
CONTENTS = [
    content(1, text="same"),
    content(2, text="same", collection_id=JOURNAL),
    note(3, text="same", tags=("Ops", "on call"), collection_id=HANDBOOK),
    note(4, text="same", tags=("ops",)),
    note(5, text="same", tags=("ops", "\u00c9t\u00e9")),
]


@pytest.fixture
async def both(store, index):
    """Ask both searches; they must agree."""
    for document in CONTENTS:
        if document.source_type is OUTLINE:
            await mirror_all(store, document)
        else:
            await store.add(document, prepared(document), log=LOG)
    generation = await index.create(model(2), GenerationState.ACTIVE)
    await embed(index, generation, {"same": vector(1, 0)})

    async def ask(filters, limit=9):
        by_words = await store.search_keyword(words("same"), limit=limit, filters=filters)
        by_meaning = await index.nearest(generation.id, vector(1, 0), limit=limit, filters=filters)
        found = [hit.content_id for hit in by_words]
        assert [hit.content_id for hit in by_meaning] == found
        return [number for number in range(1, 10) if content_id(number) in found]

    return ask


@pytest.mark.parametrize(
    ("filters", "numbers"),
    [
        (EVERYTHING, [1, 2, 3, 4, 5]),
        (SearchFilters(frozenset({NOTE})), [3, 4, 5]),
        (SearchFilters(frozenset({NOTE, OUTLINE})), [1, 2, 3, 4, 5]),
        (SearchFilters(frozenset({WEB})), []),
        (SearchFilters(collection=HANDBOOK), [1, 3]),
        (SearchFilters(collection="nowhere"), []),
        (SearchFilters(collection="' OR 1=1 --\ud800"), []),
        (SearchFilters(tags=frozenset({"ops"})), [3, 4, 5]),
        (SearchFilters(tags=frozenset({"OPS", "ops", "On Call"})), [3]),
        (SearchFilters(tags=frozenset({"E\u0301T\u00c9"})), [5]),
        (SearchFilters(tags=frozenset({"ops", "unheard of"})), []),
        (SearchFilters(tags=frozenset({"op"})), []),
        (SearchFilters(tags=frozenset({"\ud800", "ops"})), []),
        (SearchFilters(updated_after=NOW + timedelta(minutes=4)), [4, 5]),
        (SearchFilters(updated_before=NOW + timedelta(minutes=4)), [1, 2, 3]),
        (
            SearchFilters(
                frozenset({NOTE}),
                HANDBOOK,
                frozenset({"ops"}),
                NOW + timedelta(minutes=3),
                NOW + timedelta(minutes=4),
            ),
            [3],
        ),
    ],
)
async def test_what_passes(both, filters, numbers):
    assert await both(filters) == numbers


async def test_filters_come_before_the_cut(both):
    assert await both(SearchFilters(tags=frozenset({"\u00e9t\u00e9"})), limit=1) == [5]
    assert await both(SearchFilters(frozenset({NOTE})), limit=2) == [3, 4]


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    filters=st.builds(
        SearchFilters,
        st.frozensets(st.sampled_from(SourceType)),
        st.none() | st.sampled_from([HANDBOOK, JOURNAL]),
        st.frozensets(st.sampled_from(["OPS", "on call", "\u00e9t\u00c9", "x"]), max_size=2),
        st.none() | st.integers(0, 6).map(lambda n: NOW + timedelta(minutes=n)),
        st.none() | st.integers(0, 6).map(lambda n: NOW + timedelta(minutes=n)),
    )
)
async def test_filters_narrow_as_python_would(both, filters):
    def passes(document):
        tags = {tag.casefold() for tag in document.tags}
        return (
            (not filters.source_types or document.source_type in filters.source_types)
            and filters.collection in {None, document.collection_id}
            and {tag.casefold() for tag in filters.tags} <= tags
            and (filters.updated_after or NOW) <= document.updated_at
            and document.updated_at < (filters.updated_before or NOW + timedelta(days=1))
        )

    expected = [number for number, document in enumerate(CONTENTS, 1) if passes(document)]
    assert await both(filters) == expected
