"""Narrowing a search on the page: a tag is a link, and what narrows can be taken away."""

import html
import re
from dataclasses import replace

import pytest
from fake_services import FakeSearch, FakeServices, result
from web_client import app, client

from personal_context.domain.models import SearchFilters

ODD = 'a&b="c"'


@pytest.fixture
async def web():
    services = FakeServices(search=FakeSearch([result(tags=("runbook", ODD))]))
    async with client(app(services)) as browser:
        browser.asked = services.search.asked
        browser.search = services.search
        yield browser


def address_of(page, name):
    (found,) = re.findall(rf'href="([^"]*)"[^>]*>#?(?:<bdi>)?{re.escape(html.escape(name))}<', page)
    return html.unescape(found)


@pytest.mark.parametrize("tag", ["runbook", ODD])
async def test_a_tag_is_a_link_to_what_carries_it(web, tag):
    page = (await web.get("/?q=database")).text.replace("&#34;", "&quot;")

    narrowed = await web.get(address_of(page, tag))

    assert narrowed.status_code == 200
    assert web.asked[-1] == ("database", 10, SearchFilters(tags=frozenset({tag})))


async def test_the_form_keeps_what_narrows_and_a_link_takes_it_away(web):
    page = (await web.get("/?q=database&tag=runbook&collection=Operations")).text

    assert '<option value="runbook" selected>#runbook (12 documents)</option>' in page
    assert '<option value="c1" selected>Operations</option>' in page
    await web.get(address_of(page, "everywhere"))
    assert web.asked[-1] == ("database", 10, SearchFilters())


async def test_what_is_not_in_the_lists_stays_chosen(web):
    page = (await web.get("/?q=database&tag=rare&tag=second&collection=Elsewhere")).text

    assert '<option value="rare" selected>#rare</option>' in page
    assert '<option value="Elsewhere" selected>Elsewhere</option>' in page
    assert '<input type="hidden" name="tag" value="second">' in page


async def test_without_a_query_what_passes_is_listed(web):
    page = (await web.get("/?source_type=note")).text
    listed = (await web.get("/?tag=runbook")).text

    assert "No document is like that." in page
    assert "1 document, last changed first" in listed
    assert "Restoring the database" in listed
    assert "last changed first" not in (await web.get("/")).text


async def test_a_result_says_why_it_is_one(web):
    page = (await web.get("/?q=database")).text

    assert "by words and meaning" in page
    assert "found by its title, its words and its meaning" in page
    assert 'width="46.2"' in page  # 0.825 of 56


async def test_words_alone_are_no_comparison_in_meaning(web):
    hit = result()
    web.search.found = [replace(hit, breakdown=replace(hit.breakdown, cosine=None), matched=())]
    web.search.degraded = "The provider is away."

    page = (await web.get("/?q=database")).text

    assert "by words alone" in page
    assert "<span>meaning</span>" not in page
    assert "found by" not in page
