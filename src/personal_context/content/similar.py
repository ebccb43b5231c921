"""What a new content resembles, ranked. Pure.

It is advice and nothing else. No threshold tells twins from relatives: a new edition of a runbook
is nearer to the old one than a copy with another introduction. So nothing is refused or merged for
being near, and whoever adds is told what to look at.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from personal_context.domain.models import ContentId

MOST = 5
"""What is told of; more is not read."""

NEAR = 0.6
"""Cosine from which a content is worth a look; below, texts share a subject at most."""


@dataclass(frozen=True, slots=True)
class Resemblance:
    """One content that a new one resembles.

    Attributes:
        score: 1 for the same text, else the cosine of its nearest section, 0..1; None if that
            could not be compared in time.
        why: For a person or a model to read.
    """

    content_id: ContentId
    score: float | None
    why: str


def ranked(
    *,
    same_text: Collection[ContentId],
    same_title: Collection[ContentId],
    cosines: Mapping[ContentId, float],
) -> list[Resemblance]:
    """Rank what a new content resembles: the same text, the same title, then by nearness.

    Args:
        same_text: Contents with the same text, whatever their title.
        same_title: Contents whose title has the same words.
        cosines: Of each content's section that is nearest to the new text, -1..1.

    Returns:
        At most 5, most alike first.
    """
    near = [content_id for content_id, cosine in cosines.items() if cosine >= NEAR]
    found = [
        Resemblance(
            content_id,
            1.0 if content_id in same_text else _score(cosines.get(content_id)),
            _why(
                text=content_id in same_text,
                title=content_id in same_title,
                cosine=cosines.get(content_id),
            ),
        )
        for content_id in dict.fromkeys([*same_text, *same_title, *near])
    ]

    def rank(one: Resemblance) -> tuple[bool, bool, float]:
        return (
            one.content_id not in same_text,
            one.content_id not in same_title,
            -(one.score or 0.0),
        )

    return sorted(found, key=rank)[:MOST]


def _score(cosine: float | None) -> float | None:
    return None if cosine is None else round(max(0.0, min(1.0, cosine)), 4)


def _why(*, text: bool, title: bool, cosine: float | None) -> str:
    reasons = ["same text"] if text else []
    reasons += ["same title"] if title else []
    reasons += ["close in meaning"] if not text and cosine is not None and cosine >= NEAR else []
    return ", ".join(reasons)
