"""Commands that keep the mirror in shape: sync, version."""

from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.console import Group
from rich.table import Table
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import opened_runtime
from personal_context.cli.output import FAILED, progress_bars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from personal_context.domain.models import PassReport

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
        `NAME=12` agrees to twelve at most, `NAME` to those that wait when the command begins.
    """
    async with opened_runtime(verbose=common.verbose) as runtime:
        with progress_bars(shown=not common.json) as report:
            reports = await runtime.sync.sync_now(
                full=full, confirm_removals=confirm_removals or (), on_progress=report
            )
        pushed = await runtime.push_pending()
        embedded = await runtime.embed_backlog()
    ok = bool(reports) and not any(report.error or report.failed for report in reports)
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
        box=None,  # nine columns fit into the eighty of a plain terminal
        padding=(0, 1, 0, 0),
        pad_edge=False,
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
    if not reports:
        problems.append("Nothing was synced: Outline shows this key no collection to mirror.")
    lines = [Text(line, style="red") for line in problems]
    return Group(table, Text(f"{pushed} additions pushed, {embedded} sections embedded."), *lines)


def version(*, common: Common = PLAIN) -> None:
    """Print the version."""
    number = installed_version("personal-context")
    common.show({"version": number}, lambda: Text(number))
