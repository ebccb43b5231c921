"""What happens to a document together with what is below it."""

from datetime import timedelta

from personal_context.upstream.sandbox import errors
from personal_context.upstream.sandbox.models import Collection, Document, Json, iso
from personal_context.upstream.sandbox.tree import END
from personal_context.upstream.sandbox.world import World


class Branches:
    """Takes branches of a tree away, back and elsewhere.

    Args:
        world: The wiki.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._state = world.state
        self._tree = world.tree

    def get(self, reference: str) -> Document:
        """Return a document by id, urlId or slug-urlId, in whatever state. 404 without one."""
        found = self._state.document(reference)
        if found is None:
            raise errors.not_found()
        return found

    # --- going away and coming back

    def archive(self, reference: str, *, by: str | None = None) -> Document:
        """Archive a document and, silently, all below it."""
        root = self._active(reference)
        if root.published_at is None:
            raise errors.forbidden()
        actor = by or self._world.person
        below = [child for child in self._state.descendants(root.id) if child.active]
        now = self._world.now()
        with self._state.transaction():
            self._tree.take_out(root.id)
            self._bump([*below, root], now, actor, archived_at=now)
        self._tell("archive", root.id, actor)
        return self.get(root.id)

    def restore(
        self, reference: str, *, collection_id: str | None = None, by: str | None = None
    ) -> Document:
        """Bring a document back: from the archive with all below, from the trash alone.

        Args:
            reference: Id, urlId or slug-urlId.
            collection_id: Where to, if its own collection is gone.
            by: Acting user.
        """
        root = self.get(reference)
        if root.active:
            raise errors.forbidden()
        home = collection_id or root.collection_id
        if home is not None:
            collection = self._state.get(Collection, home)
            if collection is None or not collection.live:
                raise errors.validation(
                    "Unable to restore, the collection may have been deleted or archived"
                )
        trashed = root.deleted_at is not None
        # What went to the trash with its parent stays there.
        below = self._state.descendants(root.id)
        archived = [d for d in below if d.archived_at and not d.deleted_at]
        parent = self._state.get(Document, root.parent_id) if root.parent_id else None
        keep = parent is not None and parent.live and parent.collection_id == home
        actor = by or self._world.person
        back: Json = {"archived_at": None, "deleted_at": None, "collection_id": home}
        with self._state.transaction():
            self._bump(archived, self._world.now(), actor, **back)
            self._tree.carry([d.id for d in archived], str(home))
            back["parent_id"] = root.parent_id if keep else None
            self._bump([root], self._world.now(), actor, **back)
            after = self.get(root.id)
            if after.published_at is not None:
                self._show(after, END)
                # What was archived by itself before has left its place, and gets one again.
                for child in archived:
                    if child.published_at is not None and not self._tree.holds(child.id):
                        self._tree.place(child.id, str(home), child.parent_id, END)
        self._tell("restore" if trashed else "unarchive", root.id, actor)
        return after

    def trash(self, reference: str, *, by: str | None = None) -> Document:
        """Delete a document and, silently, all below it; `purge` ends it."""
        root = self.get(reference)
        if root.deleted_at is not None:
            raise errors.forbidden()
        actor = by or self._world.person
        below = [d for d in self._state.descendants(root.id) if d.deleted_at is None]
        now = self._world.now()
        with self._state.transaction():
            for document in [*below, root]:
                self._tree.take_out(document.id)
            gone: Json = {"deleted_at": now, "updated_at": now, "updated_by": actor}
            self._state.update(Document, [d.id for d in below], gone)
            self._bump([root], now, actor, deleted_at=now)
        self._tell("delete", root.id, actor)
        return self.get(root.id)

    def purge(self, reference: str, *, by: str | None = None) -> None:
        """Delete for good what is in the trash already. Only admins may."""
        document = self.get(reference)
        actor = by or self._world.person
        if document.deleted_at is None or not self._world.user(actor).admin:
            raise errors.forbidden()
        self._state.execute("DELETE FROM documents WHERE id = ?", (document.id,))
        self._tell("permanent_delete", document.id, actor)

    def empty_trash(self, older_than: timedelta = timedelta(days=30)) -> int:
        """Purge, without any event, what has been in the trash too long; return how many."""
        limit = iso(self._world.clock() - older_than)
        before = self._state.connection.total_changes()
        self._state.execute("DELETE FROM documents WHERE deleted_at <= ?", (limit,))
        return self._state.connection.total_changes() - before

    # --- moving

    def move(
        self,
        reference: str,
        *,
        collection_id: str | None = None,
        parent_id: str | None = None,
        index: int = END,
        by: str | None = None,
    ) -> list[Document]:
        """Move a document with all below it; into another collection they get one timestamp.

        Args:
            reference: Id, urlId or slug-urlId of an active document.
            collection_id: Where to; may be left out under a parent.
            parent_id: New parent; None for the top of the collection.
            index: Place among the siblings, from 0; the last by default.
            by: Acting user.

        Returns:
            What changed: the documents below, then the document.
        """
        root = self._active(reference)
        below = self._state.descendants(root.id)
        if parent_id is not None and parent_id in {root.id, *(d.id for d in below)}:
            raise errors.validation("infinite loop detected, cannot nest a document inside itself")
        home = self._home(collection_id, parent_id, publish=True)
        elsewhere = home != root.collection_id
        actor = by or self._world.person
        now = self._world.now()
        # A mere reordering raises the revision and leaves updatedAt alone.
        moved = elsewhere or parent_id != root.parent_id
        with self._state.transaction():
            if elsewhere:
                keys = [d.id for d in below]
                self._state.update(Document, keys, {"collection_id": home, "updated_at": now})
                self._tree.carry(keys, str(home))
            stamp = now if moved else root.updated_at
            self._bump([root], stamp, actor, collection_id=home, parent_id=parent_id)
            after = self.get(root.id)
            if after.published_at is not None:
                self._show(after, index)
        self._tell("move", root.id, actor)
        return [*(self.get(d.id) for d in below if elsewhere), after]

    # --- common

    def _active(self, reference: str) -> Document:
        document = self.get(reference)
        if not document.active:
            raise errors.forbidden()
        return document

    def _bump(
        self, documents: list[Document], now: str, actor: str, **changes: str | bool | None
    ) -> None:
        for document in documents:
            stamp: Json = {"updated_at": now, "updated_by": actor}
            stamp["revision"] = document.revision + 1
            self._state.update(Document, [document.id], changes | stamp)

    def _show(self, document: Document, index: int) -> None:
        home = str(document.collection_id)
        self._tree.place(document.id, home, document.parent_id, index)
        self._state.update(Collection, [home], {"updated_at": self._world.now()})

    def _tell(self, event: str, document_id: str, actor: str) -> None:
        self._world.emit(f"documents.{event}", "document", document_id, actor)

    def _home(
        self, collection_id: str | None, parent_id: str | None, *, publish: bool
    ) -> str | None:
        """Say which collection a new document gets into; 403 if there is no such place."""
        if parent_id is not None:
            parent = self._state.get(Document, parent_id)
            if parent is None or not parent.active or (publish and not parent.live):
                raise errors.forbidden()  # nothing is published below a draft
            collection_id = parent.collection_id
        if collection_id is not None:
            collection = self._state.get(Collection, collection_id)
            if collection is None or not collection.live:
                raise errors.forbidden()
        elif publish:
            raise errors.validation("collectionId or parentDocumentId is required to publish")
        return collection_id
