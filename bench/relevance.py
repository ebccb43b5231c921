"""How good the answers are, on collections with judgements, through the whole product.

Each folder is published in a sandbox, mirrored, cut into sections, embedded by the embedded model
and searched. The methods: words alone, meaning alone, hybrid as the product answers, reciprocal
ranks instead (rrf), the sum of raw scores that this project began with (seed), and what an agent
with grep would find: documents by how many of the typed words they hold.
"""

import asyncio
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from common import parser, show_table
from judged import Collection, filled_product, read_collection

from personal_context.domain.models import EVERYTHING, ContentId, KeywordQuery, Phrase
from personal_context.runtime import Runtime
from personal_context.search.meaning import MeaningSearch
from personal_context.search.query import keyword_query
from personal_context.words.analysis import words
from personal_context.words.stopping import STOP_WORDS

METHODS = ("keyword", "vector", "hybrid", "rrf", "seed", "grep")
DEPTH = 100
RRF = 60

Scores = Mapping[ContentId, float]
"""Of each content that was found; more is better."""


class Grep:
    """Counts the typed words in the texts as they stand."""

    def __init__(self, texts: Mapping[ContentId, str]) -> None:
        self._texts = {content_id: text.lower() for content_id, text in texts.items()}

    def search(self, query: str) -> Scores:
        """Rank by the number of distinct words, then by how often they occur."""
        typed = _words(query)
        counts = {one: [text.count(word) for word in typed] for one, text in self._texts.items()}
        return {
            one: sum(map(bool, found)) + 1 - 1 / (1 + sum(found))
            for one, found in counts.items()
            if any(found)
        }


async def rankings(runtime: Runtime, grep: Grep, query: str) -> Mapping[str, Sequence[ContentId]]:
    """Ask every method; return what it finds, best first."""
    answer = await runtime.search.search(query, limit=DEPTH)
    if answer.mode != "hybrid":
        raise SystemExit(f"Search by meaning is off: {answer.degraded}")
    hybrid = [result.content.id for result in answer.results]
    keyword = await _by_words(runtime, keyword_query(query), DEPTH)
    meaning = MeaningSearch(runtime.snapshots, runtime.embedder)
    near = (await meaning.find(query, limit=2 * DEPTH, filters=EVERYTHING)).hits
    vector = {one: hit.similarity for one, hit in near.items()}
    anywhere = KeywordQuery(
        {Phrase((term.text,)): 1.0 for word in _words(query) for term in words(word)}
    )
    return {
        "keyword": _best(keyword),
        "vector": _best(vector),
        "hybrid": hybrid,
        "rrf": _best(_reciprocal(keyword, vector)),
        "seed": _best(_seed(await _by_words(runtime, anywhere, 2 * DEPTH), vector)),
        "grep": _best(grep.search(query)),
    }


async def _by_words(runtime: Runtime, query: KeywordQuery, limit: int) -> Scores:
    return {
        hit.content_id: hit.score for hit in await runtime.store.search_keyword(query, limit=limit)
    }


def _reciprocal(*lists: Scores) -> Scores:
    scores: Counter[ContentId] = Counter()
    for found in lists:
        for rank, one in enumerate(_best(found), 1):
            scores[one] += 1 / (RRF + rank)
    return scores


def _seed(bm25: Scores, cosines: Scores) -> Scores:
    """Add raw scores: 0.6 / (1 + distance) + 0.4 * bm25 / 100."""
    return {
        one: (0.6 / (2 - cosines[one]) if one in cosines else 0) + 0.4 * bm25.get(one, 0) / 100
        for one in bm25.keys() | cosines.keys()
    }


def _words(query: str) -> Sequence[str]:
    typed = dict.fromkeys(re.findall(r"[^\W_]+", query.lower()))
    return [word for word in typed if word not in STOP_WORDS] or list(typed)


def _best(scores: Scores) -> Sequence[ContentId]:
    return sorted(scores, key=lambda one: (-scores[one], one))[:DEPTH]


async def measure(collection: Collection, store: Path) -> Mapping[str, Mapping[str, float]]:
    """Return the figures of each method, means over the queries."""
    runs: dict[str, dict[str, dict[str, float]]] = {method: {} for method in METHODS}
    texts = {name: f"{title}\n{text}" for name, title, text in collection.documents()}
    print(f"{collection.name}: {len(texts)} documents are being indexed", file=sys.stderr)
    async with filled_product(collection, store) as (runtime, ids):
        grep = Grep({content_id: texts[name] for content_id, name in ids.items()})
        for name, query in collection.queries.items():
            for method, ranking in (await rankings(runtime, grep, query)).items():
                runs[method][name] = {ids[one]: -float(n) for n, one in enumerate(ranking)}
    return {method: figures(collection, runs[method]) for method in METHODS}


def figures(collection: Collection, run: Mapping[str, Mapping[str, float]]) -> Mapping[str, float]:
    """Compare one method's rankings with the judgements."""
    import ir_measures
    from ir_measures import RR, R, nDCG

    names = {
        nDCG @ 10: "ndcg10",
        R @ 10: "recall10",
        R @ 100: "recall100",
        RR @ 10: "mrr10",
    }
    found = ir_measures.calc_aggregate(list(names), collection.grades, run)
    return {name: float(found[measure]) for measure, name in names.items()}


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="a collection")
    arguments.add_argument("--queries", type=int, help="only so many queries of each")
    arguments.add_argument(
        "--keep", type=Path, help="folder where the filled databases are kept and used again"
    )
    options = arguments.parse_args()
    try:
        import ir_measures  # noqa: F401 - asked for before an hour is spent
    except ImportError:
        raise SystemExit("Run it with: uv run --group bench bench/relevance.py DIR ...") from None
    results: dict[str, object] = {}
    for folder in options.folders:
        collection = read_collection(folder, options.queries)
        with ExitStack() as stack:
            store = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
            found = asyncio.run(measure(collection, store / collection.name))
        show_table(
            f"{collection.name}, {len(collection.queries)} queries",
            ("", "nDCG@10", "recall@10", "recall@100", "MRR@10"),
            [(method, *(f"{x:.3f}" for x in row.values())) for method, row in found.items()],
        )
        results[collection.name] = found
    if options.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
