"""The values that travel through the product: frozen, typed, standard library only."""

from personal_context.domain.models.content import (
    CollectionId,
    Content,
    ContentId,
    Indexed,
    Link,
    LogEntry,
    Section,
    SourceType,
)
from personal_context.domain.models.mirror import (
    MirroredDocument,
    PassReport,
    SyncState,
    SyncStatus,
    TrashedContent,
)
from personal_context.domain.models.outbox import OutboxEntry, PushState
from personal_context.domain.models.search import (
    ContentSummary,
    KeywordHit,
    KeywordQuery,
    ScoreBreakdown,
    SearchAnswer,
    SearchMode,
    SearchResult,
    SectionHit,
    StoredSection,
)
from personal_context.domain.models.status import (
    Counts,
    IndexStatus,
    ReindexProgress,
    ReindexState,
    Status,
)
from personal_context.domain.models.upstream import (
    Page,
    Placement,
    TreeNode,
    UpstreamCollection,
    UpstreamDocument,
)
from personal_context.domain.models.vectors import (
    BacklogItem,
    EmbeddingModel,
    Generation,
    GenerationState,
    IndexProgress,
)
from personal_context.domain.models.webhook import (
    UpstreamWebhook,
    WebhookRecord,
    WebhookState,
    WebhookStatus,
)

__all__ = [
    "BacklogItem",
    "CollectionId",
    "Content",
    "ContentId",
    "ContentSummary",
    "Counts",
    "EmbeddingModel",
    "Generation",
    "GenerationState",
    "IndexProgress",
    "IndexStatus",
    "Indexed",
    "KeywordHit",
    "KeywordQuery",
    "Link",
    "LogEntry",
    "MirroredDocument",
    "OutboxEntry",
    "Page",
    "PassReport",
    "Placement",
    "PushState",
    "ReindexProgress",
    "ReindexState",
    "ScoreBreakdown",
    "SearchAnswer",
    "SearchMode",
    "SearchResult",
    "Section",
    "SectionHit",
    "SourceType",
    "Status",
    "StoredSection",
    "SyncState",
    "SyncStatus",
    "TrashedContent",
    "TreeNode",
    "UpstreamCollection",
    "UpstreamDocument",
    "UpstreamWebhook",
    "WebhookRecord",
    "WebhookState",
    "WebhookStatus",
]
