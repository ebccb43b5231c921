"""Collections, their trees, and tags."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import Field

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import CollectionStatus, LetGoReport, SourceType
from personal_context.search.browsing import MOST_IN_TREE
from personal_context.web.rest.operations import AnyOperation, Call, Operation
from personal_context.web.rest.shapes import Params

TAG = "Collections"
NAMES = "The collection's id, address or name."


class ForgetParams(Params):
    """What a person has agreed to."""

    documents: int | None = Field(
        default=None,
        ge=0,
        le=999_999_999,
        description="How many documents it holds, as its owner was told; without it, you are told.",
    )


class ForgetNamedParams(ForgetParams):
    """What is to be let go."""

    collection: str = Field(description="A collection's id, address or name.")


class TreeParams(Params):
    """Which part of the tree."""

    limit: int = Field(default=300, ge=1, le=MOST_IN_TREE, description="Most documents.")
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")


@dataclass(frozen=True, slots=True)
class Collections:
    """Every collection that is or was mirrored, by name."""

    collections: Sequence[CollectionStatus]


@dataclass(frozen=True, slots=True)
class TreeDocument:
    """A document in a tree; it follows the one that it stands below."""

    id: str
    title: str
    depth: Annotated[int, Field(description="0 at the top.")]
    parent_id: str | None
    source_type: SourceType
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Tree:
    """A collection's documents as a person reads them."""

    id: str
    name: str
    documents: Sequence[TreeDocument]
    total: Annotated[int, Field(description="Documents of the collection.")]
    next_cursor: Annotated[str | None, Field(description="Give it as cursor for the next page.")]


@dataclass(frozen=True, slots=True)
class TagCount:
    """A tag, and how many documents have it."""

    name: str
    documents: int


@dataclass(frozen=True, slots=True)
class Tags:
    """Every tag, by name."""

    tags: Sequence[TagCount]


async def _collections(call: Call[None, None]) -> Collections:
    return Collections((await call.services.status()).collections)


async def _tree(call: Call[TreeParams, None]) -> Tree:
    params = call.params
    shelf = await call.services.browsing.tree(
        call.reference, limit=params.limit, cursor=params.cursor
    )
    return Tree(
        shelf.id,
        shelf.name,
        [
            TreeDocument(one.id, one.title, depth, one.parent_id, one.source_type, one.updated_at)
            for one, depth in shelf.documents
        ],
        shelf.total,
        shelf.next_cursor,
    )


async def _tags(call: Call[None, None]) -> Tags:
    counts = await call.services.browsing.tags()
    return Tags([TagCount(name, count) for name, count in counts.items()])


async def _forget(call: Call[ForgetParams, None]) -> LetGoReport:
    name = call.params.collection if isinstance(call.params, ForgetNamedParams) else call.reference
    documents = call.params.documents
    if documents is None:
        leaving = await call.services.letting_go.look(name)
        raise InvalidInput(
            f"{leaving.name!r} was not let go: nobody said how much that is.",
            cause=f"It holds {leaving.documents} documents, which would leave search for the "
            "local trash.",
            hint=f"If that is right, repeat it with documents={leaving.documents}",
        )
    return await call.services.letting_go.let_go(name, documents=documents)


OPERATIONS: tuple[AnyOperation, ...] = (
    Operation(
        "listCollections",
        "GET",
        "/collections",
        "Every collection",
        "List the collections that are mirrored, with how many documents each has and how fresh "
        "it is.",
        TAG,
        _collections,
        {200: Collections},
    ),
    Operation(
        "getTree",
        "GET",
        "/collections/{reference}/tree",
        "A collection's tree",
        "Get the titles of all documents of a collection as they stand below each other.",
        TAG,
        _tree,
        {200: Tree},
        params=TreeParams,
        names=NAMES,
    ),
    Operation(
        "forgetCollection",
        "POST",
        "/collections/{reference}/forget",
        "Let a collection go",
        "Move the documents of a collection that the settings don't name any more to the local "
        "trash. Outline is not touched.",
        TAG,
        _forget,
        {200: LetGoReport},
        params=ForgetParams,
        refusals=(503,),
        names=NAMES,
        action=False,
    ),
    Operation(
        "listTags",
        "GET",
        "/tags",
        "Every tag",
        "List the tags that documents have, with how many have each.",
        TAG,
        _tags,
        {200: Tags},
    ),
)

SHORT_OPERATIONS: tuple[AnyOperation, ...] = (
    Operation(
        "forget",
        "POST",
        "/forget",
        "Let a collection go",
        "The short form of forgetCollection.",
        TAG,
        _forget,
        {200: LetGoReport},
        params=ForgetNamedParams,
        action=False,
    ),
)
"""They stand at their short address alone."""
