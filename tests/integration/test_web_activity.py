"""The log on the page, over the whole product."""

import pytest
from product import opened_product
from web_client import HTMX, Seen, app, client

from personal_context.domain.models import CollectionId, LogEntry


@pytest.fixture
async def web(tmp_path):
    async with opened_product(tmp_path) as product, client(app(product.runtime)) as web:
        web.product = product
        yield web


async def shown(web, address, **more):
    answer = await web.get(address, **more)
    assert answer.status_code == 200, answer.text
    return Seen(answer.text)


async def test_what_was_done_is_told_and_leads_to_the_document(web):
    made = web.product.write("Spare key <b>", "In the hall.")
    await web.product.sync()

    seen = await shown(web, "/activity")

    assert "Spare key <b>" in seen.text
    assert "Added" in seen.text
    assert f"/content/{made}" in [link["href"] for link in seen.links]
    assert seen.text.count("Spare key <b>") == 1


async def test_it_is_narrowed_by_kind_collection_and_time(web):
    web.product.write("Spare key", "In the hall.")
    await web.product.sync()
    await web.product.runtime.store.add_log(LogEntry("error", details="the wiki was away"))

    errors = await shown(web, "/activity?operation=error&since=7d")
    handbook = await shown(web, f"/activity?collection={web.product.handbook}")
    nothing = await shown(web, "/activity?operation=purge")

    assert "the wiki was away" in errors.text
    assert "Spare key" not in errors.text
    assert "Spare key" in handbook.text
    assert "the wiki was away" not in handbook.text
    assert "Nothing like that was done." in nothing.text


@pytest.mark.parametrize("query", ["since=soon", "before=x", "collection=nowhere"])
async def test_what_makes_no_sense_is_refused_kindly(web, query):
    answer = await web.get(f"/activity?{query}")

    assert answer.status_code == 400
    assert "<html" in answer.text


async def test_older_lines_follow_with_and_without_scripts(web):
    for number in range(60):
        await web.product.runtime.store.add_log(
            LogEntry("error", CollectionId("c"), details=f"line {number}.")
        )

    first = await shown(web, "/activity?operation=error")
    [older] = [link for link in first.links if "before=" in link.get("href", "")]
    second = await shown(web, older["href"])
    part = await shown(web, older["hx-get"], headers=HTMX)

    assert "line 59." in first.text
    assert "line 9." not in first.text
    assert "operation=error" in older["href"]
    assert "line 9." in second.text
    assert "line 0." in part.text
    assert "html" not in part.tags
    assert not [link for link in part.links if "before=" in link.get("href", "")]


async def test_an_empty_log_says_what_to_do(web):
    assert "Nothing was done yet." in (await shown(web, "/activity")).text
