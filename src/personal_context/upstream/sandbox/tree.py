"""A collection's tree of published documents, kept apart from the documents, as in Outline."""

from collections import defaultdict

from personal_context.upstream.sandbox.models import Json, slug
from personal_context.upstream.sandbox.state import State

END = 1 << 30
"""An index past every sibling."""


class Tree:
    """Where published documents stand. A child of a document that is out is out with it.

    Args:
        state: Where the rows are.
    """

    def __init__(self, state: State) -> None:
        self._state = state

    def place(
        self, document_id: str, collection_id: str, parent_id: str | None, index: int
    ) -> None:
        """Put a document among its siblings at an index from 0; past the end is the end."""
        self.take_out(document_id)
        if 0 < index < END:
            siblings = self.siblings(collection_id, parent_id)
            self._renumber(siblings, index)
            position = min(index, len(siblings))
        else:
            # Most land at an end, and that must not cost a look at every sibling.
            first, last = self._state.execute(
                "SELECT min(position), max(position) FROM tree"
                " WHERE collection_id = ? AND parent_id IS ?",
                (collection_id, parent_id),
            )[0]
            position = (first or 0) - 1 if index <= 0 else (last or 0) + 1
        self._state.execute(
            "INSERT INTO tree VALUES (?, ?, ?, ?)",
            (document_id, collection_id, parent_id, position),
        )

    def _renumber(self, siblings: list[str], gap: int) -> None:
        for number, sibling in enumerate(siblings):
            self._state.execute(
                "UPDATE tree SET position = ? WHERE document_id = ?",
                (number if number < gap else number + 1, sibling),
            )

    def take_out(self, document_id: str) -> None:
        """Remove a document; its children come back in order when it does."""
        self._state.execute("DELETE FROM tree WHERE document_id = ?", (document_id,))

    def holds(self, document_id: str) -> bool:
        """Tell whether a document has a place."""
        rows = self._state.execute("SELECT 1 FROM tree WHERE document_id = ?", (document_id,))
        return bool(rows)

    def carry(self, document_ids: list[str], collection_id: str) -> None:
        """Tell documents below a moved one which collection they are in now."""
        self._state.connection.executemany(
            "UPDATE tree SET collection_id = ? WHERE document_id = ?",
            [(collection_id, key) for key in document_ids],
        )

    def siblings(self, collection_id: str, parent_id: str | None) -> list[str]:
        """Return the ids directly below a parent, or at the top, in order."""
        rows = self._state.execute(
            "SELECT document_id FROM tree WHERE collection_id = ? AND parent_id IS ?"
            " ORDER BY position",
            (collection_id, parent_id),
        )
        return [row[0] for row in rows]

    def nodes(self, collection_id: str, parent_id: str | None = None) -> list[Json]:
        """Return the tree below a parent, or the whole, as `collections.documents` shows it."""
        rows = self._state.execute(
            "SELECT tree.parent_id, id, title, url_id, icon, color FROM tree"
            " JOIN documents ON id = document_id WHERE tree.collection_id = ? ORDER BY position",
            (collection_id,),
        )
        children: dict[str | None, list[Json]] = defaultdict(list)
        for parent, key, title, url_id, icon, color in rows:
            node: Json = {"id": key, "url": f"/doc/{slug(title)}-{url_id}"}
            node |= {"icon": icon} if icon else {}
            node |= {"color": color} if color else {}
            children[parent].append(node | {"title": title})
        for siblings in list(children.values()):
            for node in siblings:
                node["children"] = children.get(node["id"], [])
        return children.get(parent_id, [])
