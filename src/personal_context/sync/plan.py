"""What a pass has to do: decided here without I/O, done in pull.py.

Every event in the wiki, and the action that answers it:

| what happened in Outline             | what a pass sees                            | action    |
| ------------------------------------ | ------------------------------------------- | --------- |
| document published                   | listed or in the tree, never mirrored       | create    |
| text edited                          | listed, text differs                        | update    |
| title edited only                    | listed, title differs                       | retitle   |
| touched, same title and text         | listed, only `updatedAt` differs            | update    |
| nothing                              | listed, same `updatedAt`, title and text    | keep      |
| backdated create or import           | not among the newest, but in the tree       | create    |
| backdated edit                       | only a sweep shows it                       | update    |
| moved or reordered in its collection | tree differs, `updatedAt` may not           | move      |
| trashed                              | absent from the tree; info: `deletedAt`     | trash     |
| archived                             | absent from the tree; info: `archivedAt`    | archive   |
| parent trashed or archived           | as these two, one by one                    | (as they) |
| unpublished                          | absent from the tree; info: a draft         | unpublish |
| restored, published again            | in the tree again, in the local trash       | restore   |
| parent restored, children not        | only the parent is in the tree again        | restore   |
| deleted for good                     | absent from the tree; info: 404             | forget    |
| no longer shared with the key        | absent from the tree; info: 403             | forget    |
| moved to a collection not mirrored   | absent from the tree; info names it         | forget    |
| moved to another mirrored collection | absent from the tree; info names it         | move      |
| moved in from anywhere               | in the tree; mirrored elsewhere, or not     | create    |
| published a moment ago, cached tree  | absent from the tree; info: live, here      | keep      |
| collection archived or deleted       | every document absent; info as above        | (as they) |
| Outline ill, key revoked             | 401, 403 on the collection, 5xx, timeout    | (none)    |
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
    RETITLE = "retitle"
    RESTORE = "restore"
    MOVE = "move"
    """To another collection; moves within one are settled by the tree as a whole."""
    TRASH = "trash"
    ARCHIVE = "archive"
    UNPUBLISH = "unpublish"
    FORGET = "forget"
    KEEP = "keep"

    @property
    def removes(self) -> bool:
        """The document leaves the mirror, for the local trash."""
        return self in {Kind.TRASH, Kind.ARCHIVE, Kind.UNPUBLISH, Kind.FORGET}


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do, and why.

    Attributes:
        document: What to write; None for a removal and for `keep`.
    """

    kind: Kind
    content_id: ContentId
    reason: str
    document: UpstreamDocument | None = None


def compare(
    mirrored: MirroredDocument | None, document: UpstreamDocument, *, trashed: bool = False
) -> Action:
    """Decide what a document that Outline showed as published means for the mirror.

    Args:
        mirrored: What the mirror holds of it in this collection, or None.
        document: As Outline returned it.
        trashed: It waits in the local trash.
    """
    if mirrored is None and trashed:
        return Action(Kind.RESTORE, document.id, "back in the wiki", document)
    if mirrored is None:
        return Action(Kind.CREATE, document.id, "new", document)
    if mirrored.hash != content_hash(document.title, document.text):
        if mirrored.hash == content_hash(mirrored.title, document.text):
            return Action(Kind.RETITLE, document.id, f"was {mirrored.title!r}", document)
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


def judge(  # noqa: PLR0911 - one return a row of the table above
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
        return Action(Kind.FORGET, content_id, "deleted for good, or no longer shared with the key")
    if document.deleted_at:
        return Action(Kind.TRASH, content_id, "moved to Outline's trash")
    if document.archived_at:
        return Action(Kind.ARCHIVE, content_id, "archived in Outline")
    if document.published_at is None:
        return Action(Kind.UNPUBLISH, content_id, "unpublished in Outline")
    if document.collection_id == here:
        return Action(Kind.KEEP, content_id, "still there; the tree lags behind")
    if document.collection_id in mirrored_collections:
        return Action(Kind.MOVE, content_id, "moved to another collection", document)
    return Action(Kind.FORGET, content_id, "moved to a collection that is not mirrored")


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


def titles(tree: Iterable[TreeNode], wanted: Collection[ContentId]) -> Mapping[ContentId, str]:
    """Return the titles of some documents as the tree shows them."""
    if not wanted:
        return {}
    return {node.id: node.title for node, _ in _walk(tree) if node.id in wanted}


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
