"""The owner's prompts for agents: the documents of one collection, one after another."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from personal_context.domain.models import CollectionId, Content
from personal_context.ports import Store


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts as one text.

    Attributes:
        text: Every document with its title as heading, in tree order; or a sentence that says
            why there is nothing.
        count: Documents in it.
    """

    text: str
    count: int


class PromptService:
    """Reads the prompts collection.

    Args:
        store: Where its mirror is.
        configured: Whether a prompts collection is set.
        collection: Finds its id; None when Outline doesn't show it.
    """

    def __init__(
        self,
        *,
        store: Store,
        configured: bool,
        collection: Callable[[], Awaitable[CollectionId | None]],
    ) -> None:
        self._store = store
        self._configured = configured
        self._collection = collection

    async def load(self) -> Prompts:
        """Return every prompt document in tree order."""
        if not self._configured:
            return Prompts(
                "No prompts collection is set. The owner names one in "
                "PERSONAL_CONTEXT_PROMPTS_COLLECTION_ID.",
                0,
            )
        collection_id = await self._collection()
        contents = await self._store.in_collection(collection_id) if collection_id else ()
        if not contents:
            return Prompts(
                "The prompts collection is empty, or was not mirrored yet. Try again after the "
                "next sync.",
                0,
            )
        return Prompts(joined(contents), len(contents))


def joined(contents: Sequence[Content]) -> str:
    """Return contents one after another, each under its title."""
    return "\n\n".join(
        f"# {content.title or 'Untitled'}\n\n{content.readable.strip()}".rstrip()
        for content in contents
    )
