"""Databases of any size for benches, filled in bulk with the product's own writing functions.

Texts are spliced from pieces of real ones if folders with `corpus.jsonl` and `queries.jsonl` are
given, with made-up rare words strewn in, else drawn word by word by Zipf's law. Vectors are mixed
from those that the embedded model makes of a sample of the texts, so that they crowd and spread as
real ones do; for other dimensions they are turned into the larger space, as the questions are.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from random import Random
from time import perf_counter
from uuid import UUID

import numpy as np
from documents import Writer

from personal_context.db import contents, generations, vector_rows
from personal_context.db.connection import Database
from personal_context.db.opening import open_connection
from personal_context.domain.models import (
    Content,
    ContentId,
    EmbeddingModel,
    GenerationState,
    Indexed,
    ModelChoice,
    Section,
    SourceType,
)
from personal_context.domain.text import embedding_text, section_hash
from personal_context.embeddings.local import LocalEmbedder

BORN = datetime(2026, 1, 1, tzinfo=UTC)
SAMPLE = 1_000
"""Sections that the model embeds; all others are mixed from theirs."""

_DOCUMENTS_AT_ONCE = 500
_VECTORS_AT_ONCE = 10_000
_RARE = 0.01
"""Share of words that are made up, where texts are spliced: real ones keep bringing new words."""


class Words:
    """Writes sections and questions.

    Args:
        folders: With texts to splice; words are drawn one by one if there are none.
        seed: The same seed writes the same.
    """

    def __init__(self, folders: Sequence[Path] = (), seed: int = 1) -> None:
        self._random = Random(seed)
        self._writer = Writer(seed)
        corpora = [_lines(folder / "corpus.jsonl") for folder in folders]
        self._pool = [word for lines in corpora for line in lines for word in line["text"].split()]
        self._asked = [
            line["text"] for folder in folders for line in _lines(folder / "queries.jsonl")
        ]

    def words(self, count: int) -> list[str]:
        if not self._pool:
            return self._writer.words(count)
        found: list[str] = []
        while len(found) < count:
            start = self._random.randrange(len(self._pool))
            found += self._pool[start : start + self._random.randint(12, 40)]
        for at in range(count):
            if self._random.random() < _RARE:
                found[at] = "".join(self._writer.words(2))
        return found[:count]

    def document(self) -> tuple[str, list[tuple[str, str]]]:
        """Return a title and (heading, text) of one to seven sections of 90 to 190 words."""
        title = " ".join(self.words(self._random.randint(2, 5)))[:100]
        return title, [
            (
                " ".join(self.words(self._random.randint(1, 4))),
                " ".join(self.words(self._random.randint(90, 190))),
            )
            for _ in range(self._random.randint(1, 7))
        ]

    def questions(self, count: int) -> list[str]:
        """Return real questions, or two to seven words each."""
        if self._asked:
            asked = sorted(set(self._asked))
            self._random.shuffle(asked)
            return list(islice(_around(asked), count))
        return [" ".join(self._writer.words(2 + self._writer.pick(6))) for _ in range(count)]


class Turned:
    """Vectors of the embedded model in another dimension: lengths and angles stay."""

    def __init__(self, dimension: int) -> None:
        random = np.random.default_rng(7)
        self.dimension = dimension
        wide = random.standard_normal((max(dimension, 384), 384))
        self._matrix = np.linalg.qr(wide)[0].T.astype(np.float32)[:, :dimension]

    def __call__(self, vectors: np.ndarray) -> np.ndarray:
        return vectors if self.dimension == vectors.shape[-1] else vectors @ self._matrix


class TurnedEmbedder(LocalEmbedder):
    """The embedded model, with queries in the bench's dimension."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self._turned = Turned(dimension)

    async def model(self):
        return EmbeddingModel("bench", "turned", self._turned.dimension)

    async def choice(self):
        return ModelChoice("bench", "turned", self._turned.dimension)

    async def embed_query(self, text):
        return self._turned(await super().embed_query(text))

    async def embed(self, texts):
        return [self._turned(made) for made in await super().embed(texts)]


async def made(path: Path, words: Words, sections: int, dimension: int) -> float:
    """Fill a database that is not there yet; return the seconds that it took."""
    begin = perf_counter()
    if path.exists():  # noqa: ASYNC240 - a bench has nothing else to do
        return 0.0
    part = path.with_suffix(".part")
    async with Database(part):
        connection = open_connection(part)
        sample = _write_texts(connection, words, sections)
        print(f"{sections:,} sections written in {perf_counter() - begin:.0f} s", flush=True)
        await _write_vectors(connection, sample, dimension)
        connection.execute("INSERT INTO content_fts (content_fts) VALUES ('optimize')")
        connection.execute("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
    part.rename(path)
    return perf_counter() - begin


def _write_texts(connection, words: Words, sections: int) -> list[str]:
    """Write contents until there are enough sections; return what a sample of them embeds."""
    held, number, sample = 0, 0, []
    connection.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144")
    while held < sections:
        with connection:
            for _ in range(_DOCUMENTS_AT_ONCE):
                title, pieces = words.document()
                indexed = _indexed(title, pieces[: sections - held])
                contents.insert(connection, _content(number, title, indexed.readable), indexed)
                number += 1
                held += len(indexed.sections)
                if len(sample) < SAMPLE:
                    sample += [embedding_text(title, [h], text) for h, text in pieces]
                if held >= sections:
                    break
    return sample[:SAMPLE]


def _content(number: int, title: str, readable: str) -> Content:
    content_id = ContentId(str(UUID(int=(number << 80) | (4 << 76) | (8 << 60))))
    return Content(content_id, SourceType.NOTE, title, readable, readable, BORN, BORN)


def _indexed(title: str, pieces: Sequence[tuple[str, str]]) -> Indexed:
    sections: list[Section] = []
    start = 0
    for ordinal, (heading, text) in enumerate(pieces):
        sections.append(
            Section(
                ordinal=ordinal,
                heading_path=(heading,),
                start=start,
                end=start + len(text),
                line_start=2 * ordinal,
                line_end=2 * ordinal,
                token_count=len(text.split()),
                hash=section_hash(title, (heading,), text),
            )
        )
        start += len(text) + 2
    return Indexed("\n\n".join(text for _, text in pieces), sections, ())


async def _write_vectors(connection, sample: Sequence[str], dimension: int) -> None:
    """Give every section a vector: a mix of two real ones, and a little of what parts two more."""
    async with LocalEmbedder() as embedder:
        real = np.stack(list(await embedder.embed(sample)))
    model = EmbeddingModel("bench", "turned", dimension)
    generation = generations.create(connection, model, GenerationState.ACTIVE)
    connection.execute("DELETE FROM backlog")
    insert = f"INSERT INTO {vector_rows.table(generation.id)} (rowid, embedding) VALUES (?, ?)"
    random, turned, after = np.random.default_rng(1), Turned(dimension), 0
    ask = "SELECT id FROM sections WHERE id > ? ORDER BY id LIMIT ?"
    while rows := connection.execute(ask, (after, _VECTORS_AT_ONCE)).fetchall():
        one, two, three, four = random.integers(len(real), size=(4, len(rows)))
        share = random.uniform(0.55, 1.0, (len(rows), 1)).astype(np.float32)
        mixed = share * real[one] + (1 - share) * real[two] + 0.4 * (real[three] - real[four])
        mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
        vectors = turned(mixed).astype(np.float32)
        with connection:
            connection.executemany(
                insert, ((row[0], v.tobytes()) for row, v in zip(rows, vectors, strict=True))
            )
        after = rows[-1][0]


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _around(values: Sequence[str]) -> Iterator[str]:
    while True:
        yield from values
