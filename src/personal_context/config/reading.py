"""Reading the settings, and telling what is wrong or odd about them."""

import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from dotenv import dotenv_values
from pydantic import ValidationError

from personal_context.config.settings import (
    ENV_ENCODING,
    ENV_FILE,
    ENV_FILE_VARIABLE,
    PREFIX,
    Settings,
)
from personal_context.domain.errors import ConfigError


def load_settings(**overrides: Any) -> Settings:  # noqa: ANN401 - as pydantic takes them
    """Read the settings from the environment and `.env`.

    Args:
        overrides: Settings that the caller decides, by field name.

    Raises:
        ConfigError: A value is wrong or half given; it names each variable and what to write.
    """
    overrides.setdefault("_env_file", env_file())
    try:
        return Settings(**overrides)
    except ValidationError as error:
        problems = [_problem(dict(item)) for item in error.errors(include_url=False)]
        raise ConfigError(
            "The settings can't be used.",
            cause="; ".join(problems),
            hint="Correct the variable in the environment or in .env; docs/settings.md and "
            ".env.example list them all.",
        ) from None
    except (UnicodeDecodeError, OSError) as error:
        raise ConfigError(
            "The file .env can't be read.", cause=str(error), hint="Save it as UTF-8 text."
        ) from None


def env_file() -> Path:
    """Return the file that holds settings: `.env` in the current folder, or the one named.

    Raises:
        ConfigError: One is named, and is not there.
    """
    named = os.environ.get(ENV_FILE_VARIABLE)
    if named and not Path(named).is_file():
        raise ConfigError(f"There is no file {named}.", cause=f"{ENV_FILE_VARIABLE} names it.")
    return Path(named or ENV_FILE)


def unknown_variables(environment: Iterable[str] | None = None) -> list[str]:
    """Say which prefixed variables mean nothing, with the nearest name that does.

    Args:
        environment: Names; None for those of the environment and of `.env`.
    """
    known = {PREFIX + name.upper() for name in Settings.model_fields} | {ENV_FILE_VARIABLE}
    if environment is None:
        environment = {*os.environ, *dotenv_values(env_file(), encoding=ENV_ENCODING)}
    names = {name.upper() for name in environment}
    warnings = []
    for name in sorted(names):
        if not name.startswith(PREFIX) or name in known or name.startswith(f"{PREFIX}TEST_"):
            continue
        near = get_close_matches(name, known, n=1, cutoff=0.6)
        warnings.append(
            f"{name} is not a setting" + (f"; did you mean {near[0]}?" if near else ".")
        )
    return warnings


def doubtful_settings(settings: Settings) -> list[str]:
    """Say which settings are right as such, but may have no effect."""
    if settings.embedding_provider != "auto" or (
        settings.embedding_api_base or settings.embedding_api_key
    ):
        return []
    names = ("embedding_model", "embedding_dimension")
    return [
        f"{PREFIX}{name.upper()} applies to openai and ollama only; without a base, a key, or an "
        "Ollama that answers, the model on board is used"
        for name in names
        if getattr(settings, name) is not None
    ]


def _problem(error: Mapping[str, Any]) -> str:
    text = str(error["msg"]).removeprefix("Value error, ")
    if not error["loc"]:
        return text
    return f"{PREFIX}{str(error['loc'][0]).upper()}: {text[:1].lower()}{text[1:]}"
