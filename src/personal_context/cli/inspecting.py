"""`inspect`: how the answer to a query comes about, and why something is not in it."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.console import Group
from rich.table import Table
from rich.text import Text

from personal_context.cli.common import PLAIN, Common
from personal_context.cli.opening import opened_runtime
from personal_context.domain.models import (
    Absence,
    ListedHit,
    Phrase,
    Reading,
    SearchFilters,
    SearchTrace,
    SourceType,
    TracedCandidate,
    TracedSection,
)
from personal_context.domain.text import as_utc, one_line, shortened

if TYPE_CHECKING:
    from rich.console import RenderableType


async def inspect(
    query: str,
    /,
    *,
    missing: str | None = None,
    limit: int = 10,
    source_type: Annotated[list[SourceType] | None, Parameter(negative="")] = None,
    tag: Annotated[list[str] | None, Parameter(negative="")] = None,
    collection: str | None = None,
    after: datetime | None = None,
    before: datetime | None = None,
    common: Common = PLAIN,
) -> None:
    """Show how the answer to a query comes about, and why a document is not in it.

    Parameters
    ----------
    query
        As for search.
    missing
        A document that should have been found: its id, urlId or address.
    limit
        Most lines of each list, 1 to 100; also the length of the answer.
    source_type
        Only these; repeatable: outline, note, web.
    tag
        Only documents with this tag; repeatable, and then with all of them.
    collection
        Only this collection: name, id or address.
    after
        Only documents changed on this day or later.
    before
        Only documents changed before this day.
    """
    filters = SearchFilters(
        frozenset(source_type or ()),
        collection,
        frozenset(tag or ()),
        after and as_utc(after),
        before and as_utc(before),
    )
    async with opened_runtime(verbose=common.verbose) as runtime:
        trace = await runtime.search.inspect(query, limit=limit, filters=filters, missing=missing)
    common.show(trace, lambda: trace_text(trace))


def trace_text(trace: SearchTrace) -> "RenderableType":
    """Return a trace as a person reads it."""
    lines: list[RenderableType] = [*_reading(trace.reading)]
    if trace.fusion is not None:
        lines += _head(f"By words: {trace.fusion.by_words} candidates")
        lines.append(_hits(trace.by_words, "BM25"))
        how = f", {trace.model}" if trace.model else ""
        lines += _head(f"By meaning: {trace.fusion.by_meaning} candidates{how}")
        if trace.degraded:
            lines.append(Text(trace.degraded, style="yellow"))
        else:
            lines.append(_hits(trace.by_meaning, "cosine"))
    lines += _head(f"Answer: {trace.total} ranked, mode {trace.mode}")
    lines += _fusion(trace)
    lines.append(_answer(trace.candidates))
    parts = (f"{name} {spent:.1f}" for name, spent in trace.timings.items())
    lines += [Text(""), Text(f"Milliseconds: {', '.join(parts)}", style="dim")]
    if trace.absence is not None:
        lines += _absence(trace.absence)
    return Group(*lines)


def _head(title: str) -> "list[RenderableType]":
    return [Text(""), Text(title, style="bold")]


def _reading(reading: Reading) -> "Iterator[RenderableType]":
    text = shortened(one_line(reading.text), 400)
    yield Text(f"Compared by meaning: {text or 'nothing, only filters were given'}", style="bold")
    if reading.words:
        table = Table("typed", "looked for", "how", "weight", box=None, pad_edge=False)
        for word in reading.words:
            weight = f"{word.weight:g}" if word.term else ""
            table.add_row(*map(Text, (word.typed, word.term or "–", word.analysis, weight)))
        yield table
    if reading.pairs:
        pairs = ", ".join(f"“{pair}” {weight:g}" for pair, weight in reading.pairs.items())
        yield Text(f"Counts more where it stands together: {pairs}")
    if reading.filters is not None:
        for line in _filters(reading.filters):
            yield Text(f"Filter: {line}", style="cyan")
    for one in reading.named:
        yield Text(f"The query is the name of {one}, which comes first.", style="cyan")
    for note in reading.notes:
        yield Text(note, style="yellow")


def _filters(filters: SearchFilters) -> Iterator[str]:
    if filters.source_types:
        yield f"source {' or '.join(sorted(filters.source_types))}"
    if filters.collection:
        yield f"collection {filters.collection}"
    for tag in sorted(filters.tags):
        yield f"tag {tag}"
    if filters.updated_after:
        yield f"changed {filters.updated_after:%Y-%m-%d %H:%M} UTC or later"
    if filters.updated_before:
        yield f"changed before {filters.updated_before:%Y-%m-%d %H:%M} UTC"
    for name, phrases in (
        ("holds", filters.holding),
        ("does not hold", filters.lacking),
        ("its title holds", filters.titled),
    ):
        for phrase in sorted(phrases, key=lambda one: one.terms):
            yield f"{name} {_phrase(phrase)}"


def _phrase(phrase: Phrase) -> str:
    return f"“{' '.join(phrase.terms)}{'…' if phrase.open_ended else ''}”"


def _hits(hits: Sequence[ListedHit], unit: str) -> "RenderableType":
    if not hits:
        return Text("None.")
    table = Table("#", unit, "document", "section", "id", box=None, pad_edge=False)
    for hit in hits:
        where = " › ".join(hit.heading)
        table.add_row(
            str(hit.rank),
            _number(hit.score),
            Text(shortened(one_line(hit.title), 60)),
            Text(shortened(one_line(where), 60)),
            Text(hit.content_id, style="dim", no_wrap=True),
        )
    return table


def _fusion(trace: SearchTrace) -> "Iterator[RenderableType]":
    fusion = trace.fusion
    if fusion is None:
        return
    if fusion.method == "rrf":
        yield Text("score = the inverted ranks in both lists, added")
    elif trace.mode == "keyword":
        yield Text("score = words alone, from 0 to the best")
    else:
        share = fusion.vector_weight
        yield Text(
            f"score = {share:.2f} × meaning + {1 - share:.2f} × words, each from the worst (0) to"
            " the best (1)"
        )
    if fusion.leaders:
        yield Text(
            f"The first {len(fusion.leaders)} drew the query towards them by"
            f" {fusion.leaders_share:g} of its length; “after” is the cosine from there, which"
            " counts."
        )


def _answer(candidates: Sequence[TracedCandidate]) -> "RenderableType":
    if not candidates:
        return Text("Nothing.")
    columns = ("#", "score", "meaning", "words", "cosine (#)", "after", "BM25 (#)", "document")
    table = Table(*columns, box=None, pad_edge=False)
    for one in candidates:
        table.add_row(
            str(one.rank),
            f"{one.score:.3f}",
            f"{one.vector:.3f}" if one.by_meaning else "–",
            f"{one.keyword:.3f}" if one.by_words else "–",
            _listed(one.by_meaning),
            "–" if one.cosine_after is None else f"{one.cosine_after:.3f}",
            _listed(one.by_words),
            Text(shortened(one_line(one.title), 60) or "Untitled"),
        )
    return table


def _listed(section: TracedSection | None) -> str:
    if section is None:
        return "–"
    return f"{_number(section.score)} ({section.rank or '–'})"


def _absence(absence: Absence) -> "Iterator[RenderableType]":
    title = shortened(one_line(absence.title or absence.reference), 100)
    yield from _head(f"Why “{title}”?")
    style = "green" if absence.reason == "shown" else "yellow"
    yield Text(f"{absence.reason}: {absence.says}", style=style)
    if absence.content_id is None or not absence.sections:
        return
    if absence.has or absence.lacks:
        has, lacks = (", ".join(words) or "none" for words in (absence.has, absence.lacks))
        yield Text(f"Words of the query that it holds: {has}; that it lacks: {lacks}")
    without = " (without the filters)" if absence.unfiltered else ""
    yield Text(
        f"By words{without}: {_place(absence.keyword_rank, absence.bm25, 'BM25')}; "
        f"by meaning{without}: {_place(absence.vector_rank, absence.cosine, 'cosine')}"
    )
    if absence.score is not None:
        yield Text(f"Fused: {absence.score:.3f}, number {absence.rank}")
    yield Text(
        f"Sections: {absence.sections}, without a vector yet: {absence.waiting},"
        f" refused by the provider: {absence.refused}"
    )


def _place(rank: int | None, score: float | None, unit: str) -> str:
    return "not at all" if rank is None else f"number {rank}, {unit} {_number(score)}"


def _number(score: float | None) -> str:
    # Three digits that count: where every document has the words, BM25 is next to nothing.
    return "–" if score is None else f"{score:.3g}"
