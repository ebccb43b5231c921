"""What Ollama says of a model: how long a text it reads."""

import re

from personal_context.embeddings.connection import Connection
from personal_context.embeddings.retry import QUERY

DEFAULT_CONTEXT = 2048
"""Tokens that Ollama gives a model whose Modelfile says nothing; newer ones give more."""

CAUTIOUS_CONTEXT = 256
"""Tokens when Ollama does not say: what the smallest embedding model in its library reads."""


def root_of(base: str) -> str:
    """Return Ollama's own address: without the `/v1` of the OpenAI-compatible one."""
    return base.rstrip("/").removesuffix("/embeddings").removesuffix("/v1")


async def context_length(connection: Connection, base: str, model: str) -> int:
    """Ask Ollama how many tokens of a text a model reads; the rest it would cut off in silence.

    Raises:
        EmbeddingError: Ollama gave no answer, or does not know the model.
    """
    payload = {"model": model, "name": model}  # `name` before 0.1.45
    return read_context(await connection.post(f"{root_of(base)}/api/show", payload, QUERY))


def read_context(shown: object) -> int:
    """Read the answer of POST /api/show.

    >>> read_context({"model_info": {"bert.context_length": 512}, "parameters": "num_ctx 256"})
    256
    """
    if not isinstance(shown, dict):
        return CAUTIOUS_CONTEXT
    info = shown.get("model_info")
    lengths = [
        value
        for name, value in (info.items() if isinstance(info, dict) else ())
        if str(name).endswith(".context_length") and type(value) is int and value > 0
    ]
    if not lengths:
        return CAUTIOUS_CONTEXT
    found = re.search(r"^num_ctx\s+(\d{1,9})\s*$", str(shown.get("parameters") or ""), re.MULTILINE)
    return max(1, min(*lengths, int(found[1]) if found else DEFAULT_CONTEXT))
