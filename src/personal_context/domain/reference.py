"""How people and models name a content."""

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from personal_context.domain.models import ContentId

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_URL_ID = re.compile(r"(?:^|-)([A-Za-z0-9]{10})$")


@dataclass(frozen=True, slots=True)
class Reference:
    """What a text may name; both None when it can't name anything."""

    content_id: ContentId | None = None
    url_id: str | None = None


def parse_reference(text: str) -> Reference:
    """Read an id, an Outline urlId, a slug that ends in one, or a document's address.

    >>> parse_reference("https://wiki.example.com/doc/on-call-hY7bQ2mN0p?x=1#h-escalation").url_id
    'hY7bQ2mN0p'
    """
    last = _last_part(text.strip())
    if _UUID.fullmatch(last):
        return Reference(content_id=ContentId(last.lower()))
    match = _URL_ID.search(last)
    return Reference(url_id=match.group(1)) if match else Reference()


def _last_part(text: str) -> str:
    try:
        path = urlsplit(text).path
    except ValueError:  # e.g. an unclosed [ in what looks like a host
        return text
    parts = unquote(path).rstrip("/").split("/")
    # An address may go on behind the document: /doc/<slug>-<urlId>/edit
    if "doc" in parts[:-1]:
        return parts[parts.index("doc") + 1]
    return parts[-1]
