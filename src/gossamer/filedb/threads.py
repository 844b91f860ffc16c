"""A few threads of our own, apart from the event loop's executor."""

import asyncio
import contextlib
import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

_LOG = logging.getLogger("gossamer")

T = TypeVar("T")


class Threads:
    """Run work in at most `count` threads, first come first served.

    Another one is begun when all are at work, not before: each has a connection with a cache of its own, and who
    reads one thing after the other finds there what was read before.

    They are daemons: a thread that waits for somebody's lock never keeps the process from ending, which the
    standard executor's threads would.
    """

    def __init__(self, name: str, count: int) -> None:
        self._name = name
        self._count = count
        self._threads: list[threading.Thread] = []
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any], int] | None] = queue.SimpleQueue()
        self._counting = threading.Lock()
        self._unfinished = 0
        self._bytes = 0

    @property
    def waiting(self) -> int:
        """How many pieces of work have not begun."""
        return self._jobs.qsize()

    @property
    def held_bytes(self) -> int:
        """What the work takes in memory that is not done yet."""
        return self._bytes

    def submit(self, work: Callable[[], T], *, size: int = 0) -> Future[T]:
        """Queue `work` of so many bytes; its result or error arrives in the future."""
        future: Future[T] = Future()
        with self._counting:
            self._unfinished += 1
            self._bytes += size
            self._jobs.put((future, work, size))
            if len(self._threads) < min(self._unfinished, self._count):
                thread = threading.Thread(target=self._run, name=f"{self._name}-{len(self._threads)}", daemon=True)
                self._threads.append(thread)
                thread.start()
        return future

    def stop(self) -> None:
        """End each thread once everything queued so far is done."""
        for _ in self._threads:
            self._jobs.put(None)

    def join(self) -> None:
        """Wait for the threads to end."""
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._do(*job)
            del job

    def _do(self, future: Future[T], work: Callable[[], T], size: int) -> None:
        future.set_running_or_notify_cancel()
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the future
            self._finish(size)
            future.set_exception(error)
        else:
            self._finish(size)
            future.set_result(result)

    def _finish(self, size: int) -> None:
        """Before anybody hears of it: whose next work comes at once needs no other thread."""
        with self._counting:
            self._unfinished -= 1
            self._bytes -= size


def report_late(future: Future[Any]) -> None:
    """Log an error whose caller has stopped waiting."""
    if not future.cancelled() and (error := future.exception()) is not None:
        _LOG.warning("What had waited for the store could not be done: %s", error)


async def is_done_within(future: Future[Any], seconds: float) -> bool:
    """Wait for work in a thread, so long at most; it goes on if it is not done by then, or its caller is cancelled.

    Every read of a store comes this way: `asyncio.wait` and `wrap_future` would cost twice as much.
    """
    loop = asyncio.get_running_loop()
    woken = loop.create_future()
    future.add_done_callback(lambda _: _wake_soon(loop, woken))
    timer = loop.call_later(seconds, _wake, woken)
    try:
        await woken
    finally:
        timer.cancel()
    return future.done()


def _wake_soon(loop: asyncio.AbstractEventLoop, woken: asyncio.Future[None]) -> None:
    with contextlib.suppress(RuntimeError):  # of a loop that is closed: nobody waits any more
        loop.call_soon_threadsafe(_wake, woken)


def _wake(woken: asyncio.Future[None]) -> None:
    if not woken.done():
        woken.set_result(None)
