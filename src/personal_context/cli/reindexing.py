"""`reindex`: all vectors anew, and what a person may do about it while it goes on."""

import asyncio
import sys
from collections.abc import Callable
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import opened_runtime
from personal_context.cli.output import FAILED, printable, progress_bars
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import ReindexProgress, ReindexState
from personal_context.indexing.reindex import Reindexer, reindex_failure
from personal_context.web.view import reindex_bar, reindex_title

Action: TypeAlias = Literal["start", "status", "pause", "resume", "cancel"]


async def reindex(
    action: Action = "start",
    *,
    reuse: Annotated[bool, Parameter(negative="")] = False,
    common: Common = PLAIN,
) -> int:
    """Make all vectors anew, beside the ones that search uses meanwhile.

    It can be stopped at any time and goes on where it was, here or in a server. What another
    process has begun is joined, and told what you say.

    Parameters
    ----------
    action
        start it (or join it), tell how far it is, pause it, resume it, or cancel it.
    reuse
        Take over what the same model has made already; only what is missing or was refused is
        embedded.
    """
    if reuse and action != "start":
        raise InvalidInput(f"--reuse says nothing to {action}.", hint="Leave it out.")
    async with opened_runtime(verbose=common.verbose) as runtime:
        reindexer = runtime.reindex
        if action == "status":
            return _shown(await reindexer.progress(), common)
        if action == "pause":
            return _shown(await reindexer.pause(), common)
        if action == "cancel":
            return _shown(await reindexer.cancel(), common)
        if action == "start":
            await reindexer.start(reuse=reuse)
        elif (now := await reindexer.resume()).state is ReindexState.IDLE:
            return _shown(now, common)
        with progress_bars(shown=not common.json) as report:
            done = await _ended(reindexer, report)
    # With --json, the state and the message in it tell the failure.
    failure = reindex_failure(done)
    if failure and not common.json:
        raise failure
    _shown(done, common)
    return 0 if done.state is ReindexState.DONE and not done.errors else FAILED


def _shown(now: ReindexProgress, common: Common) -> int:
    # Not at the top: other commands need none of it.
    from personal_context.web.responses import plain
    from personal_context.web.rest.reindexing import reindex_now

    common.show(plain(reindex_now(now)), lambda: Text("\n".join(_lines(now))))
    return 0


def _lines(now: ReindexProgress) -> list[str]:
    if now.state is ReindexState.DONE:
        return [f"{now.success} of {now.total} sections embedded, {now.errors} refused."]
    bar = reindex_bar(now)
    if bar is None:
        return ["Nothing is being reindexed."]
    model = f" with {now.model}" if now.model else ""
    lines = [f"{reindex_title(now)}{model}: {bar.text} ({bar.percent} %)"]
    return [*lines, now.message] if now.message else lines


async def _ended(reindexer: Reindexer, report: Callable[[str, int, int], None]) -> ReindexProgress:
    """Wait for the end, wherever it comes from, and tell how far it is, once a moment."""
    ending = asyncio.ensure_future(reindexer.wait())
    told = None
    if reindexer.elsewhere:
        sys.stderr.write("Joined: another process is reindexing.\n")
    while not ending.done():
        await asyncio.wait([ending], timeout=0.2)
        now = await reindexer.progress()
        report("Reindex", now.success + now.errors, now.total)
        if now.state is ReindexState.PAUSED and now.message != told:
            told = now.message
            sys.stderr.write(printable(f"Paused: {told}\n"))
    return await ending
