"""Commands on contents: search, add, get."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.console import Group
from rich.markup import escape
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import opened_runtime
from personal_context.content.checks import NewContent
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import SearchAnswer, SearchFilters, SourceType
from personal_context.domain.text import shortened
from personal_context.tools.answers import added_output, content_output, search_output

if TYPE_CHECKING:
    from rich.console import RenderableType


async def search(
    query: str,
    /,
    *,
    limit: int = 10,
    source_type: Annotated[list[SourceType] | None, Parameter(negative="")] = None,
    tag: Annotated[list[str] | None, Parameter(negative="")] = None,
    collection: str | None = None,
    common: Common = PLAIN,
) -> None:
    """Search the mirror by meaning and by words.

    Parameters
    ----------
    query
        A question or a few words; plain text.
    limit
        Most documents to show, 1 to 100.
    source_type
        Only these; repeatable: outline, note, web.
    tag
        Only documents with this tag; repeatable, and then with all of them.
    collection
        Only this collection: name, id or address.
    """
    filters = SearchFilters(frozenset(source_type or ()), collection, frozenset(tag or ()))
    async with opened_runtime(verbose=common.verbose) as runtime:
        answer = await runtime.search.search(query, limit=limit, filters=filters)
    common.show(search_output(answer).model_dump(), lambda: _results(answer))


def _results(answer: SearchAnswer) -> "RenderableType":
    lines: list[RenderableType] = []
    if answer.degraded:
        lines.append(Text(f"Keyword search only: {answer.degraded}", style="yellow"))
    if not answer.results:
        lines.append(Text(f"Nothing found for “{shortened(answer.query)}”."))
    for result in answer.results:
        summary, section = result.content, result.section
        place = " › ".join((*summary.path, *(section.heading_path if section else ())))
        lines += [
            Text.from_markup(
                f"[bold]{escape(summary.title or 'Untitled')}[/] [green]{result.score:.2f}[/] "
                f"[dim]{summary.id}[/]"
            ),
            Text(f"  {place}" if place else "", style="cyan"),
            Text(f"  {' '.join(result.preview.split())[:240]}"),
            Text(""),
        ]
    return Group(*lines)


async def add(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)] = "-",
    /,
    *,
    title: str | None = None,
    tag: Annotated[list[str] | None, Parameter(negative="")] = None,
    source_url: str | None = None,
    collection: str | None = None,
    common: Common = PLAIN,
) -> None:
    """Add a Markdown file (or stdin, `-`) to the store, and to Outline.

    Parameters
    ----------
    file
        A file, or `-` for stdin.
    title
        Default: the file's first heading, else its name.
    tag
        A tag; repeatable.
    source_url
        Where the text came from.
    collection
        Outline collection it goes to: id, address or name.
    """
    text = _read(file)
    new = NewContent(
        title=title or _title(text, file),
        text=text,
        tags=tag or (),
        source_url=source_url,
        collection=collection,
    )
    async with opened_runtime(verbose=common.verbose) as runtime:
        added = await runtime.contents.add(new)
        await runtime.embed_backlog()
    common.show(
        added_output(added).model_dump(),
        lambda: Text(f"{added.content.title} ({added.content.id})\n{added.message}"),
    )


def _read(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InvalidInput(f"Can't read {file}.", cause=error.strerror) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{file} is not text.", cause=str(error), hint="Give a Markdown file in UTF-8."
        ) from None


def _title(text: str, file: str) -> str:
    for line in text.splitlines():
        if line.startswith("# "):
            return line[2:].strip()
    if file == "-":
        raise InvalidInput(
            "The text has no title.", hint="Give --title, or begin with a heading: # Title"
        )
    return Path(file).stem


async def get(reference: str, /, *, common: Common = PLAIN) -> None:
    """Print a document by id, Outline urlId, or Outline address.

    Parameters
    ----------
    reference
        Ids come from search.
    """
    async with opened_runtime(verbose=common.verbose) as runtime:
        read = await runtime.contents.get(reference)
    heading = " · ".join(filter(None, [" › ".join(read.summary.path), read.summary.url]))
    common.show(
        content_output(read).model_dump(),
        lambda: Group(
            Text(read.content.title, style="bold"),
            Text(heading, style="dim"),
            Text(""),
            Text(read.content.readable),
        ),
    )
