"""What is kept of a page beside its text: by what it is known, and what it was. Pure."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from personal_context.domain.models import Validators, WebPage
from personal_context.domain.text import SHORT_HASH, text_key

KEPT = "page_kept"
"""Member of the metadata: what `kept_key` made of the text that was kept when it was fetched."""

_TITLE, _TEXT, _NAME = "page_title", "page_hash", "page_name"


@dataclass(frozen=True, slots=True)
class Marks:
    """What was noted of a page when it was last fetched.

    Attributes:
        title: The page's own, whatever the content is called.
        text_hash: Of the text as it came.
        name: The beginning of the name that its validators may be sent to; see `name_of`.
        kept: See KEPT.
    """

    title: str | None
    text_hash: str | None
    name: str | None
    kept: str | None
    validators: Validators

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> "Marks":
        """Read them from a content's metadata, which anybody may have changed."""

        def text(name: str) -> str | None:
            value = metadata.get(name)
            return value if isinstance(value, str) else None

        validators = Validators(text("etag"), text("last_modified"))
        return cls(text(_TITLE), text(_TEXT), text(_NAME), text(KEPT), validators)

    def edited(self, text_key: str | None) -> bool:
        """Tell whether a content with this `text_key` was edited since it was fetched."""
        return text_key is None or self.kept != text_key[:SHORT_HASH]


def kept_key(readable: str) -> str:
    """Return what a text is known again by, until it is edited."""
    return text_key(readable)[:SHORT_HASH]


def name_of(address: str) -> str:
    """Return the name that a page has by an address: a hash, as the address may hold a secret."""
    return hashlib.sha256(address.encode("utf-8", "surrogatepass")).hexdigest()


def names_of(page: WebPage) -> tuple[str, ...]:
    """Return the names that a page surely goes by: where it is, and what it was asked for by."""
    return tuple(map(name_of, page.addresses))


def claims_of(page: WebPage) -> tuple[str, ...]:
    """Return the name that a page gives itself, as one that is kept with it.

    It is no proof: there are sites on which every page calls itself the first one.
    """
    return () if page.canonical is None else (_claim(page.canonical),)


def likely_names_of(page: WebPage) -> tuple[str, ...]:
    """Return the names under which the same page may have been kept."""
    canonical = () if page.canonical is None else (page.canonical,)
    addresses = (*canonical, *page.addresses)
    return (*map(name_of, canonical), *map(_claim, addresses))


def text_hash(page: WebPage) -> str:
    """Return a short hash of a page's text, as it came: models read metadata, and pay for it."""
    return name_of(page.text)[:SHORT_HASH]


def is_likely(page: WebPage, marks: Marks) -> bool:
    """Tell whether a page with a likely name is the one that is kept."""
    return page.title == marks.title or text_hash(page) == marks.text_hash


def metadata_of(page: WebPage, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata that a page gives a content.

    Args:
        page: As it was fetched.
        before: What the content has; what the page says no more becomes null.
    """
    said = {
        **page.about,
        "canonical": page.canonical or page.address,
        "etag": page.validators.etag,
        "last_modified": page.validators.last_modified,
        _TITLE: page.title,
        _TEXT: text_hash(page),
        _NAME: name_of(page.address)[:SHORT_HASH],
    }
    return {key: value for key, value in said.items() if value is not None or key in before}


def _claim(address: str) -> str:
    return name_of(f"claimed {address}")
