"""The page in a real browser, as a person uses it."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from fake_outbox import FakeOutbox, waiting, waiting_ones
from fake_services import FakeReindex, FakeServices, local_services, result, status
from page_server import DESK, HOSTILE, LOGIN, PHONE, overflow, served

from personal_context.domain.errors import EmbeddingUnavailable
from personal_context.domain.models import (
    Health,
    IndexProgress,
    IndexStatus,
    ReindexProgress,
    ReindexState,
)

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

# Read before a test begins: tests see no settings of the shell.
PICTURES = os.environ.get("PERSONAL_CONTEXT_SCREENSHOTS")


def text(page, selector):
    return page.inner_text(selector)


def test_a_person_searches_while_typing(visit, url, services):
    page = visit(url)

    page.keyboard.press("Tab")  # the box has the focus from the start; leave it
    page.keyboard.press("/")
    page.keyboard.type("backup")
    page.wait_for_selector(".hit")

    assert text(page, "#found") == "3 results for “backup” by words and meaning"
    assert page.locator(".hit mark").first.inner_text() == "backup"
    assert page.url.endswith("?q=backup&source_type=&collection=&tag=")
    assert page.evaluate("document.activeElement.id") == "q"

    page.get_by_role("radio", name="Notes").check()
    sync_api.expect(page.locator(".hit")).to_have_count(1)
    assert "What we decided about backups" in text(page, ".hit")

    page.reload()
    assert page.locator(".hit").count() == 1


def test_a_result_opens_here_and_its_original_beside_the_page(visit, url):
    page = visit(f"{url}/?q=backup")

    here = page.locator(".hit h2 a").first
    original = page.locator(".hit a.away").first

    assert here.get_attribute("href").endswith("?line=12#here")
    assert here.get_attribute("target") is None
    assert original.get_attribute("target") == "_blank"
    assert original.get_attribute("rel") == "noopener"


def test_reindexing_fills_its_bar_and_the_button_keeps_the_focus(visit, url, services):
    services.reindex.step = 90
    page = visit(url)

    page.get_by_role("button", name="Reindex All Embeddings").click()
    page.wait_for_selector("#reindex-bar[data-state=running]")
    assert "sections" in text(page, "#reindex-bar")
    assert text(page, "#announcement") == "Reindexing is running."
    page.wait_for_selector("#reindex-bar[data-state=done]")

    assert "256 of 256 sections" in text(page, "#reindex-bar")
    bar = page.get_by_role("progressbar", name="Reindexed sections")
    assert bar.evaluate("bar => bar.value / bar.max") == 1
    assert page.evaluate("document.activeElement.id") == "reindex"
    assert text(page, "#announcement") == "Reindexing has ended."


def test_sync_says_what_it_did(visit, url, services):
    page = visit(url)

    page.get_by_role("button", name="Sync now").click()
    page.wait_for_selector("#news")
    assert "3 new, 1 changed in 1 collection." in text(page, "#news")

    page.get_by_role("button", name="Full resync").click()
    sync_api.expect(page.locator("#sync-full")).to_be_focused()
    page.wait_for_selector(".htmx-request", state="detached")
    assert services.sync.asked == ["changes", "full"]


def test_everything_works_without_scripts(visit, url, services):
    services.reindex.step = 300
    page = visit(url, java_script_enabled=False)

    page.fill("#q", "backup")
    page.press("#q", "Enter")
    assert page.locator(".hit").count() == 3

    page.click("#sync-now")
    assert "3 new" in text(page, "#news")

    page.click("#reindex")
    assert "256 of 256 sections" in text(page, "#reindex-bar")
    assert page.url.endswith("/#status")


def test_hostile_texts_stay_texts(visit, url, services):
    services.search.found = [
        result(
            HOSTILE,
            preview=HOSTILE,
            url="javascript:alert(3)",
            path=(HOSTILE, HOSTILE),
            tags=(HOSTILE,),
            heading_path=(HOSTILE,),
        )
    ]
    page = visit(url, viewport=PHONE)
    page.fill("#q", HOSTILE)
    page.wait_for_selector(".hit")

    assert HOSTILE in page.locator(".hit h2").text_content()
    assert page.locator(".hit a:not(.tag, h2 a), .hit img, .hit script").count() == 0
    assert page.locator(".hit a.tag").get_attribute("href").startswith("/?q=")
    assert overflow(page) == 0


def test_letting_a_collection_go_is_asked_first_and_the_question_stays_open(
    visit, url, services, complaints
):
    [first, second, third] = services.shown.collections
    left = replace(second, health=Health.LET_GO)
    services.shown = replace(services.shown, collections=[first, left, third])
    page = visit(url)

    assert not page.locator("text=Let 328 documents go").is_visible()
    page.click("text=Let it go…")
    page.click("#sync-now")  # the panel is drawn anew
    page.wait_for_selector("#news")
    page.click("text=Let 328 documents go")
    page.wait_for_function("document.querySelector('#notice').children.length === 0")

    assert services.letting_go.asked == [("c2", 328)]
    assert complaints == []


def test_a_lost_server_is_admitted(visit, url, complaints):
    page = visit(url)

    page.route("**/reindex", lambda route: route.abort())
    page.click("#reindex")
    page.wait_for_selector("#offline:visible")
    assert "The server does not answer." in text(page, "#offline")

    page.unroute("**/reindex")
    page.click("#reindex")
    page.wait_for_selector("#offline", state="hidden")
    assert all("ERR_FAILED" in c or "Failed to fetch" in c for c in complaints)
    complaints.clear()


def test_an_error_stands_above_what_it_leaves_in_place(visit, url, services, complaints):
    services.reindex.error = EmbeddingUnavailable("The provider <b>is away</b>.")
    page = visit(url)

    page.click("#reindex")
    page.wait_for_selector("#notice .note")
    assert "The provider <b>is away</b>." in text(page, "#notice")
    assert "What it holds" in text(page, "#panel")

    services.reindex.error = None
    page.click("#reindex")
    page.wait_for_selector("#notice .note", state="detached")
    complaints.clear()  # the browser notes the 503


@pytest.mark.parametrize("query", ["", "?q=backup"])
@pytest.mark.parametrize("width", [320, 360, 768, 1180])
def test_nothing_sticks_out(visit, url, query, width):
    page = visit(f"{url}/{query}", viewport={"width": width, "height": 700})

    assert overflow(page) == 0


def test_the_keyboard_reaches_everything_in_reading_order(visit, url):
    page = visit(f"{url}/?q=backup")
    reached = []
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement !== document.body"):
        reached.append(page.evaluate("document.activeElement.textContent.trim()"))
        # A radio is drawn by the element after it.
        ringed = page.evaluate("""() => [document.activeElement,
            document.activeElement.nextElementSibling].some(
            e => e && getComputedStyle(e).outlineStyle === 'solid')""")
        assert ringed, reached[-1]
        page.keyboard.press("Tab")

    wanted = ["Skip to search", "Search", "Sync now", "Full resync", "Reindex All Embeddings"]
    assert [text for text in reached if text in wanted] == wanted


def test_every_control_has_a_name(visit, url):
    page = visit(f"{url}/?q=backup")

    unnamed = page.evaluate("""() => [...document.querySelectorAll(
        'button, input, a, progress')].filter(e => !(e.ariaLabel || e.textContent.trim()
        || e.labels?.length)).map(e => e.outerHTML)""")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")

    assert unnamed == []
    assert len(ids) == len(set(ids))


SCENES = {
    "home": (FakeServices, ""),
    "search": (FakeServices, "?q=backup"),
    "reindexing": (
        lambda: FakeServices(
            reindex=FakeReindex(ReindexProgress(ReindexState.RUNNING, 9310, 4210, 2, 231.0))
        ),
        "#meaning",
    ),
    "troubled": (
        lambda: FakeServices(
            shown=status(
                index=IndexStatus(
                    status().index.model, IndexProgress(9310, 9102, 3), "The provider is away."
                )
            ),
            reindex=FakeReindex(
                ReindexProgress(ReindexState.PAUSED, 9310, 4210, 3, message="connection refused")
            ),
        ),
        "",
    ),
    "outbox": (lambda: FakeServices(outbox=FakeOutbox(waiting_ones())), "#outbox"),
    "compare": (
        lambda: FakeServices(outbox=FakeOutbox(waiting_ones())),
        f"outbox/{waiting().content_id}",
    ),
    "adding": (FakeServices, ""),
    "local": (local_services, ""),
    "missing": (FakeServices, "nothing-here"),
}


@pytest.mark.skipif(PICTURES is None, reason="PERSONAL_CONTEXT_SCREENSHOTS names no folder")
@pytest.mark.parametrize("scene", SCENES)
def test_pictures_are_taken(browser, scene):
    """Not a judgement: somebody looks at them."""
    folder = Path(PICTURES)
    folder.mkdir(parents=True, exist_ok=True)
    build, path = SCENES[scene]
    with served(build()) as url:
        for look, viewport, scheme in (
            ("light", DESK, "light"),
            ("dark", DESK, "dark"),
            ("phone", PHONE, "light"),
        ):
            context = browser.new_context(
                http_credentials=LOGIN, viewport=viewport, color_scheme=scheme
            )
            page = context.new_page()
            page.goto(f"{url}/{path}")
            if scene == "adding":
                page.click("#add > summary")
                page.fill("#add-note textarea", "Behind the barometer.")
                page.click("#add-note button")
                page.wait_for_selector("#added")
            picture = folder / f"{scene}-{look}.png"
            page.screenshot(path=picture, full_page=True)
            context.close()
            assert picture.stat().st_size > 0
