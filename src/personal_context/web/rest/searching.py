"""Search, what is alike, and context for a model."""

from pydantic import Field

from personal_context.domain.models import ContextForm
from personal_context.web.rest.found import (
    ContextFound,
    SearchFound,
    SimilarFound,
    context_found,
    search_found,
    similar_found,
)
from personal_context.web.rest.operations import AnyOperation, Call, Operation
from personal_context.web.rest.shapes import FilterParams

TAG = "Search"


class SearchParams(FilterParams):
    """What to search for."""

    q: str = Field(
        min_length=1,
        description='A question or a few words. "A phrase", -word, title:, tag: and the like are '
        "read, all else is text.",
        examples=["how do we restore the database"],
    )
    limit: int = Field(default=10, ge=1, le=100, description="Most results, 1 to 100.")
    offset: int = Field(default=0, ge=0, le=999_999_999, description="Results to pass over.")
    cursor: str | None = Field(
        default=None, description="next_cursor of the page before, with all else the same."
    )


class SimilarParams(FilterParams):
    """What to compare with."""

    content_id: str | None = Field(
        default=None, description="A document's id; either this or text."
    )
    text: str | None = Field(default=None, description="A text of your own.")
    threshold: float = Field(
        default=0.5, ge=-1, le=1, description="Least cosine, -1 to 1; 0.5 shares a subject."
    )
    limit: int = Field(default=10, ge=1, le=100, description="Most results, 1 to 100.")
    cursor: str | None = Field(default=None, description="next_cursor of the answer before.")


class ContextParams(FilterParams):
    """What a model should know."""

    q: str = Field(
        min_length=1,
        description="A question or a few words.",
        examples=["how do we restore the database"],
    )
    max_tokens: int = Field(
        default=4000, ge=200, le=50_000, description="Most tokens of the text, 200 to 50,000."
    )
    format: ContextForm = Field(default="markdown", description="markdown, xml or json.")


async def _search(call: Call[SearchParams, None]) -> SearchFound:
    asked = call.params
    return search_found(
        await call.services.search.search(
            asked.q,
            limit=asked.limit,
            offset=asked.offset,
            cursor=asked.cursor,
            filters=asked.filters(),
        )
    )


async def _similar(call: Call[SimilarParams, None]) -> SimilarFound:
    asked = call.params
    return similar_found(
        await call.services.similar.find_similar(
            content_id=asked.content_id,
            text=asked.text,
            threshold=asked.threshold,
            limit=asked.limit,
            cursor=asked.cursor,
            filters=asked.filters(),
        )
    )


async def _context(call: Call[ContextParams, None]) -> ContextFound:
    asked = call.params
    return context_found(
        await call.services.context.get_context(
            asked.q, max_tokens=asked.max_tokens, form=asked.format, filters=asked.filters()
        )
    )


OPERATIONS: tuple[AnyOperation, ...] = (
    Operation(
        "search",
        "GET",
        "/search",
        "Search by meaning and words",
        "Find documents of the owner's wiki and notes. Use it before you answer anything about "
        "their work, systems, decisions or people. Each result has its best section; read more "
        "with getContent.",
        TAG,
        _search,
        {200: SearchFound},
        params=SearchParams,
    ),
    Operation(
        "getContext",
        "GET",
        "/context",
        "Passages that answer a question",
        "Get one text of at most max_tokens with the passages that answer a question best, each "
        "with its source. Use it when you want to read, not to choose.",
        TAG,
        _context,
        {200: ContextFound},
        params=ContextParams,
    ),
    Operation(
        "findSimilar",
        "GET",
        "/similar",
        "What is like a document or a text",
        "Find documents that are near in meaning to one that you have, or to a text of your own, "
        "e.g. before you add something that may be there already.",
        TAG,
        _similar,
        {200: SimilarFound},
        params=SimilarParams,
        refusals=(404, 503),
    ),
)
