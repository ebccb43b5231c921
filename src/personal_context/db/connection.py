"""One SQLite file, used from threads: one that writes, a few that read."""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from personal_context.db import terms
from personal_context.db.faults import store_error
from personal_context.db.files import make_private
from personal_context.db.migrate import Migration, migrate, pending, shipped
from personal_context.db.opening import BUSY_SECONDS, open_connection, use_wal
from personal_context.domain.errors import StoreError

if TYPE_CHECKING:
    import apsw

T = TypeVar("T")

logger = logging.getLogger(__name__)

_READERS = 3
_RETRY_SECONDS = 0.01


class Database:
    """A database file; safe to share between tasks, and the file between processes.

    Reads see one consistent snapshot each. Writes queue up behind each other, here and among
    processes. A task that is cancelled while it waits leaves no half transaction: a write that
    has begun is finished, one that has not never begins.

    Args:
        path: The file; it and its folder are created, for the owner only.
        migrations: What brings it to the schema; the shipped ones if not given.
    """

    def __init__(self, path: Path | str, *, migrations: Sequence[Migration] | None = None) -> None:
        self.path = Path(path)
        self._migrations = migrations
        self._local = threading.local()
        self._connections: list[apsw.Connection] = []
        self._writer: ThreadPoolExecutor | None = None
        self._readers: ThreadPoolExecutor | None = None
        self._aside: ThreadPoolExecutor | None = None
        self._jobs: set[Future[Any]] = set()
        self._open = False

    async def __aenter__(self) -> Self:
        """Open the file and migrate it.

        Raises:
            StoreError: It can't be opened, is not ours, or can't be migrated.
        """
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="database-writer")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="database-reader")
        self._aside = ThreadPoolExecutor(1, thread_name_prefix="database-background")
        self._local = threading.local()
        self._open = True
        try:
            await self._run(self._writer, self._prepare)
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Finish the running write, interrupt running reads, and close."""
        await self._close()

    async def read(self, fn: Callable[["apsw.Connection"], T]) -> T:
        """Run `fn` on one snapshot, in a reader's thread, and return what it returns.

        Args:
            fn: Reads only, and reads everything it returns; it may be run again.

        Raises:
            StoreError: The database is closed, or failed. What else `fn` raises passes through.
        """
        return await self._run(self._readers, lambda: self._read(fn))

    async def write(self, fn: Callable[["apsw.Connection"], T], *, durable: bool = False) -> T:
        """Run `fn` in one transaction, in the writer's thread, and return what it returns.

        Args:
            fn: Its writes are committed when it returns and rolled back when it raises.
            durable: Wait for the disk, so that not even a power cut takes it back. What can be
                fetched again need not wait.

        Raises:
            StoreError: The database is closed, or failed. What else `fn` raises passes through.
        """
        return await self._run(self._writer, lambda: self._write(fn, durable=durable))

    def in_background(self, fn: Callable[["apsw.Connection"], None]) -> None:
        """Run `fn` on one snapshot in a thread of its own, some time; for any thread to call.

        What it raises is logged. When the database is closed, it ends early or never begins.

        Args:
            fn: Reads only; it may take long, and may be run again.
        """
        aside = self._aside
        if aside is None or not self._open:
            return
        with contextlib.suppress(RuntimeError):  # it was closed in this moment
            future = aside.submit(self._guarded, lambda: self._read(fn))
            self._jobs.add(future)
            future.add_done_callback(self._jobs.discard)
            future.add_done_callback(_told)

    async def complete_words(self) -> None:
        """Write what the index of words lacks, in steps that others can write between.

        Raises:
            StoreError: The database is closed, or failed.
        """
        await self._run(self._writer, self._write_terms)

    async def tidy(self) -> None:
        """Update the query planner's statistics and fold the write-ahead log into the file.

        Raises:
            StoreError: The database is closed, or failed.
        """
        await self._run(self._writer, self._tidy)

    # --- in the threads

    def _prepare(self) -> None:
        make_private(self.path)
        connection = self._connection()
        wanted = shipped() if self._migrations is None else self._migrations

        def attempt() -> None:
            pending(connection, wanted)  # a file that is not ours is left as it is
            use_wal(connection)
            migrate(connection, wanted)

        _patiently(attempt)
        if terms.incomplete(connection):
            self._write_terms()

    def _write_terms(self) -> None:
        """Bring the index of words to this version's rules; others may write in between."""
        if not self._write(terms.prepare, durable=False):
            return
        after = self._write(partial(terms.fill, after=0), durable=False)
        if after is not None:  # a new file has nothing to wait for
            logger.info("The search index is being made anew; this happens once.")
        while after is not None:
            after = self._write(partial(terms.fill, after=after), durable=False)

    def _read(self, fn: Callable[["apsw.Connection"], T]) -> T:
        connection = self._connection()

        def attempt() -> T:
            with _transaction(connection, "BEGIN"):
                return fn(connection)

        return _patiently(attempt)

    def _write(self, fn: Callable[["apsw.Connection"], T], *, durable: bool) -> T:
        connection = self._connection()
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        _patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
        with _transaction(connection):
            return fn(connection)

    def _tidy(self) -> None:
        connection = self._connection()
        connection.execute("PRAGMA optimize").fetchall()
        # PASSIVE: readers and writers of other processes are not waited for.
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def _connection(self) -> "apsw.Connection":
        """Return this thread's own connection."""
        found: apsw.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = _patiently(lambda: open_connection(self.path))
            self._local.connection = found
            self._connections.append(found)
        return found

    # --- on the event loop

    async def _run(self, executor: ThreadPoolExecutor | None, job: Callable[[], T]) -> T:
        if executor is None or not self._open:
            raise _closed(self.path)
        future = executor.submit(self._guarded, job)
        self._jobs.add(future)
        future.add_done_callback(self._jobs.discard)
        return await asyncio.wrap_future(future)

    def _guarded(self, job: Callable[[], T]) -> T:
        import apsw

        if not self._open:  # closed while it waited in the queue
            raise _closed(self.path)
        try:
            return job()
        except apsw.InterruptError as error:
            raise _closed(self.path) from error
        except (apsw.Error, OSError, UnicodeEncodeError) as error:
            raise store_error(error, self.path) from error

    async def _close(self) -> None:
        self._open = False
        if self._writer is not None:
            await asyncio.to_thread(self._shut_down)

    def _shut_down(self) -> None:
        writer, readers, aside = self._writer, self._readers, self._aside
        self._writer = self._readers = self._aside = None
        if writer is not None:
            writer.shutdown(wait=True)
        # Again and again: an interrupt between two statements of a read is not felt.
        while wait(self._jobs.copy(), timeout=_RETRY_SECONDS).not_done:
            for connection in self._connections.copy():
                connection.interrupt()
        for executor in (readers, aside):
            if executor is not None:
                executor.shutdown(wait=True)
        while self._connections:
            self._connections.pop().close()


@contextlib.contextmanager
def _transaction(connection: "apsw.Connection", begin: str | None = None) -> Iterator[None]:
    if begin is not None:
        connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    finally:
        # SQLite rolls back by itself after some errors, such as a full disk.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _patiently(attempt: Callable[[], T]) -> T:
    """Try again while SQLite says busy without having waited.

    It does so in a few corners (recovery of the -wal after a crash, the last connection closing,
    the switch to WAL) where the busy timeout is not asked.
    """
    import apsw

    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return attempt()
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_SECONDS)


def _told(future: Future[Any]) -> None:
    error = None if future.cancelled() else future.exception()
    if error is not None:
        logger.debug("A job in the background ended early: %s", error)


def _closed(path: Path) -> StoreError:
    return StoreError(
        f"The database {path} is not open.",
        cause="It was used before it was opened, or after it was closed.",
        hint="The program is shutting down; start it again.",
    )
