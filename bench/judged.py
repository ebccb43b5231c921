"""Collections with judgements, and the product filled with one."""

import csv
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import httpx
from common import settings_of

from personal_context.domain.models import ContentId
from personal_context.runtime import Runtime, build_runtime
from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.auth import DEMO_KEY
from personal_context.upstream.sandbox.documents import TITLE_LIMIT
from personal_context.upstream.sandbox.tree import END

WIKI = "http://wiki.example"


@dataclass(frozen=True)
class Collection:
    """What a folder holds. Ids are the collection's own, grades are above 0 where relevant."""

    folder: Path
    queries: Mapping[str, str]
    grades: Mapping[str, Mapping[str, int]]

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    def documents(self) -> Iterator[tuple[str, str, str]]:
        """Yield id, title and text."""
        for row in _rows(self.folder / "corpus.jsonl"):
            yield row["_id"], row.get("title", ""), row["text"]


def read_collection(folder: Path, most_queries: int | None = None) -> Collection:
    """Read queries and judgements; queries without a judgement are left out.

    Args:
        folder: With `corpus.jsonl` {_id, title, text}, `queries.jsonl` {_id, text} and `qrels.tsv`
            (a header; query, document, grade).
        most_queries: Only so many, spread over all of them; None for all.
    """
    grades: dict[str, dict[str, int]] = {}
    with (folder / "qrels.tsv").open(newline="", encoding="utf-8") as file:
        for query, document, grade in list(csv.reader(file, delimiter="\t"))[1:]:
            grades.setdefault(query, {})[document] = int(grade)
    queries = {row["_id"]: row["text"] for row in _rows(folder / "queries.jsonl")}
    judged = [query for query in queries if query in grades]
    step = max(1, len(judged) // most_queries) if most_queries else 1
    kept = judged[::step][:most_queries]
    return Collection(folder, {q: queries[q] for q in kept}, {q: grades[q] for q in kept})


@asynccontextmanager
async def filled_product(
    collection: Collection, store: Path
) -> AsyncIterator[tuple[Runtime, Mapping[ContentId, str]]]:
    """Publish the documents in a sandbox, mirror and embed them; yield the product and their ids.

    Args:
        collection: What is published.
        store: Folder of the database. One that was filled before is used again.
    """
    ids = {_content_id(name): name for name, _, _ in collection.documents()}
    done = store / "filled"
    async with create_sandbox(base_url=WIKI, rate_limits=False) as sandbox:
        runtime = build_runtime(
            settings_of(
                db_path=store / "context.db",
                outline_api_base=WIKI,
                outline_api_key=DEMO_KEY,
                outline_collection_id=collection.name,
                embedding_provider="local",
            ),
            transport=httpx.ASGITransport(sandbox.app),
        )
        async with runtime:
            if not done.exists():
                home = sandbox.collections.create(collection.name)
                for name, title, text in collection.documents():
                    title, text = _as_in_outline(title, text)  # noqa: PLW2901 - the same, shorter
                    sandbox.documents.create(
                        title,
                        text,
                        collection_id=home.id,
                        id=_content_id(name),
                        index=END,
                        raw=True,
                    )
                await _mirror(runtime, len(ids))
                done.touch()
            yield runtime, ids


async def _mirror(runtime: Runtime, documents: int) -> None:
    for report in await runtime.sync.sync_now():
        if report.error or report.failed:
            raise SystemExit(f"The pass failed: {report.error or dict(report.failed)}")
    await runtime.embed_backlog()
    stored, status = await runtime.store.counts(), await runtime.indexer.status()
    if stored.contents != documents or status.progress.missing:
        raise SystemExit(
            f"{stored.contents} of {documents} documents were mirrored;"
            f" {status.progress.missing} sections have no vector: {status.degraded}"
        )


def _as_in_outline(title: str, text: str) -> tuple[str, str]:
    """Give what a title has over Outline's limit to the text, so that no word is lost."""
    title = " ".join(title.split())
    if len(title) <= TITLE_LIMIT:
        return title, text
    beginning = re.match(rf"(.{{,{TITLE_LIMIT}}})\s", title)
    cut = beginning.end(1) if beginning else TITLE_LIMIT
    return title[:cut], f"{title[cut:].strip()}\n\n{text}"


def _content_id(name: str) -> ContentId:
    """Make a UUID v4 of an id, always the same."""
    digits = list(sha256(name.encode()).hexdigest()[:32])
    digits[12], digits[16] = "4", "89ab"[int(digits[16], 16) % 4]
    joined = "".join(digits)
    parts = (joined[:8], joined[8:12], joined[12:16], joined[16:20], joined[20:])
    return ContentId("-".join(parts))


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)
