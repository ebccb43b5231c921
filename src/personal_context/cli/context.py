"""The command that prints context for a model."""

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.filtering import EVER, DatedFilterOptions
from personal_context.cli.opening import opened_runtime
from personal_context.cli.output import show_file
from personal_context.domain.models import ContextForm
from personal_context.search.context import USUAL_TOKENS
from personal_context.tools.context import context_output


async def context(
    query: str,
    /,
    *,
    max_tokens: int = USUAL_TOKENS,
    format: ContextForm = "markdown",  # noqa: A002 - the option's name
    filtered: DatedFilterOptions = EVER,
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
    """
    async with opened_runtime(verbose=common.verbose) as runtime:
        answer = await runtime.context.get_context(
            query, max_tokens=max_tokens, form=format, filters=filtered.filters
        )
    if common.json:
        common.show(context_output(answer).model_dump(), lambda: "")
    else:
        show_file(answer.text)
