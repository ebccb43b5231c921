"""Letting a collection go over REST and on the page: asked first, done then."""

from dataclasses import replace

import pytest
from fake_services import FakeServices
from web_client import HTMX, app, client

from personal_context.domain.models import Health


@pytest.fixture
def services():
    return FakeServices()


@pytest.fixture
async def web(services):
    async with client(app(services)) as web:
        yield web


async def test_without_a_count_it_tells_the_count_and_does_nothing(web, services):
    answer = await web.post("/api/forget?collection=Product")

    assert answer.status_code == 400
    assert "328 documents" in answer.json()["error"]["cause"]
    assert "documents=328" in answer.json()["error"]["hint"]
    assert services.letting_go.asked == []


async def test_with_the_count_it_is_done(web, services):
    answer = await web.post("/api/forget?collection=Product&documents=328")

    assert answer.status_code == 200
    assert answer.json() == {"collection_id": "c2", "name": "Product", "moved": 326, "kept": 2}
    assert services.letting_go.asked == [("Product", 328)]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "collection=",
        "collection=Operations&documents=912",
        "collection=Product&documents=327",
        "collection=Product&documents=-1",
        "collection=Product&documents=many",
        "collection=Product&documents=1e3",
    ],
)
async def test_what_is_not_clear_is_refused(web, services, query):
    answer = await web.post(f"/api/forget?{query}")

    assert answer.status_code == 400
    assert answer.json()["error"]["message"]
    assert services.letting_go.asked == []


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_looking_lets_nothing_go(web, services, method):
    for path in ("/api/forget", "/forget"):
        answer = await web.request(method, f"{path}?collection=Product&documents=328")
        assert answer.status_code == 405
    assert services.letting_go.asked == []


async def test_the_page_asks_before_it_lets_go_and_names_the_count(web, services):
    [first, second, third] = services.shown.collections
    left = replace(second, health=Health.LET_GO)
    services.shown = replace(services.shown, collections=[first, left, third])

    page = (await web.get("/")).text
    pressed = await web.post("/forget?collection=c2&documents=328", headers=HTMX)

    assert page.count("<summary>Let it go…</summary>") == 1
    assert page.index("<summary>Let it go…</summary>") < page.index("Let 328 documents go")
    assert "/forget?collection=c2&amp;documents=328" in page
    assert pressed.status_code == 200
    assert services.letting_go.asked == [("c2", 328)]


async def test_a_refusal_stands_above_the_panel(web, services):
    answer = await web.post("/forget?collection=c2&documents=5", headers=HTMX)

    assert answer.status_code == 400
    assert answer.headers["HX-Retarget"] == "#notice"
    assert services.letting_go.asked == []
