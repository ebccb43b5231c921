"""The page, as a browser without scripts and as htmx meet it."""

from dataclasses import replace

import pytest
from fake_services import (
    NOW,
    FakeServices,
    empty_status,
    local_services,
    result,
    status,
)
from web_client import HTMX, Seen, app, client

from personal_context.domain.errors import InvalidInput, StoreError
from personal_context.domain.models import (
    Counts,
    EmbeddingModel,
    EmbeddingUsage,
    IndexProgress,
    IndexStatus,
    ModelChoice,
)
from personal_context.web.templating import templates_dir

OWN = ("/content/", "/activity", "/settings")
HOSTILE = "<script>alert(1)</script>\" onmouseover='alert(2)' {{ 'q' * 9 }} &amp;"


@pytest.fixture
def services():
    return FakeServices()


@pytest.fixture
async def web(services):
    async with client(app(services)) as web:
        yield web


async def test_the_page_shows_what_is_held(web):
    seen = Seen((await web.get("/")).text)

    for shown in ("1,284", "Operations", "912", "Up to date", "3 minutes ago", "Not synced yet"):
        assert shown in seen.text
    assert "the key lost its access" in seen.text
    assert "all-MiniLM-L6-v2" in seen.text
    assert "Reindex All Embeddings" in seen.text
    assert "in 4 minutes" in seen.text


async def test_times_are_exact_for_machines_and_on_hover(web):
    page = (await web.get("/")).text

    assert (
        '<time datetime="2026-01-02T11:57:00+00:00" title="2026-01-02 11:57 UTC">3 minutes ago'
    ) in page


async def test_a_person_finds_something(web, services):
    page = (await web.get("/?q=backup&source_type=outline")).text
    seen = Seen(page)

    assert "1 result for “backup”" in seen.text
    assert "Restoring the database" in seen.text
    assert "Operations › Runbooks" in seen.text
    assert "Backups › Restore" in seen.text
    assert "<mark>backup</mark>" in page
    [link] = [a for a in seen.links if "restoring" in a["href"]]
    assert (link["target"], link["rel"]) == ("_blank", "noopener")
    assert 'value="outline" checked' in page


async def test_htmx_gets_the_results_alone(web):
    answer = await web.get("/?q=backup", headers=HTMX)

    assert "<html" not in answer.text
    assert "Restoring the database" in answer.text
    assert "HX-Request" in answer.headers["Vary"]


async def test_going_back_in_history_gets_a_whole_page(web):
    answer = await web.get("/?q=x", headers={**HTMX, "HX-History-Restore-Request": "true"})

    assert "<html" in answer.text


async def test_hostile_texts_stay_texts(web, services):
    services.search.found = [
        result(HOSTILE, preview=HOSTILE, path=(HOSTILE,), tags=(HOSTILE,), heading_path=(HOSTILE,))
    ]
    services.shown = status(
        collections=[replace(c, name=HOSTILE, error_message=HOSTILE) for c in status().collections]
    )
    services.search.degraded = HOSTILE

    page = (await web.get("/", params={"q": HOSTILE})).text
    seen = Seen(page)

    assert seen.tags.count("script") == 2  # htmx and our own, both from files
    assert "alert(1)</script>" not in page
    assert not {name for name in seen.attributes if name.startswith("on")}
    assert "style" not in seen.attributes
    assert "q" * 9 not in seen.text
    assert seen.text.count("<script>alert(1)</script>") >= 5


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example/x",
        "/relative",
        "http:",
        "http://[broken",
        "",
        None,
    ],
)
async def test_only_web_addresses_become_links(web, services, url):
    services.search.found = [result("Bait", url=url, tags=())]
    services.shown = status(outline_url=url or "x")

    seen = Seen((await web.get("/?q=x")).text)

    assert "Bait" in seen.text
    addresses = {a["href"] for a in seen.links}
    assert {a for a in addresses if not a.startswith(OWN)} == {"#q", "/"}


async def test_half_a_surrogate_pair_breaks_nothing(web, services):
    services.search.found = [result("half \ud800 a pair")]

    assert "half ? a pair" in (await web.get("/?q=x")).text


@pytest.mark.parametrize(
    "query", ["%00", "%ED%A0%80", "%E2%80%AE", "(" * 500, "%5B%5D%7B%7D.*%2B", "a+" * 3000]
)
async def test_any_typed_text_gives_a_page(web, query):
    assert (await web.get(f"/?q={query}")).status_code == 200


async def test_nothing_found_says_what_to_try(web, services):
    services.search.found = []

    assert "Nothing found for “zzz”" in Seen((await web.get("/?q=zzz")).text).text


async def test_words_alone_are_admitted(web, services):
    services.search.degraded = "The provider is away."

    page = (await web.get("/?q=x")).text

    assert "Found by words only." in page
    assert "The provider is away." in page


async def test_a_refused_search_leaves_the_page_up(web, services):
    services.search.error = InvalidInput("The query is too long.", hint="Use fewer words.")

    answer = await web.get("/?q=x")

    assert answer.status_code == 400
    assert "The query is too long." in answer.text
    assert "Use fewer words." in answer.text
    assert "What it holds" in answer.text


async def test_an_unknown_source_type_is_refused_kindly(web):
    answer = await web.get("/?q=x&source_type=mail")

    assert answer.status_code == 400
    assert "is not a source type" in answer.text


async def test_local_mode_says_what_to_do():
    async with client(app(local_services())) as web:
        page = Seen((await web.get("/")).text).text

    assert "Local mode" in page
    assert "PERSONAL_CONTEXT_OUTLINE_API_KEY" in page
    assert "Sync now" not in page


async def test_an_empty_store_says_how_to_begin(web, services):
    services.shown = empty_status()
    assert "Nothing is stored yet." in (await web.get("/")).text

    services.shown = status(collections=[], counts=Counts(0, 0, {}, {}, {}))
    page = (await web.get("/")).text
    assert "The first sync brings the documents in." in page
    assert "No collection has been pulled yet." in page


async def test_what_is_degraded_says_why(web, services):
    services.shown = status(
        index=IndexStatus(None, IndexProgress(10, 0), "The model file is missing.")
    )

    page = (await web.get("/")).text

    assert "Search by meaning is off" in page
    assert "The model file is missing." in page


async def test_vectors_of_another_model_say_what_to_press(web, services):
    model = EmbeddingModel("ollama", "old-model", 64)
    wanted = ModelChoice("openai", "new-model")
    services.shown = status(
        index=IndexStatus(model, IndexProgress(10, 10), None, wanted, "Press it & wait.")
    )

    page = (await web.get("/")).text

    assert "The settings ask for <code>new-model</code> from openai" in page
    assert "Press it &amp; wait." in page
    assert "Search by meaning is off" not in page


async def test_what_embedding_cost_is_told(web, services):
    usage = EmbeddingUsage("openai", "new-model", 1200, 2_500_000, NOW, 0.05)
    services.shown = status(usage=[usage])

    assert "2,500,000 tokens in 1,200 requests to openai new-model" in (await web.get("/")).text


# --- errors -----------------------------------------------------------------------------


async def test_a_broken_store_has_a_page_of_its_own(web, services):
    services.error = StoreError("The database can't be read.", cause="disk I/O error")

    answer = await web.get("/")

    assert answer.status_code == 500
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "disk I/O error" in answer.text


async def test_an_error_of_the_panel_leaves_the_panel_alone(web, services):
    services.error = StoreError("The database can't be read.")

    answer = await web.get("/panel", headers=HTMX)

    assert answer.headers["HX-Retarget"] == "#notice"
    assert "The database can&#39;t be read." in answer.text
    assert "<html" not in answer.text


async def test_an_unforeseen_error_gives_nothing_away(web, services):
    services.error = RuntimeError("/home/joe/secret.db")

    answer = await web.get("/")

    assert answer.status_code == 500
    assert "secret" not in answer.text


async def test_an_unknown_address_answers_a_browser_with_a_page(web):
    answer = await web.get("/nothing", headers={"Accept": "text/html,*/*;q=0.8"})

    assert answer.status_code == 404
    assert "There is nothing at this address." in answer.text
    assert "<html" in answer.text


async def test_a_path_prefix_of_a_proxy_is_kept(services):
    application = app(services)

    async def behind_proxy(scope, receive, send):
        if scope["type"] == "http":
            scope = {**scope, "root_path": "/context"}
        await application(scope, receive, send)

    async with client(behind_proxy) as web:
        page = (await web.get("/context/")).text

    assert 'href="/context/static/app.css"' in page
    assert 'action="/context/reindex"' in page


def test_every_template_is_found():
    names = {path.name for path in templates_dir().glob("*.html")}

    assert {"page.html", "error.html", "_panel.html", "_results.html"} <= names
