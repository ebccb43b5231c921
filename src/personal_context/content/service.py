"""Contents as every door calls them: one object for adding and reading."""

from personal_context.content.adding import Added, Adder, IfExists
from personal_context.content.checks import NewContent
from personal_context.content.reading import ReadContent, Reader


class ContentService:
    """Adds and reads contents. Each method is explained where it is done.

    Args:
        adder: Adds.
        reader: Reads.
    """

    def __init__(self, *, adder: Adder, reader: Reader) -> None:
        self._adder = adder
        self._reader = reader

    async def add(
        self, new: NewContent, *, if_exists: IfExists = "return", patience: float = 0.0
    ) -> Added:
        """Store a content, durable and searchable when this returns, then offer it to Outline.

        See Adder.add.
        """
        return await self._adder.add(new, if_exists=if_exists, patience=patience)

    async def get(self, reference: str) -> ReadContent:
        """Return a content by id, Outline urlId, or Outline address.

        Raises:
            ContentNotFound: Nothing stored goes by that name.
        """
        return await self._reader.get(reference)

    async def close(self) -> None:
        """Wait shortly for pushes under way; the outbox keeps those that don't make it."""
        await self._adder.close()
