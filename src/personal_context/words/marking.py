"""Where a text holds what was looked for."""

from collections.abc import Collection

from personal_context.words.analysis import Term, names, words_among

Span = tuple[int, int]
"""First character and one past the last."""


def found_in(text: str, terms: Collection[str]) -> list[Term]:
    """Return the words and names of a text that are among the terms, in reading order.

    Args:
        text: Any.
        terms: As `analysis.words` and `analysis.names` make them; for the beginning of a pair or
            triple of letters, the beginning.
    """
    wanted = frozenset(terms)
    beginnings = tuple(term for term in wanted if len(term) <= 2)  # noqa: PLR2004 - shorter than a triple

    found = list(words_among(text, wanted, beginnings))
    if not all(map(str.isalnum, wanted)):  # else none of them is a name
        found += (name for name in names(text) if name.text in wanted)
    return sorted(found, key=lambda term: (term.start, term.end))


def spans(text: str, terms: Collection[str]) -> list[Span]:
    """Return what to mark in a text: ranges in order, without overlap.

    >>> text = "Restored twice: データベース"
    >>> [text[start:end] for start, end in spans(text, {"restor", "デー", "ータ"})]
    ['Restored', 'データ']
    """
    joined: list[Span] = []
    for term in found_in(text, terms):
        if joined and term.start <= joined[-1][1]:
            start, end = joined[-1]
            joined[-1] = (start, max(end, term.end))
        else:
            joined.append((term.start, term.end))
    return joined
