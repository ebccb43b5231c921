"""Context for a model: passages of several contents, within a number of tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from personal_context.domain.models.content import ContentId
from personal_context.domain.models.search import ContentSummary, SearchMode

ContextForm = Literal["markdown", "xml", "json"]


@dataclass(frozen=True, slots=True)
class Passage:
    """Sections of one content that follow each other, as one text.

    Attributes:
        heading_path: Headings above it that its text doesn't show, outermost first.
        text: The sections' text with the blank lines between them.
        line_start: First line in the content's readable text, from 1.
        line_end: Last line of its last section, inclusive, also if that is cut.
        cut: The text ends before its last section does.
    """

    heading_path: tuple[str, ...]
    text: str
    line_start: int
    line_end: int
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ContextDocument:
    """A content in a context.

    Attributes:
        passages: In reading order.
        brief: Shown with no more than its title and id: the budget is too small for the rest.
    """

    content: ContentSummary
    passages: tuple[Passage, ...]
    brief: bool = False

    @property
    def id(self) -> ContentId:
        """The content's id."""
        return self.content.id


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """What a model should read to answer a query.

    Attributes:
        text: All of it in the form asked for; says that it is data, and where it is from.
        tokens: Tokens of `text`; never more than `max_tokens`.
        documents: What is in the text, the best first.
        complete: Everything that was found is in it; a larger budget would give no more.
        mode: See SearchAnswer; so are `degraded` and `notes`.
    """

    query: str
    form: ContextForm
    text: str
    tokens: int
    max_tokens: int
    documents: Sequence[ContextDocument]
    complete: bool
    mode: SearchMode
    degraded: str | None = None
    notes: tuple[str, ...] = ()
