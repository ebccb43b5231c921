"""Reindexing beside the bare model, what a change costs, and queries meanwhile.

    uv run bench/reindex.py [--sections 600] [--changed 0.01] [--queries 100] [--json]

See bench/README.md.
"""

import asyncio
import random
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from uuid import UUID

from common import Stopwatch, Target, finish, parser, percentile, show_table

from personal_context.db.connection import Database
from personal_context.db.sqlite import SqliteStore
from personal_context.db.vectors import SqliteVectorIndex
from personal_context.domain.models import Content, ContentId, LogEntry, SourceType
from personal_context.embeddings.local import LocalEmbedder
from personal_context.embeddings.tokens import MiniLMTokenCounter
from personal_context.indexing.indexer import Indexer
from personal_context.indexing.prepare import Preparer
from personal_context.indexing.reindex import Reindexer
from personal_context.ports import Embedder, Store, VectorIndex

SECTIONS_PER_DOCUMENT = 10
WORDS_PER_SECTION = 55
SAMPLE = 200
SPEED_TARGET = Target(0.9, at_most=False)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Counting(LocalEmbedder):
    """Counts the passages that it embeds."""

    embedded = 0

    async def embed(self, texts):
        self.embedded += len(texts)
        return await super().embed(texts)


# --- documents


def text_of(number: int, edited: int | None = None) -> str:
    """Return a document with headings; with `edited`, that section says something else."""
    parts = []
    for section in range(SECTIONS_PER_DOCUMENT):
        draw = random.Random(f"{number} {section} {section == edited}")
        words = " ".join(_word(draw) for _ in range(WORDS_PER_SECTION))
        parts.append(f"# Part {section}\n\n{words}.\n")
    return "\n".join(parts)


def _word(draw: random.Random) -> str:
    return "".join(draw.choice("bdfgklmnprst") + draw.choice("aeiou") for _ in range(2))


async def write(store: Store, prepare: Preparer, number: int, text: str) -> None:
    title = f"Document {number}"
    indexed = await prepare(title, text)
    content = Content(
        id=ContentId(str(UUID(int=number, version=4))),
        source_type=SourceType.OUTLINE,
        title=title,
        text=text,
        readable=indexed.readable,
        created_at=NOW,
        updated_at=NOW,
    )
    await store.mirror(replace(content, readable=indexed.readable), indexed, log=LogEntry("bench"))


# --- what is measured


async def raw_speed(embedder: Embedder, texts: Sequence[str]) -> float:
    """Return the texts a second of the model alone, in the batches that suit it."""
    begin = perf_counter()
    for start in range(0, len(texts), embedder.batch_size):
        await embedder.embed(texts[start : start + embedder.batch_size])
    return len(texts) / (perf_counter() - begin)


async def query_times(embedder: Embedder, queries: int) -> list[float]:
    """Return the milliseconds of single queries, 20 ms apart."""
    times = []
    for number in range(queries):
        begin = perf_counter()
        await embedder.embed_query(f"how is part {number} restored after an outage")
        times.append((perf_counter() - begin) * 1000)
        await asyncio.sleep(0.02)
    return times


async def measure(options) -> dict[str, object]:
    prepare = Preparer(MiniLMTokenCounter())
    documents = max(1, options.sections // SECTIONS_PER_DOCUMENT)
    with tempfile.TemporaryDirectory() as folder:
        async with Database(Path(folder) / "context.db") as database, Counting() as embedder:
            store, index = SqliteStore(database), SqliteVectorIndex(database)
            for number in range(documents):
                await write(store, prepare, number, text_of(number))
            await embedder.warm_up()
            return await _measured(store, index, embedder, prepare, documents, options)


async def _measured(
    store: Store,
    index: VectorIndex,
    embedder: Counting,
    prepare: Preparer,
    documents: int,
    options,
) -> dict[str, object]:
    indexer, reindexer = Indexer(index, embedder), Reindexer(index, embedder)
    generation = await indexer.open_generation()
    sample = [item.text for item in await index.backlog(generation.id, limit=SAMPLE)]
    alone = await query_times(embedder, options.queries)
    before = await raw_speed(embedder, sample)
    await indexer.run_backlog()

    with Stopwatch() as whole:
        await reindexer.start()
        done = await reindexer.wait()
    after = await raw_speed(embedder, sample)
    changes = max(1, round(done.total * options.changed))
    for number in range(changes):
        section = number // documents
        await write(store, prepare, number % documents, text_of(number % documents, section))
    embedder.embedded = 0
    with Stopwatch() as changed:
        await indexer.run_backlog()
    embedded = embedder.embedded
    embedder.embedded = 0
    with Stopwatch() as reused:
        await reindexer.start(reuse=True)
        await reindexer.wait()
    again = embedder.embedded
    await reindexer.start()
    beside = await query_times(embedder, options.queries)
    await reindexer.cancel()

    raw = (before + after) / 2
    speed = done.success / whole.seconds
    return {
        "sections": done.total,
        "raw_sections_per_s": raw,
        "reindex_sections_per_s": speed,
        "ratio": speed / raw,
        "reindex_s": whole.seconds,
        "changed_sections": changes,
        "embedded_after_change": embedded,
        "change_s": changed.seconds,
        "change_share": changed.seconds / whole.seconds,
        "reuse_s": reused.seconds,
        "embedded_by_reuse": again,
        "query_alone_ms": {"p50": percentile(alone, 0.5), "p95": percentile(alone, 0.95)},
        "query_beside_ms": {"p50": percentile(beside, 0.5), "p95": percentile(beside, 0.95)},
    }


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--sections", type=int, default=600, help="about so many are embedded")
    arguments.add_argument("--changed", type=float, default=0.01, help="share that is edited")
    arguments.add_argument("--queries", type=int, default=100, help="queries that are timed")
    options = arguments.parse_args()
    figures = asyncio.run(measure(options))
    show_table(
        f"{figures['sections']} sections with the embedded model",
        ("", "sections/s", "s", "share", ""),
        [
            ("model alone", figures["raw_sections_per_s"], "", "", ""),
            (
                "reindex",
                figures["reindex_sections_per_s"],
                figures["reindex_s"],
                figures["ratio"],
                SPEED_TARGET.verdict(figures["ratio"]),
            ),
            (
                f"{figures['changed_sections']} changed",
                "",
                figures["change_s"],
                figures["change_share"],
                f"{figures['embedded_after_change']} embedded",
            ),
            ("reuse", "", figures["reuse_s"], "", f"{figures['embedded_by_reuse']} embedded"),
        ],
    )
    show_table(
        "Embedding a query, ms",
        ("", "p50", "p95"),
        [
            (name, *figures[key].values())
            for name, key in (("alone", "query_alone_ms"), ("beside a reindex", "query_beside_ms"))
        ],
    )
    finish({"bench": "reindex", **figures}, as_json=options.json)


if __name__ == "__main__":
    main()
