"""What a pass has to do: decided here without I/O, done in pull.py.

Every event in the wiki, and the action that answers it:

| what happened in Outline            | what a pass sees                          | action  |
| ----------------------------------- | ----------------------------------------- | ------- |
| document published                  | listed or in the tree, not mirrored       | create  |
| text or title edited                | listed, title or text differ              | update  |
| touched, same title and text        | listed, only `updatedAt` differs          | update  |
| nothing                             | listed, same `updatedAt` and text         | keep    |
| backdated (import, `createdAt`)     | not in the changed pages, but in the tree | create  |
| moved or reordered in place         | tree differs, `updatedAt` may not         | place   |
| trashed, archived, unpublished      | absent from tree; info says so            | remove  |
| parent trashed or archived          | as above, one by one                      | remove  |
| deleted for good                    | absent from tree; info 404                | remove  |
| moved to a place the key can't see  | absent from tree; info 403                | remove  |
| moved to a collection not mirrored  | absent from tree; info names it           | remove  |
| moved to another mirrored one       | absent from tree; info names it           | update  |
| published a moment ago, tree cached | absent from tree; info says live, here    | keep    |
| Outline ill, key revoked            | info 401, 5xx, timeout                    | (error) |
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from personal_context.domain.models import (
    CollectionId,
    ContentId,
    MirroredDocument,
    Placement,
    TreeNode,
    UpstreamDocument,
)
from personal_context.domain.text import content_hash

REMOVAL_SHARE = 0.3
"""A pass that would remove more than this share of a collection …"""

REMOVAL_COUNT = 10
"""… and more than this many documents stops and waits for a person."""


class Kind(StrEnum):
    """What is to be done with one document."""

    CREATE = "create"
    UPDATE = "update"
    REMOVE = "remove"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do, and why.

    Attributes:
        document: What to write; None for `remove` and `keep`.
    """

    kind: Kind
    content_id: ContentId
    reason: str
    document: UpstreamDocument | None = None


def compare(mirrored: MirroredDocument | None, document: UpstreamDocument) -> Action:
    """Decide what a document that Outline showed as published means for the mirror."""
    if mirrored is None:
        return Action(Kind.CREATE, document.id, "new", document)
    if mirrored.hash != content_hash(document.title, document.text):
        return Action(Kind.UPDATE, document.id, "edited", document)
    if mirrored.updated_at != document.updated_at:
        return Action(Kind.UPDATE, document.id, "touched", document)
    return Action(Kind.KEEP, document.id, "unchanged")


@dataclass(frozen=True, slots=True)
class Suspects:
    """Ids that a listing and the tree leave open; each is asked for by itself.

    Attributes:
        missing: In the tree, but neither mirrored nor listed.
        gone: Mirrored, but absent from the tree.
    """

    missing: tuple[ContentId, ...]
    gone: tuple[ContentId, ...]


def suspects(
    mirrored: Collection[ContentId], listed: Collection[ContentId], tree: Collection[ContentId]
) -> Suspects:
    """Compare the three views of a collection.

    Args:
        mirrored: What the mirror held when the pass began.
        listed: What this pass has seen in documents.list.
        tree: Every id of a complete tree.

    Returns:
        Ids in sorted order, so that a pass is repeatable.
    """
    have = set(mirrored) | set(listed)
    in_tree = set(tree)
    return Suspects(
        missing=tuple(sorted(in_tree - have)),
        # A document that was listed a moment ago is there, whatever a cached tree says.
        gone=tuple(sorted(set(mirrored) - in_tree - set(listed))),
    )


def judge(
    content_id: ContentId,
    document: UpstreamDocument | None,
    *,
    here: CollectionId,
    mirrored_collections: Collection[CollectionId],
) -> Action:
    """Decide about a document that the tree no longer shows.

    Args:
        content_id: Which document was asked for.
        document: What documents.info said; None for 404, or 403 while the collection answers.
        here: The collection of this pass.
        mirrored_collections: All that are mirrored, `here` among them.
    """
    if document is None:
        return Action(Kind.REMOVE, content_id, "deleted for good, or no longer shared with the key")
    for state, since in (
        ("trashed", document.deleted_at),
        ("archived", document.archived_at),
    ):
        if since:
            return Action(Kind.REMOVE, content_id, state)
    if document.published_at is None:
        return Action(Kind.REMOVE, content_id, "unpublished")
    if document.collection_id == here:
        return Action(Kind.KEEP, content_id, "still there; the tree lags behind")
    if document.collection_id in mirrored_collections:
        return Action(Kind.UPDATE, content_id, "moved to another collection", document)
    return Action(Kind.REMOVE, content_id, "moved to a collection that is not mirrored")


def too_many_removals(removals: int, mirrored: int) -> bool:
    """Tell whether a pass would remove so much that a person has to say yes."""
    return removals > REMOVAL_COUNT and removals > REMOVAL_SHARE * mirrored


def placements(tree: Iterable[TreeNode]) -> Mapping[ContentId, Placement]:
    """Number a tree depth first, from 0; an id that comes twice keeps its first place."""
    placed: dict[ContentId, Placement] = {}
    for node, parent_id in _walk(tree):
        if node.id not in placed:
            placed[node.id] = Placement(parent_id, len(placed))
    return placed


def _walk(tree: Iterable[TreeNode]) -> Iterator[tuple[TreeNode, ContentId | None]]:
    # A stack, not recursion: a wiki may nest deeper than Python does.
    stack: list[tuple[TreeNode, ContentId | None]] = [(node, None) for node in reversed([*tree])]
    while stack:
        node, parent_id = stack.pop()
        yield node, parent_id
        stack.extend((child, node.id) for child in reversed(node.children))


def moved(
    before: Mapping[ContentId, MirroredDocument], after: Mapping[ContentId, Placement]
) -> frozenset[ContentId]:
    """Return the mirrored documents whose parent or order among their siblings changed."""
    old = _siblings({i: document.placement for i, document in before.items() if i in after})
    new = _siblings({i: placement for i, placement in after.items() if i in before})
    return frozenset(i for i in new if new[i] != old.get(i))


def _siblings(
    placed: Mapping[ContentId, Placement],
) -> Mapping[ContentId, tuple[ContentId | None, int]]:
    # Position counts the whole tree, so one new document shifts all behind it. What a person
    # calls moved is another parent, or another rank among the siblings.
    ranks: dict[ContentId | None, int] = {}
    found = {}
    for content_id, placement in sorted(placed.items(), key=lambda item: item[1].position):
        rank = ranks.get(placement.parent_id, 0)
        ranks[placement.parent_id] = rank + 1
        found[content_id] = (placement.parent_id, rank)
    return found
