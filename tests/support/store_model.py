"""A store as a dictionary, and steps that are taken on both."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from backends import Backend
from builders import HANDBOOK, JOURNAL, LOG, NOW, content, content_id, indexed
from hypothesis import strategies as st

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import (
    Content,
    ContentId,
    Link,
    LogEntry,
    MirroredDocument,
    Placement,
    SourceType,
)
from personal_context.domain.text import content_hash

_numbers = st.integers(1, 5)
_pieces = st.lists(st.sampled_from(["alpha", "beta", "beta gamma", "nul\0", "é\U0001f600"]))
_titles = st.sampled_from(["", "Alpha", "Beta\nline"])
_minutes = st.integers(0, 3)
_collections = st.sampled_from([HANDBOOK, JOURNAL])
_parents = st.none() | _numbers.map(content_id)
_tags = st.lists(st.sampled_from(["a", "b", "c"]), unique=True).map(sorted).map(tuple)
_links = st.lists(
    st.sampled_from([content_id(1), content_id(2), "url0000003", "nowhere"]).map(
        lambda target: Link(target, "words")
    )
)

steps = st.lists(
    st.one_of(
        st.tuples(st.just("mirror"), _numbers, _titles, _pieces, _links, _collections, _parents),
        st.tuples(st.just("add"), _numbers, _titles, _pieces, _links, _tags, st.booleans()),
        st.tuples(st.just("trash"), _numbers, _minutes),
        st.tuples(st.just("purge"), _minutes, st.integers(1, 3)),
        st.tuples(
            st.just("place"),
            _collections,
            st.dictionaries(
                _numbers.map(content_id), st.builds(Placement, _parents, st.integers(0, 9))
            ),
        ),
    ),
    max_size=25,
)
"""Sequences of steps for Twin.take."""


@dataclass
class Twin:
    """The dictionary that a store is compared with."""

    contents: dict[ContentId, Content] = field(default_factory=dict)
    pieces: dict[ContentId, list[str]] = field(default_factory=dict)
    trash: dict[ContentId, tuple[datetime, Content]] = field(default_factory=dict)
    outbox: set[ContentId] = field(default_factory=set)
    log_lines: int = 0

    async def take(self, backend: Backend, step: tuple[Any, ...]) -> None:
        """Take one step on the store and on the dictionary."""
        name, *arguments = step
        await getattr(self, f"_{name}")(backend, *arguments)

    async def _mirror(self, backend, number, title, pieces, links, collection_id, parent_id):
        text = indexed(title, pieces, links)
        document = content(
            number,
            title,
            text.readable,
            collection_id=collection_id,
            parent_id=parent_id,
            revision=self.log_lines,
        )
        written = await backend.store.mirror(document, text, log=LOG)
        _, known = self.trash.get(document.id, (None, self.contents.get(document.id)))
        kept_here = known is not None and known.outline_doc_id is None
        assert written == (document.id not in self.outbox and not kept_here)
        if not written:
            return
        self.trash.pop(document.id, None)
        if known is not None:
            document = replace(document, source_type=known.source_type, tags=known.tags)
            if known.source_type is SourceType.NOTE:
                document = replace(document, created_at=known.created_at, source_id=None)
        self.contents[document.id] = document
        self.pieces[document.id] = pieces
        self.log_lines += 1

    async def _add(self, backend, number, title, pieces, links, tags, push):
        text = indexed(title, pieces, links)
        document = content(number, title, text.readable, source_type=SourceType.NOTE, tags=tags)
        try:
            await backend.store.add(document, text, log=LOG, push_to=HANDBOOK if push else None)
        except InvalidInput:
            assert document.id in self.contents.keys() | self.trash.keys()
            return
        assert document.id not in self.contents.keys() | self.trash.keys()
        self.contents[document.id] = document
        self.pieces[document.id] = pieces
        if push:
            self.outbox.add(document.id)
        self.log_lines += 1

    async def _trash(self, backend, number, minutes):
        moment = NOW + timedelta(minutes=minutes)
        line = LogEntry("trash", created_at=moment)
        await backend.store.trash(content_id(number), reason="gone", log=line)
        known = self.contents.pop(content_id(number), None)
        if known is not None:
            self.trash[known.id] = (moment, known)
        self.pieces.pop(content_id(number), None)
        self.outbox.discard(content_id(number))
        self.log_lines += 1

    async def _purge(self, backend, minutes, limit):
        before = NOW + timedelta(minutes=minutes)
        gone = await backend.store.purge(before=before, limit=limit)
        # Of one moment, whoever came first is the older one: so they stand in the dictionary.
        aged = sorted(self.trash, key=lambda key: self.trash[key][0])
        assert gone == [key for key in aged if self.trash[key][0] < before][:limit]
        for key in gone:
            del self.trash[key]
        self.log_lines += len(gone)

    async def _place(self, backend, collection_id, placements):
        await backend.store.place(collection_id, placements)
        for key, placement in placements.items():
            known = self.contents.get(key)
            if known is not None and known.collection_id == collection_id:
                self.contents[key] = replace(
                    known, parent_id=placement.parent_id, position=placement.position
                )

    def mirrored(self, collection_id):
        """Return what Store.mirrored has to return."""
        return {
            one.id: MirroredDocument(
                one.id,
                content_hash(one.title, one.text),
                one.outline_updated_at,
                Placement(one.parent_id, one.position),
                one.title,
            )
            for one in self.contents.values()
            if one.collection_id == collection_id and one.outline_doc_id
        }

    def with_word(self, word):
        """Return the ids of contents with sections in whose title or text the word stands."""
        return {
            one.id
            for one in self.contents.values()
            if self.pieces[one.id]
            and word in f"{one.title} {one.readable}".lower().replace("\0", " ").split()
        }
