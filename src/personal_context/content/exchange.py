"""All contents out into files, and files back in."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Literal

from personal_context.content.adding import Adder
from personal_context.content.changing import Changer
from personal_context.content.checks import NewContent, checked_metadata, checked_tags, storable
from personal_context.content.editing import Change
from personal_context.content.portable import file_names, from_portable, portable
from personal_context.domain.errors import ContentNotFound, InvalidInput
from personal_context.domain.models import EVERYTHING, Content, ContentId, LogEntry
from personal_context.ports import PrepareText, Store

_ALL = 2**31
_AT_ONCE = 100

Outcome = Literal["created", "updated", "unchanged", "skipped"]


@dataclass(frozen=True, slots=True)
class Exported:
    """One file of an export.

    Attributes:
        path: Relative, with folders for collection and parents.
        text: What it holds.
        number: Its place among all, from 1.
        total: How many there are.
    """

    path: PurePosixPath
    text: str
    number: int
    total: int


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a file.

    Attributes:
        why: Why it was skipped; empty otherwise.
    """

    content_id: ContentId
    title: str
    outcome: Outcome
    why: str = ""


class Exchange:
    """Gives contents out as files, and takes them back.

    Args:
        store: Where they are.
        adder: Adds files that are not ours.
        changer: Changes what differs.
        prepare: Indexes a text.
    """

    def __init__(
        self, *, store: Store, adder: Adder, changer: Changer, prepare: PrepareText
    ) -> None:
        self._store = store
        self._adder = adder
        self._changer = changer
        self._prepare = prepare

    async def export(self) -> AsyncIterator[Exported]:
        """Give out every content but the trash, oldest first."""
        ids = list(await self._store.newest(filters=EVERYTHING, limit=_ALL))[::-1]
        summaries = []
        for start in range(0, len(ids), _AT_ONCE):
            found = await self._store.summaries(ids[start : start + _AT_ONCE])
            summaries += [found[i] for i in ids[start : start + _AT_ONCE] if i in found]
        names = file_names(summaries)
        for number, (content_id, path) in enumerate(names.items(), start=1):
            try:
                content = await self._store.get(content_id)
            except ContentNotFound:
                continue  # it left meanwhile
            yield Exported(path, portable(content), number, len(names))

    async def bring_in(self, text: str, *, name: str) -> Imported:
        """Take one file in.

        A file of an export brings back its content with its id: what is there already is changed
        where it differs, and Outline is told as of any change. Outline is not told of what is
        new here; `outbox push --all-local` offers it. Another Markdown file is added as such.

        Args:
            text: What the file holds.
            name: Its name without the ending: the title, if it has no other.

        Raises:
            InvalidInput: It can't be stored as it is.
            PersonalContextError: The store failed.
        """
        content = from_portable(text)
        if content is None:
            added = await self._adder.add(NewContent(text=text, fallback_title=name))
            outcome: Outcome = "created" if added.created else "unchanged"
            return Imported(added.content.id, added.content.title, outcome)
        try:
            there = await self._store.get(content.id)
        except ContentNotFound as missing:
            return await self._created(content, missing)
        return await self._changed(there, content)

    async def _created(self, content: Content, missing: ContentNotFound) -> Imported:
        content = replace(
            content,
            title=storable(content.title),
            text=storable(content.text),
            tags=checked_tags(content.tags),
            metadata=checked_metadata(content.metadata),
        )
        indexed = await self._prepare(content.title, content.text)
        log = LogEntry("create", content.collection_id, content.id, details="imported")
        try:
            await self._store.add(replace(content, readable=indexed.readable), indexed, log=log)
        except InvalidInput as error:  # its id is in the trash
            why = missing.hint or error.what
            return Imported(content.id, content.title, "skipped", why)
        return Imported(content.id, content.title, "created")

    async def _changed(self, there: Content, content: Content) -> Imported:
        old, new = there.metadata, content.metadata
        differs = {key: new[key] for key in new if key not in old or old[key] != new[key]}
        tags = checked_tags(content.tags)
        change = Change(
            content.text if content.text != there.text else None,
            content.title if content.title != there.title else None,
            tags if tags != there.tags else None,
            metadata=differs or None,
        )
        if change == Change():
            return Imported(there.id, there.title, "unchanged")
        await self._changer.update(there.id, change)
        return Imported(there.id, content.title, "updated")
