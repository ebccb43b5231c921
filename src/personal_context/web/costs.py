"""What embedding costs, in words."""

from collections.abc import Sequence

from personal_context.domain.models import EmbeddingUsage
from personal_context.web.humanize import plural

_CENT = 0.01


def usage_lines(usages: Sequence[EmbeddingUsage]) -> list[str]:
    """What embedding servers were asked for, a line a model; those that count nothing have none.

    >>> usage_lines([EmbeddingUsage("openai", "text-embedding-3-small", 1, 2_500_000, cost=0.05)])
    ['2,500,000 tokens in 1 request to openai text-embedding-3-small, about $0.05']
    """
    return [_line(one) for one in usages if one.tokens]


def _line(one: EmbeddingUsage) -> str:
    asked = plural(one.requests, "request")
    line = f"{one.tokens:,} tokens in {asked} to {one.provider} {one.model}"
    if one.since is not None:
        line += f" since {one.since.date().isoformat()}"
    if one.cost is None:
        return line
    # "$0.00" would look like free.
    return f"{line}, about ${one.cost:,.2f}" if one.cost >= _CENT else f"{line}, less than a cent"
