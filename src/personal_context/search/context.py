"""Context for a model: the best passages for a query, as many as its budget holds."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import (
    EVERYTHING,
    ContentId,
    ContentSummary,
    ContextAnswer,
    ContextDocument,
    ContextForm,
    SearchAnswer,
    SearchFilters,
    SearchResult,
    StoredSection,
)
from personal_context.ports import Clock, Store, TokenCounter
from personal_context.search.filling import Filled, Part, fill, passages
from personal_context.search.hybrid import MAX_LIMIT, HybridSearch
from personal_context.search.material import distinct, ordered
from personal_context.search.quoting import FORMS, Form

LEAST_TOKENS = 200
"""Enough for what is told of a document, and some words of it."""

MOST_TOKENS = 50_000
USUAL_TOKENS = 4_000

DEEP = 20
"""Results of which every section may be used before the other results are exhausted."""

_LINE = re.compile(r"\n|(?=\\n)")
"""Between lines, and between those that JSON has made one: no token of any tokenizer that splits at
white space and punctuation spans it."""


class ContextBuilder:
    """Puts together what a model should read.

    Args:
        search: Finds.
        store: Where the texts are.
        count_tokens: Counts tokens of a prompt.
        clock: Tells what ages are counted from.
    """

    def __init__(
        self, search: HybridSearch, store: Store, count_tokens: TokenCounter, clock: Clock
    ) -> None:
        self._search = search
        self._store = store
        self._count_tokens = count_tokens
        self._clock = clock

    async def get_context(
        self,
        query: str,
        *,
        max_tokens: int = USUAL_TOKENS,
        form: ContextForm = "markdown",
        filters: SearchFilters = EVERYTHING,
    ) -> ContextAnswer:
        """Return the sections that answer a query best, within a number of tokens.

        Sections that follow each other are one passage, the same text comes once, and passages
        stand in reading order under their document. What a budget gives, a larger one gives too.

        Args:
            query: See HybridSearch.search.
            max_tokens: Most tokens of the text, with all that is told of the documents,
                200..50,000.
            form: How it is written down.
            filters: Only contents that pass.

        Returns:
            A text without documents if nothing was found.

        Raises:
            InvalidInput: The query is blank, or the budget or a filter makes no sense.
            StoreError: The database could not be read.
        """
        if not LEAST_TOKENS <= max_tokens <= MOST_TOKENS:
            raise InvalidInput(
                f"A context of {max_tokens} tokens can't be made.",
                cause=f"It can have {LEAST_TOKENS} to {MOST_TOKENS:,} tokens.",
                hint=f"Leave max_tokens out for {USUAL_TOKENS:,}.",
            )
        answer = await self._search.search(query, limit=MAX_LIMIT, filters=filters)
        writer = _Writer(query, FORMS[form], self._clock(), _ByLine(self._count_tokens))
        order: list[StoredSection] = []
        documents: Sequence[ContextDocument] = ()
        complete = False
        for stage in range(_STAGES):
            order = distinct([*order, *await self._material(answer, filters, stage, writer)])
            documents, complete = await asyncio.to_thread(writer.choose, order, max_tokens)
            if not complete:
                break
        text = FORMS[form].write(query, documents, writer.now)
        return ContextAnswer(
            query=query,
            form=form,
            text=text,
            tokens=self._count_tokens([text])[0],
            max_tokens=max_tokens,
            documents=documents,
            complete=complete,
            mode=answer.mode,
            degraded=answer.degraded,
            notes=answer.notes,
        )

    async def _material(
        self, answer: SearchAnswer, filters: SearchFilters, stage: int, writer: "_Writer"
    ) -> Sequence[StoredSection]:
        """Return sections in their order. Each stage is read when those before don't suffice.

        First the leaders with all their sections and the others with their best, then the rest of
        those, then the second page.
        """
        results: Sequence[SearchResult] = answer.results
        if stage == _STAGES - 1:
            if answer.next_cursor is None:
                return ()
            page = await self._search.search(
                answer.query, limit=MAX_LIMIT, cursor=answer.next_cursor, filters=filters
            )
            results = page.results
        writer.know(results)
        deep = results[:DEEP] if stage == 0 else results
        sections = await self._store.sections_of([one.content.id for one in deep])
        return ordered(results, sections)


_STAGES = 3


class _ByLine:
    """Counts tokens line by line; each line once."""

    def __init__(self, count_tokens: TokenCounter) -> None:
        self._count = count_tokens
        self._known: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """Return the tokens of a text."""
        lines = _LINE.split(text)
        new = list({line for line in lines if line not in self._known})
        self._known.update(zip(new, self._count(new) if new else (), strict=True))
        return sum(self._known[line] for line in lines)


class _Writer:
    """Chooses what fits into a budget when it is written down in a form."""

    def __init__(self, query: str, form: Form, now: datetime, count: _ByLine) -> None:
        self.now = now
        self._form = form
        self._count = count
        self._frame = count(form.head(query)) + count(form.tail)
        self._summaries: dict[ContentId, ContentSummary] = {}

    def know(self, results: Sequence[SearchResult]) -> None:
        """Remember what is told of results."""
        self._summaries.update({one.content.id: one.content for one in results})

    def choose(
        self, order: Sequence[StoredSection], max_tokens: int
    ) -> tuple[Sequence[ContextDocument], bool]:
        """Return the documents that fit, and whether all of the order does."""
        filled, brief = self._filled(order, max_tokens, brief=False), False
        if order and not filled.parts:
            filled, brief = self._filled(order, max_tokens, brief=True), True
        return self._documents(filled.parts, brief=brief), filled.complete

    def _filled(self, order: Sequence[StoredSection], max_tokens: int, *, brief: bool) -> Filled:
        def measure(content_id: ContentId, parts: Sequence[Part]) -> int:
            [document] = self._documents({content_id: parts}, brief=brief)
            return self._count(self._form.document(document, self.now) + self._form.between)

        return fill(order, max_tokens - self._frame, measure)

    def _documents(
        self, parts: Mapping[ContentId, Sequence[Part]], *, brief: bool
    ) -> Sequence[ContextDocument]:
        return [
            ContextDocument(self._summaries[one], passages(own), brief)
            for one, own in parts.items()
        ]
