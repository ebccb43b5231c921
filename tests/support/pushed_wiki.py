"""A wiki that people and agents write in, and the account of whose words went where."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from changing_wiki import ChangingWiki, Edit
from hypothesis import strategies as st

from personal_context.domain.models import Wording
from personal_context.upstream.sandbox.models import Document

_WORD = re.compile(r"\b([wtab])\d+\1\b")

numbers = st.integers(0, 3)
WRITING = ("text", "below", "above", "below", "title", "back", "touch")
MOVING = ("trash", "restore", "archive", "restore", "unpublish", "publish", "carry_off", "purge")
kinds = st.one_of(*map(st.sampled_from, (WRITING, WRITING, MOVING, ("move", "create", "child"))))
edits = st.builds(Edit, kinds, numbers, numbers)


def words_of(*texts: str) -> set[str]:
    """Return the words by which everything that somebody writes can be known again."""
    return {found.group() for text in texts for found in _WORD.finditer(text)}


@dataclass
class PushedWiki(ChangingWiki):
    """People write below and above what there is, too, and go back to what there was.

    Attributes:
        look: Called before each edit.
        focus: The document that is edited, if it can be; else the one that the edit picks.
    """

    look: Callable[[], None] | None = None
    focus: str | None = None

    def apply(self, edit: Edit) -> None:
        if self.look is not None:
            self.look()
        super().apply(edit)

    def _pick(self, edit: Edit, wanted: Callable[[Document], bool]) -> Document:
        row = self.rows().get(self.focus or "")
        if row is not None and wanted(row) and self._home_lives(row):
            return row
        return super()._pick(edit, wanted)

    def _below(self, edit: Edit) -> None:
        found, said = self._open(edit)
        self.sandbox.documents.edit(found.id, text=f"{found.text}\n\n{said}", raw=True)

    def _above(self, edit: Edit) -> None:
        found, said = self._open(edit)
        self.sandbox.documents.edit(found.id, text=f"{said}\n\n{found.text}", raw=True)

    def _back(self, edit: Edit) -> None:
        """To a version of before, as Outline's history offers it."""
        found, _ = self._open(edit)
        before = sorted(text for key, _, text in self.history if key == found.id)
        text = before[edit.where % len(before)]
        self.sandbox.documents.edit(found.id, text=text, raw=True)

    def _open(self, edit: Edit) -> tuple[Document, str]:
        found = self._pick(edit, lambda row: row.active)
        return found, f"Said w{self._next('words')}w."

    def rows(self) -> dict[str, Document]:
        """Return all documents, in whatever state."""
        return {row.id: row for row in self._documents()}


@dataclass
class Account:
    """Whose words went where. What people do is right; what the gateway does is looked at.

    Attributes:
        breaches: What the gateway did that it never may.
        made: What the gateway created: how each document was worded at first.
        arrived: Words that were in some document at some time.
        read: Words of a document that somebody had read here who wanted them away.
        deleted: Words of documents that were deleted here, as they were read then.
        unseen: Documents that the gateway trashed although there was more in them than that.
        restored: Documents that were restored here.
        written: Words that agents were told are kept.
        given_up: Words that somebody who had read them decided against.
        adds: How often a word was added as part of a new content, at most.
        tags: Of each content, what agents set; several, as long as one doesn't know.
        below: Documents below which a process, by its name, saw nothing when it looked last.
    """

    wiki: PushedWiki
    breaches: list[str] = field(default_factory=list)
    made: dict[str, Wording] = field(default_factory=dict)
    arrived: set[str] = field(default_factory=set)
    read: defaultdict[str, set[str]] = field(default_factory=partial(defaultdict, set))
    deleted: dict[str, set[str]] = field(default_factory=dict)
    unseen: dict[str, set[str]] = field(default_factory=dict)
    restored: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    given_up: set[str] = field(default_factory=set)
    adds: Counter[str] = field(default_factory=Counter)
    tags: dict[str, set[frozenset[str]]] = field(default_factory=dict)
    below: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._process = ""
        self._known = self.wiki.rows()
        self._note()
        self.wiki.look, self.wiki.watch = self.gateway_did, self.people_did

    def people_did(self) -> None:
        """Take what the wiki is now for right."""
        self._known = self.wiki.rows()
        self._note()

    def gateway_did(self, process: str = "") -> None:
        """Look at what the wiki is now, after a request of a process."""
        self._process = process
        before, now = self._known, self.wiki.rows()
        self._known = now
        for key in before.keys() - now.keys():
            self.breaches.append(f"{key} was deleted for good")
        for key, row in now.items():
            if key not in before:
                self.made[key] = Wording(row.title, row.text)
            elif row != before[key]:
                self._changed(before[key], row)
        self._note()
        self.wiki.history |= {(row.id, row.title, row.text) for row in now.values()}

    def _note(self) -> None:
        for row in self._known.values():
            self.arrived |= words_of(row.title, row.text)
            if row.deleted_at is None:
                self.unseen.pop(row.id, None)

    def _changed(self, before: Document, now: Document) -> None:
        key = now.id
        lost = words_of(before.title, before.text) - words_of(now.title, now.text) - self.read[key]
        if lost:
            self.breaches.append(f"{lost} overwritten in {key}: {before.text!r} -> {now.text!r}")
        counts = Counter(found.group() for found in _WORD.finditer(now.text))
        if twice := {word for word, count in counts.items() if count > 1}:
            self.breaches.append(f"{twice} twice in {key}: {now.text!r}")
        if now.deleted_at and not before.deleted_at:
            self._trashed(before)
        wanted = key in self.restored or key in self.unseen
        if before.deleted_at and not now.deleted_at and not wanted:
            self.breaches.append(f"{key} was restored, and nobody wanted that")
        if (before.archived_at, before.published_at) != (now.archived_at, now.published_at):
            self.breaches.append(f"{key} was archived or published")

    def gateway_looked_below(self, process: str, key: str, *, seen: bool) -> None:
        """Note whether the wiki showed anything there; what comes later goes along unseen."""
        (self.below.discard if seen else self.below.add)((process, key))

    def _went_along(self, row: Document) -> bool:
        """Tell whether a document came below a trashed one after the gateway had looked there."""
        above = self._known.get(row.parent_id or "")
        if above is None or not above.deleted_at:
            return False
        return (self._process, above.id) in self.below or self._went_along(above)

    def _trashed(self, before: Document) -> None:
        if self._went_along(before):
            return
        if before.id not in self.deleted:
            self.breaches.append(f"{before.id} was trashed, and nobody wanted that")
            return
        unseen = words_of(before.title, before.text) - self.deleted[before.id]
        if unseen:
            self.unseen[before.id] = unseen

    def may_be_made_once_more(self, words: set[str]) -> None:
        """Count on one more document with these words: some came into one before it was made."""
        made = self._made()
        for word in words:
            self.adds[word] = max(self.adds[word], made[word]) + 1

    def twins(self) -> list[str]:
        """Return what was created more often than it was added."""
        return [
            f"{word}: created {count} times, added {self.adds[word]} times"
            for word, count in self._made().items()
            if word in self.adds and count > self.adds[word]
        ]

    def _made(self) -> Counter[str]:
        return Counter(
            word for wording in self.made.values() for word in words_of(wording.title, wording.text)
        )
