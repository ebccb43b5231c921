"""The outbox on the page of the whole product, and what a form may hold."""

import httpx
import pytest
from fake_outbox import FakeOutbox, waiting, waiting_ones
from fake_services import FakeServices, local_services
from product import opened_product
from web_client import HTMX, Seen, app, client

from personal_context.content.editing import Change
from personal_context.domain.models import EditMode

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
async def door(tmp_path):
    async with opened_product(tmp_path, outline_allow_delete=True) as product:
        page = product.write("Page <b>", "First.\n\nMiddle.\n\nLast.")
        await product.sync()
        async with client(app(product.runtime)) as web:
            yield product, web, page


async def conflict(product, page):
    product.sandbox.documents.edit(page, text="First.\n\nTheirs <i>.\n\nLast.")
    await product.runtime.changes.update(
        page, Change(content="First.\n\nOurs <i>.\n\nLast."), patience=30
    )


def text_of(answer):
    return " ".join(Seen(answer.text).text.split())


@pytest.mark.parametrize(
    ("keep", "words"),
    [
        ("local", {"Ours <i>."}),
        ("outline", {"Theirs <i>."}),
        ("both", {"Ours <i>.", "Theirs <i>."}),
    ],
)
async def test_a_conflict_is_shown_and_ended(door, keep, words):
    product, web, page = door
    await conflict(product, page)

    listed = text_of(await web.get("/"))
    assert "Page <b>" in listed
    assert "Compare and choose" in listed
    looked = await web.get(f"/outbox/{page}")
    assert "Ours &lt;i&gt;." in looked.text
    assert "Theirs &lt;i&gt;." in looked.text
    assert {"b", "i"}.isdisjoint(Seen(looked.text).tags)

    chosen = await web.post(f"/outbox/{page}/resolve?keep={keep}")
    await product.runtime.push_pending()

    assert (chosen.status_code, chosen.headers["Location"]) == (303, "/#outbox")
    there = [document["text"] for document in await documents(product)]
    assert {word for word in ("Ours <i>.", "Theirs <i>.") if any(word in t for t in there)} == words
    assert "Nothing waits" in text_of(await web.get("/"))


async def test_what_is_gone_in_outline_is_shown_as_gone_and_let_go(door):
    product, web, page = door
    product.sandbox.faults.timeout("documents.update", times=99)
    await product.runtime.changes.update(page, Change("Later.", mode=EditMode.APPEND), patience=30)
    product.sandbox.faults.clear()
    product.sandbox.documents.trash(page)
    await web.post(f"/outbox/{page}/retry", headers=HTMX)

    looked = text_of(await web.get(f"/outbox/{page}"))
    assert "Conflict" in looked
    assert "Let it go" in looked
    await web.post(f"/outbox/{page}/resolve?keep=outline")

    assert (await product.runtime.store.counts()).trashed == 1


async def documents(product):
    async with httpx.AsyncClient(transport=httpx.ASGITransport(product.sandbox.app)) as http:
        answer = await http.post(
            f"{product.runtime.settings.outline_api_base}/api/documents.list",
            json={"collectionId": product.handbook},
            headers={
                "Authorization": "Bearer "
                + product.runtime.settings.outline_api_key.get_secret_value()
            },
        )
    return answer.json()["data"]


async def test_what_was_refused_is_tried_again_or_discarded(door):
    product, web, page = door
    product.sandbox.faults.status("documents.update", 403, error="authorization_error", times=99)
    await product.runtime.changes.update(page, Change("More.", mode=EditMode.APPEND), patience=30)
    assert "Refused" in text_of(await web.get("/"))

    product.sandbox.faults.clear()
    assert "Nothing waits" in text_of(await web.post(f"/outbox/{page}/retry", headers=HTMX))
    assert "More." in product.sandbox.documents.get(page).text

    product.sandbox.faults.status("documents.update", 403, error="authorization_error", times=99)
    await product.runtime.changes.update(page, Change("Worse.", mode=EditMode.APPEND), patience=30)
    assert "Nothing waits" in text_of(await web.post(f"/outbox/{page}/discard", headers=HTMX))
    assert "Worse." not in (await product.runtime.contents.get(page)).content.text


@pytest.mark.parametrize(
    "path", ["retry", "discard", "resolve?keep=local", "resolve", "resolve?keep=x"]
)
@pytest.mark.parametrize("content_id", ["nobody", "5d2b7c1e-0b57-4c51-9a3e-1c5a4a1d2f10"])
async def test_what_does_not_wait_has_its_error(door, path, content_id):
    _, web, _ = door

    pressed = await web.post(f"/outbox/{content_id}/{path}")
    noticed = await web.post(f"/outbox/{content_id}/{path}", headers=HTMX)

    assert pressed.status_code in {400, 404}
    assert noticed.headers["HX-Retarget"] == "#notice"


async def test_nothing_waits_for_a_content_that_is_as_outline_has_it(door):
    _, web, page = door

    answer = await web.get(f"/outbox/{page}")

    assert answer.status_code == 400
    assert "Nothing waits" in answer.text


# --- what a browser may be made to send


@pytest.mark.parametrize(
    "path",
    ["outbox/x/retry", "outbox/x/resolve?keep=local", "outbox/x/discard", "add/page", "add/note"],
)
async def test_only_our_own_page_may_press(path):
    services = FakeServices(outbox=FakeOutbox([waiting(content_id="x")]))
    async with client(app(services)) as web:
        foreign = await web.post(f"/{path}", headers={"Sec-Fetch-Site": "cross-site"})
        looked = await web.get(f"/{path}")

    assert foreign.status_code == 403
    assert looked.status_code in {404, 405}
    assert services.outbox.told == []


@pytest.mark.parametrize(
    "body", [b"\xff\xfe", b"text", b"&".join([b"a=1"] * 30), b"text=%00", b"text=", b""]
)
async def test_a_form_that_makes_no_sense_adds_nothing(door, body):
    product, web, _ = door

    answer = await web.post("/add/note", content=body, headers=FORM)

    assert answer.status_code == 400
    assert (await product.runtime.store.counts()).by_source_type == {"outline": 1}


async def test_a_note_is_added_with_what_was_typed(door):
    product, web, _ = door
    typed = {
        "title": "Key & <lock>",
        "text": "Behind the\r\n\r\nbarometer: ü",
        "tags": " house, #hall,,",
    }

    answer = await web.post("/add/note", data=typed)
    await product.pushed()

    found = (await product.runtime.search.search("barometer")).results[0].content
    content = (await product.runtime.contents.get(found.id)).content
    assert answer.status_code == 200
    assert (content.title, content.text) == ("Key & <lock>", "Behind the\n\nbarometer: ü")
    assert content.tags == ("hall", "house")
    assert "Key &amp; &lt;lock&gt;" in answer.text


async def test_many_that_wait_are_counted():
    services = FakeServices(outbox=FakeOutbox(waiting_ones() * 7))
    async with client(app(services)) as web:
        page = text_of(await web.get("/"))

    assert page.count("Discard…") == 20
    assert "and 8 more" in page


async def test_without_outline_there_is_no_outbox_unless_something_waits():
    services = local_services()
    async with client(app(services)) as web:
        assert "Outbox" not in text_of(await web.get("/"))
        services.outbox.waits = waiting_ones()
        assert "Outbox" in text_of(await web.get("/"))
