"""Cut blocks that are too long for the model, no finer than needed."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from personal_context.indexing.blocks import Block
from personal_context.ports import TokenCounter

# Some tokenizers see any long run of letters as one unknown token. Real text has 3 to 5 characters
# a token, so this only shortens what means nothing anyway.
_CHARACTERS_PER_TOKEN = 16

_WORDS_CHARACTERS = 80
_HARD_CHARACTERS = 32

_LINE_END = re.compile(r"\n|\r\n?")
# Latin sentences end before a blank, Chinese and Japanese ones at their own full-width marks.
_SENTENCE_END = re.compile(r"[.!?\u2026][)\]\"'\u201d\u2019]*\s+|[\u3002\uff01\uff1f\uff1b]+")
_BLANK = re.compile(r"\s+")


@dataclass(slots=True)
class Piece:
    """A block, or a part of one that is too long.

    Attributes:
        block: What it is cut from.
        size: Its tokens, or more if it has very few for its length.
        whole: Size of the whole block if it is the block's beginning, else 0.
        tokens: Its tokens; None if it begins or ends in the middle of a word, whose tokens are
            not those of its halves.
    """

    start: int
    end: int
    block: Block
    size: int = 0
    whole: int = 0
    tokens: int | None = None


Budget = Callable[[tuple[str, ...]], int]
"""Tokens that a section under a heading path may have."""


def cut(
    text: str, blocks: Sequence[Block], budget: Budget, count_tokens: TokenCounter
) -> list[Piece]:
    """Cut the blocks that are over their budget: at lines, sentences, words, or anywhere.

    Every step counts all its texts in one call.

    Returns:
        Pieces in reading order; together they are the text.
    """
    pieces = [Piece(block.start, block.end, block) for block in blocks]
    _measure(text, pieces, count_tokens)
    for piece in pieces:
        piece.whole = piece.size
    for ends in (_line_ends, _sentence_ends, _word_ends, _hard_ends):
        refined: list[Piece] = []
        new: list[Piece] = []
        for piece in pieces:
            parts = [piece]
            if piece.size > budget(piece.block.path):
                parts = _parts(piece, ends(text, piece.start, piece.end))
                new += parts
            refined += parts
        if new:
            _measure(text, new, count_tokens, torn=ends is _hard_ends)
        pieces = refined
    return pieces


def _parts(piece: Piece, ends: Iterable[int]) -> list[Piece]:
    cuts = sorted({piece.start, piece.end, *ends})
    parts = [Piece(start, end, piece.block) for start, end in pairwise(cuts)]
    parts[0].whole = piece.whole
    return parts


def _measure(
    text: str, pieces: Sequence[Piece], count_tokens: TokenCounter, *, torn: bool = False
) -> None:
    counts = count_tokens([text[piece.start : piece.end] for piece in pieces])
    for piece, count in zip(pieces, counts, strict=True):
        piece.tokens = None if torn else count
        piece.size = max(count, (piece.end - piece.start) // _CHARACTERS_PER_TOKEN)


def _line_ends(text: str, start: int, end: int) -> Iterator[int]:
    return (match.end() for match in _LINE_END.finditer(text, start, end))


def _sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    return (match.end() for match in _SENTENCE_END.finditer(text, start, end))


def _word_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield ends of words, a line's length apart: counting word by word would take long."""
    last = start
    for match in _BLANK.finditer(text, start, end):
        if match.end() - last >= _WORDS_CHARACTERS:
            last = match.end()
            yield last


def _hard_ends(text: str, start: int, end: int) -> Iterator[int]:  # noqa: ARG001 - as the others
    """Yield places inside a word, or inside writing without blanks."""
    return iter(range(start + _HARD_CHARACTERS, end, _HARD_CHARACTERS))
