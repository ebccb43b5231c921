"""REST, as a script meets it."""

import asyncio
import json
import math
from dataclasses import replace

import pytest
from fake_services import FakeServices, local_services, result
from web_client import app, client

from personal_context.domain.errors import (
    ContentNotFound,
    EmbeddingMismatch,
    EmbeddingUnavailable,
    InvalidInput,
    StoreError,
    UpstreamAuthError,
    UpstreamNotConfigured,
    UpstreamRateLimited,
    UpstreamRejected,
    UpstreamUnavailable,
)
from personal_context.domain.models import (
    EVERYTHING,
    ReindexProgress,
    ReindexState,
    SearchFilters,
    SourceType,
)

NOTES_AND_WEB = SearchFilters(frozenset({SourceType.NOTE, SourceType.WEB}))


@pytest.fixture
def services():
    return FakeServices()


@pytest.fixture
async def web(services):
    async with client(app(services)) as web:
        yield web


async def test_liveness_says_ok_and_nothing_else(web):
    answer = await web.get("/livez")

    assert (answer.status_code, answer.text) == (200, "ok")


async def test_reindexing_answers_when_it_has_ended(web):
    answer = await web.post("/api/reindex")

    assert answer.status_code == 200
    assert answer.json() == {"total": 256, "success": 256, "errors": 0}


async def test_reindexing_can_be_left_alone(web, services):
    services.reindex.step = 64

    started = await web.post("/api/reindex", params={"wait": "false"})
    progress = (await web.get("/api/reindex")).json()

    assert started.status_code == 202
    assert started.json()["state"] == "running"
    assert progress == {
        "state": "running",
        "total": 256,
        "success": 64,
        "errors": 0,
        "rate": 64.0,
        "eta_seconds": 3.0,
        "message": None,
        "held": False,
        "model": None,
    }


async def test_reindexing_can_take_over_what_is_there(web, services):
    await web.post("/api/reindex?reuse=true")

    assert services.reindex.reused


async def test_a_reindexing_can_be_paused_resumed_and_cancelled(web, services):
    services.reindex.step = 1
    await web.post("/api/reindex?wait=false")
    told = [(await web.post(f"/api/reindex/{act}")).json() for act in ("pause", "resume", "cancel")]

    assert [(one["state"], one["held"]) for one in told] == [
        ("paused", True),
        ("running", False),
        ("idle", False),
    ]
    assert (await web.get("/api/reindex/pause")).status_code == 405


async def test_who_waits_is_told_of_a_pause(web, services):
    async def held():
        return ReindexProgress(ReindexState.PAUSED, 256, 10, held=True)

    services.reindex.wait = held

    answer = await web.post("/api/reindex")

    assert answer.status_code == 202
    assert (answer.json()["state"], answer.json()["held"]) == ("paused", True)


def events_of(text):
    blocks = [block.split("\r\n") for block in text.strip().split("\r\n\r\n")]
    fields = [dict(line.split(": ", 1) for line in block) for block in blocks]
    return [(one["event"], json.loads(one["data"])) for one in fields if "event" in one]


async def test_a_reindexing_can_be_followed_to_its_end(web, services):
    services.reindex.step = 100
    await web.post("/api/reindex?wait=false")

    answer = await web.get("/api/reindex/events")

    assert answer.headers["content-type"].startswith("text/event-stream")
    followed = events_of(answer.text)
    assert [name for name, _ in followed] == ["progress", "progress", "end"]
    assert [data["success"] for _, data in followed] == [100, 200, 256]
    assert followed[-1][1]["state"] == "done"


async def test_following_nothing_ends_at_once(web, services):
    services.reindex.now = ReindexProgress(ReindexState.PAUSED, 9, 1, message="“…”", held=True)

    [(name, data)] = events_of((await web.get("/api/reindex/events")).text)

    assert (name, data["held"], data["message"]) == ("end", True, "“…”")


async def test_nobody_waits_forever_for_a_provider_that_is_away(services, web):
    async def forever():
        await asyncio.Event().wait()

    services.reindex.wait = forever
    services.reindex.now = ReindexProgress(ReindexState.PAUSED, 256, message="connection refused")

    answer = await web.post("/api/reindex")

    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "embedding_unavailable"
    assert answer.json()["error"]["cause"] == "connection refused"


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("The provider refused: 401.", "The provider refused: 401."),
        (None, "It was stopped before its end."),
    ],
)
async def test_a_reindexing_that_came_to_nothing_is_an_error(web, services, message, cause):
    async def ended():
        return ReindexProgress(ReindexState.IDLE, message=message)

    services.reindex.wait = ended

    answer = await web.post("/api/reindex")

    assert answer.status_code == 502
    error = answer.json()["error"]
    assert (error["code"], error["cause"]) == ("embedding_rejected", cause)
    assert error["hint"]


async def test_sync_reports_each_collection(web, services):
    answer = await web.post("/api/sync")
    await web.post("/api/sync?full=true")
    await web.post("/api/sync?confirm_removals=Operations")

    assert answer.status_code == 200
    [report] = answer.json()["reports"]
    assert (report["name"], report["created"], report["updated"]) == ("Operations", 3, 1)
    assert answer.json()["ok"] is True
    assert services.sync.asked == ["changes", "full", "confirmed Operations"]


async def test_who_does_not_wait_for_a_sync_is_told_that_it_runs(web, services):
    services.sync.go = asyncio.Event()
    answer = await web.post("/api/sync?wait=false")
    services.sync.go.set()
    ended = await web.post("/api/sync")

    assert (answer.status_code, answer.json()) == (202, {"running": True, "passes": []})
    assert ended.json()["ok"] is True
    assert services.sync.asked[0] == "changes"


@pytest.mark.parametrize("fault", [{"error": "access lost"}, {"failed": {"d1": "too long"}}])
async def test_a_failed_pass_or_document_is_not_ok(web, services, fault):
    services.sync.reports = [replace(services.sync.reports[0], **fault)]

    answer = (await web.post("/api/sync")).json()

    assert answer["ok"] is False
    assert answer["reports"][0].items() >= fault.items()


async def test_sync_without_an_outline_says_what_to_set():
    async with client(app(local_services())) as web:
        answer = await web.post("/api/sync")

    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "upstream_not_configured"
    assert "PERSONAL_CONTEXT_OUTLINE_API_BASE" in answer.json()["error"]["hint"]


async def test_status_tells_everything(web):
    answer = (await web.get("/api/status")).json()

    assert answer["counts"]["contents"] == 1284
    assert answer["collections"][0]["finished_at"] == "2026-01-02T11:57:00+00:00"
    assert answer["index"]["model"]["name"] == "all-MiniLM-L6-v2"
    assert answer["reindex"]["state"] == "idle"


async def test_a_search_result_says_where_it_stands_and_why(web):
    answer = (await web.get("/api/search", params={"q": "backup", "limit": 1})).json()

    assert (answer["query"], answer["mode"], answer["degraded"]) == ("backup", "hybrid", None)
    [found] = answer["results"]
    assert found == {
        "id": "5d2b7c1e-0b57-4c51-9a3e-1c5a4a1d2f10",
        "title": "Restoring the database",
        "score": 0.93,
        "scores": {
            "vector": 1.0,
            "keyword": 0.825,
            "fused": 0.93,
            "cosine": 0.71,
            "bm25": 4.2,
        },
        "matched": ["title", "keyword", "meaning"],
        "highlights": [],
        "more_sections": [],
        "preview": "Stop the writers, copy the newest backup over the data folder, "
        "start one writer.",
        "section": {"heading_path": ["Backups", "Restore"], "line_start": 12, "line_end": 20},
        "source_type": "outline",
        "url": "https://wiki.example/doc/restoring-the-database-a1B2c3D4e5",
        "tags": ["runbook"],
        "path": ["Operations", "Runbooks"],
        "updated_at": "2025-12-30T12:00:00+00:00",
        "hash": "",
    }


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("", EVERYTHING),
        ("&source_type=&tag=&collection=%20", EVERYTHING),
        ("&source_type=note", SearchFilters(frozenset({SourceType.NOTE}))),
        ("&source_type=note&source_type=web", NOTES_AND_WEB),
        ("&source_type=note,%20WEB,", NOTES_AND_WEB),
        ("&tag=ops&tag=on%20call,%20all", SearchFilters(tags=frozenset({"ops", "on call, all"}))),
        ("&collection=Run%20books", SearchFilters(collection="Run books")),
    ],
)
async def test_filters_narrow_the_search(web, services, given, asked):
    answer = await web.get(f"/api/search?q=x{given}")

    assert answer.status_code == 200
    assert services.search.asked == [("x", 10, asked)]


async def test_as_many_results_may_be_asked_for_as_elsewhere(web, services):
    answer = await web.get("/api/search?q=x&limit=100")

    assert answer.status_code == 200
    assert services.search.asked == [("x", 100, EVERYTHING)]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "q=",
        "q=%20%09",
        "q=x&limit=0",
        "q=x&limit=101",
        "q=x&limit=ten",
        "q=x&limit=-1",
        "q=x&limit=1e9",
        "q=x&limit=" + "9" * 5000,
        "q=x&source_type=outline,mail",
    ],
)
async def test_a_search_that_makes_no_sense_says_so(web, services, query):
    answer = await web.get(f"/api/search?{query}")

    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "invalid_input"
    assert error["message"]
    assert error["hint"]
    assert len(error["cause"]) < 200
    assert services.search.asked == []


@pytest.mark.parametrize(
    "query", ["%00", "%ED%A0%80", "%FF%FE", "%22%20OR%20*", "%E2%80%AE", "e" * 8000]
)
async def test_any_typed_text_gives_an_answer(web, query):
    answer = await web.get(f"/api/search?q={query}")

    assert answer.status_code == 200
    assert answer.json()["results"]


async def test_a_long_query_is_answered_but_not_repeated(web, services):
    answer = await web.get("/api/search", params={"q": "e" * 8000})

    assert answer.json()["query"] == "e" * 199 + "…"
    assert services.search.asked[0][0] == "e" * 8000


async def test_what_json_cannot_hold_is_left_out(web, services):
    services.search.found = [result("half \ud800 a pair", score=math.nan)]

    [found] = (await web.get("/api/search?q=x")).json()["results"]

    assert found["title"] == "half ? a pair"
    assert found["score"] is None


ERRORS = [
    (InvalidInput("no"), 400, "invalid_input"),
    (ContentNotFound("no"), 404, "not_found"),
    (UpstreamNotConfigured("no"), 409, "upstream_not_configured"),
    (EmbeddingMismatch("no"), 409, "embedding_mismatch"),
    (UpstreamAuthError("no", status=401), 502, "upstream_auth"),
    (UpstreamRejected("no", status=400), 502, "upstream_rejected"),
    (UpstreamUnavailable("no"), 503, "upstream_unavailable"),
    (UpstreamRateLimited("no", retry_after=1.2), 503, "upstream_rate_limited"),
    (EmbeddingUnavailable("no"), 503, "embedding_unavailable"),
    (StoreError("no", cause="disk full"), 500, "store"),
]


@pytest.mark.parametrize(("error", "status", "code"), ERRORS)
async def test_every_error_has_its_status(web, services, error, status, code):
    services.error = error

    answer = await web.get("/api/status")

    assert answer.status_code == status
    assert answer.json() == {
        "error": {"code": code, "message": "no", "cause": error.cause, "hint": error.hint}
    }


async def test_a_rate_limit_says_how_long_to_wait(web, services):
    services.error = UpstreamRateLimited("no", retry_after=1.2)

    assert (await web.get("/api/status")).headers["Retry-After"] == "2"


async def test_an_unforeseen_error_gives_nothing_away(web, services, caplog):
    services.error = RuntimeError("/home/joe/secret.db")

    answer = await web.get("/api/status")

    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal"
    assert "secret" not in answer.text
    assert "secret.db" in caplog.text


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/nothing", 404, "no_such_route"),
        ("DELETE", "/api/status", 405, "method_not_allowed"),
        ("PUT", "/api/sync", 405, "method_not_allowed"),
        ("PUT", "/api/reindex", 405, "method_not_allowed"),
    ],
)
async def test_wrong_addresses_and_methods_have_the_same_form(web, method, path, status, code):
    answer = await web.request(method, path, headers={"Accept": "text/html"})

    assert answer.status_code == status
    assert answer.json()["error"]["code"] == code
