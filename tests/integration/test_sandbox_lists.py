"""Lists as Outline gives them, with what makes them hard to follow."""

import pytest
from sandbox_world import Wiki


@pytest.fixture
def wiki():
    return Wiki()


async def pages(wiki, size, **arguments):
    rows = []
    while True:
        page = await wiki.ask("documents.list", limit=size, offset=len(rows), **arguments)
        rows += [row["id"] for row in page]
        if len(page) < size:
            return rows


async def test_newest_first_and_only_what_is_published(wiki):
    wiki.add("Old")
    wiki.add("New")
    wiki.add("Draft", publish=False)

    assert await wiki.titles(collectionId=wiki.eng) == ["New", "Old"]
    assert await wiki.titles(collectionId=wiki.eng, direction="ASC") == ["Old", "New"]
    assert await wiki.titles(collectionId=wiki.eng, statusFilter=["draft"]) == ["Draft"]


async def test_distinct_times_page_without_loss(wiki):
    ids = [wiki.add(f"Document {number}") for number in range(30)]

    assert sorted(await pages(wiki, 7)) == sorted(ids)


async def test_equal_times_have_another_order_on_every_page(wiki):
    parent = wiki.add("Parent")
    children = {wiki.add(f"Child {number}", parent) for number in range(7)}
    wiki.clock.tick()
    wiki.sandbox.documents.move(parent, collection_id=wiki.ops)

    seen = [await pages(wiki, 1, parentDocumentId=parent) for _ in range(5)]

    assert all(len(rows) == 7 for rows in seen)
    assert all(set(rows) <= children for rows in seen)
    assert any(len(set(rows)) < 7 for rows in seen)


async def test_an_edit_between_pages_hides_a_document(wiki):
    ids = [wiki.add(f"Document {number}") for number in range(20)]

    def edit():
        wiki.clock.tick()
        wiki.sandbox.documents.edit(ids[0], text="new")

    wiki.sandbox.faults.before_page(2, edit)

    rows = await pages(wiki, 10)

    assert len(rows) == 20
    assert len(set(rows)) == 19


async def test_backdated_documents_are_old_at_once(wiki):
    wiki.add("Today")

    document = await wiki.ask(
        "documents.create",
        title="Imported",
        collectionId=wiki.eng,
        publish=True,
        createdAt="2020-01-01T00:00:00.000Z",
    )

    assert document["updatedAt"] == document["createdAt"] == "2020-01-01T00:00:00.000Z"
    assert await wiki.titles() == ["Today", "Imported"]


async def test_tree_order_knows_only_the_top(wiki):
    first = wiki.add("First")
    wiki.add("Second")
    wiki.add("Child", first)

    ordered = {"collectionId": wiki.eng, "sort": "index"}

    assert await wiki.titles(**ordered, direction="ASC") == ["Second", "First"]
    assert await wiki.titles(**ordered, direction="ASC", limit=1, offset=1) == ["First"]


async def test_next_path_never_ends(wiki):
    answer = await wiki.send("documents.list", offset=500)

    assert answer.json()["pagination"]["nextPath"] == "/api/documents.list?limit=25&offset=525"
    assert answer.json()["data"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"limit": 101}, "Pagination limit is too large (max 100)"),
        ({"limit": -1}, "Pagination limit must be a natural number"),
        ({"offset": "x"}, "Pagination offset must be a natural number"),
        ({"sort": "text"}, "sort: Invalid input"),
        ({"collectionId": "x"}, "collectionId: Invalid UUID"),
        ({"collectionId": 7}, "collectionId: Invalid input: expected string, received number"),
        ({"statusFilter": ["gone"]}, "statusFilter: Invalid input"),
    ],
)
async def test_wrong_parameters(wiki, arguments, message):
    assert await wiki.refusal("documents.list", **arguments) == (400, message)


async def test_keyset_paging_on_main(wiki):
    ids = [wiki.add(f"Document {number}") for number in range(12)]
    seen, last = [], "2000-01-01T00:00:00.000Z"
    for _ in range(20):
        page = await wiki.ask(
            "documents.list",
            filters=[
                {"field": "updatedAt", "operator": "gte", "value": last},
                {"field": "collectionId", "operator": "eq", "value": wiki.eng},
            ],
            sort="updatedAt",
            direction="ASC",
            limit=5,
        )
        seen += [row["id"] for row in page if row["id"] not in seen]
        last = page[-1]["updatedAt"]

    assert seen == ids


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([{"field": "title", "operator": "contains", "value": "a"}], {"Alpha", "Beta"}),
        ([{"field": "title", "operator": "startsWith", "value": "Al"}], {"Alpha"}),
        ([{"field": "title", "operator": "contains", "value": "%"}], set()),
        ([{"field": "title", "operator": "in", "value": ["Beta", "x"]}], {"Beta"}),
        ([{"field": "title", "operator": "notIn", "value": ["Beta"]}], {"Alpha"}),
        ([{"field": "publishedAt", "operator": "isNull"}], {"Draft"}),
        ([{"field": "archivedAt", "operator": "isNotNull"}], {"Archived"}),
        ([{"field": "updatedAt", "operator": "gte", "value": "-PT1M"}], {"Alpha", "Beta"}),
        ([{"field": "updatedAt", "operator": "lt", "value": "-P1D"}], set()),
        ([], {"Alpha", "Beta"}),
        (
            [
                {
                    "operator": "OR",
                    "filters": [
                        {"field": "title", "operator": "eq", "value": "Alpha"},
                        {"field": "title", "operator": "eq", "value": "Beta"},
                    ],
                }
            ],
            {"Alpha", "Beta"},
        ),
    ],
)
async def test_filters(wiki, filters, expected):
    wiki.add("Alpha")
    wiki.add("Beta")
    wiki.add("Draft", publish=False)
    wiki.sandbox.documents.archive(wiki.add("Archived"))

    assert set(await wiki.titles(filters=filters)) == expected


@pytest.mark.parametrize(
    "filters",
    [
        "x",
        [7],
        [{"field": "text", "operator": "eq", "value": "x"}],
        [{"field": "title", "operator": "like", "value": "x"}],
        [{"field": "updatedAt", "operator": "gte", "value": "soon"}],
        [{"field": "deletedAt", "operator": "isNull"}],
        [{"field": "title", "operator": "in", "value": []}],
        [{"operator": "NOT", "filters": []}],
        [{"field": "title", "operator": "eq", "value": "x"}] * 51,
    ],
)
async def test_wrong_filters(wiki, filters):
    status, message = await wiki.refusal("documents.list", filters=filters)

    assert status == 400
    assert "Invalid input" in message


async def test_filters_too_deep(wiki):
    filters = {"field": "title", "operator": "eq", "value": "x"}
    for _ in range(5):
        filters = {"operator": "AND", "filters": [filters]}

    assert (await wiki.refusal("documents.list", filters=[filters]))[0] == 400


async def test_the_release_ignores_filters_without_a_word():
    wiki = Wiki(version="1.9.2")
    wiki.add("Here")
    never = [{"field": "updatedAt", "operator": "gte", "value": "2099-01-01T00:00:00.000Z"}]

    assert await wiki.titles(filters=never, updatedAfter="2099", collectionId=wiki.eng) == ["Here"]


async def test_trash_and_archive_have_lists_of_their_own(wiki):
    parent = wiki.add("Parent")
    wiki.add("Child", parent)
    wiki.sandbox.documents.archive(wiki.add("Archived"))
    wiki.sandbox.documents.trash(parent)
    recent = [{"field": "deletedAt", "operator": "gte", "value": "-P1D"}]

    assert sorted(await wiki.titles("documents.deleted", filters=recent)) == ["Child", "Parent"]
    assert await wiki.titles("documents.archived", collectionId=wiki.eng) == ["Archived"]
    assert await wiki.titles() == []


async def test_search_wants_every_word_and_understands_nothing(wiki):
    wiki.add("Restore the database", text="From the nightly backup.")
    wiki.add("Отпуск", text="Как взять отпуск")

    async def found(query):
        hits = await wiki.ask("documents.search", query=query)
        return [hit["document"]["title"] for hit in hits]

    assert await found("restore backup") == ["Restore the database"]
    assert await found("nightly back") == ["Restore the database"]
    assert await found('"nightly backup"') == ["Restore the database"]
    assert await found("how do I restore a backup") == []
    assert await found("отпуск") == ["Отпуск"]
    assert await found("отпуска") == []
    assert len(await found("")) == 2


async def test_a_page_reads_the_collection_s_index_once(wiki):
    state = wiki.sandbox.services.world.state
    with state.transaction():
        for number in range(3_000):
            wiki.add(f"Document {number}", text="words", raw=True)
    steps = 0

    def count():
        nonlocal steps
        steps += 1
        return False

    state.connection.set_progress_handler(count, 1000)
    await wiki.ask("documents.list", collectionId=wiki.eng, limit=100, offset=1500)

    # Steps of SQLite's machine: one pass over the collection's index, far from a square.
    assert 0 < steps < 300
