"""Narrowing a search on the page: a tag is a link, and what narrows can be taken away."""

import html
import re

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

    assert '<input type="hidden" name="tag" value="runbook">' in page
    assert '<input type="hidden" name="collection" value="Operations">' in page
    await web.get(address_of(page, "everywhere"))
    assert web.asked[-1] == ("database", 10, SearchFilters())
