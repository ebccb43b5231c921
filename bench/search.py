"""Hybrid search in process, part by part, beside the bare indexes on the same file.

Documents are made up; so are the vectors (around topics), because their making is not measured.
Each query is embedded by the embedded model. Every query is asked of the product, then of the bare
parts, so that a busy machine slows both.
"""

import asyncio
import json
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from time import perf_counter
from uuid import UUID

import numpy as np
from common import finish, median, parser, percentile, rss_mb, settings_of, show_table
from documents import Writer

from personal_context.db.filtering import expression
from personal_context.db.opening import open_connection
from personal_context.db.vector_rows import table
from personal_context.domain.models import (
    Content,
    ContentId,
    Generation,
    GenerationState,
    LogEntry,
    SourceType,
)
from personal_context.embeddings.local import LocalEmbedder
from personal_context.embeddings.tokens import MiniLMTokenCounter
from personal_context.indexing.prepare import Preparer
from personal_context.runtime import Runtime, build_runtime
from personal_context.search.fusion import CANDIDATES
from personal_context.search.query import keyword_query

PARTS = ("embed", "keyword", "vector", "fusion", "other", "total")
"""As the answer times them; other: exact cosines of what only words found, texts, waiting."""

TOPICS = 64
BORN = datetime(2026, 1, 1, tzinfo=UTC)

Texts = Iterator[tuple[str, str]]
"""(title, Markdown) of each document."""


# --- what is searched


def made_up() -> tuple[Texts, Iterator[str]]:
    """Return documents and queries of two to seven words."""
    writer, asker = Writer(1), Writer(2)

    def texts() -> Texts:
        while True:
            yield writer.title(), writer.document([])

    def queries() -> Iterator[str]:
        while True:
            yield " ".join(asker.words(2 + asker.pick(6)))

    return texts(), queries()


def collection(folder: Path) -> tuple[Texts, Iterator[str]]:
    """Return documents and queries of a folder with corpus.jsonl and queries.jsonl."""

    def read(name: str) -> Iterator[dict[str, str]]:
        return map(json.loads, (folder / name).read_text().splitlines())

    texts = ((line["title"], line["text"]) for line in read("corpus.jsonl"))
    return texts, (line["text"] for line in read("queries.jsonl"))


async def fill(runtime: Runtime, texts: Texts, sections: int) -> None:
    """Store documents until there are enough sections, or no more documents."""
    prepare = Preparer(MiniLMTokenCounter())
    held = 0
    for number, (title, text) in enumerate(texts):
        indexed = await prepare(title, text)
        content_id = ContentId(str(UUID(int=number, version=4)))
        content = Content(content_id, SourceType.NOTE, title, text, indexed.readable, BORN, BORN)
        await runtime.store.add(content, indexed, log=LogEntry("create", content_id=content_id))
        held += len(indexed.sections)
        if held >= sections:
            break


async def add_vectors(runtime: Runtime) -> Generation:
    """Give every section a unit vector near one of the topics."""
    model = await runtime.embedder.model()
    generation = await runtime.index.create(model, GenerationState.ACTIVE)
    random = np.random.default_rng(1)
    topics = random.standard_normal((TOPICS, model.dimension))
    while items := await runtime.index.backlog(generation.id, limit=1000):
        noise = random.standard_normal((len(items), model.dimension))
        vectors = topics[random.integers(TOPICS, size=len(items))] + noise
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = vectors.astype(np.float32)
        await runtime.index.store(generation.id, list(zip(items, vectors, strict=True)))
    return generation


# --- the measurement


class Bare:
    """The two indexes and the model, asked without the product around them."""

    def __init__(self, path: Path, generation: Generation, embedder: LocalEmbedder) -> None:
        self._connection = open_connection(path)
        self._knn = (
            f"SELECT rowid, distance FROM {table(generation.id)}"
            f" WHERE embedding MATCH ? AND k = {CANDIDATES}"
        )
        self._fts = (
            "SELECT rowid, rank FROM content_fts WHERE content_fts MATCH ?"
            f" ORDER BY rank LIMIT {CANDIDATES}"
        )
        self._embedder = embedder

    async def ask(self, query: str) -> dict[str, float]:
        begin = perf_counter()
        vector = (await self._embedder.embed_query(query)).tobytes()
        embedded = perf_counter()
        self._connection.execute(self._knn, (vector,)).fetchall()
        scanned = perf_counter()
        match = expression(keyword_query(query).weights)
        if match:
            self._connection.execute(self._fts, (match,)).fetchall()
        end = perf_counter()
        times = {"embed": embedded - begin, "vector": scanned - embedded, "keyword": end - scanned}
        return {part: seconds * 1000 for part, seconds in times.items()} | {
            "total": (end - begin) * 1000
        }

    def close(self) -> float:
        """Return the size of the database in MB, what is still in the -wal included."""
        pragmas = ("page_count", "page_size")
        pages, size = (self._connection.pragma(pragma) for pragma in pragmas)
        self._connection.close()
        return pages * size / 1e6


async def ask_product(runtime: Runtime, query: str) -> dict[str, float]:
    begin = perf_counter()
    answer = await runtime.search.search(query)
    total = (perf_counter() - begin) * 1000
    if answer.mode != "hybrid":
        raise SystemExit(f"Search by meaning is off: {answer.degraded}")
    # Words and meaning are looked for at the same time.
    meaning = answer.timings["embed"] + answer.timings["vector"]
    timed = max(meaning, answer.timings["keyword"]) + answer.timings["fusion"]
    return {**answer.timings, "other": total - timed, "total": total}


async def measure(
    sections: int, queries: int, source: Path | None
) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Return the times of each part and the size of what was searched."""
    texts, asked = collection(source) if source else made_up()
    embedder = LocalEmbedder()
    with tempfile.TemporaryDirectory(prefix="bench-search-") as folder:
        path = Path(folder, "context.db")
        runtime = build_runtime(settings_of(db_path=path), embedder=embedder)
        async with runtime:
            await fill(runtime, texts, sections)
            generation = await add_vectors(runtime)
            bare = Bare(path, generation, embedder)
            questions = list(islice(asked, queries + 10))
            for query in questions[:10]:  # model, caches and connections become warm
                await ask_product(runtime, query)
                await bare.ask(query)
            pairs = [(await ask_product(runtime, q), await bare.ask(q)) for q in questions[10:]]
            size_mb = bare.close()
            counts = await runtime.store.counts()
            progress = (await runtime.indexer.status()).progress
            size = {
                "contents": counts.contents,
                "sections": progress.done,
                "file_mb": size_mb,
                "rss_mb": rss_mb(),
            }
    return figures(pairs), size


def figures(
    pairs: Sequence[tuple[dict[str, float], dict[str, float]]],
) -> dict[str, dict[str, float]]:
    found = {}
    for part in PARTS:
        ours = [product[part] for product, _ in pairs if part in product]
        theirs = [bare[part] for _, bare in pairs if part in bare]
        found[part] = {"p50_ms": median(ours), "p95_ms": percentile(ours, 0.95)}
        if theirs:
            found[part] |= {"bare_p50_ms": median(theirs), "ratio": median(ours) / median(theirs)}
    return found


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument(
        "--sections", type=int, action="append", help="repeatable; 1000 and 10000 if not given"
    )
    arguments.add_argument("--queries", type=int, default=100, help="queries that are measured")
    arguments.add_argument(
        "--collection", type=Path, help="a folder with corpus.jsonl and queries.jsonl"
    )
    options = arguments.parse_args()
    results = []
    for sections in options.sections or (1_000, 10_000):
        times, size = asyncio.run(measure(sections, options.queries, options.collection))
        results.append({"size": size, "times": times})
        show_table(
            f"{size['sections']:,} sections of {size['contents']:,} contents,"
            f" file {size['file_mb']:.0f} MB, process {size['rss_mb']:.0f} MB",
            ("", "p50 ms", "p95 ms", "bare p50 ms", "ratio"),
            [(part, *(*row.values(), "", "")[:4]) for part, row in times.items()],
        )
    print("\nbare: model, sqlite-vec and FTS5 one after the other; total is their sum.")
    finish({"bench": "search", "results": results}, as_json=options.json)


if __name__ == "__main__":
    main()
