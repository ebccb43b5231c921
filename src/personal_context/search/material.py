"""In which order sections go into a context. Decided without I/O."""

from collections.abc import Iterable, Mapping, Sequence

from personal_context.domain.models import ContentId, SearchResult, StoredSection

NEIGHBOUR = 0.7
"""What a section is worth beside one worth 1 in the same document, and so on outwards.

So the section next to the best one goes before the best of a document that scores less than 0.7:
breadth first while scores are near each other, depth first where one document stands out.
"""

SECOND = 0.9
"""What the other section of a result is worth: best by words where one is best by meaning."""


def ordered(
    results: Sequence[SearchResult], sections: Mapping[ContentId, Sequence[StoredSection]]
) -> list[StoredSection]:
    """Return sections of results, those first that answer best; each text once.

    Args:
        results: Best first.
        sections: All sections of those results whose whole text may be used, in reading order. Of
            the others only the sections that search shows are used.
    """
    weighed = [
        (-worth, distance, rank, section.ordinal, section)
        for rank, result in enumerate(results)
        for worth, distance, section in _weighed(result, sections.get(result.content.id))
    ]
    weighed.sort(key=lambda one: one[:4])
    return distinct(section for *_, section in weighed)


def distinct(sections: Iterable[StoredSection]) -> list[StoredSection]:
    """Return the sections that have a text, without those whose text came before."""
    kept: dict[str, StoredSection] = {}
    for section in sections:
        if same := " ".join(section.text.split()):
            kept.setdefault(same, section)
    return list(kept.values())


def _weighed(
    result: SearchResult, sections: Sequence[StoredSection] | None
) -> list[tuple[float, int, StoredSection]]:
    """Return worth and distance from the nearest hit of each section of a result."""
    hits = [one for one in (result.section, *result.more) if one is not None]
    places = [
        (one.ordinal, result.score * (1 if one is result.section else SECOND)) for one in hits
    ]
    return [_worth(section, places) for section in (hits if sections is None else sections)]


def _worth(
    section: StoredSection, hits: Sequence[tuple[int, float]]
) -> tuple[float, int, StoredSection]:
    near = [(abs(section.ordinal - place), worth) for place, worth in hits]
    if not near:
        return 0.0, section.ordinal, section
    return (
        max(worth * NEIGHBOUR**distance for distance, worth in near),
        min(distance for distance, _ in near),
        section,
    )
