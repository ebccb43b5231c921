"""The command that prints context for a model."""

from datetime import datetime
from typing import Annotated

from cyclopts import Parameter

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import opened_runtime
from personal_context.cli.output import show_file
from personal_context.domain.models import ContextForm, SearchFilters, SourceType
from personal_context.domain.text import as_utc
from personal_context.search.context import USUAL_TOKENS
from personal_context.tools.context import context_output


async def context(
    query: str,
    /,
    *,
    max_tokens: int = USUAL_TOKENS,
    format: ContextForm = "markdown",  # noqa: A002 - the option's name
    source_type: Annotated[list[SourceType] | None, Parameter(negative="")] = None,
    tag: Annotated[list[str] | None, Parameter(negative="")] = None,
    collection: str | None = None,
    after: datetime | None = None,
    before: datetime | None = None,
    common: Common = PLAIN,
) -> None:
    """Print the passages that answer a question, for a model to read.

    Parameters
    ----------
    query
        A question or a few words, as for search.
    max_tokens
        Most tokens of the text, 200 to 50,000.
    format
        markdown, xml or json.
    source_type
        Only these; repeatable: outline, note, web.
    tag
        Only documents with this tag; repeatable, and then with all of them.
    collection
        Only this collection: name, id or address.
    after
        Only documents changed on this day or later.
    before
        Only documents changed before this day.
    """
    filters = SearchFilters(
        frozenset(source_type or ()),
        collection,
        frozenset(tag or ()),
        after and as_utc(after),
        before and as_utc(before),
    )
    async with opened_runtime(verbose=common.verbose) as runtime:
        answer = await runtime.context.get_context(
            query, max_tokens=max_tokens, form=format, filters=filters
        )
    if common.json:
        common.show(context_output(answer).model_dump(), lambda: "")
    else:
        show_file(answer.text)
