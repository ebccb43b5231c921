"""Parameters that several operations share, as shapes that also document them."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from personal_context.domain.models import SearchFilters, SourceType
from personal_context.domain.text import as_utc

SourceName = Literal["outline", "note", "web"]


def _words(value: object) -> object:
    """Split `note,WEB` and the like."""
    if not isinstance(value, list):
        return value
    return [word.strip().lower() for one in value for word in str(one).split(",") if word.strip()]


def _moment(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return as_utc(datetime.fromisoformat(value))
    except (ValueError, OverflowError):
        raise ValueError("this is neither a date nor a time") from None


Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "examples": ["2026-01-31", "2026-01-31T12:00:00Z"]}),
]


class Params(BaseModel):
    """Parameters of a query string."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class FilterParams(Params):
    """What narrows a search or a list."""

    source_type: Annotated[list[SourceName], BeforeValidator(_words)] = Field(
        default=[], description="Only these: outline, note or web. May be repeated."
    )
    collection: str | None = Field(
        default=None, description="Only this collection, by its id, address or name."
    )
    tag: list[str] = Field(
        default=[], description="Only documents with this tag. May be repeated: with all of them."
    )
    updated_after: Moment | None = Field(
        default=None, description="Only what changed then or later: a date or a time."
    )
    updated_before: Moment | None = Field(
        default=None, description="Only what changed earlier: a date or a time."
    )

    def filters(self) -> SearchFilters:
        """What they let through."""
        return SearchFilters(
            source_types=frozenset(SourceType(one) for one in self.source_type),
            collection=self.collection,
            tags=frozenset(tag.strip() for tag in self.tag),
            updated_after=self.updated_after,
            updated_before=self.updated_before,
        )
