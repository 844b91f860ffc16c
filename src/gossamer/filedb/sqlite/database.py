"""A database that many tasks and several processes use at once."""

import contextlib
import logging
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Self, TypeVar

from gossamer.errors import StoreBusy
from gossamer.filedb.files import Files
from gossamer.filedb.recovery import Rescues
from gossamer.filedb.refusals import busy, closed, crowded, slow, unopened, unprepared
from gossamer.filedb.sqlite.backfill import Preparing
from gossamer.filedb.sqlite.connections import checkpoint, transact
from gossamer.filedb.sqlite.error_mapping import translated
from gossamer.filedb.sqlite.file_identity import Soundness
from gossamer.filedb.sqlite.journal import Journal, Mode, chosen_journal
from gossamer.filedb.sqlite.locks import Locks
from gossamer.filedb.sqlite.open_file import Schema, open_reader, open_writer
from gossamer.filedb.sqlite.readers import Readers
from gossamer.filedb.sqlite.schema_version import Fitting
from gossamer.filedb.threads import Threads, is_done_within, report_late
from gossamer.ports import Clock

_LOG = logging.getLogger("gossamer")
PATIENCE_S = 5.0
"""How long a caller waits for others to let go of a file: who asked gets an answer within ten seconds."""
OPENING_S = 3.0
"""And how long for a file that cannot even be opened before: then there is more to do until the answer."""
_LEAST_S = 0.05
_READERS = 4
_MAX_QUEUED = 1_000
_MAX_QUEUED_BYTES = 64 * 2**20
"""What waits for a lock that somebody keeps; a single page may be larger."""
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

    def __init__(
        self, path: Path, schema: Schema, *, clock: Clock, patience_s: float, opening_s: float, journal: Journal
    ) -> None:
        self._files = Files(path)
        self._schema = schema
        self._asked: Journal = journal
        self._mode: Mode = "wal"
        self._clock = clock
        self._patience_s, self._opening_s = patience_s, opening_s
        self._writing = Threads("gossamer-write", 1)
        self._reading = Threads("gossamer-read", _READERS)
        self._computing = Threads("gossamer-compute", 1)
        self._readers = Readers(self._files, is_over=lambda: self._is_ending)
        self._locks = Locks(self._files)
        self._is_ending = self._is_readable = self._is_unclean = False
        self._closing: Future[None] | None = None
        self._writer: sqlite3.Connection | None = None
        self._soundness = Soundness(self._files)
        self._fitting = Fitting(self._files, schema.name, len(schema.migrations))
        self._rescues = Rescues(self._files, schema.salvage, clock)
        self._preparing = Preparing(schema.prepare)

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
            opening = database._writing.submit(database._open)
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
        waited_s = self._locks.waited_s
        return await self._wait(self._writing.submit(lambda: self._write(work), size=size), waited_s=waited_s)

    def post(self, work: Work[object]) -> None:
        """Queue a write that nobody waits for, and that may be lost."""
        if not self._is_ending and self._writing.waiting < _MAX_QUEUED:
            self._writing.submit(lambda: self._write_at_leisure(work))

    async def checkpoint(self) -> None:
        """Move what the log holds into the file, as far as readers let it: only then does the file shrink."""
        self._must_be_open()
        await self._wait(self._writing.submit(self._checkpoint_now))

    async def prepare(self) -> None:
        """Go on with what is made of the rest, until nothing of it is left or patience ends."""
        until = time.monotonic() + self._patience_s
        while time.monotonic() < until:
            self._must_be_open()
            if not await self._wait(self._writing.submit(lambda: self._preparing.step(self._write))):
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
        waited_s = self._locks.waited_s
        with contextlib.suppress(StoreBusy):
            await self._wait(self._begin_close(), waited_s=waited_s)

    def _must_be_open(self) -> None:
        if self._is_ending:
            raise closed()

    async def _wait(self, future: Future[T], *, waited_s: float = 0.0) -> T:
        # A caller who gives up, or is cancelled, leaves the work to itself.
        if not await is_done_within(future, max(self._patience_s - waited_s, _LEAST_S)):
            future.add_done_callback(report_late)
            raise (busy if self._locks.waited_s else slow)(self._files, self._patience_s)
        return future.result()

    async def _wait_to_open(self, future: Future[T]) -> T:
        if not await is_done_within(future, self._opening_s + _LEAST_S):
            raise unopened(self._files, self._opening_s)
        return future.result()

    def _open_reader(self) -> bool:
        """Open for reading if nothing has to be done to the file before: that waits for nobody who holds the lock."""
        self._files.make_folder()
        with translated(self._files):
            is_alone = self._locks.join()
            self._is_unclean = is_alone and self._files.has_log()
            self._mode, self._shared_by = chosen_journal(self._files.database.parent, self._asked)
            # What somebody makes just now is opened after them, by who waits for the lock; and so is what was replaced.
            if self._soundness.begin() and (is_alone or not self._locks.have_another()):
                reader, self._mode = open_reader(self._files, self._schema, self._mode, is_alone=is_alone)
                self._is_readable = reader is not None
                if reader is not None:
                    self._readers.adopt(reader)
                    self._soundness.note_log()
        return self._is_readable

    def _open(self) -> None:
        # Once nobody waits for an opening any more it must not wait on: there may be many.
        holding = self._at_leisure() if self._is_readable else self._locks.held_within(self._opening_s)
        with holding as is_held, translated(self._files):
            if is_held:
                self._ensure_writer()
            elif not self._is_readable:
                raise unopened(self._files, self._opening_s)

    def _at_leisure(self) -> contextlib.AbstractContextManager[bool]:
        """The lock for what can be left undone: until the database is closed, or in line where others wait for us."""
        is_over, waiting = (lambda: self._is_ending), (lambda: self._writing.waiting > 0 and not self._is_ending)
        return self._locks.held_at_leisure(is_over=is_over, is_urgent=waiting)

    def _ensure_writer(self) -> sqlite3.Connection:
        """The connection for writing; who wants it when it could not be opened tries again."""
        if self._writer is not None:
            return self._writer
        if self._shared_by:
            _LOG.warning("%s lies on %s, where writing is slower.", self._files.database, self._shared_by)
        if self._is_readable:
            self._soundness.must_hold()
        state = {"is_unclean": self._is_unclean, "may_move": not self._is_readable}
        opened = open_writer(self._files, self._locks.users, self._schema, self._clock, self._mode, **state)
        writer, self._mode = opened.connection, opened.mode
        try:
            if opened.may_write:
                self._rescues.begin(writer, partial(transact, writer))
        except BaseException:
            writer.close()
            raise
        self._writer = writer
        self._soundness.begin(is_writing=True)
        if opened.is_due:
            self._reading.submit(lambda: self._read(self._soundness.look_over))
        if self._rescues:
            self._writing.submit(self._rescue)
        if opened.is_unprepared:
            self._preparing.is_left = True
            self._writing.submit(self._prepare)
        return writer

    def _write(self, work: Work[T]) -> T:
        with self._locks.held():
            return self._write_now(work)

    def _write_at_leisure(self, work: Work[T]) -> T | None:
        with self._at_leisure() as is_held:
            return self._write_now(work) if is_held else None

    def _write_at_last(self, work: Work[T]) -> T:
        with self._locks.held_within(_LAST_S) as is_held:
            if not is_held:
                raise busy(self._files, _LAST_S)
            return self._write_now(work)

    def _write_now(self, work: Work[T]) -> T:
        with translated(self._files):
            self._locks.users.renew_share()
            writer = self._ensure_writer()
            self._soundness.must_hold()
            result = transact(writer, partial(self._fitting.write, work))
            checkpoint(writer, self._files)
        if self._rescues.take_up():
            self._writing.submit(self._rescue)
        return result

    def _rescue(self) -> None:
        """One change out of a damaged file, then those who wait have their turn."""
        if not self._is_ending:
            self._rescues.step(self._write)
        if self._rescues and not self._is_ending:
            self._writing.submit(self._rescue)

    def _prepare(self) -> None:
        """A portion, then those who wait have their turn, in other processes too."""
        if not self._is_ending and self._preparing.step(self._write_at_leisure):
            self._writing.submit(self._prepare)

    def _checkpoint_now(self) -> None:
        with self._locks.held(), translated(self._files):
            checkpoint(self._ensure_writer(), self._files, is_due=True)

    def _read(self, work: Work[T]) -> T:
        self._must_be_open()
        self._soundness.must_hold()
        with translated(self._files):
            return self._readers.read(partial(self._fitting.read, work), self._mode)

    def _begin_close(self) -> Future[None]:
        if self._closing is None:
            self._is_ending = True
            self._closing = self._writing.submit(self._close)
            self._writing.stop()
        return self._closing

    def _close(self) -> None:
        for threads in (self._computing, self._reading):
            threads.stop()
            threads.join()
        self._rescues.finish(self._write_at_last, within_s=_LAST_S)
        self._preparing.finish(self._write_at_last, within_s=_LAST_S)
        # The last one to close checkpoints, which who only reads cannot.
        if self._soundness.is_log_whole:
            self._readers.close()
        if self._writer is not None:
            with self._locks.held(), translated(self._files):
                self._writer.close()
        self._readers.close()
        self._soundness.leave()
        self._locks.close()
