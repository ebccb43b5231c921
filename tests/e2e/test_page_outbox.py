"""The outbox and the adding of things, in a real browser."""

import pytest
from fake_outbox import SEEN, FakeOutbox, waiting, waiting_ones
from fake_services import FakeServices
from page_server import HOSTILE, PHONE, overflow

from personal_context.domain.models import PushState, Wording

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.fixture
def services():
    return FakeServices(outbox=FakeOutbox(waiting_ones()))


def entries(page):
    return page.locator(".entry")


def entry(page, title):
    return entries(page).filter(has_text=title)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_person_tries_again_and_discards(visit, url, services, scripts):
    page = visit(url, java_script_enabled=scripts)
    sync_api.expect(entries(page)).to_have_count(4)
    refused = entry(page, "What we decided about backups")
    assert "403: the key may not write" in refused.inner_text()
    assert "tried 3 times" in refused.inner_text()

    refused.get_by_role("button", name="Try again").click()
    sync_api.expect(entries(page)).to_have_count(3)

    waits = entry(page, "Old restore notes")
    button = waits.get_by_role("button", name="Discard")
    assert not button.is_visible()
    waits.get_by_text("Discard…").click()
    assert "comes back here" in waits.inner_text()
    button.click()
    sync_api.expect(entries(page)).to_have_count(2)

    assert [what for what, _ in services.outbox.told] == ["retry", "discard"]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
@pytest.mark.parametrize(
    ("button", "keep"),
    [("Keep the text from here", "local"), ("Keep Outline's text", "outline"),
     ("Keep both", "both")],
)  # fmt: skip
def test_a_person_compares_and_chooses(visit, url, services, scripts, button, keep):
    page = visit(url, java_script_enabled=scripts)

    entry(page, "Restoring the database").get_by_role("link", name="Compare").click()
    assert "Copy the newest backup" in page.locator(".diff .removed").inner_text()
    assert "tested backup" in page.locator(".diff .added").first.inner_text()
    assert "Then tell the team" in page.locator(".texts").inner_text()
    page.get_by_role("button", name=button).click()

    page.wait_for_url("**/#outbox")
    sync_api.expect(entry(page, "Restoring the database")).to_have_count(0)
    assert services.outbox.told == [(keep, waiting().content_id)]
    assert services.outbox.seen == [SEEN]


def test_a_change_leads_to_its_document_and_to_the_other_views(visit, url, services):
    services.outbox.waits = [waiting(), waiting(PushState.FAILED, 2, title="Gone", trashed=True)]
    page = visit(url)
    link = page.locator(".entry-title a")
    there = f"/content/{waiting().content_id}"

    assert [one.get_attribute("href") for one in link.all()] == [there]
    entry(page, "Restoring the database").get_by_role("link", name="Compare").click()
    assert page.get_by_role("link", name="Read the document").get_attribute("href") == there
    views = page.get_by_role("navigation", name="Views").get_by_role("link")
    assert views.all_inner_texts()[:3] == ["Home", "Activity", "Settings"]
    assert page.locator("[aria-current]").count() == 0

    page.goto(f"{url}/outbox/{services.outbox.waits[1].content_id}")
    assert page.get_by_role("link", name="Read the document").count() == 0


def test_what_a_person_has_opened_stays_open(visit, url):
    page = visit(url)
    entry(page, "Weekly review").get_by_text("Discard…").click()

    page.click("#sync-now")  # the panel is drawn anew
    page.wait_for_selector("#news")

    assert entry(page, "Weekly review").get_by_role("button", name="Discard").is_visible()


def test_hostile_texts_stay_texts(visit, url, services):
    services.outbox.waits = [
        waiting(title=HOSTILE, error=HOSTILE),
        waiting(PushState.FAILED, 2, title=HOSTILE, error=HOSTILE),
    ]
    services.outbox.ours = Wording(HOSTILE, f"{HOSTILE}\n</pre><b>bold</b>")
    services.outbox.theirs = Wording("", HOSTILE)

    page = visit(url, viewport=PHONE)
    assert HOSTILE in entries(page).first.text_content()
    assert page.locator(".entries img, .entries script").count() == 0
    assert overflow(page) == 0

    page.get_by_role("link", name="Compare and choose").click()
    page.wait_for_selector(".diff")
    assert "</pre><b>bold</b>" in page.locator("pre.text").first.text_content()
    assert page.locator("main img, main script, main b").count() == 0
    assert overflow(page) == 0


@pytest.mark.parametrize("width", [320, 768, 1180])
@pytest.mark.parametrize("path", ["", f"outbox/{waiting().content_id}"])
def test_nothing_sticks_out(browser, url, path, width):
    context = browser.new_context(
        http_credentials={"username": "joe", "password": "s3cret"},
        viewport={"width": width, "height": 700},
    )
    page = context.new_page()
    page.goto(f"{url}/{path}")
    if not path:
        page.click("#add > summary")
    assert overflow(page) == 0
    context.close()


def test_an_empty_outbox_says_so(visit, url, services):
    services.outbox.waits = []

    assert "Nothing waits" in visit(url).inner_text("section[aria-labelledby=outbox]")


# --- adding


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_person_keeps_a_page_and_a_note(visit, url, services, scripts):
    page = visit(url, java_script_enabled=scripts)
    page.click("#add > summary")

    page.fill("#add-page [name=url]", "https://sea.example/tides")
    page.fill("#add-page [name=tags]", "sea, #tides")
    page.get_by_role("button", name="Fetch and keep").click()
    sync_api.expect(page.locator("#added")).to_contain_text("The page of sea.example")
    assert page.input_value("#add-page [name=url]") == ""

    page.fill("#add-note [name=title]", "Spare key")
    page.fill("#add-note textarea", "Behind the\nbarometer.")
    page.get_by_role("button", name="Keep", exact=True).click()
    sync_api.expect(page.locator("#added")).to_contain_text("Spare key")

    [(kept,), (note,)] = services.pages.asked, services.contents.asked
    assert (kept.url, kept.tags) == ("https://sea.example/tides", ["sea", "tides"])
    assert (note.title, note.text, note.tags) == ("Spare key", "Behind the\nbarometer.", None)


def test_what_was_added_is_counted_at_once(visit, url):
    page = visit(url)
    page.click("#add > summary")
    page.fill("#add-note textarea", "Behind the barometer.")

    with page.expect_request("**/panel"):
        page.get_by_role("button", name="Keep", exact=True).click()


def test_what_was_typed_stays_when_it_fails(visit, url, services, complaints):
    services.pages.fails = True
    page = visit(url)
    page.click("#add > summary")
    page.fill("#add-page [name=url]", "https://sea.example/paper.pdf")

    page.get_by_role("button", name="Fetch and keep").click()
    page.wait_for_selector("#notice .note")

    assert "is a PDF" in page.inner_text("#notice")
    assert page.input_value("#add-page [name=url]") == "https://sea.example/paper.pdf"
    complaints.clear()  # the browser notes the 422
