"""Settings: read once by whoever starts the process, then passed on as values."""

from personal_context.config.reading import (
    doubtful_settings,
    env_file,
    load_settings,
    unknown_variables,
)
from personal_context.config.settings import (
    ENV_FILE_VARIABLE,
    PREFIX,
    EmbeddingProvider,
    Settings,
)

__all__ = [
    "ENV_FILE_VARIABLE",
    "PREFIX",
    "EmbeddingProvider",
    "Settings",
    "doubtful_settings",
    "env_file",
    "load_settings",
    "unknown_variables",
]
