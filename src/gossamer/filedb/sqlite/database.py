"""A SQLite file that many tasks and several processes use at once: waiting for it, and reading it.

What writes is in `writer`.
"""

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Self, TypeVar

from gossamer.errors import StoreBusy
from gossamer.filedb.file_errors import busy, closed, crowded, only_readable, slow, unopened, unprepared
from gossamer.filedb.files import NO_FILE, Files
from gossamer.filedb.sqlite.connections import (
    LOG_LIMIT_BYTES,
    Journal,
    Mode,
    Reader,
    chosen_journal,
    connect_looking,
    connect_reader,
)
from gossamer.filedb.sqlite.error_mapping import Foreign, Untranslated, damaged, translate
from gossamer.filedb.sqlite.file_identity import note_stale
from gossamer.filedb.sqlite.open_file import (
    NEWER,
    NUMBERLESS,
    RESHAPED,
    Schema,
    is_reshaped,
    meta_of,
    open_reader,
    right_to,
    unfit,
    verdict_on,
)
from gossamer.filedb.sqlite.writer import Status, Work, Writer
from gossamer.filedb.threads import Threads, is_done_within, report_late
from gossamer.ports import Clock

PATIENCE_S = 5.0
"""How long a caller waits for others to release a file: every call is answered within ten seconds."""
OPENING_S = 3.0
"""And how long for a file that cannot even be opened before: then there is more to do until the answer."""
_LEAST_S = 0.05
_READERS = 4
_MAX_QUEUED = 1_000
_MAX_QUEUED_BYTES = 64 * 2**20
"""The most bytes of queued writes while the lock is held elsewhere; a single page may be larger."""
_STEPS = 10_000
"""Instructions of a query between two looks at whether it is over."""

T = TypeVar("T")


class Database:
    """One file, written by one thread under one lock of the operating system, read by a few threads without it.

    Every write, checkpoint, migration and close holds the lock. SQLite up to 3.51.2 can corrupt a file when two
    connections write or checkpoint at the same instant; with the lock there is no second party, writers queue
    fairly, and "database is locked" never reaches a caller.
    """

    def __init__(
        self, path: Path, schema: Schema, *, clock: Clock, patience_s: float, opening_s: float, journal: Journal
    ) -> None:
        self._files = Files(path)
        self._schema = schema
        self._journal: Journal = journal
        self._patience_s, self._opening_s = patience_s, opening_s
        self._writing = Threads("gossamer-write", 1)
        self._reading = Threads("gossamer-read", _READERS)
        self._computing = Threads("gossamer-compute", 1)
        self._status = Status()
        self._file = OpenFile(self._files)
        self._check = SchemaCheck(self._files, schema.name, len(schema.migrations))
        self._readers = _Readers(self._files, is_over=lambda: self._status.is_ending)
        self._writer = Writer(
            self._files,
            schema,
            clock=clock,
            threads=self._writing,
            status=self._status,
            file=self._file,
            check=self._check,
            look_over=lambda: self._reading.submit(lambda: self._read(self._file.look_over)),
        )
        self._closing: Future[None] | None = None

    @classmethod
    async def open(
        cls,
        path: Path,
        schema: Schema,
        *,
        clock: Clock,
        patience_s: float = PATIENCE_S,
        opening_s: float | None = None,
        journal: Journal = "auto",
    ) -> Self:
        """Open or create the file; it is checked and migrated first.

        `patience_s` bounds how long a caller waits in every method, and how long several calls wait together for one
        who holds the lock; `opening_s` is that of this one. Work that was queued is still done.
        """
        opening_s = patience_s if opening_s is None else opening_s
        database = cls(path, schema, clock=clock, patience_s=patience_s, opening_s=opening_s, journal=journal)
        try:
            is_readable = await database._wait_to_open(database._reading.submit(database._open_reader))
            opening = database._writing.submit(lambda: database._writer.open(opening_s))
            if not is_readable:
                await database._wait_to_open(opening)
        except BaseException:
            database._begin_close()
            raise
        return database

    async def read(self, work: Work[T]) -> T:
        """Run `work` in one read transaction; it waits for no writer."""
        self._must_be_open()
        return await self._wait(self._reading.submit(lambda: self._read(work)))

    async def write(self, work: Work[T], *, size: int = 0) -> T:
        """Run `work`, which holds so many bytes, in one write transaction; it is committed when this returns.

        Raises `StoreBusy` when the lock was not to be had in time. The write stays queued, unless too much waits
        already. `work` should be short: what can be computed before belongs into `compute`.
        """
        self._must_be_open()
        held = self._writing.held_bytes
        if self._writing.waiting >= _MAX_QUEUED or (held and held + size > _MAX_QUEUED_BYTES):
            raise crowded(self._files)
        waited_s = self._writer.locks.waited_s
        return await self._wait(self._writing.submit(lambda: self._writer.write(work), size=size), waited_s=waited_s)

    def post(self, work: Work[object]) -> None:
        """Queue a write without waiting for it; it may be lost."""
        if not self._status.is_ending and self._writing.waiting < _MAX_QUEUED:
            self._writing.submit(lambda: self._writer.write_at_leisure(work))

    async def checkpoint(self) -> None:
        """Move what the log holds into the file, as far as readers let it: only then does the file shrink."""
        self._must_be_open()
        await self._wait(self._writing.submit(self._writer.checkpoint))

    async def prepare(self) -> None:
        """Go on with what is made of the rest, until nothing of it is left or patience ends."""
        writer, until = self._writer, time.monotonic() + self._patience_s
        while time.monotonic() < until:
            self._must_be_open()
            if not await self._wait(self._writing.submit(lambda: writer.backfill.step(writer.write))):
                break

    async def compute(self, work: Callable[[], T]) -> T:
        """Run slow `work` that needs no connection, off the event loop and out of the way of readers."""
        self._must_be_open()
        future = self._computing.submit(work)
        if not await is_done_within(future, self._patience_s):
            raise unprepared(self._files, self._patience_s)
        return future.result()

    async def close(self) -> None:
        """Finish the writes that are queued, then let go of the files.

        Who wrote, or has something to write, waits for the lock while somebody else holds it, within patience; a
        process that ends then loses nothing. Who only read waits for nobody.
        """
        waited_s = self._writer.locks.waited_s
        with contextlib.suppress(StoreBusy):
            await self._wait(self._begin_close(), waited_s=waited_s)

    def _must_be_open(self) -> None:
        if self._status.is_ending:
            raise closed()

    async def _wait(self, future: Future[T], *, waited_s: float = 0.0) -> T:
        # A caller who gives up, or is cancelled, leaves the work to itself.
        if not await is_done_within(future, max(self._patience_s - waited_s, _LEAST_S)):
            future.add_done_callback(report_late)
            raise (busy if self._writer.locks.waited_s else slow)(self._files, self._patience_s)
        return future.result()

    async def _wait_to_open(self, future: Future[T]) -> T:
        if not await is_done_within(future, self._opening_s + _LEAST_S):
            raise unopened(self._files, self._opening_s)
        return future.result()

    def _open_reader(self) -> bool:
        """Open for reading if nothing has to be done to the file before: this does not wait for the lock."""
        self._files.make_folder()
        status, locks = self._status, self._writer.locks
        try:
            is_alone = locks.join()
            status.is_unclean = is_alone and self._files.has_log()
            status.mode, status.shared_by = chosen_journal(self._files.database.parent, self._journal)
            # What somebody makes just now is opened after them, by who waits for the lock; and so is what was replaced.
            if self._file.begin() and (is_alone or not locks.have_another()):
                reader, status.mode = open_reader(self._files, self._schema, status.mode, is_alone=is_alone)
                status.is_readable = reader is not None
                if reader is not None:
                    self._readers.adopt(reader)
                    self._file.note_log()
        except Untranslated as error:
            translate(error, self._files)
        return status.is_readable

    def _read(self, work: Work[T]) -> T:
        self._must_be_open()
        self._file.must_hold()
        try:
            return self._readers.read(lambda connection: self._check.read(work, connection), self._status.mode)
        except Untranslated as error:
            translate(error, self._files)

    def _begin_close(self) -> Future[None]:
        if self._closing is None:
            self._status.is_ending = True
            self._closing = self._writing.submit(self._close)
            self._writing.stop()
        return self._closing

    def _close(self) -> None:
        for threads in (self._computing, self._reading):
            threads.stop()
            threads.join()
        self._writer.finish()
        # The last one to close checkpoints, which who only reads cannot.
        if self._file.is_log_whole:
            self._readers.close()
        self._writer.close()
        self._readers.close()
        self._file.leave()
        self._writer.locks.close()


class _Readers:
    """One connection for each thread, opened at its first look; a query ends early once it `is_over`."""

    def __init__(self, files: Files, *, is_over: Callable[[], bool]) -> None:
        self._files = files
        self._is_over = is_over
        self._own = threading.local()
        self._all: list[sqlite3.Connection] = []

    def adopt(self, reader: Reader) -> None:
        """Take a connection over as that of this thread."""
        reader.connection.set_progress_handler(self._is_over, _STEPS)
        self._own.reader = reader
        self._all.append(reader.connection)

    def read(self, work: Work[T], mode: Mode) -> T:
        """Run `work` in one read transaction; once more where the file it was to read alone was written meanwhile."""
        reader = self._reader(mode)
        if reader.still is None:
            return _read(reader.connection, work)
        try:
            result = _read(reader.connection, work)
        except Foreign:
            if self._is_as_it_was(reader):
                raise
        else:
            if self._is_as_it_was(reader):
                return result
        return _read(self._reader(mode).connection, work)

    def _reader(self, mode: Mode) -> Reader:
        reader: Reader | None = getattr(self._own, "reader", None)
        if reader is None or not self._is_as_it_was(reader):
            self.adopt(
                connect_looking(self._files, mode) if mode == "wal" else Reader(connect_reader(self._files, mode))
            )
        return self._own.reader

    def _is_as_it_was(self, reader: Reader) -> bool:
        return reader.still is None or reader.still == self._files.still()

    def close(self) -> None:
        """Close all of them, once their threads have ended; that needs no lock."""
        while self._all:
            self._all.pop().close()


def _read(connection: sqlite3.Connection, work: Work[T]) -> T:
    connection.execute("BEGIN")
    try:
        return work(connection)
    finally:
        connection.rollback()


class OpenFile:
    """Whether the file that is open is still the one that was opened, and its log whole. Asked before every use."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.wal, self._suspect = files.wal, files.suspect
        self._identity: tuple[int, int] | None = None
        self._verdict = ""
        """What was found wrong when the whole file was looked over."""
        self._log: tuple[int, int] | None = None
        self._log_bytes: int | None = None
        self.is_log_whole = True
        """Where it is not, nothing of it may come into the file: there would be gaps in what was written."""

    def begin(self, *, is_writing: bool = False) -> bool:
        """Remember which file has the name now, and tell whether there is one.

        Who has it open for writing keeps its log from being deleted.
        """
        self._identity = self._files.identity()
        self._log_bytes = 0 if is_writing else None
        if is_writing:
            self.note_log()
        return self._identity != NO_FILE

    def note_log(self) -> None:
        """Remember which log the file has, now that it is open: as long as it is, it has no other."""
        self._log = self._files.log_identity()

    def leave(self) -> None:
        """Once the file is closed, see to it that its log is not taken for that of another which took its name."""
        is_replaced = self._files.identity() not in (None, NO_FILE, self._identity)
        if is_replaced and self._log is not None and self._log == self._files.log_identity():
            note_stale(self._files)

    def look_over(self, connection: sqlite3.Connection) -> None:
        """Check the whole file; damage is reported to the next process that opens it."""
        self._verdict = verdict_on(connection)
        if self._verdict:
            self._suspect.touch(mode=0o600)

    def must_hold(self) -> None:
        """What we write is lost with a file that was moved, removed or emptied under us, without an error.

        A log that was cut under us has a gap where the next write leaves off, which would ruin the file. And what
        somebody else found damaged can be moved aside only once we let go of it.
        """
        if self._verdict:
            raise damaged(f"The database file is damaged ({self._verdict}).")
        if not self._is_in_place():
            raise damaged("The database file was moved, removed or emptied.")
        if not self._has_whole_log():
            with contextlib.suppress(OSError):
                self._suspect.touch(mode=0o600)
            raise damaged("The log of the database was cut.")
        if self._suspect.exists():
            raise damaged("The database file was found damaged.")

    def _is_in_place(self) -> bool:
        with contextlib.suppress(OSError):
            present = self._files.database.lstat()
            if present.st_size and (present.st_dev, present.st_ino) == self._identity:
                return True
        return self._files.identity() in (None, self._identity)

    def _has_whole_log(self) -> bool:
        # What was seen is read first: others go on writing, and a log in use only shrinks to its limit.
        if (seen := self._log_bytes) is not None:
            try:
                present = self.wal.stat().st_size
            except OSError:
                present = 0
            self.is_log_whole = self.is_log_whole and present >= min(seen, LOG_LIMIT_BYTES)
            self._log_bytes = present
        return self.is_log_whole


class SchemaCheck:
    """Whether this version may use the file, asked in every transaction, since a newer one may come."""

    def __init__(self, files: Files, name: str, known: int) -> None:
        self._files = files
        self._key = f"{name}.schema"
        self._known = known
        # Several threads look; what belongs together is put in place together.
        self._seen: tuple[tuple[str] | None, bool] = (None, True)

    def read(self, work: Work[T], connection: sqlite3.Connection) -> T:
        """Do `work` within a transaction, if the file may be read."""
        return self._do(work, connection, is_writing=False)

    def write(self, work: Work[T], connection: sqlite3.Connection) -> T:
        """Do `work` within a transaction, if the file may be written."""
        return self._do(work, connection, is_writing=True)

    def _do(self, work: Work[T], connection: sqlite3.Connection, *, is_writing: bool) -> T:
        try:
            if not self._may_write(connection) and is_writing:
                raise only_readable(self._files)
            return work(connection)
        except sqlite3.OperationalError as error:
            # What does not fit the tables we made is a mistake of ours, and told as it is.
            if error.sqlite_errorcode == sqlite3.SQLITE_ERROR and is_reshaped(connection):
                raise unfit(f"{RESHAPED}: {error}") from error
            raise

    def _may_write(self, connection: sqlite3.Connection) -> bool:
        """Tell whether we may; raise `StoreDamaged` where we may not even read.

        Every read comes this way, so the number alone is looked at until it is another one.
        """
        row = connection.execute("SELECT value FROM meta WHERE key = ?", (self._key,)).fetchone()
        seen, may_write = self._seen
        if row == seen:
            return may_write
        try:
            right = right_to(meta_of(connection), self._key, self._known)
        except ValueError as error:
            raise unfit(NUMBERLESS) from error
        if right == "none":
            raise unfit(NEWER)
        self._seen = row, right == "write"
        return right == "write"
