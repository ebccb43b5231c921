"""Choose who turns text into vectors."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from personal_context.domain.models import EmbeddingModel
from personal_context.embeddings.fast import FASTEMBED, FastEmbedder
from personal_context.embeddings.local import LOCAL, LocalEmbedder

if TYPE_CHECKING:
    import httpx

    from personal_context.ports import Embedder

Provider: TypeAlias = Literal["auto", "openai", "ollama", "local", "fastembed"]

OPENAI_BASE = "https://api.openai.com/v1"
OPENAI_MODEL = "text-embedding-3-small"
OLLAMA_ROOT = "http://127.0.0.1:11434"
OLLAMA_MODEL = "nomic-embed-text"

_OPENAI, _OLLAMA = "openai", "ollama"
_PROBE_SECONDS = 0.3


@dataclass(frozen=True, slots=True, repr=False)
class Wanted:
    """What the settings say of embedding. Its repr would show the key.

    Attributes:
        provider: Which one, or `auto`.
        api_base: Address of an OpenAI-compatible server or of Ollama.
        api_key: Its key.
        model: Name of the model there; None for the provider's default.
        dimension: Expected length of the vectors, or None.
        transport: Takes the place of the network, in tests.
    """

    provider: Provider = "auto"
    api_base: str | None = None
    api_key: str | None = None
    model: str | None = None
    dimension: int | None = None
    transport: "httpx.AsyncBaseTransport | None" = None

    @property
    def names_a_server(self) -> bool:
        """Whether an OpenAI-compatible server is set, by its address or by a key."""
        return self.provider == _OPENAI or (
            self.provider == "auto" and bool(self.api_base or self.api_key)
        )


async def choose_embedder(wanted: Wanted, remembered: EmbeddingModel | None = None) -> "Embedder":
    """Return the embedder that the settings ask for, not opened yet.

    `auto` is openai when a base or a key is given; else who made the stored vectors; else Ollama,
    if it answers on its default port within 0.3 s and has an embedding model; else the embedded
    model. So an Ollama that is down for a moment, or one that was installed since, doesn't change
    the model under stored vectors.

    Args:
        wanted: What the settings say.
        remembered: What made the stored vectors, or None if there are none.
    """
    set_here = _set_here(wanted)
    if set_here is not None:
        return set_here
    if remembered is not None and wanted.model in {None, remembered.name}:
        known = _remembered(wanted, remembered)
        if known is not None:
            return known
    found = pick_model(await _ollama_models(wanted.transport), wanted.model)
    return ollama_embedder(wanted, found, wanted.dimension) if found else LocalEmbedder()


def _set_here(wanted: Wanted) -> "Embedder | None":
    """Return the embedder that the settings name, or None if they leave it open."""
    if wanted.provider == LOCAL:
        return LocalEmbedder()
    if wanted.provider == FASTEMBED:
        return FastEmbedder(wanted.model, wanted.dimension)
    if wanted.names_a_server:
        return openai_embedder(wanted, wanted.model or OPENAI_MODEL, wanted.dimension)
    if wanted.provider == _OLLAMA:
        return ollama_embedder(wanted, wanted.model or OLLAMA_MODEL, wanted.dimension)
    return None


def _remembered(wanted: Wanted, model: EmbeddingModel) -> "Embedder | None":
    """Return the embedder that made the stored vectors, unless it is a server to be named."""
    if model.provider == LOCAL:
        return LocalEmbedder()
    if model.provider == FASTEMBED:
        return FastEmbedder(model.name, wanted.dimension)
    if model.provider == _OLLAMA:
        return ollama_embedder(wanted, model.name, wanted.dimension)
    return None


async def embedder_for(wanted: Wanted, model: EmbeddingModel) -> "Embedder | None":
    """Return who can still embed for stored vectors of a model, not opened yet, or None.

    The embedded model always can. A server of the same provider is asked for the other model; a
    key is never sent to an address that it was not set for.
    """
    if model.provider == LOCAL:
        local = LocalEmbedder()
        return await local.serving(model) and local
    if model.provider == FASTEMBED:
        return FastEmbedder(model.name, model.dimension)
    if model.provider == _OPENAI and wanted.names_a_server:
        return openai_embedder(wanted, model.name, model.dimension)
    if model.provider == _OLLAMA:
        return ollama_embedder(wanted, model.name, model.dimension)
    return None


def openai_embedder(wanted: Wanted, model: str, dimension: int | None) -> "Embedder":
    """Return an embedder at the OpenAI-compatible server of the settings."""
    # Not at the top: the HTTP client takes a tenth of the time that a process has to start.
    from personal_context.embeddings.client import OpenAIEmbedder

    return OpenAIEmbedder(
        wanted.api_base or OPENAI_BASE,
        wanted.api_key,
        model,
        dimension,
        transport=wanted.transport,
    )


def ollama_embedder(wanted: Wanted, model: str, dimension: int | None) -> "Embedder":
    """Return an embedder at the Ollama of the settings, else at that of this machine."""
    from personal_context.embeddings.client import OLLAMA, OpenAIEmbedder

    ours = wanted.provider == _OLLAMA
    return OpenAIEmbedder(
        (wanted.api_base if ours else None) or f"{OLLAMA_ROOT}/v1",
        wanted.api_key if ours else None,
        model,
        dimension,
        transport=wanted.transport,
        provider=OLLAMA,
    )


def pick_model(pulled: Sequence[str], wanted: str | None) -> str | None:
    """Return the model to use of an Ollama that has these, or None if none is for embedding.

    A wanted one is used, pulled or not: Ollama itself says what to do then. Else it is the default,
    else the first in the alphabet, so that every start chooses the same. The tag `:latest` goes
    without saying.

    >>> pick_model(["llama3:8b", "nomic-embed-text:latest", "all-minilm:22m"], None)
    'nomic-embed-text'
    """
    names = sorted(name.removesuffix(":latest") for name in pulled)
    if wanted and names:
        return wanted.removesuffix(":latest")
    if OLLAMA_MODEL in names:
        return OLLAMA_MODEL
    embedding = (name for name in names if "embed" in name.lower() or "minilm" in name.lower())
    return next(embedding, None)


async def _ollama_models(transport: "httpx.AsyncBaseTransport | None") -> list[str]:
    """Return the names of the models that a local Ollama has; empty if there is no Ollama."""
    import httpx

    try:
        # A proxy of the environment must not be asked for our own machine.
        async with (
            asyncio.timeout(_PROBE_SECONDS),
            httpx.AsyncClient(transport=transport, trust_env=False) as client,
        ):
            answer = await client.get(f"{OLLAMA_ROOT}/api/tags")
            models = answer.raise_for_status().json()["models"]
            return [str(entry["name"]) for entry in models]
    # Whatever else sits on that port is not Ollama.
    except (TimeoutError, httpx.HTTPError, ValueError, KeyError, TypeError):
        return []
