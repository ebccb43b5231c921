"""Web pages, as a connector hands them over."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Validators:
    """What a site gave us to ask with whether a page has changed.

    Attributes:
        etag: As sent, or None.
        last_modified: As sent, or None.
    """

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page, reduced to what a person would read.

    Attributes:
        address: Where it was found in the end, without fragment and tracking parameters: the name
            that the page goes by.
        addresses: All its names: `address`, then the one it was asked for by.
        canonical: The name it gives itself, if its own site vouches for it; else None.
        title: Never empty.
        text: Markdown.
        about: What else it says of itself, for a person: `author`, `published`, and others.
        validators: For asking again.
    """

    address: str
    addresses: tuple[str, ...]
    title: str
    text: str
    canonical: str | None = None
    about: dict[str, Any] = field(default_factory=dict)
    validators: Validators = Validators()


@dataclass(frozen=True, slots=True)
class UnchangedPage:
    """The site says that a page is as it was.

    Attributes:
        address: The name whose validators were asked with.
    """

    address: str
