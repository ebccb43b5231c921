"""Adding, as the page can be tried on: everything is taken, or refused."""

from dataclasses import dataclass, field

from fake_outbox import NOW

from personal_context.content.adding import Added
from personal_context.content.checks import NewContent
from personal_context.content.from_web import KeptPage, NewPage, PageOutcome
from personal_context.domain.errors import WebUnreadable
from personal_context.domain.models import ContentId, ContentSummary, PushState, SourceType


def added(title: str, kind: SourceType = SourceType.NOTE) -> Added:
    """What became of an add."""
    content_id = ContentId("5d2b7c1e-0b57-4c51-9a3e-1c5a4a1d2f77")
    summary = ContentSummary(
        id=content_id, title=title, source_type=kind, url=None, updated_at=NOW, tags=(), path=()
    )
    return Added(
        summary,
        PushState.PENDING,
        "Stored here and searchable. It is on its way to Outline.",
        warnings=["This looks like it holds a secret: <b>password</b> (line 3)."],
    )


@dataclass
class FakePages:
    """Keeps any page, unless it fails."""

    fails: bool = False
    asked: list[NewPage] = field(default_factory=list)

    async def add(self, new: NewPage, *, patience: float = 0.0) -> KeptPage:
        self.asked.append(new)
        if self.fails:
            raise WebUnreadable("It is a PDF.", hint="Copy the text that matters.")
        return KeptPage(PageOutcome.ADDED, added("The page of sea.example", SourceType.WEB))


@dataclass
class FakeContents:
    """Adds any content."""

    asked: list[NewContent] = field(default_factory=list)

    async def add(self, new: NewContent, **_: object) -> Added:
        self.asked.append(new)
        return added(new.title or "Untitled")
