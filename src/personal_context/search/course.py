"""The course of one search: all that an answer, and its trace, are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from personal_context.domain.models import ContentId, ScoreBreakdown, SearchFilters, SearchMode
from personal_context.search.candidates import Candidates, Ranking
from personal_context.search.fusion import Fused
from personal_context.search.meaning import Meaning
from personal_context.search.query import Query

NOTHING = Candidates("", {}, Meaning(), {}, {})


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, ready to be looked for.

    Attributes:
        named: Contents that the whole query names; the answer begins with them.
        filters: The caller's and the typed ones; None if nothing can pass them all.
        notes: What the answer should say of how it was read.
    """

    query: Query
    named: Sequence[ContentId]
    filters: SearchFilters | None
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Course:
    """What was asked, found and ranked.

    Attributes:
        asked: With the filters that were in force in the end.
        found: Both lists; empty where nothing was looked for.
        ranking: How they were joined; None where nothing was looked for.
        ranked: What the pages of the answer are cut from, best first.
        timings: Milliseconds of each part.
    """

    asked: Asked
    found: Candidates = NOTHING
    ranking: Ranking | None = None
    ranked: Sequence[Fused] = ()
    timings: Mapping[str, float] = field(default_factory=dict)

    @property
    def mode(self) -> SearchMode:
        """Whether meaning was compared."""
        return "keyword" if self.ranking is None or self.degraded else "hybrid"

    @property
    def degraded(self) -> str | None:
        """Why meaning was not compared, where it should have been."""
        return self.found.meaning.degraded


def with_named(named: Sequence[ContentId], ranked: Sequence[Fused]) -> Sequence[Fused]:
    """Put what the query names on top, in the order of the others, with the full score."""
    if not named:
        return ranked
    nothing = ScoreBreakdown(vector=0.0, keyword=0.0, cosine=None, bm25=None)
    known = {one.content_id: one for one in ranked}
    missing = [Fused(one, 0.0, nothing) for one in named if one not in known]
    top = [one for one in ranked if one.content_id in set(named)] + missing
    rest = [one for one in ranked if one.content_id not in set(named)]
    return [*(replace(one, score=1.0) for one in top), *rest]
