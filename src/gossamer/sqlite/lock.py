"""Operating system locks, each on a file of its own: they queue fairly, and kill -9 frees them."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

_POLL_S = 0.005


class FileLock:
    """One lock file, opened once. Each instance excludes every other, in this process and elsewhere."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def __enter__(self) -> Self:
        """Wait for the lock as long as it takes; only a thread that nobody awaits may do this."""
        _take(self._file)
        return self

    def __exit__(self, *_: object) -> None:
        _free(self._file)

    def try_take(self) -> bool:
        """Take the lock if nobody has it; `free` gives it back."""
        return _try(self._file)

    def take(self, *, within_s: float) -> bool:
        """Take the lock; False when somebody had it for `within_s` seconds."""
        return _within(within_s, self.try_take)

    def free(self) -> None:
        """Give the lock back and keep the file open."""
        _free(self._file)

    def share(self) -> None:
        """Hold the lock together with others, until `close`."""
        _share(self._file)

    def own(self, *, within_s: float) -> bool:
        """Become the only holder of a shared lock; False when others kept it for `within_s` seconds."""
        return _within(within_s, lambda: _own(self._file))

    @property
    def is_marked(self) -> bool:
        """Whether what the lock guards was there once."""
        return os.fstat(self._file).st_size > 0

    def mark(self) -> None:
        """Note that what the lock guards is there now, for who finds it gone."""
        if not self.is_marked:
            os.write(self._file, b"1")

    def close(self) -> None:
        """Let go of lock and file."""
        os.close(self._file)


def _within(seconds: float, attempt: Callable[[], bool]) -> bool:
    until = time.monotonic() + seconds
    while not attempt():
        if time.monotonic() >= until:
            return False
        time.sleep(_POLL_S)
    return True


if sys.platform == "win32":
    import msvcrt

    def _take(file: int) -> None:
        # LK_LOCK gives up after ten seconds, so the waiting is ours.
        while not _try(file):
            time.sleep(_POLL_S)

    def _free(file: int) -> None:
        os.lseek(file, 0, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

    def _try(file: int) -> bool:
        os.lseek(file, 0, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _share(_file: int) -> None:
        """There is no shared lock, and no need: Windows renames no file that somebody has open."""

    def _own(_file: int) -> bool:
        return True
else:
    import fcntl

    def _take(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

    def _free(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)

    def _share(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_SH)

    def _try(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    _own = _try
