"""A DuckDB file that many tasks use at once, and several processes in turn."""

import atexit
import contextlib
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self, TypeVar

from gossamer.errors import StoreBusy, StoreError
from gossamer.filedb.file_errors import busy, closed, crowded, unprepared
from gossamer.filedb.threads import Threads, is_done_within, report_late
from gossamer.ports import Clock
from gossamer.stores.duckdb.open_file import Schema, files_of
from gossamer.stores.duckdb.session import Session, Work

_MAX_QUEUED = 1_000
_MAX_QUEUED_BYTES = 64 * 2**20
"""The most bytes of queued writes while another process holds the file; a single page may be larger."""
_IDLE_S = 0.01
"""The interval, while idle, at which we check whether another process wants the file."""
_GRACE_S = 0.01
"""Work comes in bursts: how long we wait for more although another process wants the file."""
_TENURE_S = 0.2
"""How long work in a row may keep others waiting."""
_REST_S = 5.0
"""The idle time after which the file is released although no process wants it."""
_LEAST_S = 0.05
"""The least a caller waits, even behind a holder that has blocked for long."""
_JOIN_S = 1.0
_LEAVE_S = 4.0
"""How long the process waits for the thread at its end: others in line for the file have to step back first."""
_REMARK = ", and nobody else can read it meanwhile: a DuckDB file belongs to one process at a time"

T = TypeVar("T")
Job = tuple[Future[Any], Callable[[], Any]]


class Database:
    """One file and one thread, which works with it while this process holds the lease.

    DuckDB's file belongs to one process. The lease makes that invisible: it is given up a moment after the last work
    when somebody else wants it, and taken again with the next.
    """

    def __init__(self, path: Path, schema: Schema, *, clock: Clock, patience_s: float) -> None:
        self._files = files_of(path)
        self._session = Session(self._files, schema, clock)
        self._patience_s = patience_s
        self._computing = Threads("gossamer-compute", 1)
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="gossamer-duckdb", daemon=True)
        self._owed: dict[Future[Any], int] = {}
        """Writes that are not done yet, and what they take in memory."""
        self._closing: Future[None] | None = None

    @classmethod
    async def open(cls, path: Path, schema: Schema, *, clock: Clock, patience_s: float) -> Self:
        """Open or create the file; it is checked and migrated first.

        `patience_s` bounds how long callers wait here and in every method, all of them together while one process
        keeps the file. Writes that were queued are still done.
        """
        database = cls(path, schema, clock=clock, patience_s=patience_s)
        database._thread.start()
        atexit.register(database._abandon)
        opening = database._submit(lambda: database._session.read(lambda _: None))
        try:
            await database._wait(opening)
        except StoreError:
            # Where its turn has not come yet who asks is told so at once, and it is noticed when it comes.
            if opening.done():
                await database.close()
                raise
        except BaseException:
            database._begin_close()
            database._session.is_given_up = True
            raise
        return database

    async def read(self, work: Work[T]) -> T:
        """Run `work`, which changes nothing; no other process writes meanwhile, so it needs no transaction."""
        if self._patience() <= 0:
            raise self._late()
        future = self._submit(lambda: self._session.read(work))
        try:
            return await self._wait(future)
        finally:
            # Nobody is left to hear the answer of one that has not begun.
            future.cancel()

    async def write(self, work: Work[T], *, size: int = 0) -> T:
        """Run `work`, which holds so many bytes, in one transaction; it is committed when this returns.

        Raises `StoreBusy` when the lease was not to be had in time. The write stays queued, unless too much waits
        already.
        """
        held = sum(list(self._owed.values()))
        if size and held and held + size > _MAX_QUEUED_BYTES:
            raise crowded(self._files)
        future = self._submit(lambda: self._session.write(work))
        self._owed[future] = size
        future.add_done_callback(self._owed.pop)
        return await self._wait(future, is_queued=True)

    def post(self, work: Work[None]) -> None:
        """Queue a write without waiting for it; it may fail without harm."""
        with contextlib.suppress(StoreBusy):
            self._submit(lambda: self._session.write(work))

    async def compact(self, most_bytes: int) -> None:
        """Give free space back to the disk when the file is larger than `most_bytes`."""
        await self._wait(self._submit(lambda: self._session.compact(most_bytes)))

    async def compute(self, work: Callable[[], T]) -> T:
        """Run slow `work` that needs no connection, off the event loop and before the lease is asked for."""
        if self._closing is not None:
            raise closed()
        future = self._computing.submit(work)
        if not await is_done_within(future, self._patience_s):
            raise unprepared(self._files, self._patience_s)
        return future.result()

    async def close(self) -> None:
        """Finish the writes that are queued, then let go of the files.

        While somebody else holds the lease this waits, within patience. What is to be written waits on, as long as
        this process lives; who has nothing to write lets go at once.
        """
        closing = self._begin_close()
        if not await is_done_within(closing, max(self._patience(), _LEAST_S)):
            self._session.is_given_up = not self._owed
        if await is_done_within(closing, _JOIN_S if self._session.is_given_up else 0.0):
            # It has nothing left to do; a thread that lives on makes the driver complain when the interpreter ends.
            self._thread.join(_JOIN_S)
            closing.result()

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        if self._closing is not None:
            raise closed()
        if self._jobs.qsize() >= _MAX_QUEUED:
            raise crowded(self._files)
        return self._queue(work)

    def _queue(self, work: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        self._jobs.put((future, work))
        return future

    async def _wait(self, future: Future[T], *, is_queued: bool = False) -> T:
        if not await is_done_within(future, max(self._patience(), _LEAST_S)):
            if is_queued:
                future.add_done_callback(self._report)
            raise self._late(is_queued=is_queued)
        return future.result()

    def _patience(self) -> float:
        """The time left to wait: the first caller behind a stalled holder waits for long, later ones do not."""
        since = self._session.asking_since
        return self._patience_s - (time.monotonic() - since if since is not None else 0.0)

    def _report(self, future: Future[Any]) -> None:
        """Log a write that failed in the end, unless its caller got the error before."""
        if not self._session.is_given_up:
            report_late(future)

    def _late(self, *, is_queued: bool = False) -> StoreBusy:
        if self._session.asking_since is not None:
            return busy(self._files, self._patience_s, _REMARK, is_queued=is_queued)
        return StoreBusy(
            f"{self._files.database.name} has been at other work for {self._patience_s:.0f} s.",
            hint="Ask again in a moment.",
        )

    def _begin_close(self) -> Future[None]:
        if self._closing is None:
            self._closing = self._queue(self._session.end)
            self._jobs.put(None)
            self._computing.stop()
        return self._closing

    def _abandon(self) -> None:
        """End the thread with the process: the driver complains of one that is still at work then."""
        self._session.is_given_up = True
        self._begin_close()
        self._thread.join(_LEAVE_S)

    def _run(self) -> None:
        while (job := self._next()) is not None:
            future, work = job
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work())
                except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the future
                    future.set_exception(error)
            del job, future, work
            if self._session.rescues and self._jobs.empty():
                self._queue(self._rescue)
        atexit.unregister(self._abandon)

    def _next(self) -> Job | None:
        """The next piece of work. While there is none, the file is released to a process that wants it."""
        rest_until = time.monotonic() + _REST_S
        while self._session.is_held:
            is_wanted = self._session.is_wanted
            if not (is_wanted and self._session.held_s > _TENURE_S):
                with contextlib.suppress(queue.Empty):
                    return self._jobs.get(timeout=_GRACE_S if is_wanted else _IDLE_S)
            if is_wanted or time.monotonic() > rest_until:
                self._session.let_go()
        return self._jobs.get()

    def _rescue(self) -> None:
        """Recover one page of a damaged file; waiting processes get their turn before the next."""
        if self._session.rescues:
            self._session.rescues.step(self._session.write)
