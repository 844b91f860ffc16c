"""A DuckDB file that many tasks use at once, and several processes in turn."""

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self, TypeVar

from gossamer.errors import StoreBusy, StoreUnavailable
from gossamer.ports import Clock
from gossamer.sqlite.threads import Threads
from gossamer.stores.duckdb.opening import Schema, files_of
from gossamer.stores.duckdb.session import Session, Work

_LOG = logging.getLogger("gossamer")
_MAX_QUEUED = 1_000
_IDLE_S = 0.01
"""Between two looks at whether somebody wants the file while we have nothing to do with it."""
_GRACE_S = 0.01
"""Work comes in rows: for so long the next piece is waited for although somebody wants the file."""
_TENURE_S = 0.2
"""How long work in a row may keep others waiting."""
_REST_S = 5.0
"""After so long without work the file is let go of although nobody wants it."""
_LEAST_S = 0.05
"""A caller waits at least this, also behind a holder that has kept everybody waiting for long."""
_JOIN_S = 1.0

T = TypeVar("T")
Job = tuple[Future[Any], Callable[[], Any]]


class Database:
    """One file and one thread, which works with it while this process holds the lease.

    DuckDB's file belongs to one process. The lease makes that invisible: it is given up a moment after the last work
    when somebody else wants it, and taken again with the next.
    """

    def __init__(self, path: Path, schema: Schema, *, clock: Clock, patience_s: float) -> None:
        files = files_of(path)
        self._name = files.database.name
        self._session = Session(files, schema, clock)
        self._patience_s = patience_s
        self._computing = Threads("gossamer-compute", 1)
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="gossamer-duckdb", daemon=True)
        self._closing: Future[None] | None = None

    @classmethod
    async def open(cls, path: Path, schema: Schema, *, clock: Clock, patience_s: float) -> Self:
        """Open or create the file; it is checked and migrated first.

        `patience_s` bounds how long a caller waits here and in every method. Writes that were queued are still done.
        """
        database = cls(path, schema, clock=clock, patience_s=patience_s)
        database._thread.start()
        try:
            await database.read(lambda _: None)
        except StoreUnavailable:
            await database.close()
            raise
        except BaseException:
            database._begin_close()
            raise
        return database

    async def read(self, work: Work[T]) -> T:
        """Run `work`, which changes nothing; nobody else writes meanwhile, so it needs no transaction."""
        future = self._submit(lambda: self._session.read(work))
        try:
            return await self._wait(future)
        finally:
            # Nobody is left to hear the answer of one that has not begun.
            future.cancel()

    async def write(self, work: Work[T]) -> T:
        """Run `work` in one transaction; it is committed when this returns.

        Raises `StoreBusy` when the lease was not to be had in time; the write stays queued.
        """
        return await self._wait(self._submit(lambda: self._session.write(work)))

    def post(self, work: Work[None]) -> None:
        """Queue a write that nobody waits for, and that may fail without harm."""
        with contextlib.suppress(StoreBusy):
            self._submit(lambda: self._session.write(work))

    async def compact(self, most_bytes: int) -> None:
        """Give free space back to the disk when the file is larger than `most_bytes`."""
        await self._wait(self._submit(lambda: self._session.compact(most_bytes)))

    async def compute(self, work: Callable[[], T]) -> T:
        """Run slow `work` that needs no connection, off the event loop and before the lease is asked for."""
        self._must_be_open()
        return await self._wait(self._computing.submit(work))

    async def close(self) -> None:
        """Finish the writes that are queued, then let go of the files.

        While somebody else holds the lease this waits, within patience; a process that ends then loses nothing.
        """
        with contextlib.suppress(StoreBusy):
            await self._wait(self._begin_close())
            # It has nothing left to do; a thread that lives on makes the driver complain when the interpreter ends.
            self._thread.join(_JOIN_S)

    def _must_be_open(self) -> None:
        if self._closing is not None:
            raise StoreUnavailable("The store is closed.", hint="Open it again.")

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        self._must_be_open()
        if self._jobs.qsize() >= _MAX_QUEUED:
            raise self._busy()
        return self._queue(work)

    def _queue(self, work: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        self._jobs.put((future, work))
        return future

    async def _wait(self, future: Future[T]) -> T:
        waiting = asyncio.wrap_future(future)
        # Nobody may be left to hear of an error once the caller has given up.
        waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
        done, _ = await asyncio.wait({waiting}, timeout=self._patience())
        if not done:
            future.add_done_callback(_report_late)
            raise self._busy()
        return waiting.result()

    def _patience(self) -> float:
        """What is left of it: the first to meet a holder that stopped waits for long, those who come later do not."""
        since = self._session.asking_since
        waited = time.monotonic() - since if since is not None else 0.0
        return max(_LEAST_S, self._patience_s - waited)

    def _busy(self) -> StoreBusy:
        return StoreBusy(
            f"{self._name} has been held by another process for {self._patience_s:.0f} s.",
            hint="Nothing is lost: what was to be kept waits its turn.",
        )

    def _begin_close(self) -> Future[None]:
        if self._closing is None:
            self._closing = self._queue(self._session.end)
            self._jobs.put(None)
            self._computing.stop()
        return self._closing

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

    def _next(self) -> Job | None:
        """The next piece of work. While there is none, the file is given up to whoever wants it."""
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
        """One change out of a damaged file; whoever has come meanwhile has a turn before the next."""
        if self._session.rescues:
            self._session.rescues.step(self._session.write)


def _report_late(future: Future[T]) -> None:
    if not future.cancelled() and (error := future.exception()) is not None:
        _LOG.warning("What had waited for the store could not be done: %s", error)
