"""Readable text to sections: what is embedded, found, and shown."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from personal_context.domain.models import Section
from personal_context.domain.text import embedding_text, section_hash
from personal_context.indexing.blocks import Block, blocks
from personal_context.indexing.packing import Group, pack
from personal_context.indexing.pieces import cut
from personal_context.ports import TokenCounter

MAX_TOKENS = 254
"""Of what is embedded. MiniLM reads 256, two of which it sets itself around the text."""

MAX_PREFIX_TOKENS = 96
"""Of title and heading path, so that most of the window is left to the text."""

_LEAST_BUDGET = 64


def split(title: str, readable: str, count_tokens: TokenCounter) -> list[Section]:
    """Cut a readable text into sections of about 160 words.

    Sections follow the headings. Paragraphs, list items, code blocks and tables stay whole if they
    fit into the model's window together with title and heading path. A section under about 25
    words is joined with a neighbour under the same parent heading if there is room.

    A heading path that takes too much of the window loses its outermost headings. Only a title
    of over 190 tokens makes sections longer than `MAX_TOKENS`: it can't be cut.

    Args:
        title: The content's title, part of what is embedded.
        readable: Plain Markdown, see `markdown.readable`.
        count_tokens: Called up to seven times, with many texts each.

    Returns:
        In reading order, without overlap, covering all that is not blank. A blank text gives one
        section without text, so that its title is found; none if the title is blank too.
    """
    found = blocks(readable)
    if not found:
        return _title_alone(title, count_tokens)
    window = _Window(title, found, count_tokens)
    groups = pack(cut(readable, found, window.budget, count_tokens), window.budget)
    places = [
        (*_trimmed(readable, group), window.shortened(group.path), group.tokens) for group in groups
    ]
    places = [place for place in places if place[0] < place[1]]
    if not places:  # blanks of other kinds than the parser knows
        return _title_alone(title, count_tokens)
    # Only texts that begin or end inside a word have not been counted by their parts.
    torn = [
        embedding_text(title, path, readable[start:end])
        for start, end, path, tokens in places
        if tokens is None
    ]
    counted = iter(count_tokens(torn) if torn else ())
    line_ends = [match.start() for match in re.finditer("\n", readable)]
    return [
        Section(
            ordinal=ordinal,
            heading_path=path,
            start=start,
            end=end,
            line_start=bisect_left(line_ends, start) + 1,
            line_end=bisect_left(line_ends, end - 1) + 1,
            token_count=next(counted) if tokens is None else window.prefix(path) + tokens,
            hash=section_hash(title, path, readable[start:end]),
        )
        for ordinal, (start, end, path, tokens) in enumerate(places)
    ]


def _title_alone(title: str, count_tokens: TokenCounter) -> list[Section]:
    if not title.strip():
        return []
    [tokens] = count_tokens([embedding_text(title, (), "")])
    return [
        Section(
            ordinal=0,
            heading_path=(),
            start=0,
            end=0,
            line_start=1,
            line_end=1,
            token_count=tokens,
            hash=section_hash(title, (), ""),
        )
    ]


class _Window:
    """How much of the model's window is left under each heading path."""

    def __init__(self, title: str, found: Iterable[Block], count_tokens: TokenCounter) -> None:
        headings = sorted({heading for block in found for heading in block.path if heading})
        title_tokens, *counts = count_tokens([title, *headings])
        # One more for the sign before each.
        self._tokens = {heading: count + 1 for heading, count in zip(headings, counts, strict=True)}
        self._title = title_tokens if title else -1

    def shortened(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """Return the innermost headings of a path that fit with the title."""
        while path and self.prefix(path) > MAX_PREFIX_TOKENS:
            path = path[1:]
        return path

    def budget(self, path: tuple[str, ...]) -> int:
        """Return the tokens that are left for the text of a section under a path."""
        return max(_LEAST_BUDGET, MAX_TOKENS - self.prefix(self.shortened(path)))

    def prefix(self, path: Sequence[str]) -> int:
        """Return the tokens of title and headings, as `embedding_text` joins them."""
        return max(0, self._title + sum(self._tokens[heading] for heading in path if heading))


def _trimmed(text: str, group: Group) -> tuple[int, int]:
    """Leave out blank lines and blanks around a group, but not the first line's indentation."""
    piece = text[group.start : group.end]
    first = group.end - len(piece.lstrip())
    line = max(text.rfind("\n", group.start, first), text.rfind("\r", group.start, first)) + 1
    return max(line, group.start), group.start + len(piece.rstrip())
