"""`forget`: let a collection go that is no longer mirrored."""

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import opened_runtime
from personal_context.cli.output import FAILED, printable, progress_bars
from personal_context.domain.errors import InvalidInput
from personal_context.web.humanize import plural

if TYPE_CHECKING:
    from personal_context.domain.models import LetGoReport
    from personal_context.sync.letting_go import Leaving


async def forget(
    collection: str,
    /,
    *,
    yes: Annotated[bool, Parameter(negative="")] = False,
    common: Common = PLAIN,
) -> int:
    """Let a collection go that is no longer mirrored: its documents leave search.

    They wait in the local trash, and come back if the collection is mirrored again. Outline is not
    touched, and what Outline doesn't have is kept.

    Parameters
    ----------
    collection
        Its id, address, or name.
    yes
        Don't ask.
    """
    async with opened_runtime(verbose=common.verbose) as runtime:
        leaving = await runtime.letting_go.look(collection)
        if not yes and not await _agreed(leaving, runtime.settings.sync_trash_days):
            sys.stderr.write("Nothing was done.\n")
            return FAILED
        with progress_bars(shown=not common.json) as progress:
            report = await runtime.letting_go.let_go(
                leaving.collection_id, documents=leaving.documents, on_progress=progress
            )
    common.show(report, lambda: Text(told(report)))
    return 0


def told(report: "LetGoReport") -> str:
    """Say what became of it."""
    kept = f" {plural(report.kept, 'document')} stay: Outline doesn't have them as they are here."
    return (
        f"{report.name}: {plural(report.moved, 'document')} moved to the local trash."
        f"{kept if report.kept else ''}"
    )


async def _agreed(leaving: "Leaving", days: int) -> bool:
    if not sys.stdin.isatty():
        raise InvalidInput(
            f"{leaving.name!r} was not let go: nobody could be asked.",
            hint="Give --yes if you are sure.",
        )
    question = (
        f"Let go of {leaving.name} with its {plural(leaving.documents, 'document')}? They leave "
        f"search and wait in the local trash for {plural(days, 'day')}; Outline is not touched. "
        "[y/N] "
    )
    sys.stderr.write(printable(question))
    sys.stderr.flush()
    answer = await asyncio.to_thread(sys.stdin.readline)
    return answer.strip().lower() in {"y", "yes"}
