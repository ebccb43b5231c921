"""What a search can be narrowed to, and why a result is one. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from personal_context.domain.models import CollectionStatus, Match, SearchResult
from personal_context.web.humanize import plural

MOST_TAGS = 100
"""In the list to choose from; those that most documents have."""

_WHY: Mapping[Match, str] = {
    "title": "its title",
    "keyword": "its words",
    "meaning": "its meaning",
}


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a list."""

    value: str
    label: str
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a score, 0..1, with its name."""

    name: str
    value: float


def collections(asked: str, known: Iterable[CollectionStatus]) -> Sequence[Option]:
    """Return the collections to choose from; what was asked for is one, whatever it names."""
    found = [
        Option(
            one.collection_id,
            one.name or one.collection_id,
            asked != "" and asked.casefold() in {one.collection_id, one.name.casefold()},
        )
        for one in known
    ]
    if asked and not any(one.chosen for one in found):
        found.insert(0, Option(asked, asked, chosen=True))
    return found


def tags(asked: Sequence[str], counts: Mapping[str, int]) -> Sequence[Option]:
    """Return the tags to choose from, by name; the first of those asked for is chosen."""
    often = sorted(counts, key=lambda tag: (-counts[tag], tag.casefold()))[:MOST_TAGS]
    chosen = asked[0] if asked else ""
    named = {tag.casefold() for tag in often}
    listed = [*often, *([chosen] if chosen and chosen.casefold() not in named else [])]
    return [
        Option(
            tag,
            f"#{tag} ({plural(counts[tag], 'document')})" if tag in counts else f"#{tag}",
            tag.casefold() == chosen.casefold(),
        )
        for tag in sorted(listed, key=str.casefold)
    ]


def why(result: SearchResult) -> str:
    """Say in words what made a result one; empty if nobody knows."""
    told = [_WHY[one] for one in result.matched]
    if not told:
        return ""
    return f"found by {' and '.join([', '.join(told[:-1]), told[-1]] if told[1:] else told)}"


def bars(result: SearchResult) -> Sequence[Bar]:
    """Return what a score is made of; only what could be compared."""
    parts = result.breakdown
    return [
        *([Bar("meaning", parts.vector)] if parts.cosine is not None else []),
        *([Bar("words", parts.keyword)] if parts.bm25 is not None else []),
    ]
