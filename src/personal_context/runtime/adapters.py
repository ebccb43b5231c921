"""The clients that the settings ask for."""

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from personal_context.config import Settings
from personal_context.domain.models import EmbeddingModel, GenerationState
from personal_context.embeddings.auto import AutoEmbedder
from personal_context.embeddings.prices import known_price
from personal_context.embeddings.select import Wanted
from personal_context.ports import Embedder, Quota, VectorIndex

if TYPE_CHECKING:
    import httpx

    from personal_context.upstream.outline import OutlineClient


def embedder_of(settings: Settings, index: VectorIndex) -> Embedder:
    """Return who makes vectors; which provider that is, `auto` finds out at the first text."""
    key = settings.embedding_api_key

    async def remembered() -> EmbeddingModel | None:
        """Return what made the vectors that search uses, or None if there are none."""
        for generation in await index.generations():
            if generation.state is GenerationState.ACTIVE:
                progress = await index.progress(generation.id)
                return generation.model if progress.done else None
        return None

    return AutoEmbedder(
        Wanted(
            settings.embedding_provider,
            api_base=settings.embedding_api_base,
            api_key=key.get_secret_value() if key else None,
            model=settings.embedding_model,
            dimension=settings.embedding_dimension,
        ),
        remembered,
    )


def price_of(settings: Settings) -> Callable[[str, str], float | None]:
    """Return what tells the price of a provider's model, in dollars for a million tokens."""
    base = settings.embedding_api_base
    host = urlsplit(base).hostname if base else None

    def price(provider: str, model: str) -> float | None:
        if settings.embedding_price is not None and settings.embedding_model in {None, model}:
            return settings.embedding_price
        return known_price(provider, model, host=host)

    return price


def upstream_of(
    settings: Settings,
    version: str,
    quota: Quota,
    transport: "httpx.AsyncBaseTransport | None",
) -> "OutlineClient | None":
    """Return the client of the wiki, or None in local mode."""
    if settings.outline_api_base is None or settings.outline_api_key is None:
        return None
    # Not at the top: the HTTP client takes a tenth of the time that a process has to start.
    from personal_context.upstream.outline import OutlineClient

    return OutlineClient(
        settings.outline_api_base,
        settings.outline_api_key.get_secret_value(),
        version=version,
        transport=transport,
        quota=quota,
    )
