"""Make a text ready for the store, off the event loop."""

import asyncio

from personal_context.domain.models import Indexed
from personal_context.indexing.links import links
from personal_context.indexing.markdown import readable
from personal_context.indexing.sections import split
from personal_context.ports import TokenCounter
from personal_context.words.making import terms_of


class Preparer:
    """A ports.PrepareText: readable text, sections, links and terms of a document.

    Args:
        count_tokens: Called from worker threads, maybe from several at once.
    """

    def __init__(self, count_tokens: TokenCounter) -> None:
        self._count_tokens = count_tokens

    async def __call__(self, title: str, text: str) -> Indexed:
        """Prepare a document in a thread: half a megabyte takes half a second of CPU.

        Args:
            title: As Outline returned it or as it was given.
            text: Outline's Markdown.
        """
        return await asyncio.to_thread(self.prepare, title, text)

    def prepare(self, title: str, text: str) -> Indexed:
        """Prepare a document in this thread; see `__call__`."""
        shown = readable(text)
        sections = split(title, shown, self._count_tokens)
        pieces = [(one.heading_path, shown[one.start : one.end]) for one in sections]
        return Indexed(shown, sections, links(text), terms_of(title, pieces))
