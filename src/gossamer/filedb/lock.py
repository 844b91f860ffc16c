"""Operating system locks, each on a file of its own: they queue fairly, and kill -9 frees them."""

import contextlib
import errno
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

_POLL_S = 0.005
_MARK_BYTES = 100
_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
_UNWRITABLE = {errno.EROFS, errno.EACCES, errno.EPERM}


class FileLock:
    """One lock file. Each instance excludes every other, in this process and elsewhere.

    A lock file that was removed while it was open is a lock of nobody else: who takes the lock, or makes sure of it,
    looks whether the file still has its name, and goes over to the one that has.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file, self._is_writable = _opened(path)

    def __enter__(self) -> Self:
        """Wait for the lock as long as it takes; only for threads that no caller awaits."""
        _take(self._file)
        while self._go_over():
            _take(self._file)
        return self

    def __exit__(self, *_: object) -> None:
        _free(self._file)

    def try_take(self) -> bool:
        """Take the lock if it is free; `free` releases it."""
        return _try(self._file) and (not self._go_over() or self.try_take())

    def take(self, *, within_s: float) -> bool:
        """Take the lock; False when it was held for `within_s` seconds."""
        return _within(within_s, self.try_take)

    def free(self) -> None:
        """Give the lock back and keep the file open."""
        _free(self._file)

    def share(self) -> None:
        """Hold the lock together with others, until `close`."""
        _share(self._file)
        while self._go_over():
            _share(self._file)

    def renew_share(self) -> None:
        """Share the file that has the name now, where ours was removed."""
        mark = self.text
        if self._go_over():
            self.share()
            if mark:
                self.mark(mark)

    def own(self, *, within_s: float) -> bool:
        """Become the only holder of a shared lock; False when others kept it for `within_s` seconds.

        Then it is shared no longer either.
        """
        return _within(within_s, self._try_own)

    def _try_own(self) -> bool:
        return _own(self._file) and (not self._go_over() or self._try_own())

    @property
    def is_in_place(self) -> bool:
        """Whether our file still has its name; True when that is unknown."""
        mine = os.fstat(self._file)
        try:
            there = self._path.stat()
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)

    def _go_over(self) -> bool:
        """Open the file anew if ours was removed; tell whether it was. When that is unknown it stays."""
        if self.is_in_place:
            return False
        try:
            opened = _opened(self._path)
        except OSError:
            return False
        os.close(self._file)
        self._file, self._is_writable = opened
        return True

    @property
    def is_marked(self) -> bool:
        """Whether what the lock guards was there once."""
        return os.fstat(self._file).st_size > 0

    @property
    def text(self) -> str:
        """The last note about what the lock guards."""
        os.lseek(self._file, 0, os.SEEK_SET)
        return os.read(self._file, _MARK_BYTES).decode("ascii", "replace")

    def mark(self, text: str = "1") -> None:
        """Note, where the file can be written, that what the lock guards exists, for a process that finds it gone."""
        if self._is_writable and self.text != text:
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, text.encode())
            os.ftruncate(self._file, len(text))

    def close(self) -> None:
        """Let go of lock and file."""
        os.close(self._file)


def _opened(path: Path) -> tuple[int, bool]:
    """The file, and whether it can be written.

    A link is not followed: in a folder of somebody else's it could have root make a file anywhere.
    """
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o600), True
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        # Where it can only be read, a lock on it is as good.
        with contextlib.suppress(OSError):
            return os.open(path, os.O_RDONLY | _NO_LINK), False
        raise


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
        """There is no shared lock, and no need: Windows renames no open file."""

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
