"""The command that lists what there is, and what changed."""

from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.filtering import ALL, FilterOptions
from personal_context.cli.opening import opened_runtime
from personal_context.domain.models import (
    ListedContent,
    Listing,
    ListSort,
)
from personal_context.domain.text import one_line
from personal_context.tools.listing import listing_output

if TYPE_CHECKING:
    from rich.console import RenderableType


async def list_contents(
    *,
    since: str | None = None,
    sort: ListSort = "updated",
    limit: int = 20,
    cursor: str | None = None,
    filtered: FilterOptions = ALL,
    common: Common = PLAIN,
) -> None:
    """List documents, and who changed what last.

    Parameters
    ----------
    since
        Only what changed since: a date, a time, or a span such as 7d or 12h. What was removed
        since is listed, too.
    sort
        updated or created (last first), title, or place.
    limit
        Most documents to show, 1 to 100.
    cursor
        What the page before gave for the next one.
    """
    async with opened_runtime(verbose=common.verbose) as runtime:
        found = await runtime.listing.list_content(
            updated_since=since,
            sort=sort,
            limit=limit,
            cursor=cursor,
            filters=filtered.filters,
        )
    common.show(listing_output(found).model_dump(), lambda: _shown(found))


def _shown(found: Listing) -> "RenderableType":
    table = Table("Changed", "Document", "Where", "What", box=None, pad_edge=False)
    for one in found.contents:
        table.add_row(*map(Text, _row(one)))
    lines: list[RenderableType] = [table if found.contents else Text("None.")]
    if found.removed:
        lines += [Text(""), Text("Removed since:", style="bold")]
    lines += [Text(f"{one.created_at:%Y-%m-%d %H:%M}  {one.details}") for one in found.removed]
    lines.append(Text(f"{len(found.contents)} of {found.total}", style="dim"))
    if found.next_cursor:
        lines.append(Text(f"More: --cursor {found.next_cursor}", style="dim"))
    return Group(*lines)


def _row(one: ListedContent) -> tuple[str, str, str, str]:
    change = one.change
    by = f" by {change.actor}" if change and change.actor else ""
    return (
        f"{one.content.updated_at:%Y-%m-%d %H:%M}",
        one_line(one.content.title) or "Untitled",
        " › ".join(one.content.path),
        f"{change.operation}{by}" if change else "",
    )
