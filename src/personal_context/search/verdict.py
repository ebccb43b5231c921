"""The reason why a content is missing, decided from what was found out about it."""

from collections.abc import Sequence
from dataclasses import dataclass

from personal_context.domain.models import AbsenceReason


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of the search.

    Attributes:
        limit: Results of the answer.
        depth: Candidates that each list brings.
        unpassed: What the content does not pass of the filters.
        degraded: Why meaning was not compared, or None.
        browsed: Nothing was looked for: only filters were given.
    """

    limit: int
    depth: int
    unpassed: Sequence[str]
    degraded: str | None
    browsed: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Where a content stands, see Absence.

    Attributes:
        candidate: It was among the candidates; else rank and score are those it would have.
    """

    rank: int | None = None
    score: float | None = None
    candidate: bool = False
    keyword_rank: int | None = None
    bm25: float | None = None
    vector_rank: int | None = None
    cosine: float | None = None


def judged(facts: Facts, place: Place, sections: int, waiting: int) -> tuple[AbsenceReason, str]:
    """Return why a content is missing, in a word and in a sentence.

    Args:
        facts: What is known of the search.
        place: Where the content stands.
        sections: How many it has.
        waiting: Of these, how many have no vector yet.
    """
    if facts.unpassed:
        return "filtered out", f"It does not pass: {'; '.join(facts.unpassed)}."
    if place.candidate and place.rank:
        return _standing(facts, place.rank)
    if facts.browsed:
        says = f"Only filters were given, which show the {facts.depth} that changed last"
        return "below the candidates", f"{says}; it is number {place.rank}."
    if not sections:
        return "no text", "It has no text that could be found."
    vectorless = _vectorless(facts, sections, waiting)
    if place.keyword_rank is None and place.vector_rank is None:
        return "no match", f"It holds no word of the query, and {vectorless}"
    return "below the candidates", _below(facts, place, vectorless)


def _standing(facts: Facts, rank: int) -> tuple[AbsenceReason, str]:
    if rank <= facts.limit:
        return "shown", f"It is in the answer: number {rank}."
    return "further down", f"It is number {rank}; {facts.limit} were asked for."


def _vectorless(facts: Facts, sections: int, waiting: int) -> str:
    if facts.degraded:
        return f"meaning was not compared: {facts.degraded}"
    if waiting:
        return f"{waiting} of its {sections} sections have no vector yet."
    return "none of its sections has a vector; the provider refused them."


def _below(facts: Facts, place: Place, vectorless: str) -> str:
    words = (
        f"By words it is number {place.keyword_rank}"
        if place.keyword_rank
        else "It holds no word of the query"
    )
    meaning = (
        f"by meaning it is number {place.vector_rank}"
        if place.vector_rank
        else vectorless.rstrip(".")
    )
    says = f"{words}; {meaning}. Each list brings {facts.depth} candidates."
    if place.rank:
        says += f" As one of them it would be number {place.rank} of the answer."
    return says
