"""Web pages, as a connector hands them over."""

from dataclasses import dataclass, field
from typing import Any

from personal_context.domain.models.content import ContentId


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
        in_markdown: The site gave Markdown, as it stands here: front matter in it is meant so.
    """

    address: str
    addresses: tuple[str, ...]
    title: str
    text: str
    canonical: str | None = None
    about: dict[str, Any] = field(default_factory=dict)
    validators: Validators = Validators()
    in_markdown: bool = False


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A content that a page was kept as.

    Attributes:
        text_key: What `domain.text.text_key` made of its text when that was last changed, by
            whomever; None if nobody knows.
    """

    content_id: ContentId
    text_key: str | None


@dataclass(frozen=True, slots=True)
class UnchangedPage:
    """The site says that a page is as it was.

    Attributes:
        address: The name whose validators were asked with.
    """

    address: str
