"""What stands around a content: above it, below it, and where links lead to and come from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from personal_context.domain.models.content import ContentId


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A content that is named beside another one.

    Attributes:
        words: The words around the link that leads from it; empty where none does.
    """

    id: ContentId
    title: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around a content.

    Attributes:
        collection: The collection's name, or None if it is in none.
        above: From the top of its collection down to its parent.
        below: Those right below it, in their order.
        linked_from: Others that refer to it, by title; each once.
        links: What it refers to and is stored: the target as written (a content id or an Outline
            urlId) -> the content.
    """

    collection: str | None = None
    above: Sequence[Neighbour] = ()
    below: Sequence[Neighbour] = ()
    linked_from: Sequence[Neighbour] = ()
    links: Mapping[str, ContentId] = field(default_factory=dict)
