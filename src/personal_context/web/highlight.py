"""Where the typed words stand in a text. Pure."""

import re

_MOST_WORDS = 32
"""A pattern of more words than this is slow, and the page would be all marks."""


def marked(text: str, query: str) -> list[tuple[str, bool]]:
    """Cut *text* into pieces, each with whether it is one of the query's words.

    The pieces joined are the text. Case does not matter, and a typed word also marks the
    beginning of a longer one.
    """
    words = sorted({w for w in re.findall(r"\w+", query) if len(w) > 1}, key=len, reverse=True)
    if not words or not text:
        return [(text, False)] if text else []
    choices = "|".join(re.escape(word) for word in words[:_MOST_WORDS])
    pieces = re.split(rf"(?<!\w)((?:{choices})\w*)", text, flags=re.IGNORECASE)
    return [(piece, place % 2 == 1) for place, piece in enumerate(pieces) if piece]
