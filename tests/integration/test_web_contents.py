"""REST for contents, over the whole product."""

import httpx
import pytest
from product import opened_product
from web_client import app, client

PATH = "/api/content"


@pytest.fixture
async def web(tmp_path):
    async with opened_product(tmp_path) as product:
        application = app(product.runtime, larger_bodies={PATH: 12_000_000})
        async with client(application) as browser:
            browser.product = product
            yield browser


async def test_what_is_added_is_in_outline_and_read_by_all_its_names(web):
    await web.product.sync()
    answer = await web.post(
        PATH,
        json={
            "content": "Behind the barometer.",
            "title": "Spare key",
            "tags": ["house"],
            "source_url": "https://news.example/key",
            "metadata": {"room": "hall"},
            "collection_id": "Prompts",
        },
    )

    added = answer.json()
    assert answer.status_code == 201
    assert added["outline"] == "pending"
    assert added["created"]
    await web.product.pushed()
    added["url"] = (await web.get(f"{PATH}/{added['id']}")).json()["url"]
    assert added["warnings"] == added["secrets"] == []
    assert web.product.sandbox.documents.get(added["id"]).collection_id == web.product.prompts
    for reference in (added["id"], added["url"], added["url"].rsplit("-", 1)[1]):
        read = (await web.get(f"{PATH}/{reference}")).json()
        assert read["id"] == added["id"]
        assert read["text"] == "Behind the barometer."
        assert read["metadata"] == {"room": "hall"}
        assert read["tags"] == ["house"]
        assert read["path"] == ["Prompts"]
        assert read["source_url"] == "https://news.example/key"


async def test_a_document_comes_as_a_markdown_file_too(web):
    text = "---\ntitle: Spare key\nversion: '2'\ndate: 2026-03-01\n---\n\nIn the hall.\n"
    added = (await web.post(PATH, json={"content": text})).json()

    answer = await web.get(f"{PATH}/{added['id']}?format=markdown")

    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert answer.text == text.rstrip("\n")


async def test_a_secret_is_told_by_its_place(web):
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    answer = await web.post(PATH, json={"title": "Key", "content": f"Use\n{token}"})

    assert answer.json()["secrets"] == [{"kind": "GitHub token", "where": "content", "line": 2}]
    assert "GitHub token (line 2)" in answer.json()["warnings"][0]
    assert token not in answer.text


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "body: "),
        (b"{}", "content: field required"),
        (b'{"content": 1}', "content: "),
        (b'{"content": "x", "title": "y", "tag": "z"}', "tag: "),
        (b'{"content": "x", "title": "y", "tags": "z"}', "tags: "),
        (b'{"content": "x", "title": "y", "metadata": []}', "metadata: "),
        (b'{"content": "x"}', "no title"),
        (b'{"content": " ", "title": "y"}', "empty"),
        (b'{"content": "x", "title": "y", "collection_id": "Cellar"}', "Handbook, Prompts"),
        (b'{"content": "x", "title": "y", "metadata": {"a": NaN}}', "JSON"),
        (b'{"content": "x", "title": "y", "source_url": "javascript:x"}', "web address"),
    ],
)
async def test_what_cannot_be_added_is_told_and_nothing_is_kept(web, body, told):
    answer = await web.post(PATH, content=body)

    assert answer.status_code == 400
    problem = answer.json()["error"]
    assert told.lower() in f"{problem['message']} {problem['cause']}".lower()
    assert problem["hint"] or "json" in told.lower()
    assert (await web.product.runtime.store.counts()).contents == 0


async def test_unknown_names_and_formats_are_told(web):
    assert (await web.get(f"{PATH}/nothing")).status_code == 404
    assert (await web.post(PATH, json={"content": "x", "title": "y", "parent_id": "z"})).json()[
        "error"
    ]["code"] == "not_found"
    added = (await web.post(PATH, json={"content": "x", "title": "y"})).json()
    assert (await web.get(f"{PATH}/{added['id']}?format=pdf")).status_code == 400
    assert (await web.put(PATH)).status_code == 405


async def test_a_body_over_a_megabyte_fits(web):
    answer = await web.post(PATH, json={"title": "Long", "content": "ééééééé. " * 30_000})

    assert answer.status_code == 201


async def test_another_sites_page_may_not_add(web: httpx.AsyncClient):
    answer = await web.post(
        PATH, json={"content": "x", "title": "y"}, headers={"Sec-Fetch-Site": "cross-site"}
    )

    assert answer.status_code == 403
