"""Settings and runtime for a command."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from personal_context.cli.output import printable
from personal_context.config import (
    Settings,
    doubtful_settings,
    load_settings,
    unknown_variables,
)
from personal_context.logs import log_to_stderr
from personal_context.runtime import Runtime, build_runtime


def prepared_settings(*, verbose: bool = False, **overrides: Any) -> Settings:  # noqa: ANN401 - see load_settings
    """Read the settings, set up logging, and warn of variables that mean nothing.

    Raises:
        ConfigError: A setting is wrong or half given.
    """
    settings = load_settings(**overrides)
    log_to_stderr(verbose=verbose, secrets=settings.secrets)
    for warning in (*unknown_variables(), *doubtful_settings(settings)):
        sys.stderr.write(printable(f"warning: {warning}\n"))
    return settings


@asynccontextmanager
async def opened_runtime(*, verbose: bool = False) -> AsyncIterator[Runtime]:
    """Open the product for one command; the clock doesn't run.

    Raises:
        ConfigError: A setting is wrong or half given.
        StoreError: The database can't be opened.
    """
    async with build_runtime(prepared_settings(verbose=verbose)) as runtime:
        yield runtime
