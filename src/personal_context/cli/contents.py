"""Commands on contents: search, add, get."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.console import Group
from rich.markup import escape
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.filtering import EVER, DatedFilterOptions
from personal_context.cli.opening import opened_runtime
from personal_context.cli.output import show_file
from personal_context.content.adding import Added, IfExists
from personal_context.content.checks import NewContent
from personal_context.content.excerpts import WHOLE, Wanted
from personal_context.content.from_web import NewPage
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import SearchAnswer, SearchResult
from personal_context.domain.text import shortened
from personal_context.search.similar import THRESHOLD
from personal_context.tools.answers import (
    added_output,
    content_output,
    part_lines,
    similar_lines,
)
from personal_context.tools.pages import page_output
from personal_context.tools.search_answers import search_output, similar_output

if TYPE_CHECKING:
    from rich.console import RenderableType

PATIENCE = 10.0
"""Seconds that the command `add` waits for Outline: nothing pushes when it has ended."""


async def search(
    query: str,
    /,
    *,
    limit: int = 10,
    offset: int = 0,
    cursor: str | None = None,
    filtered: DatedFilterOptions = EVER,
    common: Common = PLAIN,
) -> None:
    """Search the mirror by meaning and by words.

    Parameters
    ----------
    query
        A question or a few words; also "a phrase", -word, title:, tag:, collection:, source:,
        after: and before:.
    limit
        Most documents to show, 1 to 100.
    offset
        Documents to pass over.
    cursor
        What the answer before gave for its next page.
    """
    async with opened_runtime(verbose=common.verbose) as runtime:
        answer = await runtime.search.search(
            query, limit=limit, offset=offset, cursor=cursor, filters=filtered.filters
        )
    common.show(search_output(answer).model_dump(), lambda: _results(answer))


async def similar(
    reference: str | None = None,
    /,
    *,
    text: str | None = None,
    threshold: float = THRESHOLD,
    limit: int = 10,
    common: Common = PLAIN,
) -> None:
    """Find documents that are like another one, or like a text, by meaning alone.

    Parameters
    ----------
    reference
        A document: its id, urlId or address.
    text
        Any text, in place of a document.
    threshold
        Least similarity, -1 to 1.
    limit
        Most documents to show, 1 to 100.
    """
    async with opened_runtime(verbose=common.verbose) as runtime:
        answer = await runtime.similar.find_similar(
            content_id=reference, text=text, threshold=threshold, limit=limit
        )
    common.show(
        similar_output(answer).model_dump(),
        lambda: (
            Group(*_listed(answer.results)) if answer.results else Text("Nothing is that near.")
        ),
    )


def _results(answer: SearchAnswer) -> "RenderableType":
    lines: list[RenderableType] = []
    if answer.degraded:
        lines.append(Text(f"Keyword search only: {answer.degraded}", style="yellow"))
    lines += [Text(note, style="yellow") for note in answer.notes]
    if not answer.results:
        lines.append(Text(f"Nothing found for “{shortened(answer.query)}”."))
    lines += _listed(answer.results)
    if answer.next_cursor:
        lines.append(Text(f"More: --cursor {answer.next_cursor}", style="dim"))
    return Group(*lines)


def _listed(results: Sequence[SearchResult]) -> "list[RenderableType]":
    lines: list[RenderableType] = []
    for result in results:
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
    return lines


async def add(  # noqa: PLR0913 - each is an option of the command
    file: Annotated[str, Parameter(allow_leading_hyphen=True)] = "-",
    /,
    *,
    title: str | None = None,
    tag: Annotated[list[str] | None, Parameter(negative="")] = None,
    source_url: str | None = None,
    metadata: str | None = None,
    collection: str | None = None,
    parent: str | None = None,
    if_exists: IfExists = "return",
    url: str | None = None,
    ignore_robots: Annotated[bool, Parameter(negative="")] = False,
    overwrite: Annotated[bool, Parameter(negative="")] = False,
    common: Common = PLAIN,
) -> None:
    """Add a Markdown file (or stdin, `-`), or a web page, to the store, and to Outline.

    Parameters
    ----------
    file
        A file, or `-` for stdin.
    title
        Default: the title in the file's front matter, else its first heading, else its name.
    tag
        A tag; repeatable. Default: those of the front matter.
    source_url
        Where the text came from.
    metadata
        A JSON object that is kept with it; it wins over front matter.
    collection
        Outline collection it goes to: id, address or name. Default: the parent's, else yours.
    parent
        Document it shall stand under: id, urlId or address.
    if_exists
        If the same title and text are kept already: return that document, give an error, or add
        a second one.
    url
        A web page to add in place of a file. The same page again is brought up to date.
    ignore_robots
        With `--url`: fetch it even if the site's robots.txt asks programs not to.
    overwrite
        With `--url`: take the page's text also if what is kept of it was edited since.
    """
    if url is not None:
        unfit = file != "-" or source_url or metadata or if_exists != "return"
        if unfit:
            raise InvalidInput(
                "A page is added by its address alone.",
                hint="With --url give only --title, --tag, --collection, --parent, "
                "--ignore-robots and --overwrite.",
            )
        page = NewPage(url, title, tag, collection, parent, not ignore_robots, overwrite)
        await _add_page(page, common)
        return
    new = NewContent(
        text=_read(file),
        title=title,
        tags=tag,
        source_url=source_url,
        metadata=_json(metadata),
        collection=collection,
        parent=parent,
        fallback_title=None if file == "-" else Path(file).stem,
    )
    async with opened_runtime(verbose=common.verbose) as runtime:
        added = await runtime.contents.add(new, if_exists=if_exists, patience=PATIENCE)
        await runtime.embed_backlog()
    common.show(added_output(added).model_dump(), lambda: _added(added))


async def _add_page(page: NewPage, common: Common) -> None:
    async with opened_runtime(verbose=common.verbose) as runtime:
        kept = await runtime.pages.add(page, patience=PATIENCE)
        await runtime.embed_backlog()
    common.show(page_output(kept).model_dump(), lambda: _added(kept.content))


def _added(added: Added) -> "RenderableType":
    return Group(
        Text(f"{added.content.title} ({added.content.id})\n{added.message}"),
        *(Text(f"Warning: {warning}", style="yellow") for warning in added.warnings),
        *map(Text, similar_lines(added)),
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


def _json(text: str | None) -> dict[str, Any]:
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError) as error:
        raise InvalidInput("The metadata is not JSON.", cause=str(error)) from None
    if not isinstance(found, dict):
        raise InvalidInput("The metadata is not a JSON object.", hint='Write {"key": "value"}.')
    return found


async def get(
    reference: str,
    /,
    *,
    section: str | None = None,
    from_line: int | None = None,
    max_tokens: int | None = None,
    cursor: str | None = None,
    markdown: Annotated[bool, Parameter(negative="")] = False,
    common: Common = PLAIN,
) -> None:
    """Print a document, or a part of it, by id, Outline urlId, or Outline address.

    Parameters
    ----------
    reference
        Ids come from search.
    section
        Only this section: a heading, "Parent > Heading", or its number.
    from_line
        Begin at this line.
    max_tokens
        At most so many tokens, at least 100. Default: all.
    cursor
        What the part before gave, to read on.
    markdown
        Print it as a Markdown file: its text alone, with title, tags and metadata as front matter.
    """
    wanted = Wanted(section, from_line, max_tokens, cursor)
    if markdown and wanted != WHOLE:
        raise InvalidInput(
            "A part of a document is no file.", hint="Leave --markdown out, or ask for all of it."
        )
    async with opened_runtime(verbose=common.verbose) as runtime:
        read, part = await runtime.contents.read(reference, wanted)
    if markdown and not common.json:
        from personal_context.content.exporting import as_markdown

        show_file(as_markdown(read.content))
        return
    heading = " · ".join(filter(None, [" › ".join(read.summary.path), read.summary.url]))
    common.show(
        content_output(read, part).model_dump(),
        lambda: Group(
            Text(read.content.title, style="bold"),
            Text(heading, style="dim"),
            *(Text(line, style="dim") for line in part_lines(part)),
            Text(""),
            Text(part.text),
        ),
    )
