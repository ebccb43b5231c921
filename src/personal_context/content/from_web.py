"""Web pages as contents: added once, brought up to date when they are added again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from personal_context.content.adding import Added, Adder
from personal_context.content.changing import Changed, Changer
from personal_context.content.checks import NewContent
from personal_context.content.editing import Change
from personal_context.content.page_marks import (
    Marks,
    claims_of,
    is_likely,
    likely_names_of,
    metadata_of,
    name_of,
    names_of,
    text_hash,
)
from personal_context.content.reading import ReadContent, Reader
from personal_context.content.telling import page_message
from personal_context.domain.errors import ContentChanged, ContentNotFound, WebUnavailable
from personal_context.domain.models import (
    Content,
    ContentId,
    KnownPage,
    UnchangedPage,
    Validators,
    WebPage,
)
from personal_context.domain.text import SHORT_HASH
from personal_context.ports import Store, Web
from personal_context.sync.delivery import fitted

_ROUNDS = 10
"""Tries of one page; only others who change the same content come between."""


@dataclass(frozen=True, slots=True)
class NewPage:
    """A page that somebody wants to keep.

    Attributes:
        url: As a person pasted it.
        title: None for the page's own.
        tags: Added to those that the content has, if the page is kept already.
        collection: See NewContent; a page that is kept already stays where it is.
        parent: See `collection`.
        obey_robots: False only where a person names the page.
        overwrite: Take the page's text also if what is kept of it was edited since.
    """

    url: str
    title: str | None = None
    tags: Sequence[str] | None = None
    collection: str | None = None
    parent: str | None = None
    obey_robots: bool = True
    overwrite: bool = False


class PageOutcome(StrEnum):
    """What became of a page."""

    ADDED = "added"
    """It is kept now."""
    UPDATED = "updated"
    """It was kept already; it had changed, and so has what is kept."""
    UNCHANGED = "unchanged"
    """It is kept already, and is as it was."""
    EDITED = "edited"
    """It had changed, but so has what is kept, by somebody's edit, which stays."""


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page, and the content it is kept as."""

    outcome: PageOutcome
    content: Added


class PageService:
    """Keeps web pages.

    Args:
        web: Reads them.
        store: Knows which are kept.
        reader: Reads what is kept.
        adder: Adds those that are new.
        changer: Brings the others up to date; what people wrote meets it as any other change.
    """

    def __init__(
        self, *, web: Web, store: Store, reader: Reader, adder: Adder, changer: Changer
    ) -> None:
        self._web = web
        self._store = store
        self._reader = reader
        self._adder = adder
        self._changer = changer

    async def add(self, new: NewPage, *, patience: float = 0.0) -> KeptPage:
        """Keep a page, or bring it up to date. It is stored and searchable when this returns.

        Args:
            new: Which page, and as what.
            patience: Seconds to wait for Outline; it goes on after that.

        Raises:
            InvalidInput: It is no web address, or what is given with it can't be stored.
            WebError: There is no page to be had. Nothing was kept, then.
            ContentNotFound: There is no such parent.
        """
        new = replace(new, title=(new.title or "").strip() or None)
        page = await self._web.read(
            new.url,
            known=_nothing if new.overwrite else self._validators,
            obey_robots=new.obey_robots,
        )
        if isinstance(page, UnchangedPage):
            known = await self._store.find_page([name_of(page.address)])
            if known is not None:
                return await self._retold(PageOutcome.UNCHANGED, known, new, patience)
            # It went to the trash just now.
            page = await self._web.read(new.url, known=_nothing, obey_robots=new.obey_robots)
        if isinstance(page, UnchangedPage):
            raise WebUnavailable(f"{new.url[:200]} gives no page.", cause="It answered 304.")
        return await self._kept(page, new, patience)

    async def _kept(self, page: WebPage, new: NewPage, patience: float) -> KeptPage:
        for _ in range(_ROUNDS):
            known = await self._find(page)
            if known is None:
                added = await self._adder.add(_new_content(page, new), patience=patience)
                if added.created:
                    await self._name(added.content.id, page)
                    return KeptPage(PageOutcome.ADDED, added)
                continue  # another process has added it since
            try:
                return await self._updated(known, page, new, patience)
            except (ContentChanged, ContentNotFound):
                continue  # somebody was quicker with what is kept
        raise ContentChanged(
            f"What is kept of {new.url[:200]} is being changed by others all the time.",
            hint="Nothing was written. Try again.",
        )

    async def _updated(
        self, known: KnownPage, page: WebPage, new: NewPage, patience: float
    ) -> KeptPage:
        read = await self._reader.get(known.content_id)
        marks = Marks.of(read.content.metadata)
        # What is at its old place by now is another page.
        moved = not _is_at(marks, page.address)
        await self._name(known.content_id, page, moved=moved)
        edited = marks.edited(known.text_key)
        if text_hash(page) == marks.text_hash and not (edited and new.overwrite):
            said = metadata_of(page, read.content.metadata)
            return await self._retold(PageOutcome.UNCHANGED, known, new, patience, said)
        if edited and not new.overwrite:
            return await self._retold(PageOutcome.EDITED, known, new, patience)
        change = _change(page, new, read, marks)
        changed = await self._changer.update(known.content_id, change, patience=patience)
        return await self._answer(PageOutcome.UPDATED, changed.id, changed)

    async def _retold(
        self,
        outcome: PageOutcome,
        known: KnownPage,
        new: NewPage,
        patience: float,
        metadata: Mapping[str, Any] | None = None,
    ) -> KeptPage:
        """Leave the text alone; title and tags are what the caller wants."""
        content = (await self._reader.get(known.content_id)).content
        change = Change(title=new.title, tags=_tags(content, new), metadata=metadata)
        if change == Change():
            return await self._answer(outcome, content.id)
        changed = await self._changer.update(content.id, change, patience=patience)
        return await self._answer(outcome, content.id, changed)

    async def _answer(
        self, outcome: PageOutcome, content_id: ContentId, changed: Changed | None = None
    ) -> KeptPage:
        read = await self._reader.get(content_id)
        added = Added(
            read.summary,
            read.outline,
            page_message(outcome.value, read.outline),
            created=False,
            warnings=changed.warnings if changed else (),
            secrets=changed.secrets if changed else (),
        )
        return KeptPage(outcome, added)

    async def _find(self, page: WebPage) -> KnownPage | None:
        known = await self._store.find_page(names_of(page))
        if known is not None:
            return known
        likely = await self._store.find_page(likely_names_of(page))
        if likely is None:
            return None
        content = await self._store.get(likely.content_id)
        return likely if is_likely(page, Marks.of(content.metadata)) else None

    async def _name(self, content_id: ContentId, page: WebPage, *, moved: bool = False) -> None:
        await self._store.name_page(content_id, (*names_of(page), *claims_of(page)), moved=moved)

    async def _validators(self, name: str) -> Validators | None:
        known = await self._store.find_page([name_of(name)])
        if known is None:
            return None
        marks = Marks.of((await self._store.get(known.content_id)).metadata)
        # Only the address that gave them knows what they mean.
        return marks.validators if _is_at(marks, name) else None


async def _nothing(_: str) -> Validators | None:
    """Know no page, so that it comes whole."""
    return None


def _is_at(marks: Marks, address: str) -> bool:
    """Tell whether a page was last fetched from an address."""
    return marks.name == name_of(address)[:SHORT_HASH]


def _new_content(page: WebPage, new: NewPage) -> NewContent:
    return NewContent(
        text=_text(page),
        # Markdown may name itself better than by its first heading: in its front matter.
        title=new.title or (None if page.in_markdown else page.title),
        tags=new.tags,
        source_url=page.address,
        metadata=metadata_of(page, {}),
        collection=new.collection,
        parent=new.parent,
        fallback_title=page.title,
        page_names=names_of(page),
    )


def _change(page: WebPage, new: NewPage, read: ReadContent, marks: Marks) -> Change:
    """Return what brings a content up to its page; a title that somebody gave it stays."""
    content = read.content
    title = new.title
    if not title and marks.title and content.title in _titles(marks.title):
        title = page.title
    text = _text(page)
    if content.outline_doc_id is not None and title:
        wording = fitted(title, text)
        title, text = wording.title, wording.text
    return Change(
        content=text,
        title=title,
        tags=_tags(content, new),
        expected_hash=read.summary.hash,
        metadata=metadata_of(page, content.metadata),
        from_page=True,
    )


def _text(page: WebPage) -> str:
    """Return a page's text; a rule on its top is no front matter, but in Markdown."""
    rule = page.text.startswith("---") and not page.in_markdown
    return "\n" + page.text if rule else page.text


def _titles(title: str) -> Sequence[str]:
    """Return a title as given, and as Outline has it."""
    return title, fitted(title, "").title


def _tags(content: Content, new: NewPage) -> Sequence[str] | None:
    added: Mapping[str, None] = dict.fromkeys([*content.tags, *(new.tags or ())])
    return None if len(added) == len(content.tags) else tuple(added)
