"""What a broken, hostile or extreme wiki sends: a clear line, nothing lost, the others go on."""

import contextlib
import logging

import pytest
from mirror_world import MovingClock
from product import opened_product
from spoiled import Spoiled
from web_client import client

from personal_context.web.pace import Pace
from personal_context.web.routes import routes

LONE = "\ud800"
FAR = "f0000000-0000-4000-8000-000000000000"


@pytest.fixture
async def product(tmp_path):
    wires = []

    def around(wire):
        wires.append(Spoiled(wire))
        return wires[0]

    clock = MovingClock()
    async with opened_product(
        tmp_path, clock=clock, around=around, sync_collections=(), prompts_collection_id=None
    ) as product:
        product.clock, product.wire, product.changes = clock, wires[0], wires[0].changes
        yield product


async def texts(product):
    found = await product.runtime.store.in_collection(product.handbook)
    return {content.id: content.text for content in found}


async def titles(product):
    found = await product.runtime.store.in_collection(product.handbook)
    return [content.title for content in found]


async def pull(product, **options):
    """Sync, and return the handbook's report."""
    reports = await product.runtime.sync.sync_now(**options)
    return next(report for report in reports if report.collection_id == product.handbook)


def changed(content_id, **members):
    """Return a change of one document in a list."""
    return lambda rows: [row | members if row["id"] == content_id else row for row in rows]


async def test_nul_and_half_surrogates_are_replaced_once_and_for_all(product):
    good = product.write("Good", "fine")
    odd = product.write("Odd", "x")
    product.changes["documents.list"] = changed(
        odd, title=f"Title{LONE}\0", text=f"one\0two {LONE} barometer"
    )

    report = await pull(product)
    again = await pull(product, full=True)
    await product.runtime.embed_backlog()
    found = await product.runtime.search.search("barometer")

    assert (report.created, report.failed, report.error) == (2, {}, None)
    assert (again.updated, again.unchanged) == (0, 2)
    assert await texts(product) == {good: "fine", odd: "one\ufffdtwo \ufffd barometer"}
    assert found.results[0].content.title == "Title\ufffd\ufffd"


ODD_TITLES = [
    "Two\nlines\r\nand a\ttab",
    "\u202eright to left\u202c שלום",
    "Family 👩‍👩‍👧‍👦 and 🎉",
    "<script>alert(1)</script> & \"quotes\" 'too'",
    " blank around ",
    "",
    "Long " * 400,
    "\u200b\u200b",
    "%s %(name)s {0} {{ 7 * 7 }}",
]


async def test_odd_titles_are_kept_to_the_letter_and_shown_as_text(product, caplog):
    caplog.set_level(logging.DEBUG, "personal_context")
    ids = [product.write("x", f"barometer {number}") for number in range(len(ODD_TITLES))]
    odd = dict(zip(ids, ODD_TITLES, strict=True))
    product.changes["documents.list"] = lambda rows: [
        row | {"title": odd[row["id"]]} for row in rows
    ]

    report = await pull(product)
    await product.runtime.embed_backlog()
    found = await product.runtime.search.search("barometer", limit=50)
    async with client_of(product) as web:
        page = (await web.get("/", params={"q": "barometer"})).text

    assert (report.created, report.failed) == (len(ODD_TITLES), {})
    assert await titles(product) == ODD_TITLES
    assert {result.content.title for result in found.results} == set(ODD_TITLES)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert "{{ 7 * 7 }}" in page


@contextlib.asynccontextmanager
async def client_of(product):
    from starlette.applications import Starlette

    services = product.runtime
    application = Starlette(routes=routes(services, clock=product.clock, pace=Pace()))
    async with client(application) as web:
        yield web


BROKEN = {
    "no id": {"id": None},
    "a wrong id": {"id": "../../etc/passwd"},
    "no text": {"text": None},
    "a text that is none": {"text": ["a", "list"]},
    "no title": {"title": None},
    "a time that is none": {"updatedAt": "yesterday"},
    "a time that can't be": {"updatedAt": "2026-02-30T00:00:00.000Z"},
    "an address elsewhere": {"url": "javascript:alert(1)"},
    "a revision that is none": {"revision": "many"},
    "a parent that is none": {"parentDocumentId": 7},
}


@pytest.mark.parametrize("members", BROKEN.values(), ids=BROKEN)
async def test_one_broken_document_is_named_and_stops_no_other(product, caplog, members):
    before = product.write("Before", "one")
    bad = product.write("Bad", "two")
    after = product.write("After", "three")
    product.changes["documents.list"] = changed(bad, **members)
    product.changes["documents.info"] = lambda row: row | members

    report = await pull(product)
    held = await texts(product)
    product.changes.clear()
    product.clock.advance(hours=7)
    healed = await pull(product)

    assert report.error is None
    assert list(report.failed) == [bad]
    assert held == {before: "one", after: "three"}
    assert "can't be read" in caplog.text
    assert (healed.created, healed.failed) == (1, {})
    assert len(await texts(product)) == 3


async def test_what_does_not_belong_into_a_list_is_left_out(product, caplog):
    here = product.write("Here", "one")
    elsewhere = product.write("Elsewhere", "two", product.prompts)
    row = {}

    def with_strangers(rows):
        row.update(rows[0])
        stranger = rows[0] | {"id": FAR, "collectionId": product.prompts}
        dead = rows[0] | {"id": elsewhere, "deletedAt": rows[0]["updatedAt"]}
        return [rows[0], rows[0] | {"text": "a second time"}, stranger, dead]

    product.changes["documents.list"] = with_strangers

    report = await pull(product)

    assert (report.created, report.failed, report.error) == (1, {}, None)
    assert await texts(product) == {here: "one"}
    assert caplog.text.count("a stranger") == 2


async def test_an_answer_about_another_document_is_not_taken_for_the_one_asked_for(product):
    first = product.write("First", "one")
    second = product.write("Second", "two")
    other = {}
    product.changes["documents.list"] = lambda rows: [
        other.update(row) or row for row in rows if row["id"] == first
    ]
    product.changes["documents.info"] = lambda row: other

    report = await pull(product)
    held = await texts(product)
    [failure] = await product.runtime.store.failures()
    product.changes.clear()
    product.clock.advance(hours=7)
    healed = await pull(product)

    assert list(held.values()) == ["one"]
    assert (failure.content_id, "could not be read" in failure.error) == (second, True)
    assert list(report.failed) == [second]
    assert (healed.created, healed.failed) == (1, {})
    assert await texts(product) == {first: "one", second: "two"}


async def test_a_tree_with_circles_and_repetitions_loses_nothing(product):
    a, b, c = (product.write(title, title.lower()) for title in ("A", "B", "C"))
    await pull(product)

    def node(content_id, *children):
        return {"id": content_id, "title": "t", "url": "/doc/t", "children": list(children)}

    product.changes["collections.documents"] = lambda _: [
        node(a, node(b, node(a, node(c)), node(b))),
        node(b),
    ]

    report = await pull(product, full=True)
    parents = {
        content.id: content.parent_id
        for content in await product.runtime.store.in_collection(product.handbook)
    }

    assert (report.error, report.failed, report.removed) == (None, {}, 0)
    assert parents == {a: None, b: a, c: a}


async def test_documents_that_are_each_others_parents_are_found_and_shown(product):
    a, b = product.write("A", "barometer one"), product.write("B", "barometer two")
    turned = {a: b, b: a}
    product.changes["documents.list"] = lambda rows: [
        row | {"parentDocumentId": turned[row["id"]]} for row in rows
    ]
    product.changes["collections.documents"] = lambda _: []  # the tree lags behind

    report = await pull(product)
    await product.runtime.embed_backlog()
    found = await product.runtime.search.search("barometer")

    assert (report.created, report.failed) == (2, {})
    assert {result.content.path for result in found.results} == {
        ("Handbook", "B"),
        ("Handbook", "A"),
    }


async def test_a_tree_a_thousand_levels_deep_is_mirrored_found_and_shown(product):
    parent, chain = None, []
    for level in range(1000):
        parent = product.sandbox.documents.create(
            f"Level {level}",
            "barometer" if level == 999 else "text",
            collection_id=product.handbook,
            parent_id=parent,
            raw=True,
        ).id
        chain.append(f'{{"id": "{parent}", "title": "Level {level}", "children": [')
    tree = f"{''.join(chain)}{']}' * 1000}"
    product.wire.bodies["collections.documents"] = f'{{"ok": true, "data": [{tree}]}}'.encode()

    report = await pull(product)
    swept = await pull(product, full=True)
    await product.runtime.embed_backlog()
    [found] = (await product.runtime.search.search("barometer", limit=1)).results
    async with client_of(product) as web:
        page = await web.get("/", params={"q": "barometer"})
    read = await product.runtime.contents.get(parent)

    assert (report.created, report.error) == (1000, None)
    assert (swept.unchanged, swept.moved) == (1000, 0)
    assert found.content.path[0] == "Handbook"
    assert found.content.path[1] == "…"
    assert found.content.path[-1] == "Level 998"
    assert page.is_success
    assert read.content.parent_id


async def test_five_megabytes_are_stored_to_the_letter_beside_the_others(product):
    # Signs that no word is made of: as many bytes, and quick to cut.
    huge = ("█" * 99 + "\n\n") * (5_000_000 // 300) + "barometer"
    small = product.write("Small", "one")
    large = product.sandbox.documents.create(
        "Large", huge, collection_id=product.handbook, raw=True
    ).id

    report = await pull(product)
    found = await product.runtime.search.search("barometer")

    assert len(huge.encode()) > 4_900_000
    assert (report.created, report.failed) == (2, {})
    assert await texts(product) == {small: "one", large: huge}
    assert found.results[0].content.id == large
