"""What embedding models cost that everybody pays the same for."""

DOLLARS_PER_MILLION_TOKENS = {
    "text-embedding-3-small": 0.02,
    "text-embedding-3-large": 0.13,
    "text-embedding-ada-002": 0.10,
}
"""OpenAI's, as published at https://platform.openai.com/docs/pricing in 2025."""

OPENAI_HOST = "api.openai.com"


def known_price(provider: str, model: str, *, host: str | None) -> float | None:
    """Return dollars for a million tokens, or None if only the bill knows.

    Args:
        provider: Who made the vectors.
        model: Its name there.
        host: The server that is set; None for the provider's own.
    """
    if provider != "openai" or host not in {None, OPENAI_HOST}:
        return None
    return DOLLARS_PER_MILLION_TOKENS.get(model)
