"""What a person, or the API for one, can do to collections, with every side effect."""

from personal_context.upstream.sandbox import errors
from personal_context.upstream.sandbox.markdown import clean
from personal_context.upstream.sandbox.models import Collection, Document, Json
from personal_context.upstream.sandbox.world import World, new_id, new_url_id


class Collections:
    """Edits collections. Methods raise ApiError exactly where the API answers with an error.

    `by` is always the id of the acting user; None is the sandbox's own person.

    Args:
        world: The wiki.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._state = world.state

    def get(self, reference: str) -> Collection:
        """Return a collection by id or urlId, also an archived one. 404 if absent or deleted."""
        url_id = reference.rsplit("-", 1)[-1]
        found = self._state.select(
            Collection,
            "WHERE (id = ? OR url_id = ?) AND deleted_at IS NULL",
            (reference, url_id),
        )
        if not found:
            raise errors.not_found()
        return found[0]

    def all(self, *, archived: bool = False) -> list[Collection]:
        """Return the collections, those in the archive or those not, in the order shown."""
        state = "NOT NULL" if archived else "NULL"
        return self._state.select(
            Collection, f"WHERE deleted_at IS NULL AND archived_at IS {state} ORDER BY rank, id"
        )

    def create(
        self,
        name: str,
        *,
        id: str | None = None,  # noqa: A002 - the API's own word
        url_id: str | None = None,
        description: str | None = None,
        icon: str | None = None,
        color: str | None = None,
        permission: str | None = "read_write",
        by: str | None = None,
    ) -> Collection:
        """Create a collection above all others; its maker is a member.

        Args:
            name: Not empty.
            id: UUID; chosen if None.
            url_id: Ten letters and digits; chosen if None.
            description: Markdown.
            icon: Emoji or name.
            color: `#rrggbb`.
            permission: What those who are no members may: `read_write`, `read`, or None, then it
                is private.
            by: Acting user.
        """
        now = self._world.now()
        actor = by or self._world.person
        ranks = self._state.execute("SELECT min(rank) FROM collections")
        collection = Collection(
            id=id or new_id(),
            url_id=url_id or new_url_id(),
            name=clean(name),
            description=description,
            icon=icon,
            color=color,
            permission=permission,
            rank=rank_before(ranks[0][0]),
            created_at=now,
            created_by=actor,
            updated_at=now,
        )
        with self._state.transaction():
            self._state.insert(collection)
            self.add_member(collection.id, actor)
        self._tell("create", collection.id, actor)
        return collection

    def update(
        self, collection_id: str, *, by: str | None = None, **changes: str | None
    ) -> Collection:
        """Change name, description, icon, color or permission; its documents don't notice."""
        collection = self.get(collection_id)
        different: Json = {k: v for k, v in changes.items() if v != getattr(collection, k)}
        if different:
            different["updated_at"] = self._world.now()
            self._state.update(Collection, [collection_id], different)
            self._tell("update", collection_id, by)
        return self.get(collection_id)

    def archive(self, collection_id: str, *, by: str | None = None) -> Collection:
        """Archive a collection: its documents vanish from lists, its tree stays readable."""
        collection = self.get(collection_id)
        if collection.archived_at is not None:
            raise errors.forbidden()
        now = self._world.now()
        actor = by or self._world.person
        with self._state.transaction():
            changes: Json = {"archived_at": now, "archived_by": actor, "updated_at": now}
            self._state.update(Collection, [collection_id], changes)
            keys = self._documents(collection_id, "archived_at IS NULL")
            self._state.update(Document, keys, {"archived_at": now, "updated_at": now})
        self._tell("archive", collection_id, actor)
        return self.get(collection_id)

    def restore(self, collection_id: str, *, by: str | None = None) -> Collection:
        """Bring an archived collection back, with the documents that went with it."""
        collection = self.get(collection_id)
        if collection.archived_at is None:
            raise errors.forbidden()
        now = self._world.now()
        with self._state.transaction():
            changes: Json = {"archived_at": None, "archived_by": None, "updated_at": now}
            self._state.update(Collection, [collection_id], changes)
            keys = self._documents(collection_id, "archived_at = ?", collection.archived_at)
            self._state.update(Document, keys, {"archived_at": None, "updated_at": now})
        self._tell("restore", collection_id, by)
        return self.get(collection_id)

    def delete(self, collection_id: str, *, by: str | None = None) -> None:
        """Delete a collection: its documents go to the trash in one stroke, untold."""
        self.get(collection_id)
        now = self._world.now()
        gone: Json = {"deleted_at": now, "updated_at": now}
        with self._state.transaction():
            self._state.update(Collection, [collection_id], gone)
            keys = self._documents(collection_id, "archived_at IS NULL")
            self._state.update(Document, keys, gone)
        self._tell("delete", collection_id, by)

    def add_member(self, collection_id: str, user_id: str) -> None:
        """Let a user see and edit a collection, also a private one."""
        self._state.execute("INSERT OR IGNORE INTO members VALUES (?, ?)", (collection_id, user_id))

    def remove_member(self, collection_id: str, user_id: str) -> None:
        """Take a membership away; a private collection vanishes from the user's sight."""
        self._state.execute(
            "DELETE FROM members WHERE collection_id = ? AND user_id = ?",
            (collection_id, user_id),
        )

    def _documents(self, collection_id: str, condition: str, *values: str) -> list[str]:
        rows = self._state.execute(
            "SELECT id FROM documents"  # noqa: S608 - the condition is one of those written above
            " WHERE collection_id = ? AND deleted_at IS NULL"
            f" AND {condition}",
            (collection_id, *values),
        )
        return [row[0] for row in rows]

    def _tell(self, event: str, collection_id: str, actor: str | None) -> None:
        actor = actor or self._world.person
        self._world.emit(f"collections.{event}", "collection", collection_id, actor)


def rank_before(first: str | None) -> str:
    """Return a fractional index that sorts, by bytes, before the first one.

    >>> rank_before(None), rank_before("P"), rank_before('"')
    ('P', '8', '!P')
    """
    if first is None:
        return "P"
    head, last = first[:-1], ord(first[-1])
    middle = (ord("!") + last) // 2
    # Nothing may end in the lowest digit: there would be no room before it.
    return head + chr(middle) if middle > ord("!") else head + "!P"
