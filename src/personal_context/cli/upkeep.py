"""Commands that keep the mirror in shape: sync, reindex, version."""

import sys
from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.console import Group
from rich.table import Table
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import opened_runtime
from personal_context.cli.output import FAILED, printable, progress_bars
from personal_context.domain.models import (
    PassReport,
    ReindexProgress,
    ReindexState,
)
from personal_context.runtime import Runtime
from personal_context.web.api import progress_json, reindex_failure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import RenderableType

Flag = Annotated[bool, Parameter(negative="")]


async def sync(
    *,
    full: Flag = False,
    confirm_removals: Annotated[list[str] | None, Parameter(negative="")] = None,
    common: Common = PLAIN,
) -> int:
    """Pull what changed in Outline, now.

    Parameters
    ----------
    full
        Compare every document instead of what changed.
    confirm_removals
        A collection, by name or id, whose many removals may go on; repeatable, `*` for all.
    """
    async with opened_runtime(verbose=common.verbose) as runtime:
        with progress_bars(shown=not common.json) as report:
            reports = await runtime.sync.sync_now(
                full=full, confirm_removals=confirm_removals or (), on_progress=report
            )
        pushed = await runtime.push_pending()
        embedded = await runtime.embed_backlog()
    ok = not any(report.error or report.failed for report in reports)
    common.show(
        {"reports": reports, "pushed": pushed, "embedded": embedded, "ok": ok},
        lambda: _reports(reports, pushed, embedded),
    )
    return 0 if ok else FAILED


def _reports(reports: "Sequence[PassReport]", pushed: int, embedded: int) -> "RenderableType":
    table = Table(
        "collection",
        "new",
        "updated",
        "moved",
        "restored",
        "removed",
        "unchanged",
        "failed",
        "requests",
    )
    problems = []
    for report in reports:
        counts = (
            report.created,
            report.updated,
            report.moved,
            report.restored,
            report.removed,
            report.unchanged,
        )
        table.add_row(
            Text(report.name), *map(str, counts), str(len(report.failed)), str(report.requests)
        )
        problems += [f"{report.name}: {report.error}"] if report.error else []
        problems += [f"{report.name}: {i}: {why}" for i, why in report.failed.items()]
    lines = [Text(line, style="red") for line in problems]
    return Group(table, Text(f"{pushed} additions pushed, {embedded} sections embedded."), *lines)


async def reindex(*, common: Common = PLAIN) -> int:
    """Make all vectors anew, beside the ones that search uses meanwhile."""
    # With --json, the state and the message in it tell the failure.
    async with opened_runtime(verbose=common.verbose) as runtime:
        with progress_bars(shown=not common.json) as report:
            done = await reindexed(runtime, report)
    failure = reindex_failure(done)
    if failure and not common.json:
        raise failure
    common.show(
        progress_json(done),
        lambda: Text(f"{done.success} of {done.total} sections embedded, {done.errors} refused."),
    )
    return 0 if done.state is ReindexState.DONE and not done.errors else FAILED


async def reindexed(runtime: Runtime, report: "Callable[[str, int, int], None]") -> ReindexProgress:
    """Reindex everything and tell how far it is, once a moment."""
    import asyncio

    await runtime.reindex.start()
    ending = asyncio.ensure_future(runtime.reindex.wait())
    told = None
    while not ending.done():
        await asyncio.wait([ending], timeout=0.2)
        now = await runtime.reindex.progress()
        report("Reindex", now.success + now.errors, now.total)
        if now.state is ReindexState.PAUSED and now.message != told:
            told = now.message
            sys.stderr.write(printable(f"Paused: {told}\n"))
    return await ending


def version(*, common: Common = PLAIN) -> None:
    """Print the version."""
    number = installed_version("personal-context")
    common.show({"version": number}, lambda: Text(number))
