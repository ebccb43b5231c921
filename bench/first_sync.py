"""The first sync: mirroring beside fetching the same pages raw, indexing beside the bare model.

The wiki is the sandbox, served from a process of its own over a real socket, without rate limits.
It answers a page of 100 in some 10 ms; a running Outline takes about 1.2 s, so the mirroring is
measured both ways. `--serve` is that process.
"""

import asyncio
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter

import httpx
from common import (
    Stopwatch,
    Target,
    finish,
    median,
    parser,
    rss_mb,
    settings_of,
    show_table,
    stop,
)
from documents import Writer

from personal_context.embeddings.local import LocalEmbedder
from personal_context.ports import Embedder
from personal_context.runtime import Runtime, build_runtime
from personal_context.server.listening import listen
from personal_context.server.serving import web_server
from personal_context.upstream.sandbox.app import Sandbox, create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY

MIRROR_TARGET = Target(0.8, at_most=False)
"""Documents per second beside fetching alone, on a wiki as slow as Outline."""

MEMORY_TARGET = Target(100)
"""MB."""

INDEX_TARGET = Target(0.8, at_most=False)
PAGE = 100
HANDBOOK, SAMPLE = "Handbook", "Sample"
LIST, TREE, COLLECTIONS = "documents.list", "collections.documents", "collections.list"


# --- the wiki, in its own process


def fill(sandbox: Sandbox, name: str, count: int, writer: Writer) -> None:
    """Publish documents: one in ten at the top, the others below any of the hundred before."""
    collection = sandbox.collections.create(name).id
    born = datetime(2026, 1, 1, tzinfo=UTC)
    ids: list[str] = []
    addresses: list[str] = []
    for number in range(count):
        parent = None if number % 10 == 0 else ids[-1 - writer.pick(min(100, number))]
        made = sandbox.documents.create(
            writer.title(),
            writer.document(addresses),
            collection_id=collection,
            parent_id=parent,
            created_at=born + timedelta(minutes=number),
            index=1_000_000,
            raw=True,
        )
        ids.append(made.id)
        addresses.append(f"/doc/{made.url_id}")


async def serve(documents: int, sample: int, page_ms: int) -> None:
    listening = listen("127.0.0.1", 0)
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    async with create_sandbox(base_url=url, rate_limits=False) as sandbox:
        writer = Writer()
        fill(sandbox, HANDBOOK, documents, writer)
        fill(sandbox, SAMPLE, sample, writer)
        if page_ms:
            sandbox.faults.delay(LIST, page_ms / 1000, times=1_000_000)
        print(url, flush=True)
        await web_server(sandbox.app, own_signals=True).serve(sockets=[listening])


@contextmanager
def served_wiki(documents: int, sample: int, page_ms: int) -> Iterator[str]:
    command = [sys.executable, __file__, "--serve", f"--docs={documents}", f"--sample={sample}"]
    process = subprocess.Popen(
        [*command, f"--page-ms={page_ms}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        url = process.stdout.readline().decode().strip()
        if not url:
            sys.exit("The sandbox did not start.")
        yield url
    finally:
        stop(process)


# --- (a) mirroring


def fetch_raw(url: str) -> float:
    """Ask for what a first pull needs, one request after the other; return the seconds."""
    begin = perf_counter()
    headers = {"Authorization": f"Bearer {DEMO_KEY}"}
    with httpx.Client(base_url=f"{url}/api/", headers=headers, timeout=60) as client:

        def ask(endpoint: str, **body: object) -> list[dict[str, object]]:
            return json.loads(client.post(endpoint, json=body).raise_for_status().content)["data"]

        [collection] = [c["id"] for c in ask(COLLECTIONS, limit=PAGE) if c["name"] == HANDBOOK]
        ask(TREE, id=collection)
        offset, full = 0, True
        while full:
            asked = {"collectionId": collection, "sort": "createdAt", "direction": "ASC"}
            full = len(ask(LIST, **asked, offset=offset, limit=PAGE)) == PAGE
            offset += PAGE
    return perf_counter() - begin


def product(url: str, folder: str, collection: str, embedder: Embedder) -> Runtime:
    settings = settings_of(
        db_path=Path(folder, "store", "context.db"),
        outline_api_base=url,
        outline_api_key=DEMO_KEY,
        outline_collection_id=collection,
    )
    return build_runtime(settings, embedder=embedder)


async def mirror(url: str) -> tuple[Stopwatch, int]:
    """Pull everything into an empty store; return the time and the requests."""
    with tempfile.TemporaryDirectory() as folder:
        async with product(url, folder, HANDBOOK, LocalEmbedder()) as runtime:
            with Stopwatch() as watch:
                [report] = await runtime.sync.sync_now()
            if report.error or report.failed:
                sys.exit(f"The pass failed: {report.error or dict(report.failed)}")
            return watch, runtime.upstream.requests_sent


def measure_mirror(url: str, documents: int, rounds: int) -> dict[str, float]:
    raws, watches, requests = [], [], 0
    for _ in range(rounds):
        raws.append(fetch_raw(url))
        watch, requests = asyncio.run(mirror(url))
        watches.append(watch)
    raw, seconds = median(raws), median(watch.seconds for watch in watches)
    return {
        "raw_s": raw,
        "mirror_s": seconds,
        "ratio": seconds / raw,
        "share_of_raw": raw / seconds,
        "mirror_cpu_s": median(watch.cpu_seconds for watch in watches),
        "docs_per_s": documents / seconds,
        "requests": requests,
        "requests_beyond_pages": requests - math.ceil(documents / PAGE),
    }


# --- (b) indexing


async def measure_index(url: str) -> dict[str, float]:
    """Embed a mirrored sample through the backlog, between two runs of the bare model."""
    embedder = LocalEmbedder()
    with tempfile.TemporaryDirectory() as folder:
        async with product(url, folder, SAMPLE, embedder) as runtime:
            await runtime.sync.sync_now()
            generation = await runtime.indexer.open_generation()
            items = await runtime.index.backlog(generation.id, limit=1_000_000)
            texts = [item.text for item in items]
            await embedder.embed(texts[: embedder.batch_size])  # warm

            before = await embed_raw(embedder, texts)
            memory = rss_mb()
            with Stopwatch() as backlog:
                await runtime.embed_backlog()
            grown = rss_mb() - memory
            after = await embed_raw(embedder, texts)
            missing = (await runtime.indexer.status()).progress.missing
    raw = len(texts) / ((before + after) / 2)
    return {
        "sections": len(texts),
        "not_embedded": missing,
        "raw_sections_per_s": raw,
        "sections_per_s": len(texts) / backlog.seconds,
        "ratio": len(texts) / backlog.seconds / raw,
        "rss_growth_mb": grown,
    }


async def embed_raw(embedder: Embedder, texts: list[str]) -> float:
    begin = perf_counter()
    size = embedder.batch_size
    for start in range(0, len(texts), size):
        await embedder.embed(texts[start : start + size])
    return perf_counter() - begin


# --- all of it


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--docs", type=int, default=1000, help="documents that are mirrored")
    arguments.add_argument("--sample", type=int, default=60, help="documents that are embedded")
    arguments.add_argument("--rounds", type=int, default=3, help="mirrorings of the quick wiki")
    arguments.add_argument("--page-ms", type=int, default=1200, help="a page of a slow wiki")
    arguments.add_argument("--serve", action="store_true", help="only serve the wiki")
    options = arguments.parse_args()
    if options.serve:
        asyncio.run(serve(options.docs, options.sample, options.page_ms))
        return

    figures: dict[str, object] = {"bench": "first_sync", "docs": options.docs}
    memory = rss_mb()
    rows = []
    with served_wiki(options.docs, options.sample, 0) as url:
        rows.append(("sandbox", measure_mirror(url, options.docs, options.rounds)))
        figures["mirror"] = rows[0][1]
        figures["mirror_rss_growth_mb"] = rss_mb() - memory
        figures["index"] = index = asyncio.run(measure_index(url))
    if options.page_ms:
        with served_wiki(options.docs, 1, options.page_ms) as url:
            rows.append((f"{options.page_ms} ms a page", measure_mirror(url, options.docs, 1)))
            figures["mirror_slow"] = rows[1][1]

    show_table(
        f"{options.docs} documents, mirrored without embedding",
        (
            "wiki",
            "raw s",
            "mirror s",
            "ratio",
            "share",
            "cpu s",
            "docs/s",
            "requests",
            "beyond pages",
            "",
        ),
        [
            (name, *row.values(), MIRROR_TARGET.verdict(row["share_of_raw"]) if number else "")
            for number, (name, row) in enumerate(rows)
        ],
    )
    grown = figures["mirror_rss_growth_mb"]
    print(f"  memory grew by {grown:.0f} MB, {MEMORY_TARGET.verdict(grown)}")
    show_table(
        "Backlog with the embedded model",
        ("sections", "left", "model alone/s", "backlog/s", "ratio", "grown MB", ""),
        [(*index.values(), INDEX_TARGET.verdict(index["ratio"]))],
    )
    finish(figures, as_json=options.json)


if __name__ == "__main__":
    main()
