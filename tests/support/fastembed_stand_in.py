"""Plays the package fastembed, whose weights can't be fetched in a test."""

from collections.abc import Iterable, Iterator
from types import ModuleType, SimpleNamespace

import numpy as np
from hashing_embedder import HashingEmbedder

MODEL = "stand-in/e5-small"
DIMENSION = 48
READS = 32
"""Tokens of a text that the model reads."""


def stand_in() -> ModuleType:
    """A module with what the product uses of fastembed, in the form of version 0.9."""
    module = ModuleType("fastembed")

    class TextEmbedding(_TextEmbedding):
        loaded: list["_TextEmbedding"] = []  # noqa: RUF012 - one for each stand-in

    module.TextEmbedding = TextEmbedding
    return module


class _TextEmbedding:
    """Words to vectors by hashing; vectors are not of length 1, as with some models."""

    answer: np.ndarray | None = None
    failing: Exception | None = None

    def __init__(self, model_name: str, threads: int | None = None, **more: object) -> None:
        if self.failing is not None:
            raise self.failing
        self.model_name, self.threads, self.more = model_name, threads, more
        self.model = SimpleNamespace(tokenizer=SimpleNamespace(truncation={"max_length": READS}))
        self.read: list[str] = []
        self.loaded.append(self)

    @classmethod
    def list_supported_models(cls) -> list[dict[str, object]]:
        return [{"model": MODEL, "dim": DIMENSION}, {"model": "stand-in/bge-large", "dim": 8}]

    def query_embed(self, query: Iterable[str]) -> Iterator[np.ndarray]:
        return self._embed(query)

    def passage_embed(self, texts: Iterable[str]) -> Iterator[np.ndarray]:
        return self._embed(texts)

    def _embed(self, texts: Iterable[str]) -> Iterator[np.ndarray]:
        for text in texts:
            self.read.append(text)
            made = 3 * HashingEmbedder(DIMENSION).vector(text)
            yield made if self.answer is None else self.answer
