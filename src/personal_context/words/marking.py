"""Where a text holds what was looked for."""

from collections.abc import Collection, Iterable

from personal_context.words.analysis import Term, WordFinder, names

Span = tuple[int, int]
"""First character and one past the last."""


class Marker:
    """Finds in texts what was looked for; for several texts, and for one thread.

    Args:
        terms: As `analysis.words` and `analysis.names` make them; for the beginning of a pair or
            triple of letters, the beginning.
    """

    def __init__(self, terms: Collection[str]) -> None:
        self._terms = frozenset(terms)
        beginnings = tuple(term for term in self._terms if len(term) <= 2)  # noqa: PLR2004 - shorter than a triple
        self._words = WordFinder(self._terms, beginnings)
        self._has_names = not all(map(str.isalnum, self._terms))

    def found_in(self, text: str) -> list[Term]:
        """Return the words and names of a text that are among the terms, in reading order."""
        found = list(self._words.among(text)) if self._terms else []
        if self._has_names:
            found += (name for name in names(text) if name.text in self._terms)
        return sorted(found, key=lambda term: (term.start, term.end))


def found_in(text: str, terms: Collection[str]) -> list[Term]:
    """Return the words and names of a text that are among the terms, in reading order.

    Args:
        text: Any.
        terms: See Marker.
    """
    return Marker(terms).found_in(text)


def spans(text: str, terms: Collection[str]) -> list[Span]:
    """Return what to mark in a text: ranges in order, without overlap.

    >>> text = "Restored twice: データベース"
    >>> [text[start:end] for start, end in spans(text, {"restor", "デー", "ータ"})]
    ['Restored', 'データ']
    """
    return joined(found_in(text, terms))


def joined(found: Iterable[Term]) -> list[Span]:
    """Return ranges in order, without overlap, of terms in reading order."""
    ranges: list[Span] = []
    for term in found:
        if ranges and term.start <= ranges[-1][1]:
            start, end = ranges[-1]
            ranges[-1] = (start, max(end, term.end))
        else:
            ranges.append((term.start, term.end))
    return ranges
