"""The owner's prompts for agents: the documents of one collection, one after another."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from personal_context.content.excerpts import Wanted, excerpt
from personal_context.domain.models import CollectionId, Content
from personal_context.domain.text import one_line, shortened, text_key
from personal_context.ports import Store, TokenCounter

GUIDANCE = "agent guidance"
"""Title of the document that goes into the instructions of every conversation."""

MOST_TOKENS = 20_000
"""Of prompts in one answer; some clients refuse answers of more than 25,000."""

LONGEST_GUIDANCE = 8_000
"""Characters; more would crowd out what a conversation is about."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts as one text.

    Attributes:
        text: Every document with its title as heading, in tree order; or a sentence that says
            why there is nothing.
        count: Documents in all.
        more: Leads to the rest of a long text; None if this is all of it.
    """

    text: str
    count: int
    more: str | None = None


class PromptService:
    """Reads the prompts collection.

    Args:
        store: Where its mirror is.
        configured: Whether a prompts collection is set.
        collection: Finds its id; None when Outline doesn't show it.
        count_tokens: Counts tokens of a prompt.
    """

    def __init__(
        self,
        *,
        store: Store,
        configured: bool,
        collection: Callable[[], Awaitable[CollectionId | None]],
        count_tokens: TokenCounter,
    ) -> None:
        self._store = store
        self._configured = configured
        self._collection = collection
        self._count_tokens = count_tokens

    async def load(self, *, cursor: str | None = None) -> Prompts:
        """Return every prompt document in tree order, at most 20,000 tokens at a time.

        Args:
            cursor: `more` of the answer before.

        Raises:
            InvalidInput: The prompts were changed since the cursor was given.
        """
        if not self._configured:
            return Prompts(
                "No prompts collection is set. The owner names one in "
                "PERSONAL_CONTEXT_PROMPTS_COLLECTION_ID.",
                0,
            )
        contents = await self.documents()
        if not contents:
            return Prompts(
                "The prompts collection is empty, or was not mirrored yet. Try again after the "
                "next sync.",
                0,
            )
        text = joined(contents)
        wanted = Wanted(max_tokens=MOST_TOKENS, cursor=cursor)
        part = await asyncio.to_thread(excerpt, text, text_key(text), wanted, self._count_tokens)
        return Prompts(part.text, len(contents), part.more)

    async def documents(self) -> Sequence[Content]:
        """Return the prompt documents in tree order; none if there is no such collection."""
        collection_id = await self.collection()
        return await self._store.in_collection(collection_id) if collection_id else ()

    async def collection(self) -> CollectionId | None:
        """Return the prompts collection; None when none is set, or it is not known yet."""
        return await self._collection() if self._configured else None

    async def guidance(self) -> str | None:
        """Return what the owner wants every agent to know: the document titled so, if any."""
        for content in await self.documents():
            if one_line(content.title).casefold() == GUIDANCE:
                return shortened(content.readable.strip(), LONGEST_GUIDANCE) or None
        return None


def joined(contents: Sequence[Content]) -> str:
    """Return contents one after another, each under its title."""
    return "\n\n".join(
        f"# {content.title or 'Untitled'}\n\n{content.readable.strip()}".rstrip()
        for content in contents
    )
