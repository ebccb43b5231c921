"""From what Outline returned to what the store keeps."""

from datetime import UTC, datetime

from personal_context.domain.errors import UpstreamUnavailable
from personal_context.domain.models import (
    Content,
    Indexed,
    Placement,
    SourceType,
    UpstreamDocument,
)


def as_content(
    document: UpstreamDocument, indexed: Indexed, placement: Placement | None
) -> Content:
    """Return a document as the store keeps it.

    Args:
        document: As Outline returned it; its text is kept to the letter.
        indexed: Its readable form.
        placement: Where the tree shows it; None if the tree doesn't yet.

    Raises:
        UpstreamUnavailable: A timestamp is not one.
    """
    parent_id = placement.parent_id if placement else document.parent_id
    return Content(
        id=document.id,
        source_type=SourceType.OUTLINE,
        source_id=document.id,
        source_url=document.url,
        url_id=document.url_id,
        title=document.title,
        text=document.text,
        readable=indexed.readable,
        created_at=parse_time(document.created_at),
        updated_at=parse_time(document.updated_at),
        collection_id=document.collection_id,
        parent_id=parent_id,
        position=placement.position if placement else 0,
        outline_doc_id=document.id,
        outline_url=document.url,
        outline_updated_at=document.updated_at,
        revision=document.revision,
    )


def parse_time(text: str) -> datetime:
    """Parse one of Outline's timestamps (ISO 8601, milliseconds, Z).

    Raises:
        UpstreamUnavailable: It is not a time.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UpstreamUnavailable(f"Outline sent {text!r} as a time.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
