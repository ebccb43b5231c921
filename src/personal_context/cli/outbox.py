"""Commands for the outbox: what Outline is still to be told."""

import asyncio
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter
from rich.console import Group
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import opened_runtime
from personal_context.cli.output import FAILED, printable
from personal_context.content.resolving import Keep
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import OutboxEntry, PushState

if TYPE_CHECKING:
    from rich.console import RenderableType

PATIENCE = 10.0
"""Seconds that a command waits for Outline: nothing pushes when it has ended."""

Flag = Annotated[bool, Parameter(negative="")]


def outbox_commands() -> App:
    """Return the commands below `outbox`; alone it lists what waits."""
    app = App(name="outbox", help="See what Outline is still to be told, and choose in conflicts.")
    app.default(show)
    for command in (diff, retry, resolve, discard, push):
        app.command(command)
    return app


async def show(*, common: Common = PLAIN) -> None:
    """List what waits: conflicts and refusals first."""
    async with opened_runtime(verbose=common.verbose) as runtime:
        entries = await runtime.outbox.entries()
    common.show(entries, lambda: _listed(entries))


async def diff(reference: str, /, *, common: Common = PLAIN) -> None:
    """Show how the text here differs from Outline's.

    Parameters
    ----------
    reference
        The content's id, Outline urlId, or Outline address.
    """
    async with opened_runtime(verbose=common.verbose) as runtime:
        told = await runtime.outbox.difference(reference)
    choose = f"Choose between these two: outbox resolve … --seen {told.seen}"
    common.show(told, lambda: Text(f"{told.diff or 'They say the same.'}\n\n{choose}"))


async def retry(reference: str, /, *, collection: str | None = None, common: Common = PLAIN) -> int:
    """Try again now what failed or waits.

    Parameters
    ----------
    reference
        The content's id, Outline urlId, or Outline address.
    collection
        Send a new content to this collection instead: id, address or name.
    """
    async with opened_runtime(verbose=common.verbose) as runtime:
        state = await runtime.outbox.retry(reference, collection=collection, patience=PATIENCE)
    return _told(state, common)


async def resolve(
    reference: str, /, *, keep: Keep, seen: str | None = None, common: Common = PLAIN
) -> int:
    """End a conflict.

    Parameters
    ----------
    reference
        The content's id, Outline urlId, or Outline address.
    keep
        `local`: our text takes the place of Outline's. `outline`: theirs takes the place of ours.
        `both`: theirs stays, and ours becomes a new document.
    seen
        As `diff` shows it: nothing is done if one of the texts was changed since.
    """
    async with opened_runtime(verbose=common.verbose) as runtime:
        state = await runtime.outbox.resolve(reference, keep, seen=seen, patience=PATIENCE)
        await runtime.push_pending()
        await runtime.embed_backlog()
    return _told(state, common)


async def discard(reference: str, /, *, yes: Flag = False, common: Common = PLAIN) -> int:
    """Don't tell Outline: a change is undone here, a new content stays here only.

    Parameters
    ----------
    reference
        The content's id, Outline urlId, or Outline address.
    yes
        Don't ask.
    """
    async with opened_runtime(verbose=common.verbose) as runtime:
        if not yes and not await _agreed(reference):
            sys.stderr.write("Nothing was done.\n")
            return FAILED
        state = await runtime.outbox.discard(reference)
        await runtime.embed_backlog()
    return _told(state, common)


async def push(
    *, all_local: Flag = False, collection: str | None = None, common: Common = PLAIN
) -> None:
    """Push what is due, now.

    Parameters
    ----------
    all_local
        Also offer to Outline what was kept here only.
    collection
        With `--all-local`: where that goes, by id, address or name. Default: the owner's.
    """
    async with opened_runtime(verbose=common.verbose) as runtime:
        offered: Sequence[str] = ()
        if all_local:
            offered = await runtime.outbox.offer_local(collection=collection)
        arrived = await runtime.push_pending()
        await runtime.embed_backlog()
        left = await runtime.outbox.entries()
    common.show(
        {"offered": offered, "arrived": arrived, "left": left},
        lambda: Group(Text(f"{len(offered)} offered, {arrived} arrived."), _listed(left)),
    )


def _listed(entries: Sequence[OutboxEntry]) -> "RenderableType":
    if not entries:
        return Text("Nothing waits.")
    lines: list[RenderableType] = []
    for entry in entries:
        needs = entry.state in {PushState.CONFLICT, PushState.FAILED}
        head = f"{entry.state.value} {entry.operation.value}: {entry.title} ({entry.content_id})"
        lines.append(Text(head, style="red" if needs else ""))
        if entry.error:
            tries = f" (tried {entry.attempts} times)" if entry.attempts else ""
            lines.append(Text(f"  {' '.join(entry.error.split())}{tries}", style="dim"))
    return Group(*lines)


def _told(state: PushState, common: Common) -> int:
    common.show({"outline": state.value}, lambda: Text(f"Outline: {state.value}"))
    return FAILED if state in {PushState.CONFLICT, PushState.FAILED} else 0


async def _agreed(reference: str) -> bool:
    if not sys.stdin.isatty():
        raise InvalidInput(
            "Nothing was discarded: nobody could be asked.", hint="Give --yes if you are sure."
        )
    sys.stderr.write(printable(f"Discard what Outline was to be told of {reference}? [y/N] "))
    sys.stderr.flush()
    answer = await asyncio.to_thread(sys.stdin.readline)
    return answer.strip().lower() in {"y", "yes"}
