"""The page's buttons, pressed by a browser without scripts and by htmx."""

import asyncio
from dataclasses import replace

import pytest
from fake_services import FakeReindex, FakeServices
from web_client import HTMX, app, client

from personal_context.domain.errors import UpstreamUnavailable
from personal_context.domain.models import Health, ReindexProgress, ReindexState
from personal_context.sync.by_hand import Asked
from personal_context.web.pace import Pace


@pytest.fixture
def services():
    return FakeServices()


@pytest.fixture
async def web(services):
    async with client(app(services)) as web:
        yield web


async def test_reindexing_starts_without_scripts(web, services):
    pressed = await web.post("/reindex")
    page = (await web.get(pressed.headers["Location"])).text

    assert pressed.status_code == 303
    assert "0 of 256 sections" in page
    assert '<noscript><meta http-equiv="refresh"' in page
    assert services.reindex.starts == 1


async def test_reindexing_shows_its_bar_until_the_end(web, services):
    services.reindex.step = 100

    pressed = (await web.post("/reindex", headers=HTMX)).text
    later = [(await web.get("/panel", headers=HTMX)).text for _ in range(2)]

    assert 'max="256" value="100"' in pressed
    assert 'hx-trigger="every 1s,' in pressed
    assert 'max="256" value="200"' in later[0]
    assert "39 %" in pressed
    assert 'max="256" value="256"' in later[1]
    assert "100 %" in later[1]
    assert 'hx-trigger="every 20s,' in later[1]


async def test_a_paused_reindex_says_why(web, services):
    services.reindex.now = ReindexProgress(
        ReindexState.PAUSED, 256, 10, 2, message="connection refused"
    )

    page = (await web.get("/")).text

    assert "Reindexing is paused" in page
    assert "connection refused" in page
    assert "12 of 256 sections · 2 errors" in page


async def test_a_reindex_is_paused_resumed_and_cancelled_by_its_buttons(web, services):
    services.reindex.now = ReindexProgress(ReindexState.RUNNING, 256, 10)
    running = (await web.get("/panel", headers=HTMX)).text
    paused = (await web.post("/reindex/pause", headers=HTMX)).text
    resumed = (await web.post("/reindex/resume", headers=HTMX)).text
    cancelled = (await web.post("/reindex/cancel", headers=HTMX)).text

    assert 'hx-post="/reindex/pause"' in running
    assert 'hx-post="/reindex/resume"' in paused
    assert "/reindex/pause" not in paused
    assert 'hx-post="/reindex/pause"' in resumed
    assert "reindex-bar" not in cancelled
    assert "/reindex/cancel" not in cancelled


async def test_a_reindex_that_failed_for_every_section_says_so(web, services):
    services.reindex.now = ReindexProgress(ReindexState.DONE, 9, 0, 9, message="wrong model")

    page = (await web.get("/")).text

    assert "Reindexing failed: the vectors in use stay as they are" in page
    assert "wrong model" in page


async def test_reindexing_nothing_has_a_full_bar(web, services):
    services.reindex = FakeReindex(ReindexProgress(ReindexState.DONE))

    assert 'max="1" value="1"' in (await web.get("/")).text


async def test_sync_shows_what_it_did(web, services):
    pressed = await web.post("/sync")
    page = (await web.get(pressed.headers["Location"])).text

    assert pressed.status_code == 303
    assert "3 new, 1 changed in 1 collection." in page
    assert services.sync.asked == ["changes"]


async def test_a_full_resync_is_full(web, services):
    answer = await web.post("/sync?full=true", headers=HTMX)

    assert services.sync.asked == ["full"]
    assert "3 new" in answer.text


async def test_what_sync_could_not_do_is_listed(web, services):
    services.sync.reports = [
        replace(services.sync.reports[0], failed={"d1": "title is <b>odd</b>"}, error="cut short")
    ]

    page = (await web.post("/sync", headers=HTMX)).text

    assert "Operations: cut short" in page
    assert "Operations, d1: title is &lt;b&gt;odd&lt;/b&gt;" in page


async def test_a_sync_that_fails_says_why(web, services):
    services.sync.error = UpstreamUnavailable("Outline does not answer.", cause="timed out")

    page = (await web.post("/sync", headers=HTMX)).text

    assert "Outline does not answer." in page
    assert "timed out" in page


async def test_a_long_sync_goes_on_while_the_page_looks(services):
    begun, go, calls = asyncio.Event(), asyncio.Event(), []

    async def slow(*, full, confirm_removals, on_progress):
        calls.append(full)
        begun.set()
        await go.wait()
        return ()

    services.sync.sync_now = slow
    async with client(app(services, pace=Pace(press=0.0))) as web:
        first = asyncio.create_task(web.post("/sync", headers=HTMX))
        second = asyncio.create_task(web.post("/sync", headers=HTMX))
        full = asyncio.create_task(web.post("/sync?full=true", headers=HTMX))
        await begun.wait()
        meanwhile = (await web.get("/panel", headers=HTMX)).text
        joined = asyncio.create_task(services.by_hand.ask(Asked(full=True), patience=None))
        await asyncio.gather(first, second, full)
        go.set()
        await joined

    assert "Syncing…" in meanwhile
    assert calls == [False, True]  # the second press joined the first, the full one did not


async def test_held_removals_have_a_button_that_names_their_collection(web, services):
    held = replace(services.shown.collections[1], pending_removals=12, health=Health.HELD)
    services.shown = replace(services.shown, collections=[held])

    page = (await web.get("/")).text
    await web.post("/sync?confirm_removals=c2")

    assert "Remove 12 documents" in page
    assert "/sync?confirm_removals=c2=12" in page
    assert services.sync.asked == ["confirmed c2"]
