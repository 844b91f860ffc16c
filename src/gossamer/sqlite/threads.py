"""A few threads of our own, apart from the event loop's executor."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class Threads:
    """Run work in at most `count` threads, first come first served.

    They are daemons: a thread that waits for somebody's lock never keeps the process from ending, which the
    standard executor's threads would.
    """

    def __init__(self, name: str, count: int) -> None:
        self._name = name
        self._count = count
        self._threads: list[threading.Thread] = []
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()

    @property
    def waiting(self) -> int:
        """How many pieces of work have not begun."""
        return self._jobs.qsize()

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Queue `work`; its result or error arrives in the future."""
        future: Future[T] = Future()
        self._jobs.put((future, work))
        if len(self._threads) < self._count:
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
            future, work = job
            future.set_running_or_notify_cancel()
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the future
                future.set_exception(error)
            del job, future, work
