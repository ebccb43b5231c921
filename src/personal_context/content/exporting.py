"""A content as a Markdown file that other tools read. Pure."""

from typing import Any

from personal_context.content.front_matter import put_back
from personal_context.domain.models import Content


def as_markdown(content: Content) -> str:
    """Return the readable text with front matter: title, tags, then the metadata.

    Added again, it has the same title, tags, metadata and text.
    """
    front: dict[str, Any] = {"title": content.title} if content.title else {}
    if content.tags:
        front["tags"] = list(content.tags)
    # A title among the metadata is one that was not used when it was added.
    rest = {key: value for key, value in content.metadata.items() if key not in front}
    return put_back(front | rest, content.readable)
