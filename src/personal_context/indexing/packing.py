"""Put pieces together to sections of a good size."""

from collections.abc import Sequence
from dataclasses import dataclass

from personal_context.indexing.pieces import Budget, Piece

TARGET_TOKENS = 208
"""About 160 English words, the size that was measured best with MiniLM."""

TINY_TOKENS = 33
"""About 25 words: too little to say what it is about."""


@dataclass(frozen=True, slots=True)
class Group:
    """Pieces that follow each other and become one section.

    Attributes:
        path: Headings above all of it.
        size: Sum of the pieces' sizes.
        tokens: Sum of the pieces' tokens; None if that of one is not known.
    """

    start: int
    end: int
    path: tuple[str, ...]
    size: int
    tokens: int | None

    @property
    def tiny(self) -> bool:
        """Too small to stand alone if it can be helped."""
        return self.size < TINY_TOKENS


def pack(pieces: Sequence[Piece], budget: Budget) -> list[Group]:
    """Group pieces in reading order, then join groups that are tiny with a neighbour."""
    return _join_tiny(_join_lead_ins(_fill(pieces, budget), budget), budget)


def _fill(pieces: Sequence[Piece], budget: Budget) -> list[Group]:
    """Fill groups up to the target; each heading begins a new one, and each block if it can."""
    groups: list[Group] = []
    for piece in pieces:
        path = piece.block.path
        begins = piece.block.is_heading and piece.whole > 0
        if not groups or begins or not _takes(groups[-1], piece, budget(path)):
            groups.append(_group(piece))
        else:
            groups[-1] = _joined(groups[-1], _group(piece), groups[-1].path)
    return groups


def _takes(group: Group, piece: Piece, most: int) -> bool:
    # A block that does not fit begins a new group, so that it is torn as late as possible.
    return group.size + max(piece.size, piece.whole) <= min(TARGET_TOKENS, most)


def _join_lead_ins(groups: Sequence[Group], budget: Budget) -> list[Group]:
    """Join a tiny group with what follows below it: a lone heading, or "Type this:"."""
    joined: list[Group] = []
    for group in groups:
        above = joined[-1] if joined else None
        if (
            above is not None
            and above.tiny
            and group.path[: len(above.path)] == above.path
            and above.size + group.size <= budget(group.path)
        ):
            joined[-1] = _joined(above, group, group.path)
        else:
            joined.append(group)
    return joined


def _join_tiny(groups: Sequence[Group], budget: Budget) -> list[Group]:
    """Join a tiny group with a neighbour under the same parent; the path they share remains."""
    joined: list[Group] = []
    for group in groups:
        before = joined[-1] if joined else None
        if before is not None and (before.tiny or group.tiny) and _related(before, group):
            path = _shared(before.path, group.path)
            if before.size + group.size <= budget(path):
                joined[-1] = _joined(before, group, path)
                continue
        joined.append(group)
    return joined


def _group(piece: Piece) -> Group:
    return Group(piece.start, piece.end, piece.block.path, piece.size, piece.tokens)


def _joined(before: Group, group: Group, path: tuple[str, ...]) -> Group:
    known = before.tokens is not None and group.tokens is not None
    tokens = (before.tokens or 0) + (group.tokens or 0) if known else None
    return Group(before.start, group.end, path, before.size + group.size, tokens)


def _related(before: Group, group: Group) -> bool:
    """Tell whether two groups stand under one parent, or the second right under the first."""
    return before.path[:-1] == group.path[:-1] or before.path == group.path[:-1]


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]
