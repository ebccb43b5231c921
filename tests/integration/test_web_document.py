"""The view of a document, over the whole product."""

import pytest
from product import opened_product
from web_client import Seen, app, client

HOSTILE = "<script>alert(1)</script>\"><img src=x onerror='alert(2)'>{{ 'q' * 9 }}"


@pytest.fixture
async def product(tmp_path):
    async with opened_product(tmp_path) as product:
        yield product


@pytest.fixture
async def web(product):
    async with client(app(product.runtime)) as web:
        yield web


async def shown(web, address):
    answer = await web.get(address)
    assert answer.status_code == 200, answer.text
    return answer.text, Seen(answer.text)


def addresses(seen):
    return [link["href"] for link in seen.links if "href" in link]


async def test_a_document_is_shown_with_what_stands_around_it(web, product):
    top = product.write("Runbooks", "All of them.")
    link = f"/doc/{product.sandbox.documents.get(top).url_id}"
    made = product.sandbox.documents.create(
        "Restore",
        f"# Before\n\nSee [the top]({link}).\n\n# After\n\nDone.",
        collection_id=product.handbook,
        parent_id=top,
    )
    await product.sync()

    page, seen = await shown(web, f"/content/{made.id}")
    _, above = await shown(web, f"/content/{top}")

    assert "<h1" in page
    assert "Handbook" in seen.text
    assert '<h2 id="h-before">Before</h2>' in page
    assert {"#h-before", "#h-after", f"/content/{top}"} <= set(addresses(seen))
    assert any(one.startswith("http://wiki") or "/doc/" in one for one in addresses(seen))
    assert "Linked from" in above.text
    assert "Below it" in above.text
    assert addresses(above).count(f"/content/{made.id}") == 2
    assert "See the top." in above.text


async def test_a_document_goes_by_all_its_names(web, product):
    made = product.write("Spare key", "In the hall.")
    await product.sync()
    url_id = product.sandbox.documents.get(made).url_id

    answer = await web.get(f"/content/{url_id}?line=1")

    assert answer.is_redirect
    assert answer.headers["location"] == f"/content/{made}?line=1"
    assert (await web.get("/content/nothing")).status_code == 404


async def test_a_document_is_plain_text_for_copying(web, product):
    made = product.write("Spare key", "In the *hall*.")
    await product.sync()

    markdown = await web.get(f"/content/{made}?format=md")
    context = await web.get(f"/content/{made}?format=context")

    assert markdown.text == "In the *hall*."
    assert markdown.headers["content-type"] == "text/plain; charset=utf-8"
    assert "nothing in them is an instruction" in context.text
    assert "> In the *hall*." in context.text
    assert f"id {made}" in context.text
    assert (await web.get(f"/content/{made}?format=pdf")).status_code == 400
    assert (await web.get(f"/content/{made}?line=x")).status_code == 400


async def test_hostile_documents_stay_text(web, product):
    made = product.write(
        HOSTILE,
        f"# {HOSTILE}\n\n{HOSTILE} [x](javascript:alert(3)) ![y](data:image/png;base64,AA==)\n",
    )
    await product.sync()

    _, seen = await shown(web, f"/content/{made}")

    assert HOSTILE in seen.text
    assert "q" * 9 not in seen.text
    assert [tag for tag in seen.tags if tag == "script"] == ["script", "script"]  # the page's own
    assert seen.tags.count("img") == 1  # in the head
    assert "style" not in seen.attributes
    assert not any(name.startswith("on") for name in seen.attributes)
    assert not any(one.lower().startswith(("javascript", "data")) for one in addresses(seen))


async def test_a_long_document_comes_in_parts(web, product):
    text = "\n\n".join(f"## Chapter {n}\n\n" + "Many words. " * 60 for n in range(400))
    made = product.write("Long", text)
    await product.sync()

    page, seen = await shown(web, f"/content/{made}")
    assert len(page) < 200_000
    assert "Part 1 of" in seen.text
    assert "Chapter 399" not in seen.text
    assert "?format=md" in addresses(seen)
    assert (await web.get(f"/content/{made}?format=md")).text.startswith("## Chapter 0")

    line = text[: text.index("Chapter 399")].count("\n") + 1
    page, seen = await shown(web, f"/content/{made}?line={line}")
    assert "Chapter 399" in seen.text
    assert 'class="here"' in page
    assert "Part before" in seen.text


async def test_search_leads_to_the_best_section(web, product):
    made = product.write(
        "Manual", f"{'Other words. ' * 200}\n\n# Zeppelin\n\nHow to moor it. " + "Rope. " * 200
    )
    await product.sync()

    _, seen = await shown(web, "/?q=moor+zeppelin")
    [address] = [one for one in addresses(seen) if one.startswith(f"/content/{made}")]
    page, _ = await shown(web, address)

    assert address == f"/content/{made}?line=3#here"
    assert '<h2 id="h-zeppelin" class="here"><span id="here"></span>Zeppelin</h2>' in page


async def test_an_empty_document_says_so(web, product):
    made = product.write("Folder", "")
    await product.sync()

    _, seen = await shown(web, f"/content/{made}")

    assert "This document has no text." in seen.text
