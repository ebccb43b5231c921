"""What of a text is marked because it was looked for. Pure."""

from collections.abc import Collection

from personal_context.words.marking import spans


def marked(text: str, terms: Collection[str]) -> list[tuple[str, bool]]:
    """Cut *text* into pieces, each with whether it is what was looked for.

    The pieces joined are the text.

    Args:
        text: As it is shown.
        terms: Of the answer, see SearchAnswer.
    """
    pieces: list[tuple[str, bool]] = []
    last = 0
    for start, end in spans(text, terms):
        pieces += [(text[last:start], False), (text[start:end], True)]
        last = end
    pieces.append((text[last:], False))
    return [(piece, is_marked) for piece, is_marked in pieces if piece]
