"""What a process holds of a database's lock files."""

import contextlib
import time
from collections.abc import Callable, Generator

from gossamer.errors import StoreUnavailable
from gossamer.filedb.files import Files
from gossamer.filedb.lock import FileLock
from gossamer.filedb.sqlite.stale_log import is_of_another, said_of

_POLL_S = 0.005


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
        """How long the writer has waited for who holds the lock; nothing while it has it, or does not want it."""
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
            self.users.mark(said_of(self._files))
        self.users.share()
        return is_alone

    def have_another(self) -> bool:
        """Whether the users have a file open that had the database's name before; who cannot join cannot tell."""
        return self._both is not None and is_of_another(self._files, self.users.said)

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
