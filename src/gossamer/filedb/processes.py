"""Processes that share a file: one small file for each process that has it open, locked as long as that lives."""

import contextlib
import os
import uuid
from itertools import islice
from pathlib import Path

from gossamer.filedb.lock import FileLock

_PATIENCE_S = 1.0
"""How long counting the processes may take for the file of one."""

_MOST_CLEARED = 100

_ATTEMPTS = 3
"""Attempts to make the file: a process that leaves may remove the folder in between."""


class Sharer:
    """This process among those that use a database; kill -9 ends it, and the next one clears what is left of it.

    Where no file can be made it is not counted, and works all the same.
    """

    def __init__(self, database: Path) -> None:
        self._path = _folder(database) / f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._lock: FileLock | None = None
        for _ in range(_ATTEMPTS):
            with contextlib.suppress(OSError):
                self._path.parent.mkdir(mode=0o700, exist_ok=True)
                _clear(database)
                self._lock = FileLock(self._path)
                self._lock.take(within_s=_PATIENCE_S)
                break

    def close(self) -> None:
        """Be counted no longer; the last one takes the folder along."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None
            with contextlib.suppress(OSError):
                self._path.unlink()
                self._path.parent.rmdir()


def count_sharers(database: Path) -> int:
    """How many have a database open now, all processes together."""
    try:
        return sum(map(_is_alive, list(_folder(database).iterdir())))
    except OSError:
        return 0


def _clear(database: Path) -> None:
    """Take away what is left of those that were killed, some at a time: opening does not wait for that."""
    for path in islice(_folder(database).iterdir(), _MOST_CLEARED):
        _is_alive(path)


def _is_alive(path: Path) -> bool:
    try:
        lock = FileLock(path)
    except OSError:
        return False
    try:
        if not lock.try_take():
            return True
        with contextlib.suppress(OSError):
            path.unlink()
        return False
    finally:
        lock.close()


def _folder(database: Path) -> Path:
    return database.with_name(f"{database.name}.processes")
