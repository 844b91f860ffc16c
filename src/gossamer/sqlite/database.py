"""A database that many tasks and several processes use at once."""

import asyncio
import contextlib
import logging
import sqlite3
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from pathlib import Path
from typing import Self, TypeVar

from gossamer.errors import StoreBusy, StoreUnavailable
from gossamer.ports import Clock
from gossamer.sqlite.files import Files
from gossamer.sqlite.lock import FileLock
from gossamer.sqlite.opening import Schema, connect, open_writer
from gossamer.sqlite.threads import Threads
from gossamer.sqlite.trouble import Foreign, is_damage, ours

_LOG = logging.getLogger("gossamer")
_READERS = 4
_STEPS = 10_000
"""Instructions of a query between two looks at whether the database is being closed."""
_MAX_QUEUED = 1_000
_CHECKPOINT_BYTES = 8 * 2**20
_RESTART_BYTES = 64 * 2**20

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]


class Database:
    """One file, written by one thread under one lock of the operating system, read by a few threads without it.

    Every write, checkpoint, migration and close holds the lock. SQLite up to 3.51.2 can corrupt a file when two
    connections write or checkpoint at the same instant; with the lock there is no second party, writers queue
    fairly, and "database is locked" never reaches a caller.
    """

    def __init__(self, path: Path, schema: Schema, *, clock: Clock, patience_s: float) -> None:
        self._files = Files(path)
        self._schema = schema
        self._clock = clock
        self._patience_s = patience_s
        self._writing = Threads("gossamer-write", 1)
        self._reading = Threads("gossamer-read", _READERS)
        self._computing = Threads("gossamer-compute", 1)
        self._own = threading.local()
        self._locks: tuple[FileLock, ...] = ()
        self._connections: list[sqlite3.Connection] = []
        self._closing: Future[None] | None = None

    @classmethod
    async def open(cls, path: Path, schema: Schema, *, clock: Clock, patience_s: float = 10.0) -> Self:
        """Open or create the file; it is checked and migrated first.

        `patience_s` bounds how long a caller waits here and in every method. Work that was queued is still done.
        """
        database = cls(path, schema, clock=clock, patience_s=patience_s)
        try:
            await database._wait(database._writing.submit(database._open))
        except BaseException:
            database._begin_close()
            raise
        return database

    async def read(self, work: Work[T]) -> T:
        """Run `work` in one read transaction; it waits for no writer."""
        self._must_be_open()
        return await self._wait(self._reading.submit(lambda: self._read(work)))

    async def write(self, work: Work[T]) -> T:
        """Run `work` in one write transaction; it is committed when this returns.

        Raises `StoreBusy` when the lock was not to be had in time; the write stays queued. `work` should be short:
        what can be computed before belongs into `compute`.
        """
        self._must_be_open()
        if self._writing.waiting >= _MAX_QUEUED:
            raise self._busy()
        return await self._wait(self._writing.submit(lambda: self._write(work)))

    async def compute(self, work: Callable[[], T]) -> T:
        """Run slow `work` that needs no connection, off the event loop and out of the way of readers."""
        self._must_be_open()
        return await self._wait(self._computing.submit(work))

    async def close(self) -> None:
        """Finish the writes that are queued, then let go of the files.

        While somebody else holds the lock this waits, within patience; a process that ends then loses nothing.
        """
        with contextlib.suppress(StoreBusy):
            await self._wait(self._begin_close())

    def _must_be_open(self) -> None:
        if self._closing is not None:
            raise _closed()

    async def _wait(self, future: Future[T]) -> T:
        waiting = asyncio.wrap_future(future)
        # Nobody may be left to hear of an error once the caller has given up.
        waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
        done, _ = await asyncio.wait({waiting}, timeout=self._patience_s)
        if not done:
            future.add_done_callback(_report_late)
            raise self._busy()
        return waiting.result()

    def _busy(self) -> StoreBusy:
        return StoreBusy(
            f"{self._files.database.name} has been held by another process for {self._patience_s:.0f} s.",
            hint="Nothing is lost: what was to be kept waits its turn.",
        )

    def _open(self) -> None:
        self._files.make_folder()
        try:
            self._lock, users = self._locks = FileLock(self._files.lock), FileLock(self._files.users)
            with self._lock, self._translated():
                self._writer = open_writer(self._files, users, self._schema, self._clock)
        except OSError as error:
            raise self._files.unavailable(error) from error
        self._connections.append(self._writer)

    def _write(self, work: Work[T]) -> T:
        with self._lock, self._translated():
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                result = work(self._writer)
                self._writer.execute("COMMIT")
            except BaseException:
                self._writer.rollback()
                raise
            self._checkpoint()
        return result

    def _checkpoint(self) -> None:
        """Move the log into the file once it is long; readers that are in the way make it wait for the next time."""
        # The write is committed whatever becomes of this; a full disk shows at the next one.
        with contextlib.suppress(sqlite3.OperationalError, FileNotFoundError):
            size = self._files.wal.stat().st_size
            if size > _RESTART_BYTES:
                self._writer.execute("PRAGMA busy_timeout = 100")
                self._writer.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
                self._writer.execute("PRAGMA busy_timeout = 30000")
            elif size > _CHECKPOINT_BYTES:
                self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def _read(self, work: Work[T]) -> T:
        self._must_be_open()
        with self._translated():
            connection: sqlite3.Connection | None = getattr(self._own, "connection", None)
            if connection is None:
                connection = self._own.connection = connect(self._files, may_write=False)
                connection.set_progress_handler(lambda: self._closing is not None, _STEPS)
                self._connections.append(connection)
            connection.execute("BEGIN")
            try:
                return work(connection)
            finally:
                connection.rollback()

    def _begin_close(self) -> Future[None]:
        if self._closing is None:
            self._closing = self._writing.submit(self._close)
            self._writing.stop()
        return self._closing

    def _close(self) -> None:
        for threads in (self._computing, self._reading):
            threads.stop()
            threads.join()
        if self._connections:
            with self._lock, self._translated():
                # The last one to close checkpoints, a reader too.
                for connection in reversed(self._connections):
                    connection.close()
        for lock in self._locks:
            lock.close()

    @contextlib.contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except Foreign as error:
            if is_damage(error):
                with contextlib.suppress(OSError):
                    self._files.suspect.touch(mode=0o600)
            known = ours(error)
            if known is None:
                raise
            raise known from error


def _report_late(future: Future[T]) -> None:
    if (error := future.exception()) is not None:
        _LOG.warning("What had waited for the store could not be done: %s", error)


def _closed() -> StoreUnavailable:
    return StoreUnavailable("The store is closed.", hint="Open it again.")
