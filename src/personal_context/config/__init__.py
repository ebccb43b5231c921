"""Settings: read once by whoever starts the process, then passed on as values."""

from personal_context.config.reading import doubtful_settings, load_settings, unknown_variables
from personal_context.config.settings import PREFIX, EmbeddingProvider, Settings

__all__ = [
    "PREFIX",
    "EmbeddingProvider",
    "Settings",
    "doubtful_settings",
    "load_settings",
    "unknown_variables",
]
