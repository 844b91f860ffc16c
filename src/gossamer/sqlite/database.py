"""A database that many tasks and several processes use at once."""

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Self, TypeVar

from gossamer.errors import StoreBusy, StoreUnavailable
from gossamer.ports import Clock
from gossamer.sqlite.checkpoint import checkpoint
from gossamer.sqlite.files import Files, Journal
from gossamer.sqlite.lock import FileLock
from gossamer.sqlite.mounts import chosen_journal
from gossamer.sqlite.opening import Schema, connect, open_reader, open_writer, transact, verdict_on
from gossamer.sqlite.rescuing import Rescues, begin_rescues
from gossamer.sqlite.threads import Threads, is_done_within, report_late
from gossamer.sqlite.trouble import Foreign, damaged, is_damage, ours

_LOG = logging.getLogger("gossamer")
PATIENCE_S = 7.0
"""How long a caller waits for others to let go of a file: who asked gets an answer within ten seconds."""
_LEAST_S = 0.05
_READERS = 4
_STEPS = 10_000
"""Instructions of a query between two looks at whether the database is being closed."""
_MAX_QUEUED = 1_000
_LAST_S = 2.0
"""How long closing goes on with taking over what a damaged file holds."""

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]


class Database:
    """One file, written by one thread under one lock of the operating system, read by a few threads without it.

    Every write, checkpoint, migration and close holds the lock. SQLite up to 3.51.2 can corrupt a file when two
    connections write or checkpoint at the same instant; with the lock there is no second party, writers queue
    fairly, and "database is locked" never reaches a caller.
    """

    def __init__(self, path: Path, schema: Schema, *, clock: Clock, patience_s: float, journal: Journal) -> None:
        self._files = Files(path)
        self._schema = schema
        self._journal: Journal = journal
        self._clock = clock
        self._patience_s = patience_s
        self._writing = Threads("gossamer-write", 1)
        self._reading = Threads("gossamer-read", _READERS)
        self._computing = Threads("gossamer-compute", 1)
        self._own = threading.local()
        self._locks: tuple[FileLock, ...] = ()
        self._connections: list[sqlite3.Connection] = []
        self._closing: Future[None] | None = None
        self._writer: sqlite3.Connection | None = None
        self._is_readable = self._is_unclean = False
        self._may_write = True
        self._identity: tuple[int, int] | None = None
        self._waiting_since: float | None = None
        """When the writer began to wait for the lock that somebody still holds."""
        self._rescues = Rescues[sqlite3.Connection]()
        self._verdict = ""
        """What was found wrong when the whole file was looked over."""

    @classmethod
    async def open(
        cls, path: Path, schema: Schema, *, clock: Clock, patience_s: float = PATIENCE_S, journal: Journal = "auto"
    ) -> Self:
        """Open or create the file; it is checked and migrated first.

        `patience_s` bounds how long a caller waits here and in every method, and how long several calls wait together
        for one who holds the lock. Work that was queued is still done.
        """
        database = cls(path, schema, clock=clock, patience_s=patience_s, journal=journal)
        try:
            is_readable = await database._wait(database._reading.submit(database._open_reader))
            opening = database._writing.submit(database._open)
            if not is_readable:
                await database._wait(opening)
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
        since = self._waiting_since
        waited_s = time.monotonic() - since if since is not None else 0.0
        return await self._wait(self._writing.submit(lambda: self._write(work)), waited_s=waited_s)

    def post(self, work: Work[object]) -> None:
        """Queue a write that nobody waits for, and that may be lost."""
        if self._closing is None and self._writing.waiting < _MAX_QUEUED:
            self._writing.submit(lambda: self._write(work))

    async def checkpoint(self) -> None:
        """Move what the log holds into the file, as far as readers let it: only then does the file shrink."""
        self._must_be_open()
        await self._wait(self._writing.submit(self._checkpoint_now))

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

    async def _wait(self, future: Future[T], *, waited_s: float = 0.0) -> T:
        # A caller who gives up, or is cancelled, leaves the work to itself.
        if not await is_done_within(future, max(self._patience_s - waited_s, _LEAST_S)):
            future.add_done_callback(report_late)
            raise self._busy()
        return future.result()

    def _busy(self) -> StoreBusy:
        return StoreBusy(
            f"{self._files.database.name} has been held by another process for {self._patience_s:.0f} s.",
            hint="Nothing is lost: what was to be kept waits its turn.",
        )

    def _open_reader(self) -> bool:
        """Open for reading if nothing has to be done to the file before: that waits for nobody who holds the lock."""
        self._files.make_folder()
        with self._translated():
            self._lock, self._locks = (lock := FileLock(self._files.lock)), (lock,)
            self._users = FileLock(self._files.users)
            self._locks = (lock, self._users)
            self._is_unclean = self._users.own(within_s=0) and self._files.has_log()
            self._users.share()
            self._identity = self._files.identity()
            self._journal, self._shared_by = chosen_journal(self._files.database.parent, self._journal)
            connection, self._is_readable = open_reader(self._files, self._schema, self._journal)
            self._connections += [connection] if connection else []
            if connection and self._is_readable:
                connection.set_progress_handler(lambda: self._closing is not None, _STEPS)
                self._own.connection = connection
        return self._is_readable

    def _open(self) -> None:
        # Once nobody waits for an opening any more it must not wait on: there may be many.
        with self._locked(within_s=None if self._is_readable else self._patience_s), self._translated():
            self._ensure_writer()

    def _ensure_writer(self) -> sqlite3.Connection:
        """The connection for writing; who wants it when it could not be opened tries again."""
        if self._writer is not None:
            return self._writer
        if self._shared_by:
            _LOG.warning("%s lies on %s, where writing is slower.", self._files.database, self._shared_by)
        if self._is_readable:
            self._must_be_sound()
        else:
            # One that could not be used; closing one needs the lock.
            while self._connections:
                self._connections.pop().close()
        state = {"is_unclean": self._is_unclean, "may_move": not self._is_readable}
        opened = open_writer(self._files, self._users, self._schema, self._clock, self._journal, **state)
        writer, self._may_write = opened.connection, opened.may_write
        if opened.may_write and (salvage := self._schema.salvage):
            write = partial(transact, writer)
            self._rescues = begin_rescues(self._files, salvage, writer, write, self._clock.now())
        self._connections.append(writer)
        self._writer, self._identity = writer, self._files.identity()
        if opened.is_due:
            self._reading.submit(self._look_over)
        if self._rescues:
            self._writing.submit(self._rescue)
        return writer

    def _write(self, work: Work[T]) -> T:
        with self._locked(), self._translated():
            writer = self._ensure_writer()
            self._must_be_sound()
            if not self._may_write:
                raise StoreUnavailable(
                    f"{self._files.database.name} was written by a newer Gossamer, which lets this one only read it.",
                    hint="Update Gossamer.",
                )
            result = transact(writer, work)
            checkpoint(writer, self._files)
        return result

    @contextlib.contextmanager
    def _locked(self, *, within_s: float | None = None) -> Generator[None]:
        self._waiting_since = time.monotonic()
        if within_s is None:
            self._lock.__enter__()
        elif not self._lock.take(within_s=within_s):
            raise self._busy()
        self._waiting_since = None
        try:
            yield
        finally:
            self._lock.free()

    def _must_be_sound(self) -> None:
        """A file that was moved or removed under us takes all that we write with it, and nobody would ever tell."""
        if self._verdict:
            raise damaged(f"The database file is damaged ({self._verdict}).")
        found = self._files.identity()
        if found is not None and found != self._identity:
            raise damaged("The database file was moved or removed.")

    def _rescue(self) -> None:
        """One change out of a damaged file, then those who wait have their turn."""
        if self._closing is None:
            self._rescues.step(self._write)
        if self._rescues and self._closing is None:
            self._writing.submit(self._rescue)

    def _look_over(self) -> None:
        verdict = self._read(verdict_on)
        if verdict:
            self._verdict = verdict
            self._files.suspect.touch(mode=0o600)

    def _checkpoint_now(self) -> None:
        with self._locked(), self._translated():
            checkpoint(self._ensure_writer(), self._files, is_due=True)

    def _read(self, work: Work[T]) -> T:
        self._must_be_open()
        self._must_be_sound()
        with self._translated():
            connection: sqlite3.Connection | None = getattr(self._own, "connection", None)
            if connection is None:
                connection = self._own.connection = connect(self._files)
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
        self._rescues.finish(self._write, within_s=_LAST_S)
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
        except OSError as error:
            raise self._files.unavailable(error) from error


def _closed() -> StoreUnavailable:
    return StoreUnavailable("The store is closed.", hint="Open it again.")
