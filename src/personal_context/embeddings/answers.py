"""Read vectors out of an embedding server's JSON, and believe none that can't be right.

A vector that is none (NaN, infinite, all zero) is an error in its place; the others are good.
"""

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from personal_context.domain.errors import EmbeddingRejected
from personal_context.embeddings.vectors import unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from personal_context.ports import Embedded

_FLOAT_BYTES = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of the texts of one request, in their order, and the tokens that it cost."""

    vectors: "Sequence[Embedded]"
    tokens: int


def read_openai(body: object, count: int) -> Answer:
    """Read the answer of POST /v1/embeddings.

    Args:
        body: Parsed JSON: `{"data": [{"index", "embedding"}], "usage"}`; an embedding is a list of
            numbers, or base64 of little-endian float32.
        count: How many texts were sent.

    Raises:
        EmbeddingRejected: It can't be told which vector belongs to which text.
    """
    items = _list(body, "data")
    if len(items) != count:
        raise unusable(f"{len(items)} vectors came for {count} texts")
    by_index = {_index(item): item["embedding"] for item in items if _has_vector(item)}
    if set(by_index) != set(range(count)):
        raise unusable("the vectors are not numbered from 0 without gaps, each once")
    usage = _field(body, "usage")
    tokens = _field(usage, "total_tokens") or _field(usage, "prompt_tokens")
    return Answer([_vector(by_index[i]) for i in range(count)], _count(tokens))


def read_ollama(body: object, count: int) -> Answer:
    """Read the answer of Ollama's own POST /api/embed: `{"embeddings", "prompt_eval_count"}`.

    Raises:
        EmbeddingRejected: It can't be told which vector belongs to which text.
    """
    rows = _list(body, "embeddings")
    if len(rows) != count:
        raise unusable(f"{len(rows)} vectors came for {count} texts")
    return Answer([_vector(row) for row in rows], _count(_field(body, "prompt_eval_count")))


def unusable(cause: str) -> EmbeddingRejected:
    """Return the error for an answer that came in full and still is of no use."""
    return EmbeddingRejected(
        "The embedding server answered with vectors that can't be used.",
        cause=cause,
        hint="Check that PERSONAL_CONTEXT_EMBEDDING_MODEL is an embedding model and that "
        "PERSONAL_CONTEXT_EMBEDDING_API_BASE is an OpenAI-compatible server.",
    )


def _vector(raw: object) -> "Embedded":
    try:
        return unit(_from_base64(raw) if isinstance(raw, str) else _numbers(raw))
    except (ValueError, OverflowError) as error:
        return unusable(str(error))


def _from_base64(text: str) -> "ArrayLike":
    import numpy as np

    try:
        data = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise ValueError("a vector is neither a list of numbers nor base64") from error
    if len(data) % _FLOAT_BYTES:
        raise ValueError("a vector in base64 is not a row of float32")
    return np.frombuffer(data, dtype="<f4")


def _numbers(raw: object) -> list[float]:
    # bool is an int to Python, and numpy would read numbers out of strings.
    if not isinstance(raw, list) or not all(type(number) in (int, float) for number in raw):
        raise ValueError("a vector is not a list of numbers")
    return raw


def _has_vector(item: object) -> bool:
    return isinstance(item, dict) and "embedding" in item


def _index(item: dict[str, Any]) -> int | None:
    index = item.get("index")
    return index if type(index) is int else None


def _list(body: object, name: str) -> list[Any]:
    rows = _field(body, name)
    if not isinstance(rows, list):
        raise unusable(f"the answer has no list {name!r}")
    return rows


def _field(body: object, name: str) -> object:
    return body.get(name) if isinstance(body, dict) else None


def _count(tokens: object) -> int:
    return max(0, tokens) if type(tokens) is int else 0
