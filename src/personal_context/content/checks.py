"""What may be stored: the form of an add, and the cleaning of what is given. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from personal_context.domain.errors import InvalidInput

TEXT_LIMIT = 1_536_000
"""Characters of a document that Outline takes."""

TITLE_LIMIT = 1_000
"""Characters of a title; Outline takes 100, the rest lives on as the first heading there."""

METADATA_LIMIT = 64_000
"""Characters of the metadata as JSON."""


@dataclass(frozen=True, slots=True)
class NewContent:
    """What somebody wants to add.

    Attributes:
        text: Markdown. YAML front matter in it becomes metadata.
        title: None or blank for the one that the text gives itself: in its front matter, or as
            its first heading.
        tags: None or none for those of the front matter.
        source_url: Where it came from, if anywhere.
        metadata: A JSON object; it wins over front matter.
        collection: Collection it shall go to (id, address or name); None for the parent's, else
            the default.
        parent: Content it shall stand under (id, urlId or address); None for the top.
        fallback_title: For a text that gives none, e.g. a file's name.
        page_names: Names of the web page that it is; none if it is no page. A page that is kept
            already is not added again.
    """

    text: str
    title: str | None = None
    tags: Sequence[str] | None = None
    source_url: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    collection: str | None = None
    parent: str | None = None
    fallback_title: str | None = None
    page_names: Sequence[str] = ()


def checked_title(title: str) -> str:
    """Return a title on one line.

    Raises:
        InvalidInput: It is empty or too long.
    """
    title = " ".join(storable(title).split())
    if not title:
        raise InvalidInput(
            "There is no title.",
            cause="None was given, and the text has none: no `title:` in front matter, no heading.",
            hint="Give a short title that says what it is.",
        )
    if len(title) > TITLE_LIMIT:
        raise InvalidInput(
            f"The title is {len(title)} characters long.",
            cause=f"A title has at most {TITLE_LIMIT}.",
            hint="Put the long form into the text.",
        )
    return title


def checked_text(text: str) -> str:
    """Return a text that can be stored.

    Raises:
        InvalidInput: It is blank or too long.
    """
    text = storable(text)
    if not text.strip():
        raise InvalidInput("The content is empty.", hint="Give the Markdown that is to be kept.")
    if len(text) > TEXT_LIMIT:
        raise InvalidInput(
            f"The content is {len(text):,} characters long.",
            cause=f"Outline takes at most {TEXT_LIMIT:,}.",
            hint="Split it into several contents.",
        )
    return text


def checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags sorted and distinct, without empty ones."""
    return tuple(sorted({" ".join(storable(tag).split()) for tag in tags} - {""}))


def checked_address(url: str | None) -> str | None:
    """Return a web address, or None for nothing.

    Raises:
        InvalidInput: It is something else.
    """
    if url is None or not url.strip():
        return None
    url = storable(url.strip())
    try:
        good = urlsplit(url).scheme in {"http", "https"} and bool(urlsplit(url).hostname)
    except ValueError:
        good = False
    if not good:
        raise InvalidInput(
            f"{url[:200]!r} is not a web address.",
            hint="Write source_url as https://…, or leave it out.",
        )
    return url


def checked_metadata(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return metadata as JSON gives it back.

    Raises:
        InvalidInput: It is not JSON, or too long.
    """
    try:
        text = storable(json.dumps(metadata, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            "The metadata is not a JSON object.", cause=str(error), hint="Use plain JSON values."
        ) from None
    if len(text) > METADATA_LIMIT:
        raise InvalidInput(
            f"The metadata is {len(text):,} characters long as JSON.",
            cause=f"It may have {METADATA_LIMIT:,}.",
            hint="Put long text into the content.",
        )
    cleaned: Mapping[str, Any] = json.loads(text)
    return cleaned


def storable(text: str) -> str:
    """Return text without NUL and lone surrogates, which not every database can store."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
