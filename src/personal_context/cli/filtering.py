"""Options that narrow down which documents a command is about."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated

from cyclopts import Parameter

from personal_context.domain.models import SearchFilters, SourceType
from personal_context.domain.text import as_utc


@Parameter(name="*")
@dataclass(frozen=True)
class FilterOptions:
    """Options that narrow down by where a document is from and where it stands.

    Attributes:
        source_type: Only these; repeatable: outline, note, web.
        tag: Only documents with this tag; repeatable, and then with all of them.
        collection: Only this collection: name, id or address.
    """

    source_type: Annotated[list[SourceType] | None, Parameter(negative="")] = None
    tag: Annotated[list[str] | None, Parameter(negative="")] = None
    collection: str | None = None

    @property
    def filters(self) -> SearchFilters:
        """What the services take."""
        return SearchFilters(
            frozenset(self.source_type or ()), self.collection, frozenset(self.tag or ())
        )


@Parameter(name="*")
@dataclass(frozen=True)
class DatedFilterOptions(FilterOptions):
    """The same, and those by when a document was changed last.

    Attributes:
        after: Only documents changed on this day or later.
        before: Only documents changed before this day.
    """

    after: datetime | None = None
    before: datetime | None = None

    @property
    def filters(self) -> SearchFilters:
        """What the services take."""
        return replace(
            super().filters,
            updated_after=self.after and as_utc(self.after),
            updated_before=self.before and as_utc(self.before),
        )


ALL = FilterOptions()
EVER = DatedFilterOptions()
"""No option given."""
