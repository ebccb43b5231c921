"""What lies near a new text in meaning: looked for while it is stored, never waited for long."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from itertools import islice

from personal_context.domain.errors import PersonalContextError
from personal_context.domain.models import EVERYTHING, ContentId, Indexed
from personal_context.domain.text import embedding_text
from personal_context.search.meaning import MeaningSearch

logger = logging.getLogger(__name__)

SECTIONS = 4
"""Sections of a new text that are compared, from its first: each costs some 10 ms."""

HITS = 5

TOO_SLOW = 3
"""So many looks in a row that were not done in time, and the provider is left alone for a while."""

PAUSE = 60.0
"""Seconds of that while."""


class Look:
    """One look, going on in the background."""

    def __init__(self, task: "asyncio.Task[None] | None", found: dict[ContentId, float]) -> None:
        self._task = task
        self._found = found

    async def until(self, seconds: float) -> Mapping[ContentId, float]:
        """Return the best cosine of each content that was found so far.

        Args:
            seconds: Wait this long for the rest, not longer.
        """
        if self._task is not None and not self._task.done():
            await asyncio.wait([self._task], timeout=max(0.0, seconds))
        return dict(self._found)


class Likeness:
    """Compares new texts with what is stored.

    It never fails an add: what can't be compared, for want of vectors or of an answer, is not
    found. A provider that is too slow for it is asked once a minute.

    Args:
        meaning: Finds by meaning.
        monotonic: Counts seconds.
    """

    def __init__(
        self, meaning: MeaningSearch, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._meaning = meaning
        self._monotonic = monotonic
        self._late = 0
        self._paused_until = 0.0
        self._looks: set[asyncio.Task[None]] = set()

    def look(self, title: str, indexed: Indexed, *, seconds: float) -> Look:
        """Begin to look for what is near a text.

        Args:
            title: The text's.
            indexed: Its readable form and sections.
            seconds: After which nobody is interested any more.
        """
        found: dict[ContentId, float] = {}
        if self._monotonic() < self._paused_until:
            return Look(None, found)
        task = asyncio.ensure_future(self._compare(title, indexed, seconds, found))
        self._looks.add(task)
        task.add_done_callback(self._ended)
        return Look(task, found)

    async def close(self) -> None:
        """End what is under way."""
        for task in self._looks:
            task.cancel()
        await asyncio.gather(*self._looks, return_exceptions=True)

    async def _compare(
        self, title: str, indexed: Indexed, seconds: float, found: dict[ContentId, float]
    ) -> None:
        deadline = self._monotonic() + seconds
        try:
            for number, section in enumerate(islice(indexed.sections, SECTIONS)):
                piece = indexed.readable[section.start : section.end]
                text = embedding_text(title, section.heading_path, piece)
                near = await self._meaning.find(text, limit=HITS, filters=EVERYTHING)
                for content_id, hit in near.hits.items():
                    found[content_id] = max(hit.similarity, found.get(content_id, -1.0))
                late = self._monotonic() >= deadline
                if number == 0:
                    self._note(late=late)
                if late or near.degraded:
                    break
        except PersonalContextError as error:
            logger.debug("nothing could be compared: %s", error)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._looks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.warning("a text could not be compared", exc_info=task.exception())

    def _note(self, *, late: bool) -> None:
        self._late = self._late + 1 if late else 0
        if self._late >= TOO_SLOW:
            self._late = 0
            self._paused_until = self._monotonic() + PAUSE
