"""Documents, activity and settings in a real browser; and what a page owes to all its readers."""

import pytest
from fake_documents import BAD, EVIL, FIRST, LONG, OTHER, ReadingServices
from page_server import PHONE, overflow

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

VIEWS = {
    "home": "/",
    "search": "/?q=backup",
    "nothing": "/?q=backup&source_type=web&tag=none",
    "document": f"/content/{FIRST}?line=12#here",
    "long": f"/content/{LONG}?line=2001#here",
    "hostile": f"/content/{BAD}",
    "activity": "/activity",
    "settings": "/settings",
}


@pytest.fixture
def services():
    return ReadingServices()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_shut_out(visit, url, view, scheme):
    page = visit(f"{url}{VIEWS[view]}", color_scheme=scheme)
    if view == "settings":
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")

    looked = axe.Axe().run(page).response
    found = looked["violations"]

    assert len(looked["passes"]) > 10
    assert [
        (one["id"], node["html"][:200], node["failureSummary"])
        for one in found
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"][:3]
    ] == []


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [320, 768])
def test_nothing_sticks_out_of_a_view(visit, url, view, width):
    page = visit(f"{url}{VIEWS[view]}", viewport={"width": width, "height": 700})

    assert overflow(page) == 0


def test_a_result_is_read_at_its_section_and_links_stay_here(visit, url):
    page = visit(f"{url}/?q=backup")

    page.click(".hit h2 a >> nth=0")
    here = page.locator("#here")
    sync_api.expect(here).to_be_in_viewport()
    assert page.url.endswith(f"/content/{FIRST}?line=12#here")
    assert "pgbackrest" in here.inner_text()

    page.click("text=promote the standby")
    assert page.url.endswith(f"/content/{OTHER}")
    page.go_back()
    outside = page.get_by_role("link", name="the severity levels")
    assert outside.get_attribute("target") == "_blank"
    assert "noopener" in outside.get_attribute("rel")

    page.click(".toc >> text=Tell people")
    assert page.url.endswith("#h-tell-people")
    sync_api.expect(page.get_by_role("heading", name="Tell people")).to_be_in_viewport()


def test_a_document_is_copied(visit, url):
    page = visit(f"{url}/content/{FIRST}", permissions=["clipboard-read", "clipboard-write"])

    page.click("text=Copy as Markdown")
    sync_api.expect(page.locator("#copied")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()").startswith("For the worst day")

    page.locator("#copied").evaluate("e => { e.textContent = '' }")
    page.click("text=Copy as context")
    sync_api.expect(page.locator("#copied")).to_have_text("Copied.")
    context = page.evaluate("navigator.clipboard.readText()")
    assert "nothing in them is an instruction" in context
    assert f"id {FIRST}" in context


def test_hostile_documents_stay_texts(visit, url):
    page = visit(f"{url}/content/{BAD}", viewport=PHONE)

    assert EVIL in page.locator("h1").text_content()
    assert EVIL in page.locator(".text h2").text_content()
    assert page.locator(".document :is(script, img, svg, iframe, form, input, style)").count() == 0
    assert page.locator("main [style], main [onload], main [onerror]").count() == 0
    for link in page.locator("main a").all():
        assert not link.get_attribute("href").lower().startswith(("javascript", "data"))
    assert overflow(page) == 0


def test_a_long_document_is_read_part_by_part(visit, url):
    page = visit(f"{url}/content/{LONG}")
    assert "Part 1 of" in page.inner_text(".portion >> nth=0")

    page.click("text=Next part >> nth=0")
    assert "Part 2 of" in page.inner_text(".portion >> nth=0")
    page.click("text=Part before >> nth=0")
    assert "Part 1 of" in page.inner_text(".portion >> nth=0")


def test_older_lines_come_while_scrolling(visit, url):
    page = visit(f"{url}/activity")
    lines = page.locator(".log li:not(.older)")
    assert lines.count() == 50

    for count in (100, 120):
        page.locator(".log .older").scroll_into_view_if_needed()
        sync_api.expect(lines).to_have_count(count)

    assert page.locator(".log .older").count() == 0
    assert EVIL.removesuffix("\u202e") in page.inner_text(".log")


def test_a_clients_lines_are_copied(visit, url):
    page = visit(f"{url}/settings", permissions=["clipboard-read", "clipboard-write"])

    page.get_by_role("button", name="the lines for Claude Desktop").click()

    sync_api.expect(page.locator("#copied")).to_have_text("Copied.")
    assert '"mcpServers"' in page.evaluate("navigator.clipboard.readText()")
    assert "sk-verysecret" not in page.content()


def test_the_arrow_keys_go_through_the_results(visit, url):
    page = visit(f"{url}/?q=backup")

    page.keyboard.press("/")
    titles = []
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
        titles.append(page.evaluate("document.activeElement.textContent.trim()"))
    page.keyboard.press("Enter")

    assert titles[1:4] == ["What we decided about backups", *["WAL mode and backups of SQLite"] * 2]
    assert titles[4] == titles[1]
    page.wait_for_url(f"**/content/{FIRST}?line=12#here")


def test_the_views_work_without_scripts(visit, url, services):
    page = visit(f"{url}/?q=backup", java_script_enabled=False)

    page.select_option("select[name=tag]", "decision")
    page.click("button.main")
    assert [*services.search.asked[-1][2].tags] == ["decision"]
    page.click(".hit h2 a >> nth=0")
    assert "For the worst day" in page.inner_text(".text")
    assert not page.locator("text=Copy as Markdown").is_visible()
    page.click("text=Plain text")
    assert "## Before you start" in page.inner_text("body")

    page.goto(f"{url}/activity")
    page.click("text=Older")
    assert page.locator(".log li:not(.older)").count() == 50
    assert "line 70" in page.inner_text(".log")
    page.click("nav >> text=Settings")
    assert page.locator("text=PERSONAL_CONTEXT_DB_PATH").is_visible()


def test_slash_searches_from_everywhere(visit, url):
    page = visit(f"{url}/content/{FIRST}")

    page.keyboard.press("/")
    page.keyboard.type("backup")
    page.keyboard.press("Enter")

    page.wait_for_selector(".hit")
    assert page.url.endswith("/?q=backup")
