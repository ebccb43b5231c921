"""Filters one by one, so that each can be asked alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from personal_context.domain.models import (
    CollectionId,
    ContentSummary,
    Phrase,
    SearchFilters,
)


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that filters ask of a content.

    Attributes:
        says: What is wrong with a content that does not pass, for a person to read.
        filters: It alone.
    """

    says: str
    filters: SearchFilters


def conditions_of(
    filters: SearchFilters, content: ContentSummary, names: Mapping[CollectionId, str]
) -> Iterator[Condition]:
    """Take filters apart.

    Args:
        filters: With the collection's id.
        content: What is said to be wrong is wrong with this one.
        names: Of collections.
    """
    if filters.source_types:
        wanted = " or ".join(sorted(filters.source_types))
        says = f"source: it is from {content.source_type}, not from {wanted}"
        yield Condition(says, SearchFilters(source_types=filters.source_types))
    if filters.collection is not None:
        yield _collection(CollectionId(filters.collection), content, names)
    for tag in sorted(filters.tags):
        has = ", ".join(content.tags) or "none"
        says = f"tag: it does not have “{tag}”; its tags: {has}"
        yield Condition(says, SearchFilters(tags=frozenset({tag})))
    changed = f"it was changed on {content.updated_at:%Y-%m-%d %H:%M} UTC"
    if filters.updated_after is not None:
        says = f"after {filters.updated_after:%Y-%m-%d %H:%M}: {changed}"
        yield Condition(says, SearchFilters(updated_after=filters.updated_after))
    if filters.updated_before is not None:
        says = f"before {filters.updated_before:%Y-%m-%d %H:%M}: {changed}"
        yield Condition(says, SearchFilters(updated_before=filters.updated_before))
    yield from _phrases(filters)


def _collection(
    wanted: CollectionId, content: ContentSummary, names: Mapping[CollectionId, str]
) -> Condition:
    where = content.collection_id
    stands = "none" if where is None else names.get(where) or where
    says = f"collection: it is in {stands}, not in {names.get(wanted) or wanted}"
    return Condition(says, SearchFilters(collection=wanted))


def _phrases(filters: SearchFilters) -> Iterator[Condition]:
    for phrase in _ordered(filters.holding):
        says = f"phrase: it does not hold “{_shown(phrase)}”"
        yield Condition(says, SearchFilters(holding=frozenset({phrase})))
    for phrase in _ordered(filters.titled):
        says = f"title: its title does not hold “{_shown(phrase)}”"
        yield Condition(says, SearchFilters(titled=frozenset({phrase})))
    for phrase in _ordered(filters.lacking):
        says = f"excluded: it holds “{_shown(phrase)}”"
        yield Condition(says, SearchFilters(lacking=frozenset({phrase})))


def _ordered(phrases: frozenset[Phrase]) -> list[Phrase]:
    return sorted(phrases, key=lambda phrase: phrase.terms)


def _shown(phrase: Phrase) -> str:
    return " ".join(phrase.terms) + ("…" if phrase.open_ended else "")
