"""Who else uses a file: one small file for each process that has it open, locked as long as that lives."""

import contextlib
import os
import uuid
from pathlib import Path

from gossamer.sqlite.lock import FileLock

MOST = 5
"""Busy processes that one file serves well: each has to open it for its turn."""


class Sharer:
    """This process among those that use a store; kill -9 ends it, and the next to count clears what is left of it."""

    def __init__(self, database: Path) -> None:
        folder = _folder(database)
        folder.mkdir(mode=0o700, exist_ok=True)
        # Counting clears a file that nobody has locked yet; then another is made.
        while True:
            self._path = folder / f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
            self._lock = FileLock(self._path)
            if self._lock.try_take() and self._path.exists():
                return
            self._lock.close()

    def close(self) -> None:
        """Be counted no longer."""
        self._lock.close()
        with contextlib.suppress(OSError):
            self._path.unlink()


def count_sharers(database: Path) -> int:
    """How many processes have a store open now."""
    try:
        return sum(map(_is_alive, list(_folder(database).iterdir())))
    except OSError:
        return 0


def remark_on(database: Path) -> str:
    """How many use a store, and whether those are too many."""
    count = count_sharers(database)
    if count == 0:
        return ""
    told = f"used by {count} process{'es' if count > 1 else ''}"
    if count <= MOST:
        return told
    return f"{told}, in turn: beyond {MOST} busy ones it is slow, and a sqlite:/// store serves more"


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
    return database.with_name(f"{database.name}.users")
