"""A wiki under change. What people do to it are values, so that it can be repeated and shrunk."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NoReturn

from hypothesis import strategies as st
from mirror_world import WIKI, MovingClock

from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.errors import ApiError
from personal_context.upstream.sandbox.models import Collection, Document, Version, iso
from personal_context.upstream.sandbox.world import stable_ids

MOST_DOCUMENTS = 45
FAMILY = 12
"""Documents of a family: more than the removals that pass without a person's word."""
IMPORTED = 4
"""Documents of an import: all have one timestamp."""

Row = tuple[str, str, str, str | None]
"""Id, title, text and parent of a document."""


@dataclass(frozen=True)
class Edit:
    """What somebody does.

    Attributes:
        what: A method of ChangingWiki.
        pick: Which of the documents or collections that it can befall.
        where: Which of the places that it can go to.
    """

    what: str
    pick: int = 0
    where: int = 0


COMMON = (
    *("text", "title", "late_text", "move", "create", "child"),
    *("trash", "restore", "carry_off"),
)
RARE = (
    "reorder",
    "archive",
    "restore",
    "purge",
    "unpublish",
    "publish",
    "draft",
    "family",
    "imported",
    "touch",
    "backdated",
    "backdated_text",
)
LIFECYCLE = (
    "new_collection",
    "rename_collection",
    "archive_collection",
    "restore_collection",
    "restore_collection",
    "delete_collection",
    "hide_collection",
    "show_collection",
    "show_collection",
)

# Most befall a few documents: what is done twice to one is what surprises. Of choices, hypothesis
# takes the first and the last most often.
picks = st.sampled_from([0, 0, 0, 1, 1, 2, 3, 5, 8, 13])
kinds = st.one_of(*map(st.sampled_from, (COMMON, RARE, COMMON, RARE, COMMON, RARE, LIFECYCLE)))
edits = st.builds(Edit, kinds, picks, st.sampled_from([0, 1, 2, 0, 1, 2, 3, 4, 5]))


@dataclass
class ChangingWiki:
    """A sandbox with collections that are mirrored and one that is not.

    Args:
        version: Of Outline.
        everything: All that the key sees is mirrored, and it doesn't see the third collection;
            else the first two are named.

    Attributes:
        history: Every title and text that a document ever had.
        rewritten: Some text changed behind every cursor's back since this was set to False.
        late: Some text appeared with an earlier stamp since this was set to False.
        watch: Called after each edit.
    """

    version: Version
    everything: bool
    clock: MovingClock = field(default_factory=MovingClock)
    history: set[tuple[str, str, str]] = field(default_factory=set)
    rewritten: bool = False
    late: bool = False
    watch: Callable[[], None] | None = None

    def __post_init__(self) -> None:
        self.sandbox = create_sandbox(
            version=self.version, clock=self.clock, base_url=WIKI, rate_limits=False
        )
        self._made = Counter[str]()
        stranger = self.sandbox.people.add_user("Eve", id=stable_ids("Eve")[0]).id
        self.named = tuple(self._collection(name) for name in ("Handbook", "Runbooks"))
        self.elsewhere = (
            self._collection("Private", permission=None, by=stranger)
            if self.everything
            else self._collection("Elsewhere")
        )

    # --- what there is

    def mirrored(self) -> list[str]:
        """Return the collections whose documents belong into the mirror, oldest first."""
        hidden = self.hidden()
        seen = [row.id for row in self._collections() if row.live and row.id not in hidden]
        return [key for key in seen if self.everything or key in self.named]

    def hidden(self) -> set[str]:
        """Return the collections that are there, but not for the key: nothing is known of them."""
        return {row.id for row in self._collections() if not row.deleted_at and not row.permission}

    def shows(self) -> Mapping[str, list[Row]]:
        """Return, for each mirrored collection, its documents in tree order."""
        return {key: self._tree(key) for key in self.mirrored()}

    def visible(self) -> Mapping[str, str]:
        """Return the collection of each document that belongs into the mirror."""
        return {row[0]: key for key, rows in self.shows().items() for row in rows}

    def document(self, name: str) -> str:
        """Return the id of the document that was made as the n-th, from 0."""
        return stable_ids(f"document {name}")[0]

    def _tree(self, collection_id: str) -> list[Row]:
        nodes = self.sandbox.services.world.tree.nodes(collection_id)
        stack: list[tuple[dict[str, object], str | None]] = [(n, None) for n in reversed(nodes)]
        documents = {row.id: row for row in self._documents() if row.collection_id == collection_id}
        rows = []
        while stack:
            node, parent = stack.pop()
            shown = documents.pop(str(node["id"]))
            assert shown.live, f"the sandbox shows {shown} in the tree"
            rows.append((shown.id, shown.title, shown.text, parent))
            stack += [(child, shown.id) for child in reversed(node["children"])]
        hidden = [row for row in documents.values() if row.live]
        assert not hidden, f"the sandbox's tree misses {hidden}"
        return rows

    def _documents(self) -> list[Document]:
        return self.sandbox.services.world.state.select(Document, "ORDER BY seq")

    def _collections(self) -> list[Collection]:
        return self.sandbox.services.world.state.select(Collection, "ORDER BY created_at")

    # --- what people do

    def apply(self, edit: Edit) -> None:
        """Let somebody do it; what the wiki refuses, or nothing is there for, isn't done."""
        try:
            getattr(self, f"_{edit.what}")(edit)
        except (ApiError, LookupError):
            return
        finally:
            self.history |= {(row.id, row.title, row.text) for row in self._documents()}
            if self.watch is not None:
                self.watch()

    def _next(self, kind: str) -> int:
        self._made[kind] += 1
        return self._made[kind] - 1

    def _collection(self, name: str, **more: object) -> str:
        number = self._next("collection")
        key, url_id = stable_ids(f"collection {number}")
        return self.sandbox.collections.create(name, id=key, url_id=url_id, **more).id

    def _words(self) -> tuple[str, str]:
        number = self._next("words")
        return f"Title t{number}t", f"Some text.\n\n# Part\n\nMore about w{number}w."

    def _pick(self, edit: Edit, wanted: Callable[[Document], bool]) -> Document:
        found = [row for row in self._documents() if wanted(row) and self._home_lives(row)]
        return found[edit.pick % len(found)] if found else _nothing()

    def _home_lives(self, row: Document) -> bool:
        home = self.sandbox.services.world.state.get(Collection, row.collection_id or "")
        return home is not None and home.live

    def _place(self, edit: Edit) -> str:
        places = [row.id for row in self._collections() if row.live]
        return places[edit.where % len(places)] if places else _nothing()

    def _write(self, **more: object) -> str:
        if len(self._documents()) >= MOST_DOCUMENTS:
            raise LookupError
        title, text = self._words()
        key, url_id = stable_ids(f"document {self._next('document')}")
        made = self.sandbox.documents.create(title, text, id=key, url_id=url_id, raw=True, **more)
        return made.id

    def _create(self, edit: Edit) -> None:
        self._write(collection_id=self._place(edit), index=edit.pick)

    def _child(self, edit: Edit) -> None:
        self._write(parent_id=self._pick(edit, _live).id)

    def _family(self, edit: Edit) -> None:
        parent = self._write(collection_id=self._place(edit))
        for _ in range(FAMILY):
            self._write(parent_id=parent)

    def _backdated(self, edit: Edit) -> None:
        born = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=edit.pick)
        self._write(collection_id=self._place(edit), created_at=born)

    def _imported(self, edit: Edit) -> None:
        born = datetime(2019, 1, 1, tzinfo=UTC) + timedelta(days=edit.pick)
        for _ in range(IMPORTED):
            self._write(collection_id=self._place(edit), created_at=born)

    def _draft(self, edit: Edit) -> None:
        self._write(collection_id=self._place(edit), publish=False)

    def _text(self, edit: Edit) -> None:
        self.sandbox.documents.edit(self._pick(edit, _active).id, text=self._words()[1], raw=True)

    def _title(self, edit: Edit) -> None:
        self.sandbox.documents.edit(self._pick(edit, _active).id, title=self._words()[0])

    def _touch(self, edit: Edit) -> None:
        icon = f"{self._next('icon')}"
        self.sandbox.documents.edit(self._pick(edit, _active).id, icon=icon)

    def _late_text(self, edit: Edit) -> None:
        """Stamped before, committed now: others may have been seen with later stamps."""
        self._stamp_text(edit, self.clock() - timedelta(seconds=9 * edit.where))
        self.late = True

    def _backdated_text(self, edit: Edit) -> None:
        self._stamp_text(edit, datetime(2021, 1, 1, tzinfo=UTC) + timedelta(days=edit.where))
        self.rewritten = True

    def _stamp_text(self, edit: Edit, moment: datetime) -> None:
        changes = {"text": self._words()[1], "updated_at": iso(moment)}
        document = self._pick(edit, _live)
        self.sandbox.services.world.state.update(Document, [document.id], changes)

    def _move(self, edit: Edit) -> None:
        moved = self._pick(edit, _live)
        parents = [None, *(row.id for row in self._documents() if _beside(row, moved))]
        parent = parents[edit.where % len(parents)]
        self.sandbox.documents.move(moved.id, collection_id=moved.collection_id, parent_id=parent)

    def _reorder(self, edit: Edit) -> None:
        moved = self._pick(edit, _live)
        self.sandbox.documents.move(
            moved.id,
            collection_id=moved.collection_id,
            parent_id=moved.parent_id,
            index=edit.where,
        )

    def _carry_off(self, edit: Edit) -> None:
        """To another collection, with all below; all get one timestamp."""
        self.sandbox.documents.move(
            self._pick(edit, _live).id, collection_id=self._place(edit), index=edit.where
        )

    def _trash(self, edit: Edit) -> None:
        self.sandbox.documents.trash(self._pick(edit, _active).id)

    def _restore(self, edit: Edit) -> None:
        found = [row for row in self._documents() if not row.active]
        document = found[edit.pick % len(found)] if found else _nothing()
        home = None if self._home_lives(document) else self._place(edit)
        self.sandbox.documents.restore(document.id, collection_id=home)

    def _purge(self, edit: Edit) -> None:
        found = [row for row in self._documents() if row.deleted_at]
        self.sandbox.documents.purge(found[edit.pick % len(found)].id if found else _nothing())

    def _archive(self, edit: Edit) -> None:
        self.sandbox.documents.archive(self._pick(edit, _live).id)

    def _unpublish(self, edit: Edit) -> None:
        self.sandbox.documents.unpublish(self._pick(edit, _live).id)

    def _publish(self, edit: Edit) -> None:
        self.sandbox.documents.publish(self._pick(edit, _drafted).id)

    def _new_collection(self, edit: Edit) -> None:
        if len(self._collections()) >= 6:
            raise LookupError
        self._write(collection_id=self._collection(f"Collection {edit.pick}"))

    def _rename_collection(self, edit: Edit) -> None:
        self.sandbox.collections.update(self._place(edit), name=f"Renamed {edit.pick}")

    def _archive_collection(self, edit: Edit) -> None:
        self.sandbox.collections.archive(self._place(edit))

    def _restore_collection(self, edit: Edit) -> None:
        archived = [row.id for row in self._collections() if row.archived_at and not row.deleted_at]
        self.sandbox.collections.restore(
            archived[edit.where % len(archived)] if archived else _nothing()
        )

    def _delete_collection(self, edit: Edit) -> None:
        self.sandbox.collections.delete(self._place(edit))

    def _hide_collection(self, edit: Edit) -> None:
        key = self._place(edit)
        self.sandbox.collections.update(key, permission=None)
        self.sandbox.collections.remove_member(key, self.sandbox.services.world.person)

    def _show_collection(self, edit: Edit) -> None:
        hidden = sorted(self.hidden() - {self.elsewhere})
        key = hidden[edit.where % len(hidden)] if hidden else _nothing()
        self.sandbox.collections.update(key, permission="read_write")


def _nothing() -> NoReturn:
    raise LookupError("there is nothing that it could be done to")


def _active(row: Document) -> bool:
    return row.active


def _live(row: Document) -> bool:
    return row.live


def _drafted(row: Document) -> bool:
    return row.active and row.published_at is None


def _beside(row: Document, moved: Document) -> bool:
    return row.live and row.collection_id == moved.collection_id
