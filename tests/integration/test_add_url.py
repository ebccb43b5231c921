"""Web pages become contents: once, and up to date when they are added again."""

import asyncio

import pytest
from local_site import Page, local_site
from product import beside, opened_product

from personal_context.content.editing import Change
from personal_context.content.from_web import NewPage, PageOutcome
from personal_context.domain.errors import WebRejected
from personal_context.domain.models import PushState, SourceType

ADDED, UPDATED = PageOutcome.ADDED, PageOutcome.UPDATED
UNCHANGED, EDITED = PageOutcome.UNCHANGED, PageOutcome.EDITED
NOON = "<h1>Tides</h1><p>High water comes at noon, and the harbour is full of boats by then.</p>"
DUSK = "<h1>Tides</h1><p>High water comes at dusk, and the harbour is full of boats by then.</p>"


@pytest.fixture
def site():
    with local_site() as site:
        site.write("/tides", "Tide tables", NOON)
        yield site


@pytest.fixture
async def product(tmp_path):
    async with opened_product(tmp_path, web_allow_private=True) as product:
        yield product


async def add(product, url, **more):
    return await product.runtime.pages.add(NewPage(url, **more), patience=30)


async def stored(product, kept):
    return (await product.runtime.contents.get(kept.content.content.id)).content


async def how_many(product):
    return (await product.runtime.store.counts()).contents


async def test_a_page_is_kept_with_what_it_says_of_itself(product, site):
    head = (
        '<title>Tide tables</title><meta name="author" content="Ann Ebb">'
        '<meta property="og:site_name" content="The Sea">'
        '<meta property="article:published_time" content="2026-03-01">'
        '<link rel="canonical" href="/tables/tides">'
    )
    headers = {"ETag": '"v1"', "Last-Modified": "Sun, 01 Mar 2026 10:00:00 GMT"}
    body = f"<html lang=en><head>{head}</head><body><nav>Home</nav><main>{NOON}</main></body>"
    site.pages["/tides"] = Page(body, headers=headers)

    kept = await add(product, site.url("/tides?utm_source=letter#top"), tags=["sea"])
    content = await stored(product, kept)

    assert (kept.outcome, kept.content.created) == (ADDED, True)
    assert kept.content.outline is PushState.SYNCED
    assert (content.title, content.tags) == ("Tide tables", ("sea",))
    assert content.source_type is SourceType.WEB
    assert content.source_url == content.source_id == site.url("/tides")
    assert "High water comes at noon" in content.text
    assert "Home" not in content.text
    expected = {
        "author": "Ann Ebb",
        "site": "The Sea",
        "published": "2026-03-01",
        "language": "en",
        "canonical": site.url("/tables/tides"),
        "etag": '"v1"',
        "last_modified": "Sun, 01 Mar 2026 10:00:00 GMT",
    }
    assert {name: content.metadata.get(name) for name in expected} == expected
    assert product.sandbox.documents.get(content.id).title == "Tide tables"
    found = await product.runtime.search.search("when is high water", limit=1)
    assert found.results[0].content.id == content.id


async def test_the_same_page_again_is_asked_for_only_if_it_changed(product, site):
    site.write("/tides", "Tide tables", NOON, headers={"ETag": '"v1"'})
    first = await add(product, site.url("/tides"))

    again = await add(product, site.url("/tides#top"), tags=["sea"])

    assert site.asked[-1][1]["if-none-match"] == '"v1"'
    assert (again.outcome, again.content.created) == (UNCHANGED, False)
    assert again.content.content.id == first.content.content.id
    assert (await stored(product, again)).tags == ("sea",)
    assert await how_many(product) == 1


async def test_without_validators_the_text_tells(product, site):
    first = await add(product, site.url("/tides"))

    again = await add(product, site.url("/tides"))

    assert again.outcome is UNCHANGED
    assert again.content.content.id == first.content.content.id
    assert "not changed" in again.content.message


async def test_a_page_that_changed_is_brought_up_to_date_here_and_in_outline(product, site):
    site.write("/tides", "Tide tables", NOON, headers={"ETag": '"v1"'})
    first = await add(product, site.url("/tides"), tags=["sea"])
    site.write("/tides", "Tide tables 2027", DUSK, headers={"ETag": '"v2"'})

    again = await add(product, site.url("/tides"))
    content = await stored(product, again)

    assert (again.outcome, again.content.outline) == (UPDATED, PushState.SYNCED)
    assert content.id == first.content.content.id
    assert (content.title, content.tags) == ("Tide tables 2027", ("sea",))
    assert content.metadata["etag"] == '"v2"'
    assert "at dusk" in product.sandbox.documents.get(content.id).text
    assert (await add(product, site.url("/tides"))).outcome is UNCHANGED
    assert await how_many(product) == 1


async def test_a_page_may_change_again_and_again(product, site):
    for number, text in enumerate((NOON, DUSK, f"{NOON}<p>And again.</p>", DUSK)):
        site.write("/tides", "Tide tables", text)
        kept = await add(product, site.url("/tides"))
        assert kept.outcome is (UPDATED if number else ADDED)
        await product.sync()

    assert "at dusk" in (await stored(product, kept)).text


async def test_of_many_who_bring_a_page_up_to_date_at_once_one_does(product, site, tmp_path):
    await add(product, site.url("/tides"))
    site.write("/tides", "Tide tables", DUSK)
    async with beside(product, tmp_path) as other:
        kept = await asyncio.gather(
            *(runtime.pages.add(NewPage(site.url("/tides")))
              for runtime in (product.runtime, other) for _ in range(3))
        )  # fmt: skip
        await product.pushed()
        await product.runtime.push_pending()

    assert {one.outcome for one in kept} == {UPDATED, UNCHANGED}
    assert "at dusk" in product.sandbox.documents.get(kept[0].content.content.id).text
    assert not await product.runtime.store.outbox(limit=9)


@pytest.mark.parametrize("title", ["", "  \n"])
async def test_a_blank_title_is_none(product, site, title):
    kept = [await add(product, site.url("/tides"), title=title) for _ in range(2)]

    assert [one.outcome for one in kept] == [ADDED, UNCHANGED]
    assert kept[0].content.content.title == "Tide tables"


async def test_the_pages_text_can_be_had_back_after_an_edit(product, site):
    first = await add(product, site.url("/tides"))
    await product.runtime.changes.update(
        first.content.content.id, Change("Nothing of the page."), patience=30
    )

    assert (await add(product, site.url("/tides"))).outcome is UNCHANGED
    again = await add(product, site.url("/tides"), overwrite=True)

    assert again.outcome is UPDATED
    assert "at noon" in (await stored(product, again)).text
    assert (await add(product, site.url("/tides"))).outcome is UNCHANGED


async def test_a_title_that_somebody_gave_stays(product, site):
    await add(product, site.url("/tides"), title="When to sail")
    site.write("/tides", "Tide tables 2027", DUSK)

    again = await add(product, site.url("/tides"))

    assert again.outcome is UPDATED
    assert (await stored(product, again)).title == "When to sail"


async def test_what_a_person_wrote_in_outline_is_never_overwritten(product, site):
    first = await add(product, site.url("/tides"))
    content_id = first.content.content.id
    theirs = product.sandbox.documents.get(content_id).text + "\n\nAnn: the boat leaves at ten."
    product.sandbox.documents.edit(content_id, text=theirs)
    await product.sync()
    site.write("/tides", "Tide tables", DUSK)

    again = await add(product, site.url("/tides"))

    assert again.outcome is EDITED
    assert "overwrite" in again.content.message
    assert "leaves at ten" in product.sandbox.documents.get(content_id).text
    assert "leaves at ten" in (await stored(product, again)).text

    forced = await add(product, site.url("/tides"), overwrite=True)

    assert forced.outcome is UPDATED
    assert "at dusk" in product.sandbox.documents.get(content_id).text


async def test_an_edit_that_was_not_pulled_yet_meets_the_page_as_any_change(product, site):
    first = await add(product, site.url("/tides"))
    content_id = first.content.content.id
    theirs = product.sandbox.documents.get(content_id).text.replace("at noon", "at ten")
    product.sandbox.documents.edit(content_id, text=theirs)
    site.write("/tides", "Tide tables", DUSK)

    again = await add(product, site.url("/tides"))

    assert again.content.outline is PushState.CONFLICT
    assert "at ten" in product.sandbox.documents.get(content_id).text


async def test_an_agents_edit_here_stays_too(product, site):
    first = await add(product, site.url("/tides"))
    await product.runtime.changes.update(
        first.content.content.id, Change("Sail at ten.", mode="append"), patience=30
    )
    site.write("/tides", "Tide tables", DUSK)

    assert (await add(product, site.url("/tides"))).outcome is EDITED


async def test_redirects_lead_to_the_page_that_is_kept(product, site):
    site.redirect("/short", "/tides")
    first = await add(product, site.url("/short"))

    assert (await stored(product, first)).source_url == site.url("/tides")
    assert (await add(product, site.url("/tides"))).outcome is UNCHANGED
    # It moved: what was asked for is the same page all the same.
    site.redirect("/short", "/moved")
    site.write("/moved", "Tide tables", DUSK)
    again = await add(product, site.url("/short"))
    assert (again.outcome, again.content.content.id) == (UPDATED, first.content.content.id)
    # What is at its old place now is another page.
    assert (await add(product, site.url("/tides"))).outcome is ADDED


async def test_pages_that_call_themselves_the_same_are_one(product, site):
    link = '<link rel="canonical" href="/tides">'
    for path in ("/tides?session=1", "/tides?session=2"):
        site.pages[path] = Page(f"<title>Tide tables</title>{link}<main>{NOON}</main>")

    first = await add(product, site.url("/tides?session=1"))
    second = await add(product, site.url("/tides?session=2"))
    third = await add(product, site.url("/tides"))

    assert [second.outcome, third.outcome] == [UNCHANGED, UNCHANGED]
    assert {first.content.content.id} == {k.content.content.id for k in (second, third)}


async def test_a_site_on_which_every_page_calls_itself_the_first_loses_none(product, site):
    link = '<link rel="canonical" href="/">'
    site.pages["/"] = Page(f"<title>Home</title>{link}<main>{NOON}</main>")
    site.pages["/boats"] = Page(f"<title>Boats</title>{link}<main><p>Three of them.</main>")

    kept = [await add(product, site.url(path)) for path in ("/boats", "/", "/boats", "/")]

    assert [one.outcome for one in kept] == [ADDED, ADDED, UNCHANGED, UNCHANGED]
    assert await how_many(product) == 2


async def test_nothing_of_a_page_that_cannot_be_had_is_stored(product, site):
    site.write("/tides", "Tide tables", NOON, status=500)
    site.pages["/secret"] = Page("no", "text/plain", 403)

    for path in ("/missing", "/secret"):
        with pytest.raises(WebRejected):
            await add(product, site.url(path))

    assert await how_many(product) == 0
    assert not await product.runtime.store.outbox(limit=9)
    # Nor does it touch what is kept already.
    site.write("/tides", "Tide tables", NOON)
    kept = await add(product, site.url("/tides"))
    site.pages["/tides"] = Page("gone", "text/plain", 410)
    with pytest.raises(WebRejected):
        await add(product, site.url("/tides"))
    assert "at noon" in (await stored(product, kept)).text


async def test_of_many_who_add_one_page_at_once_one_does(product, site, tmp_path):
    async with beside(product, tmp_path) as other:
        kept = await asyncio.gather(
            *(runtime.pages.add(NewPage(site.url("/tides")))
              for runtime in (product.runtime, other) for _ in range(4))
        )  # fmt: skip
        await product.pushed()

    assert sorted(one.outcome for one in kept) == [ADDED] + [UNCHANGED] * 7
    assert len({one.content.content.id for one in kept}) == 1
    assert await how_many(product) == 1


async def test_a_page_in_the_trash_is_added_anew(tmp_path, site):
    async with opened_product(
        tmp_path, web_allow_private=True, outline_allow_delete=True
    ) as product:
        site.write("/tides", "Tide tables", NOON, headers={"ETag": '"v1"'})
        first = await add(product, site.url("/tides"))
        await product.runtime.changes.delete(first.content.content.id, patience=30)

        again = await add(product, site.url("/tides"))

        assert again.outcome is ADDED
        assert again.content.content.id != first.content.content.id


async def test_a_title_too_long_for_outline_can_be_brought_up_to_date(product, site):
    title = "The tables of the tides " * 6
    site.write("/tides", title, NOON)
    await add(product, site.url("/tides"))
    site.write("/tides", title + "for 2027", DUSK)

    again = await add(product, site.url("/tides"))
    content = await stored(product, again)

    assert (again.outcome, again.content.outline) == (UPDATED, PushState.SYNCED)
    assert len(content.title) <= 100
    assert "for 2027" in content.text


async def test_secrets_are_told_and_masked(tmp_path, site):
    token = "ghp_" + "x7Kq2Lm9Pz4Rt6Wv8Ya1" * 2
    secret = f"<pre>token: {token[:40]}</pre><link rel=canonical href='/t?key={token[:40]}'>"
    site.write("/tides", "Tide tables", NOON + secret)
    async with opened_product(tmp_path, web_allow_private=True, redact_secrets=True) as product:
        kept = await add(product, site.url("/tides"))
        site.write("/tides", "Tide tables", DUSK + secret)
        again = await add(product, site.url("/tides"))

        told = [{(one.kind, one.where) for one in done.content.secrets} for done in (kept, again)]
        places = {("GitHub token", "content"), ("GitHub token", "metadata 'canonical'")}
        assert told == [places, places]
        assert again.outcome is UPDATED
        content = await stored(product, again)
        assert token[:40] not in f"{content}"
