"""What those learn who watch over it: `/health` and `/metrics`."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from fake_outbox import waiting
from fake_services import FakeServices, local_status, status
from product import opened_product
from prometheus_client.parser import text_string_to_metric_families as families_of
from web_client import SECRET, app, basic, client

from personal_context.domain.errors import StoreError
from personal_context.domain.models import (
    CollectionId,
    ContentId,
    EmbeddingUsage,
    Health,
    PushState,
    SyncFailure,
    SyncTrouble,
)
from personal_context.web.exposition import Family, Sample, exposition

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def services():
    return FakeServices()


@pytest.fixture
async def web(services):
    async with client(app(services)) as web:
        yield web


async def health(web):
    answer = await web.get("/health")
    told = answer.json()
    return answer.status_code, told["state"], {c["name"]: c["state"] for c in told["checks"]}


async def test_health_is_as_its_worst_part(web, services):
    code, state, checks = await health(web)

    assert (code, state) == (200, "degraded")
    assert checks == {
        "store": "ok",
        "outline": "ok",
        "collections": "degraded",
        "meaning": "ok",
        "outbox": "ok",
    }
    [troubled] = [c for c in (await web.get("/health")).json()["checks"] if c["message"]]
    assert "Product: Outline answered 403" in troubled["message"]


async def message(web, name):
    told = (await web.get("/health")).json()
    return next(check["message"] for check in told["checks"] if check["name"] == name)


async def test_documents_that_fail_are_named(web, services):
    failing = [
        SyncFailure(
            ContentId(f"id{n}"), CollectionId("c"), "" if n == 1 else f"Rule {n}", "cut", 1, NOW
        )
        for n in range(5)
    ]
    one = replace(services.shown.collections[0], name="Handbook", failing=failing)
    services.shown = replace(services.shown, collections=[one])

    assert (await health(web))[1] == "degraded"
    assert await message(web, "collections") == (
        "Handbook: 5 documents could not be stored: Rule 0 (cut), id1 (cut), Rule 2 (cut), 2 more"
    )


@pytest.mark.parametrize("trouble", [SyncTrouble.KEY_REFUSED, SyncTrouble.UNREACHABLE])
async def test_an_outline_that_does_not_answer_is_told_also_while_it_is_asked_again(
    web, services, trouble
):
    one = replace(
        services.shown.collections[0],
        name="Handbook",
        health=Health.SYNCING,
        trouble=trouble,
        error_message="Outline refused it.\nCause: no",
    )
    services.shown = replace(services.shown, collections=[one])

    assert await message(web, "outline") == "Outline refused it. Cause: no"
    assert await message(web, "collections") == "Handbook: Outline refused it. Cause: no"


async def test_what_is_no_longer_mirrored_troubles_nobody(web, services):
    one = replace(services.shown.collections[0], health=Health.LET_GO, error_message="It was ill.")
    services.shown = replace(services.shown, collections=[one])

    assert (await health(web))[1] == "ok"


async def test_all_well_is_told(web, services):
    services.shown = replace(services.shown, collections=services.shown.collections[:1])

    assert (await health(web))[:2] == (200, "ok")


async def test_without_outline_nothing_is_missing(web, services):
    services.shown = local_status()

    code, state, checks = await health(web)

    assert (code, state, checks["outline"]) == (200, "ok", "off")


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("outline", {"clock_runs": False}),
        ("meaning", {"index": replace(status().index, degraded="The key is refused.")}),
    ],
)
async def test_what_answers_with_less_is_degraded(web, services, name, changes):
    services.shown = replace(services.shown, collections=[], **changes)

    code, state, checks = await health(web)

    assert (code, state, checks[name]) == (200, "degraded", "degraded")


async def test_what_waits_for_a_person_is_degraded(web, services):
    services.shown = replace(services.shown, collections=[])
    services.outbox.waits = [waiting(PushState.CONFLICT)]

    _, state, checks = await health(web)

    assert (state, checks["outbox"]) == ("degraded", "degraded")


async def test_a_store_that_cannot_be_read_fails(web, services):
    services.error = StoreError("The database can't be read.", cause="disk I/O error")

    assert await health(web) == (503, "failing", {"store": "failing"})


async def test_neither_is_for_strangers(services):
    async with client(app(services, credentials=SECRET)) as web:
        for path in ("/health", "/metrics"):
            assert (await web.get(path)).status_code == 401
            assert (await web.get(path, headers=basic())).status_code == 200


async def scraped(web):
    answer = await web.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in families_of(answer.text)
        for sample in family.samples
    }


async def test_prometheus_reads_the_metrics(tmp_path):
    async with opened_product(tmp_path) as product:
        product.write("Kettle", "Copper.")
        await product.sync()
        async with client(app(product.runtime)) as web:
            await web.get("/api/status")
            await web.get("/api/content/nothing")
            await web.request("BREW", "/made/up")
            found = await scraped(web)

    assert found["personal_context_contents", ("source_type", "outline")] == 1
    assert found["personal_context_sections_missing",] == 0
    assert found["process_resident_memory_bytes",] > 10_000_000
    requests = "personal_context_http_requests_total"
    asked = {key[1:]: value for key, value in found.items() if key[0] == requests}
    assert asked == {
        (("method", "GET"), ("route", "/api/status"), ("status", "200")): 1,
        (("method", "GET"), ("route", "/api/content/{reference:path}"), ("status", "404")): 1,
        (("method", "other"), ("route", "other"), ("status", "404")): 1,
    }
    assert found["personal_context_http_requests_open",] == 1
    last = ("personal_context_http_request_duration_seconds_bucket", ("le", "+Inf"))
    assert found[*last, ("method", "GET"), ("route", "/api/status")] == 1


async def test_an_odd_name_breaks_no_line(web, services):
    first = services.shown.collections[0]
    usage = [EmbeddingUsage("openai", "m", 1, 2), EmbeddingUsage("openai", "m", 1, 3)]
    odd = 'a "b"\\\n{c}'
    services.shown = replace(services.shown, collections=[replace(first, name=odd)], usage=usage)

    found = await scraped(web)

    assert found["personal_context_collection_up", ("collection", odd), ("id", "c1")] == 1
    tokens = ("personal_context_embedding_tokens_total", ("model", "m"), ("provider", "openai"))
    assert found[tokens] == 5


def test_what_has_no_values_is_left_out():
    assert exposition([Family("x", "gauge", "X.", [])]) == ""
    assert exposition([Family("x", "gauge", "X.", [Sample(float("inf"))])]).endswith("x +Inf\n")
