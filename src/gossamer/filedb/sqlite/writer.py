"""The thread that writes a SQLite file: every write, checkpoint, migration and rescue, each under the write lock."""

import contextlib
import logging
import sqlite3
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from gossamer.errors import StoreError, StoreUnavailable
from gossamer.filedb.file_errors import busy, unopened
from gossamer.filedb.files import Files
from gossamer.filedb.lock import FileLock
from gossamer.filedb.rescue import Rescues
from gossamer.filedb.sqlite.connections import Mode
from gossamer.filedb.sqlite.error_mapping import Untranslated, translate
from gossamer.filedb.sqlite.file_identity import is_of_another, mark_of
from gossamer.filedb.sqlite.open_file import Prepare, Schema, open_writer
from gossamer.filedb.threads import Threads
from gossamer.ports import Clock

if TYPE_CHECKING:
    from gossamer.filedb.sqlite.database import OpenFile, SchemaCheck

_LOG = logging.getLogger("gossamer")
LAST_S = 2.0
"""How long closing goes on with taking over what a damaged file holds."""
_LONG_LOG_BYTES = 8 * 2**20
_VERY_LONG_LOG_BYTES = 64 * 2**20
_POLL_S = 0.005
_GAP_S = 0.01
"""The pause between two portions of a backfill, in which other processes that poll for the lock find it free."""

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
WritePortion = Callable[[Work[bool]], bool | None]
"""Makes a portion in one transaction; None where the lock was not to be had."""


@dataclass(kw_only=True, slots=True)
class Status:
    """What the threads of a database know of each other."""

    mode: Mode = "wal"
    shared_by: str = ""
    """The file system that made us choose the slower journal."""
    is_readable: bool = False
    is_unclean: bool = False
    """Whether the last user did not close the file."""
    is_ending: bool = False


class Writer:
    """Runs in one thread; what it could not open it opens with the next write."""

    def __init__(
        self,
        files: Files,
        schema: Schema,
        *,
        clock: Clock,
        threads: Threads,
        status: Status,
        file: "OpenFile",
        check: "SchemaCheck",
        look_over: Callable[[], object],
    ) -> None:
        self._files = files
        self._schema = schema
        self._clock = clock
        self._threads = threads
        self._status = status
        self._file = file
        self._check = check
        self._look_over = look_over
        self._connection: sqlite3.Connection | None = None
        self._rescues = Rescues(files, schema.salvage, clock)
        self.locks = Locks(files)
        self.backfill = Backfill(schema.prepare)

    def open(self, within_s: float) -> None:
        """Open the file for writing; where it can be read already, that may be left undone."""
        is_readable = self._status.is_readable
        # Once nobody waits for an opening any more it must not wait on: there may be many.
        holding = self._at_leisure() if is_readable else self.locks.held_within(within_s)
        with holding as is_held:
            if is_held:
                self._translated(self._ensure_open)
            elif not is_readable:
                raise unopened(self._files, within_s)

    def write(self, work: Work[T]) -> T:
        """Do `work` in one transaction, however long the lock has to be waited for."""
        with self.locks.held():
            return self._write_now(work)

    def write_at_leisure(self, work: Work[T]) -> T | None:
        """Do `work` unless the database is closed before the lock is free."""
        with self._at_leisure() as is_held:
            return self._write_now(work) if is_held else None

    def checkpoint(self) -> None:
        """Move what the log holds into the file."""
        with self.locks.held():
            self._translated(lambda: _checkpoint(self._ensure_open(), self._file.wal, is_due=True))

    def finish(self) -> None:
        """Continue recovery and backfill for a moment."""
        self._rescues.finish(self._write_at_last, within_s=LAST_S)
        self.backfill.finish(self._write_at_last, within_s=LAST_S)

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._connection is not None:
            with self.locks.held():
                self._translated(self._connection.close)

    def _translated(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except Untranslated as error:
            translate(error, self._files)

    def _at_leisure(self) -> contextlib.AbstractContextManager[bool]:
        """The lock for what can be left undone: until the database is closed, or in line where others wait for us."""
        status, threads = self._status, self._threads
        return self.locks.held_at_leisure(
            is_over=lambda: status.is_ending, is_urgent=lambda: threads.waiting > 0 and not status.is_ending
        )

    def _ensure_open(self) -> sqlite3.Connection:
        """The connection for writing; opened again when the last attempt failed."""
        if self._connection is not None:
            return self._connection
        status = self._status
        if status.shared_by:
            _LOG.warning("%s lies on %s, where writing is slower.", self._files.database, status.shared_by)
        if status.is_readable:
            self._file.must_hold()
        opened = open_writer(
            self._files,
            self.locks.users,
            self._schema,
            self._clock,
            status.mode,
            is_unclean=status.is_unclean,
            may_move=not status.is_readable,
        )
        connection, status.mode = opened.connection, opened.mode
        try:
            if opened.may_write:
                self._rescues.begin(connection, partial(_transact, connection))
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        self._file.begin(is_writing=True)
        if opened.is_due:
            self._look_over()
        if self._rescues:
            self._threads.submit(self._rescue)
        if opened.is_unprepared:
            self.backfill.is_left = True
            self._threads.submit(self._prepare)
        return connection

    def _write_at_last(self, work: Work[T]) -> T:
        with self.locks.held_within(LAST_S) as is_held:
            if not is_held:
                raise busy(self._files, LAST_S)
            return self._write_now(work)

    def _write_now(self, work: Work[T]) -> T:
        result = self._translated(lambda: self._change(work))
        if self._rescues.is_put_off and self._rescues.take_up():
            self._threads.submit(self._rescue)
        return result

    def _change(self, work: Work[T]) -> T:
        self.locks.users.renew_share()
        connection = self._ensure_open()
        self._file.must_hold()
        result = _transact(connection, partial(self._check.write, work))
        _checkpoint(connection, self._file.wal)
        return result

    def _rescue(self) -> None:
        """Recover one page of a damaged file, then give waiting callers their turn."""
        if not self._status.is_ending:
            self._rescues.step(self.write)
        if self._rescues and not self._status.is_ending:
            self._threads.submit(self._rescue)

    def _prepare(self) -> None:
        """Backfill one portion, then give waiting callers their turn, in other processes too."""
        if not self._status.is_ending and self.backfill.step(self.write_at_leisure):
            self._threads.submit(self._prepare)


def _transact(connection: sqlite3.Connection, work: Work[T]) -> T:
    """Do `work` in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise
    return result


def _checkpoint(connection: sqlite3.Connection, wal: Path, *, is_due: bool = False) -> None:
    """Move the log into the file once it is long, or due; readers that are in the way make it wait for the next time.

    The write before it is committed whatever becomes of this; a full disk shows at the next one.
    """
    with contextlib.suppress(sqlite3.OperationalError, OSError):
        size = wal.stat().st_size
        if size > _VERY_LONG_LOG_BYTES:
            connection.execute("PRAGMA busy_timeout = 100")
            try:
                connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
            finally:
                connection.execute("PRAGMA busy_timeout = 30000")
        elif is_due or size > _LONG_LOG_BYTES:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


class Backfill:
    """Derived data, such as an index, is made a portion at a time; the next process to open the file goes on."""

    def __init__(self, prepare: Prepare) -> None:
        self._prepare = prepare
        self.is_left = False
        """Whether there is more to make, as far as this process knows."""

    def step(self, write: WritePortion) -> bool:
        """Make a portion, and tell whether more is left."""
        self.is_left = write(self._prepare) is not False
        if self.is_left:
            time.sleep(_GAP_S)
        return self.is_left

    def finish(self, write: WritePortion, *, within_s: float) -> None:
        """Go on for so long at most; a command that ends at once would else never get anywhere."""
        until = time.monotonic() + within_s
        with contextlib.suppress(StoreError):
            while self.is_left and time.monotonic() < until:
                self.step(write)


class Locks:
    """A share among the users as long as the database is open, and the write lock now and then.

    Who only reads needs neither: where the files of both cannot be had, whoever wants to write is told so.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._both: tuple[FileLock, FileLock] | None = None
        self._since: float | None = None

    @property
    def users(self) -> FileLock:
        """Shared by all who have the database open."""
        return self._opened()[1]

    @property
    def waited_s(self) -> float:
        """How long the writer has waited for the lock; 0 while it holds it, or does not want it."""
        since = self._since
        return time.monotonic() - since if since is not None else 0.0

    def join(self) -> bool:
        """Become one of the users, and tell whether there is no other; who cannot join cannot tell.

        The first one says which file has the name, unless there never was one of ours.
        """
        try:
            self._both = _both_of(self._files)
        except StoreUnavailable:
            return False
        is_alone = self.users.own(within_s=0)
        if is_alone and self.users.is_marked:
            self.users.mark(mark_of(self._files))
        self.users.share()
        return is_alone

    def have_another(self) -> bool:
        """Whether the users have a file open that had the database's name before; who cannot join cannot tell."""
        return self._both is not None and is_of_another(self._files, self.users.text)

    @contextlib.contextmanager
    def held(self) -> Generator[None]:
        """Hold the write lock, however long it has to be waited for."""
        lock = self._opened()[0]
        self._since = time.monotonic()
        try:
            lock.__enter__()
        finally:
            self._since = None
        try:
            yield
        finally:
            lock.free()

    @contextlib.contextmanager
    def held_within(self, seconds: float) -> Generator[bool]:
        """Hold the write lock if it is to be had in time, and tell whether it was."""
        lock = self._opened()[0]
        with _if(lock, lock.take(within_s=seconds)) as is_held:
            yield is_held

    @contextlib.contextmanager
    def held_at_leisure(self, *, is_over: Callable[[], bool], is_urgent: Callable[[], bool]) -> Generator[bool]:
        """Hold the write lock for what can wait: until it `is_over` with it; once it `is_urgent` stand in line."""
        lock = self._opened()[0]
        while not (is_held := lock.try_take()) and not is_over():
            if is_urgent():
                with self.held():
                    yield True
                return
            time.sleep(_POLL_S)
        with _if(lock, is_held) as is_held:
            yield is_held

    def _opened(self) -> tuple[FileLock, FileLock]:
        if self._both is None:
            self._both = _both_of(self._files)
            self.users.share()
        return self._both

    def close(self) -> None:
        """Let go of both files."""
        for lock in self._both or ():
            lock.close()
        self._both = None


def _both_of(files: Files) -> tuple[FileLock, FileLock]:
    with contextlib.ExitStack() as undo:
        try:
            lock = FileLock(files.lock)
            undo.callback(lock.close)
            users = FileLock(files.users)
        except OSError as error:
            raise files.unavailable(error) from error
        undo.pop_all()
    return lock, users


@contextlib.contextmanager
def _if(lock: FileLock, is_held: bool) -> Generator[bool]:
    try:
        yield is_held
    finally:
        if is_held:
            lock.free()
