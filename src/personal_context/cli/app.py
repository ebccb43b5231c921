"""The commands' names, and what their results and errors mean for a shell."""

import asyncio
import inspect
import logging
from collections.abc import Sequence
from typing import Any

from cyclopts import App, CycloptsError

from personal_context.cli import (
    backups,
    changing,
    contents,
    context,
    doctor,
    folders,
    forget,
    gpt_spec,
    inspecting,
    listing,
    mcp_config,
    reindexing,
    sandbox,
    status,
    upkeep,
)
from personal_context.cli.common import PLAIN, Common
from personal_context.cli.outbox import outbox_commands
from personal_context.cli.output import FAILED, MISUSED, show_error
from personal_context.cli.serving import serve_product
from personal_context.cli.webhook import webhook_commands
from personal_context.domain.errors import PersonalContextError
from personal_context.server.serving import Transport

logger = logging.getLogger(__name__)

INTERRUPTED = 130


def serve(*, transport: Transport | None = None, common: Common = PLAIN) -> int:
    """Serve MCP, the web page and REST, and keep the mirror fresh.

    Parameters
    ----------
    transport
        stdio, http, or both. Default: both when stdin is a pipe (an MCP client started us),
        else http.
    """
    serve_product(transport, verbose=common.verbose)


def build_app() -> App:
    """Return the command line."""
    app = App(
        name="personal-context",
        help="The gateway between an Outline wiki and AI agents.",
        version_flags=[],
        default_command=serve,
        result_action="return_value",
    )
    for command in (
        serve,
        sandbox.demo,
        sandbox.sandbox,
        upkeep.sync,
        contents.search,
        contents.similar,
        context.context,
        inspecting.inspect,
        contents.add,
        contents.get,
        changing.update,
        changing.delete,
        changing.restore,
        reindexing.reindex,
        status.status,
        forget.forget,
        outbox_commands(),
        webhook_commands(),
        doctor.doctor,
        folders.export,
        folders.import_,
        backups.backup,
        mcp_config.mcp_config,
        gpt_spec.gpt_spec,
        upkeep.version,
    ):
        app.command(command)
    app.command(listing.list_contents, name="list")
    app.register_install_completion_command(
        "install-completion", help="Let your shell complete commands and options."
    )
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
