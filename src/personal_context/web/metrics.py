"""`/metrics`: what there is and what was asked, in Prometheus' format."""

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from personal_context.domain.models import Health, Status
from personal_context.web.exposition import MEDIA_TYPE, Family, Sample, exposition, gauge
from personal_context.web.guard import as_json
from personal_context.web.services import Services
from personal_context.web.traffic import BUCKETS, Traffic

PATH = "/metrics"


def routes(services: Services, traffic: Traffic) -> list[Route]:
    """Return the route, bound to what it tells of."""

    async def metrics(_: Request) -> Response:
        families = [
            *requested(traffic),
            *held(await services.status()),
            *process(),
        ]
        return Response(exposition(families), media_type=MEDIA_TYPE)

    return [Route(PATH, as_json(metrics), name="metrics")]


def requested(traffic: Traffic) -> Iterator[Family]:
    """What was asked over HTTP."""
    name = "personal_context_http"
    yield Family(
        f"{name}_requests_total",
        "counter",
        "Requests by their answer; status 0 where the caller left before it.",
        [
            Sample(count, {"method": method, "route": route, "status": str(status)})
            for (method, route, status), count in sorted(traffic.answers.items())
        ],
    )
    yield Family(
        f"{name}_request_duration_seconds",
        "histogram",
        "Time until the answer began.",
        list(_durations(traffic)),
    )
    yield gauge(f"{name}_requests_open", "Requests being answered, with streams.", traffic.open)


def _durations(traffic: Traffic) -> Iterator[Sample]:
    for (method, route), waits in sorted(traffic.waits.items()):
        labels = {"method": method, "route": route}
        ends = [*map(str, BUCKETS), "+Inf"]
        for end, count in zip(ends, accumulate(waits.counts), strict=True):
            yield Sample(count, {**labels, "le": end}, "_bucket")
        yield Sample(waits.sum, labels, "_sum")
        yield Sample(sum(waits.counts), labels, "_count")


def held(status: Status) -> Iterator[Family]:
    """What the store holds, and how sync, index and outbox are."""
    name, counts, index = "personal_context", status.counts, status.index.progress
    yield _by(f"{name}_info", "The program.", "version", {status.version: 1})
    yield _by(f"{name}_contents", "Contents.", "source_type", counts.by_source_type)
    yield gauge(f"{name}_sections", "Sections.", counts.sections)
    yield gauge(f"{name}_trashed", "Contents in the local trash.", counts.trashed)
    yield _by(f"{name}_outbox", "Pushes that Outline has not confirmed.", "state", counts.outbox)
    yield gauge(f"{name}_sections_embedded", "Sections with their vector.", index.done)
    yield gauge(f"{name}_sections_missing", "Sections without a vector.", index.missing)
    yield gauge(f"{name}_sections_refused", "Sections that the provider refuses.", index.failed)
    meaning_on = status.index.degraded is None
    yield gauge(f"{name}_meaning_up", "Whether search by meaning is on.", int(meaning_on))
    yield gauge(
        f"{name}_sync_failures", "Documents that could not be stored.", len(status.failures)
    )
    yield gauge(f"{name}_clock_up", "Whether some process runs the sync.", int(status.clock_runs))
    yield from _collections(status)
    yield Family(
        f"{name}_embedding_tokens_total",
        "counter",
        "Tokens that embedding servers were asked for.",
        [
            Sample(tokens, {"provider": provider, "model": model})
            for (provider, model), tokens in _tokens(status).items()
        ],
    )


def _tokens(status: Status) -> Mapping[tuple[str, str], int]:
    tokens: Counter[tuple[str, str]] = Counter()
    for one in status.usage:
        tokens[one.provider, one.model] += one.tokens
    return tokens


def _collections(status: Status) -> Iterator[Family]:
    name = "personal_context_collection"
    labelled = [
        (one, {"id": one.collection_id, "collection": one.name}) for one in status.collections
    ]
    yield Family(
        f"{name}_documents",
        "gauge",
        "Contents of a collection.",
        [Sample(one.documents, labels) for one, labels in labelled],
    )
    yield Family(
        f"{name}_up",
        "gauge",
        "Whether a collection is as it should be.",
        [Sample(int(one.health in _WELL), labels) for one, labels in labelled],
    )
    yield Family(
        f"{name}_last_pull_timestamp_seconds",
        "gauge",
        "When its last good pass ended.",
        [
            Sample(one.finished_at.timestamp(), labels)
            for one, labels in labelled
            if one.finished_at is not None
        ],
    )


_WELL = frozenset({Health.GOOD, Health.SYNCING, Health.NEW})


def process() -> Iterator[Family]:
    """What this process uses, under the names that Prometheus' own clients give; on Linux."""
    yield Family(
        "process_cpu_seconds_total",
        "counter",
        "Processor time.",
        [Sample(time.process_time())],
    )
    if sys.platform != "linux":
        return
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    yield gauge("process_resident_memory_bytes", "Memory.", pages * os.sysconf("SC_PAGE_SIZE"))
    yield gauge("process_open_fds", "Open file handles.", len([*Path("/proc/self/fd").iterdir()]))


def _by(name: str, meaning: str, label: str, values: Mapping[str, int]) -> Family:
    samples = [Sample(value, {label: key}) for key, value in values.items()]
    return Family(name, "gauge", meaning, samples)
