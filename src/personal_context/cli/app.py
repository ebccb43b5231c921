"""The commands' names, and what their results and errors mean for a shell."""

import asyncio
import inspect
import logging
from collections.abc import Sequence
from typing import Any

from cyclopts import App, CycloptsError

from personal_context.cli import contents, doctor, sandbox, serving, upkeep
from personal_context.cli.output import FAILED, MISUSED, show_error
from personal_context.domain.errors import PersonalContextError

logger = logging.getLogger(__name__)

INTERRUPTED = 130


def build_app() -> App:
    """Return the command line."""
    app = App(
        name="personal-context",
        help="The gateway between an Outline wiki and AI agents.",
        version_flags=[],
        default_command=serving.serve,
        result_action="return_value",
    )
    for command in (
        serving.serve,
        sandbox.demo,
        sandbox.sandbox,
        upkeep.sync,
        contents.search,
        contents.add,
        contents.get,
        upkeep.reindex,
        upkeep.status,
        doctor.doctor,
        upkeep.version,
    ):
        app.command(command)
    return app


def run(tokens: Sequence[str]) -> int:
    """Parse and run one command line; return the exit code."""
    try:
        command, bound, _ = build_app().parse_args(
            tokens, exit_on_error=False, print_error=True, help_on_error=False
        )
    except CycloptsError:
        return MISUSED  # cyclopts has printed what is wrong
    try:
        return _code(_call(command, bound))
    except PersonalContextError as error:
        logger.debug("the command failed", exc_info=error)
        return show_error(error)
    except (KeyboardInterrupt, asyncio.CancelledError):
        return INTERRUPTED
    except BrokenPipeError:
        return FAILED  # e.g. `… | head`


def _call(command: Any, bound: inspect.BoundArguments) -> object:  # noqa: ANN401 - any command
    result = command(*bound.args, **bound.kwargs)
    return asyncio.run(result) if inspect.iscoroutine(result) else result


def _code(result: object) -> int:
    return result if isinstance(result, int) else 0
