"""The terms of a text's sections, as they are stored: made before anybody waits for the write."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from personal_context.domain.models import SectionTerms
from personal_context.words.analysis import indexed
from personal_context.words.packing import packed_terms

Piece = tuple[Sequence[str], str]
"""Headings above a section, outermost first, and its text."""

# No database has room for half a character; of those that stand alone, one is as good as another.
_SURROGATES = re.compile("[\ud800-\udfff]")

_KNOWN_HEADINGS = 1_000
"""Heading paths whose terms are remembered: the sections under one follow each other."""


def terms_of(title: str, pieces: Iterable[Piece]) -> tuple[SectionTerms, ...]:
    """Return the terms of a content's sections, in their order.

    Args:
        title: The content's, found in each of its sections.
        pieces: Its sections.
    """
    titled = _indexed(title)
    return tuple(_terms(titled, _headings(tuple(path)), _indexed(text)) for path, text in pieces)


def _terms(
    title: tuple[str, str], headings: tuple[str, str], body: tuple[str, str]
) -> SectionTerms:
    names = " ".join(filter(None, (title[1], headings[1], body[1])))
    parts = (title[0], headings[0], body[0], names)
    return SectionTerms(*parts, packed_terms(*parts))


@lru_cache(maxsize=_KNOWN_HEADINGS)
def _headings(path: tuple[str, ...]) -> tuple[str, str]:
    return _indexed(" ".join(path))


def _indexed(text: str) -> tuple[str, str]:
    return indexed(_SURROGATES.sub("\ufffd", text))
