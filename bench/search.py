"""Hybrid search in process at any size, part by part, beside the bare indexes on the same file.

See bench/README.md.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from bulk import TurnedEmbedder, Words, made
from busy import WORKS
from common import finish, median, parser, percentile, rss_mb, settings_of, show_table

from personal_context.db.filtering import expression
from personal_context.db.opening import open_connection
from personal_context.db.vector_rows import table
from personal_context.domain.models import ContentId, Generation
from personal_context.embeddings.local import LocalEmbedder
from personal_context.runtime import Runtime, build_runtime
from personal_context.search.fusion import CANDIDATES
from personal_context.search.query import keyword_query

PARTS = (
    "reading",
    "keyword",
    "embed",
    "vector",
    "compare",
    "feedback",
    "fusion",
    "other",
    "hybrid",
)
"""As the answer times them; other: texts, marks, waiting."""

TURN = 25
"""Searches alone, and then as many beside each kind of work."""

WARM = 20
RECALLED = 50
BANDWIDTH_MB = 512

Times = dict[str, float]


class Bare:
    """The two indexes and the model, asked without the product around them."""

    def __init__(self, path: Path, generation: Generation, embedder: LocalEmbedder) -> None:
        self._connection = open_connection(path)
        self._knn = (
            f"SELECT rowid, distance FROM {table(generation.id)} WHERE embedding MATCH ? AND k = ?"
        )
        self._fts = (
            "SELECT rowid, rank FROM content_fts WHERE content_fts MATCH ?"
            f" ORDER BY rank LIMIT {CANDIDATES}"
        )
        self._embedder = embedder

    async def ask(self, query: str) -> Times:
        begin = perf_counter()
        vector = (await self._embedder.embed_query(query)).tobytes()
        embedded = perf_counter()
        self._connection.execute(self._knn, (vector, CANDIDATES)).fetchall()
        scanned = perf_counter()
        match = expression(keyword_query(query).weights)
        if match:
            self._connection.execute(self._fts, (match,)).fetchall()
        end = perf_counter()
        times = {"embed": embedded - begin, "vector": scanned - embedded, "keyword": end - scanned}
        times["hybrid"] = end - begin
        return {part: seconds * 1000 for part, seconds in times.items()}

    def exact(self, vector: np.ndarray, count: int) -> list[ContentId]:
        """Return the contents that a scan of all vectors finds."""
        rows = self._connection.execute(self._knn, (vector.tobytes(), 8 * count)).fetchall()
        found = {}
        for row, distance in rows:
            [[one]] = self._connection.execute(
                "SELECT content_id FROM sections WHERE id = ?", (row,)
            ).fetchall()
            found[one] = min(distance, found.get(one, distance))
        return sorted(found, key=lambda one: (found[one], one))[:count]

    def close(self) -> float:
        """Return the size of the database in MB."""
        pages, size = (self._connection.pragma(name) for name in ("page_count", "page_size"))
        self._connection.close()
        return pages * size / 1e6


async def ask_product(runtime: Runtime, query: str) -> Times:
    begin = perf_counter()
    answer = await runtime.search.search(query)
    total = (perf_counter() - begin) * 1000
    if answer.mode != "hybrid":
        raise SystemExit(f"Search by meaning is off: {answer.degraded}")
    # Words are looked for while the question gets its vector.
    first = max(answer.timings["embed"], answer.timings["reading"] + answer.timings["keyword"])
    then = sum(answer.timings[part] for part in ("vector", "compare", "feedback", "fusion"))
    return {**answer.timings, "other": total - first - then, "hybrid": total}


async def ask_parts(runtime: Runtime, generation: Generation, query: str) -> Times:
    """Time the product's two searches alone, one after the other."""
    vector = await runtime.embedder.embed_query(query)
    begin = perf_counter()
    await runtime.index.nearest(generation.id, vector, limit=CANDIDATES)
    found = perf_counter()
    await runtime.store.search_keyword(keyword_query(query), limit=CANDIDATES)
    return {
        "vector": (found - begin) * 1000,
        "keyword": (perf_counter() - found) * 1000,
    }


async def recall(
    runtime: Runtime, generation: Generation, bare: Bare, questions: Sequence[str]
) -> float:
    """Return the share of the exact ten best contents that are among the product's ten."""
    shares = []
    for query in questions[:RECALLED]:
        vector = await runtime.embedder.embed_query(query)
        ours = await runtime.index.nearest(generation.id, vector, limit=10)
        exact = bare.exact(vector, 10)
        shares.append(len({hit.content_id for hit in ours} & set(exact)) / len(exact))
    return sum(shares) / len(shares)


async def at_once(runtime: Runtime, questions: Sequence[str], parallel: int) -> float:
    """Return the searches per second of so many askers at once."""
    waiting = iter(questions)

    async def asker() -> None:
        for query in waiting:
            await runtime.search.search(query)

    begin = perf_counter()
    await asyncio.gather(*(asker() for _ in range(parallel)))
    return len(questions) / (perf_counter() - begin)


async def beside(runtime: Runtime, questions: Sequence[str]) -> dict[str, Times]:
    """Time searches alone and beside each kind of work, in turns."""
    taken: dict[str, list[float]] = {"alone": [], **{name: [] for name in WORKS}}
    turns = [questions[at : at + TURN] for at in range(0, len(questions), TURN)]
    for turn in turns:
        taken["alone"] += [(await ask_product(runtime, query))["hybrid"] for query in turn]
        for name, work in WORKS.items():
            async with work(runtime):
                for query in turn[:3]:  # what was begun before must not be measured
                    await ask_product(runtime, query)
                taken[name] += [(await ask_product(runtime, query))["hybrid"] for query in turn]
    found = {name: percentiles(times) for name, times in taken.items()}
    for times in found.values():
        times["more_p95_ms"] = times["p95_ms"] - found["alone"]["p95_ms"]
    return found


def bandwidth() -> float:
    """Return how many GB one processor reads from memory in a second."""
    numbers = np.ones(BANDWIDTH_MB * 131_072)
    times = []
    for _ in range(5):
        begin = perf_counter()
        numbers.sum()
        times.append(perf_counter() - begin)
    return numbers.nbytes / min(times) / 1e9


async def measure(
    path: Path, dimension: int, questions: Sequence[str], *, busy: bool
) -> dict[str, object]:
    embedder = TurnedEmbedder(dimension)
    runtime = build_runtime(settings_of(db_path=path), embedder=embedder)
    async with runtime:
        [generation] = await runtime.index.generations()
        begin = perf_counter()
        for query in questions[:WARM]:  # model, caches and connections become warm
            await ask_product(runtime, query)
        start_s = perf_counter() - begin
        asked = questions[WARM:]
        begin = process_time()
        product = [await ask_product(runtime, query) for query in asked]
        cpu_ms = (process_time() - begin) * 1000 / len(asked)
        parts = [await ask_parts(runtime, generation, query) for query in asked]
        one, eight = [await at_once(runtime, asked, parallel) for parallel in (1, 8)]
        memory = rss_mb()
        bare = Bare(path, generation, embedder)
        alone = [await bare.ask(query) for query in asked[:RECALLED]]
        found = await recall(runtime, generation, bare, asked)
        counts = await runtime.store.counts()
        told = {"beside": await beside(runtime, asked)} if busy else {}
        return {
            **told,
            "cpu_ms": cpu_ms,
            **{part: percentiles(row[part] for row in product if part in row) for part in PARTS},
            "vector": percentiles(row["vector"] for row in parts),
            "keyword": percentiles(row["keyword"] for row in parts),
            "vector_within": percentiles(row["vector"] for row in product),
            "keyword_within": percentiles(row["keyword"] for row in product),
            "bare": {
                part: percentiles(row[part] for row in alone if part in row)
                for part in ("embed", "vector", "keyword", "hybrid")
            },
            "rss_mb": memory,
            "recall10": found,
            "per_second": {"one": one, "eight": eight, "ratio": eight / one},
            "start_s": start_s,
            "sections": counts.sections,
            "contents": counts.contents,
            "file_mb": bare.close(),
        }


def temporary() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="bench-search-")


def percentiles(values) -> Times:
    values = list(values)
    return {"p50_ms": median(values), "p95_ms": percentile(values, 0.95)}


def show(found) -> None:
    rows = []
    for part in (*PARTS, "vector_within", "keyword_within"):
        bare = found["bare"].get(part)
        ratio = found[part]["p50_ms"] / bare["p50_ms"] if bare else ""
        rows.append((part, *found[part].values(), *(bare or {"": "", " ": ""}).values(), ratio))
    show_table(
        f"{found['sections']:,} sections of {found['contents']:,} contents,"
        f" {found['dimension']} numbers each; file {found['file_mb']:.0f} MB,"
        f" process {found['rss_mb']:.0f} MB",
        ("", "p50 ms", "p95 ms", "bare p50", "bare p95", "ratio"),
        rows,
    )
    speed = found["per_second"]
    print(
        f"  recall@10 {found['recall10']:.4f} of the exact scan;"
        f" {speed['one']:.0f} searches/s alone, {speed['eight']:.0f} eight at once"
        f" ({speed['ratio']:.2f} times); first {WARM} questions {found['start_s']:.1f} s;"
        f" {found['cpu_ms']:.1f} ms of processor time a search"
    )
    if "beside" in found:
        rows = [(name, *times.values()) for name, times in found["beside"].items()]
        show_table("Beside other work", ("", "p50 ms", "p95 ms", "more p95"), rows)


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--sections", type=int, action="append", help="repeatable; 1000, 10000")
    arguments.add_argument("--dimension", type=int, default=384, help="numbers of a vector")
    arguments.add_argument("--queries", type=int, default=200, help="queries that are measured")
    arguments.add_argument(
        "--collection", type=Path, action="append", default=[],
        help="a folder with corpus.jsonl and queries.jsonl to take words from; repeatable",
    )  # fmt: skip
    arguments.add_argument(
        "--busy", action="store_true", help="also beside a reindex and a sync, on a copy"
    )
    arguments.add_argument("--keep", type=Path, help="where filled databases are kept and reused")
    options = arguments.parse_args()
    read_gb = bandwidth()
    results = []
    with ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(temporary()))
        folder.mkdir(parents=True, exist_ok=True)
        for sections in options.sections or (1_000, 10_000):
            path = folder / f"{sections}-{options.dimension}.db"
            words = Words(options.collection)
            seconds = asyncio.run(made(path, words, sections, options.dimension))
            questions = Words(options.collection, 2).questions(options.queries + WARM)
            del words
            if options.busy:
                path = Path(shutil.copy(path, stack.enter_context(temporary()) + "/copy.db"))
            found = asyncio.run(measure(path, options.dimension, questions, busy=options.busy))
            found |= {"dimension": options.dimension, "build_s": seconds}
            float32_ms = sections * options.dimension * 4 / read_gb / 1e6
            found |= {"bandwidth_gb_s": read_gb, "float32_scan_limit_ms": float32_ms}
            show(found)
            print(
                f"  memory gives {read_gb:.1f} GB/s: reading all vectors once takes at least"
                f" {float32_ms:.1f} ms"
            )
            results.append(found)
    print("\nbare: model, sqlite-vec and FTS5 one after the other; hybrid is their sum.")
    finish({"bench": "search", **results[-1], "results": results}, as_json=options.json)


if __name__ == "__main__":
    main()
