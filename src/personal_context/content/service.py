"""Contents as every door calls them: one object for adding and reading."""

import asyncio
from collections.abc import Sequence

from personal_context.content.adding import Added, Adder, IfExists
from personal_context.content.checks import NewContent
from personal_context.content.excerpts import WHOLE, Excerpt, Heading, Wanted, excerpt, headings_of
from personal_context.content.reading import ReadContent, Reader
from personal_context.domain.models import ContentId, Surroundings
from personal_context.ports import TokenCounter


class ContentService:
    """Adds and reads contents. Each method is explained where it is done.

    Args:
        adder: Adds.
        reader: Reads.
        count_tokens: Counts tokens of a prompt.
    """

    def __init__(self, *, adder: Adder, reader: Reader, count_tokens: TokenCounter) -> None:
        self._adder = adder
        self._reader = reader
        self._count_tokens = count_tokens

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

    async def read(self, reference: str, wanted: Wanted = WHOLE) -> tuple[ReadContent, Excerpt]:
        """Return a content with the part of its text that is wanted, see excerpts.excerpt.

        Raises:
            ContentNotFound: Nothing stored goes by that name.
            InvalidInput: It has no such section or line, or the cursor is of another text.
        """
        read = await self._reader.get(reference)
        return read, await asyncio.to_thread(
            excerpt, read.content.readable, read.summary.hash, wanted, self._count_tokens
        )

    async def table_of(self, reference: str) -> tuple[ReadContent, Excerpt, Sequence[Heading]]:
        """Return a content with its whole text, and all its headings.

        Raises:
            ContentNotFound: Nothing stored goes by that name.
        """
        read, whole = await self.read(reference)
        text = read.content.readable
        return read, whole, await asyncio.to_thread(headings_of, text, self._count_tokens)

    async def around(self, content_id: ContentId) -> Surroundings:
        """Return what stands around a content, see Reader.around."""
        return await self._reader.around(content_id)

    async def close(self) -> None:
        """Wait shortly for pushes under way; the outbox keeps those that don't make it."""
        await self._adder.close()
