"""Web pages through the doors: MCP, REST and the shell."""

import json

import httpx
import pytest
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from local_site import Page, local_site
from processes import environment, run
from product import opened_product
from starlette.applications import Starlette

from personal_context.tools.errors import TranslateErrors
from personal_context.tools.register import register_tools
from personal_context.web.routes import routes

pytestmark = pytest.mark.timeout(300)
WORDS = "<p>High water comes at noon, and the harbour is full of boats by then.</p>"


@pytest.fixture
def site():
    with local_site() as site:
        site.write("/tides", "Tide tables", WORDS)
        yield site


@pytest.fixture
async def product(tmp_path):
    async with opened_product(tmp_path, web_allow_private=True) as product:
        yield product


@pytest.fixture
async def model(product):
    mcp = FastMCP("test", middleware=[TranslateErrors()])
    register_tools(mcp, product.runtime)
    async with Client(mcp) as client:
        yield client


@pytest.fixture
async def script(product):
    transport = httpx.ASGITransport(Starlette(routes=routes(product.runtime)))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        yield http


async def test_a_model_keeps_a_page_and_is_told_what_became_of_it(product, model, site):
    arguments = {"url": site.url("/tides"), "tags": ["sea"], "collection_id": "Handbook"}

    first = (await model.call_tool("add_url", arguments)).structured_content
    again = (await model.call_tool("add_url", arguments)).structured_content
    await product.pushed()

    assert (first["outcome"], first["created"], first["title"]) == ("added", True, "Tide tables")
    assert first["outline"] == "pending"
    assert (again["outcome"], again["created"], again["id"]) == ("unchanged", False, first["id"])
    assert product.sandbox.documents.get(first["id"]).title == "Tide tables"


async def test_a_model_reads_why_a_page_can_not_be_had(model, site):
    site.pages["/paper"] = Page(b"%PDF-1.7", "application/pdf")

    for url, words in (
        (site.url("/paper"), "PDF"),
        (site.url("/missing"), "no page"),
        ("http://169.254.169.254/", "metadata"),
    ):
        with pytest.raises(ToolError) as caught:
            await model.call_tool("add_url", {"url": url})
        assert words in str(caught.value)
        assert "Try: " in str(caught.value)


async def test_a_script_keeps_a_page(script, site):
    body = {"url": site.url("/tides"), "title": "When to sail"}

    first = await script.post("/api/content/url", json=body)
    again = await script.post("/api/content/url", json=body)

    assert (first.status_code, first.json()["outcome"]) == (201, "added")
    assert (again.status_code, again.json()["outcome"]) == (200, "unchanged")
    read = (await script.get(f"/api/content/{first.json()['id']}")).json()
    assert (read["source_type"], read["source_url"]) == ("web", site.url("/tides"))


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("http://169.254.169.254/", 400, "web_refused"),
        ("tides", 400, "invalid_input"),
        ("/paper", 422, "web_unreadable"),
        ("/missing", 502, "web_rejected"),
        ("/broken", 503, "web_unavailable"),
    ],
)
async def test_each_failure_has_its_status(script, site, path, status, code):
    site.pages["/paper"] = Page(b"%PDF-1.7", "application/pdf")
    site.pages["/broken"] = Page("", status=500)
    url = site.url(path) if path.startswith("/") else path

    answer = await script.post("/api/content/url", json={"url": url})

    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert (await script.get("/api/status")).json()["counts"]["contents"] == 0


def test_a_person_keeps_a_page_and_may_pass_robots_by(tmp_path, site):
    env = environment(tmp_path, WEB_ALLOW_PRIVATE="true")
    site.pages["/robots.txt"] = Page("User-agent: *\nDisallow: /", "text/plain")
    page = ("add", "--url", site.url("/tides"), "--tag", "sea")

    asked = run(*page, env=env)
    kept = run(*page, "--ignore-robots", "--json", env=env)
    again = run(*page, "--ignore-robots", env=env)

    assert asked.returncode != 0
    assert "--ignore-robots" in asked.stderr
    assert (kept.returncode, json.loads(kept.stdout)["outcome"]) == (0, "added")
    assert "Nothing was added" in again.stdout


def test_a_private_page_is_refused_with_the_setting_that_allows_it(tmp_path, site):
    refused = run("add", "--url", site.url("/tides"), env=environment(tmp_path))

    assert refused.returncode != 0
    assert "PERSONAL_CONTEXT_WEB_ALLOW_PRIVATE" in refused.stderr
    assert site.asked == []


def test_a_page_and_a_file_are_two_things(tmp_path):
    both = run("add", "notes.md", "--url", "https://sea.example/", env=environment(tmp_path))

    assert both.returncode == 2
    assert "by its address alone" in both.stderr
