"""Work that goes on beside searches: a reindex, and documents that come in as in a first sync."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from uuid import uuid4

from bulk import Words

from personal_context.domain.models import Content, ContentId, LogEntry, SourceType
from personal_context.embeddings.tokens import MiniLMTokenCounter
from personal_context.indexing.prepare import Preparer
from personal_context.runtime import Runtime

Work = Callable[[Runtime], AbstractAsyncContextManager[None]]


@contextlib.asynccontextmanager
async def reindexing(runtime: Runtime) -> AsyncIterator[None]:
    """All sections are embedded anew meanwhile; it is cancelled in the end."""
    await runtime.reindex.start()
    while not (await runtime.reindex.progress()).success:  # noqa: ASYNC110 - a bench may poll
        await asyncio.sleep(0.1)
    try:
        yield
    finally:
        await runtime.reindex.cancel()


@contextlib.asynccontextmanager
async def syncing(runtime: Runtime) -> AsyncIterator[None]:
    """Documents are prepared and written meanwhile, as fast as one writer can."""
    task = asyncio.create_task(_write(runtime))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _write(runtime: Runtime) -> None:
    words, prepare = Words((), seed=9), Preparer(MiniLMTokenCounter())
    while True:
        title, pieces = words.document()
        text = "\n\n".join(f"## {heading}\n\n{piece}" for heading, piece in pieces)
        now = datetime.now(UTC)
        document = Content(ContentId(str(uuid4())), SourceType.OUTLINE, title, text, text, now, now)
        indexed = await prepare(title, text)
        await runtime.store.mirror(document, indexed, log=LogEntry("pull"))


WORKS: dict[str, Work] = {"reindex": reindexing, "sync": syncing}
