"""What the page says of a document: every decision, as pure functions."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from personal_context.content.reading import ReadContent
from personal_context.domain.models import (
    Content,
    ContentId,
    Neighbour,
    PushState,
    SourceType,
    Surroundings,
)
from personal_context.indexing.links import target_of
from personal_context.web.document import outline
from personal_context.web.document.rendering import Href, Html, rendered
from personal_context.web.humanize import plural, safe_url

_OUTLINE = {
    PushState.SYNCED: "In Outline, as it is here",
    PushState.LOCAL: "Only here, not in Outline",
    PushState.CONFLICT: "Changed here and in Outline",
    PushState.FAILED: "Refused by Outline",
}
_ON_ITS_WAY = "On its way to Outline"
_SAFE_SCHEMES = {"http", "https", "mailto"}
_LONGEST_FACT = 500


@dataclass(frozen=True, slots=True)
class Away:
    """Where the original is."""

    address: str
    label: str


@dataclass(frozen=True, slots=True)
class Section:
    """A line of the table of contents."""

    title: str
    depth: int
    address: str


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is noted of a document; times are shown as ages."""

    name: str
    value: str = ""
    moment: datetime | None = None


@dataclass(frozen=True, slots=True)
class Portion:
    """Which part of a long document is shown.

    Attributes:
        before: Address of the part before it, or None.
        after: Address of the part after it, or None.
        told: Which lines of how many.
    """

    before: str | None
    after: str | None
    told: str


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document as it is shown.

    Attributes:
        portion: None if all of it is shown.
        sections: The table of contents; empty where it would be no help.
    """

    id: ContentId
    title: str
    source_type: SourceType
    collection: str | None
    above: Sequence[Neighbour]
    below: Sequence[Neighbour]
    linked_from: Sequence[Neighbour]
    tags: Sequence[str]
    updated_at: datetime
    outline: str
    away: Sequence[Away]
    html: Html
    portion: Portion | None
    sections: Sequence[Section]
    facts: Sequence[Fact]


def document(
    read: ReadContent, around: Surroundings, *, root: str, line: int | None
) -> DocumentView:
    """Return what is shown of a document.

    Args:
        read: The document.
        around: What stands around it.
        root: The path under which a proxy shows the page.
        line: The line that was asked for, from 1; its part is shown, and its block marked.
    """
    content = read.content
    parts = outline.parts(content.readable)
    place = outline.part_at(parts, line or 1)
    part = parts[place]
    headings = outline.entries(content.readable)
    leads = _Leads(content, around, headings, root=root, part=part)
    html = rendered(
        part.prefix + part.text,
        leads,
        first_line=part.line - part.prefix.count("\n"),
        anchors=outline.anchors(headings, part.line, part.last_line),
        here=line,
    )
    return DocumentView(
        id=content.id,
        title=content.title,
        source_type=content.source_type,
        collection=around.collection,
        above=around.above,
        below=around.below,
        linked_from=around.linked_from,
        tags=content.tags,
        updated_at=content.updated_at,
        outline=_OUTLINE.get(read.outline, _ON_ITS_WAY),
        away=away(content),
        html=html,
        portion=_portion(parts, place),
        sections=_sections(headings, leads),
        facts=facts(content),
    )


def away(content: Content) -> Sequence[Away]:
    """Return where the original can be opened."""
    found = []
    if outline_url := safe_url(content.outline_url):
        found.append(Away(outline_url, "Open in Outline"))
    if (source := safe_url(content.source_url)) and source != content.outline_url:
        found.append(Away(source, "Open the web page"))
    return found


def facts(content: Content) -> Sequence[Fact]:
    """Return what is noted of a document, what people ask for first."""
    found = [
        Fact("Changed", moment=content.updated_at),
        Fact("Created", moment=content.created_at),
        Fact("Length", _length(content.readable)),
    ]
    if content.revision is not None:
        found.append(Fact("Revision", str(content.revision)))
    found.append(Fact("Id", content.id))
    found += [Fact(_cut(name), _cut(_told(value))) for name, value in content.metadata.items()]
    return found


class _Leads:
    """A LinkTo: where the links of a document lead."""

    def __init__(
        self,
        content: Content,
        around: Surroundings,
        headings: Sequence[outline.Entry],
        *,
        root: str,
        part: outline.Part,
    ) -> None:
        self._base = content.outline_url or content.source_url or ""
        self._links: Mapping[str, ContentId] = around.links
        self._lines = {one.anchor: one.line for one in headings}
        self._root = root
        self._part = part

    def __call__(self, address: str) -> Href | None:
        if address.startswith("#"):
            return self.heading(address[1:])
        target = target_of(address)
        if target is not None and (found := self._links.get(target)):
            _, _, anchor = address.partition("#")
            return Href(
                f"{self._root}/content/{found}{'#' if anchor else ''}{anchor}", outside=False
            )
        return _outside(address, self._base)

    def heading(self, anchor: str) -> Href | None:
        """Return where a heading of this document is, or None if it has none of that name."""
        line = self._lines.get(anchor)
        if line is None:
            return None
        shown = self._part.line <= line <= self._part.last_line
        return Href(f"{'' if shown else f'?line={line}'}#{quote(anchor)}", outside=False)


def _outside(address: str, base: str) -> Href | None:
    try:
        scheme = urlsplit(address).scheme.lower()
        if not scheme and base:
            address = urljoin(base, address)
            scheme = urlsplit(address).scheme.lower()
    except ValueError:
        return None
    return Href(address) if scheme in _SAFE_SCHEMES else None


def _sections(headings: Sequence[outline.Entry], leads: _Leads) -> Sequence[Section]:
    if len(headings) < 2:  # noqa: PLR2004 - one place needs no table
        return ()
    listed = outline.table_of_contents(headings)
    top = min(one.depth for one in listed)
    return [
        Section(one.title, one.depth - top + 1, href.address)
        for one in listed
        if (href := leads.heading(one.anchor))
    ]


def _portion(parts: Sequence[outline.Part], place: int) -> Portion | None:
    if len(parts) == 1:
        return None
    part = parts[place]
    return Portion(
        before=f"?line={parts[place - 1].line}" if place else None,
        after=f"?line={parts[place + 1].line}" if place + 1 < len(parts) else None,
        told=f"Part {place + 1} of {len(parts)}: lines {part.line:,} to {part.last_line:,} "
        f"of {parts[-1].last_line:,}",
    )


def _length(text: str) -> str:
    return f"{plural(text.count(chr(10)) + 1, 'line')}, {plural(len(text), 'character')}"


def _told(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_FACT else f"{text[:_LONGEST_FACT]}…"
