"""Where the typed words stand in a text. Pure."""

import re

_MOST_WORDS = 32
"""A pattern of more words than this is slow, and the page would be all marks."""

_TELLING = 4
"""Letters from which a word says something; "the" and "of" are shorter, "WAL" is in capitals."""


def marked(text: str, query: str) -> list[tuple[str, bool]]:
    """Cut *text* into pieces, each with whether it is one of the query's words.

    The pieces joined are the text. Case does not matter, and a typed word also marks the
    beginning of a longer one. Short everyday words are marked only if nothing else was typed.
    """
    if not text:
        return []
    words = _words(query)
    if not words:
        return [(text, False)]
    choices = "|".join(re.escape(word) for word in words)
    pieces = re.split(rf"(?<!\w)((?:{choices})\w*)", text, flags=re.IGNORECASE)
    return [(piece, place % 2 == 1) for place, piece in enumerate(pieces) if piece]


def _words(query: str) -> list[str]:
    """The words worth marking, longest first, so that the longest is tried first."""
    typed = {word for word in re.findall(r"\w+", query) if len(word) > 1}
    telling = {word for word in typed if len(word) >= _TELLING or not word[1:].islower()}
    return sorted(telling or typed, key=lambda word: (-len(word), word))[:_MOST_WORDS]
