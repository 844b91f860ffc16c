"""The files of a database: their paths, their permissions, and how they are moved aside."""

import contextlib
import glob
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gossamer.errors import StoreUnavailable
from gossamer.filedb.file_errors import blamed, limited, obstacle

NO_FILE = (0, 0)
"""The identity of a file that is not there, or empty."""
_SUFFIXES = {".sqlite", ".sqlite3", ".db"}


@dataclass(frozen=True, slots=True)
class Files:
    """A database file and what lies beside it."""

    database: Path
    sides: tuple[str, ...] = ("-wal", "-shm", "-journal")
    """What the names of the engine's own side files add to the database's."""

    @property
    def lock(self) -> Path:
        """The lock that a writer holds."""
        return self._beside(".lock")

    @property
    def users(self) -> Path:
        """The lock shared by all processes that have the database open."""
        return self._beside(".users")

    @property
    def suspect(self) -> Path:
        """Exists after damage was found: the next process to open the database checks it fully."""
        return self._beside(".suspect")

    @property
    def stale(self) -> Path:
        """Names the log left by a file that had the database's name before: it is not applied to the new file."""
        return self._beside(".stale")

    @property
    def wal(self) -> Path:
        """SQLite's log of writes that are not yet in the database file."""
        return self.database.with_name(f"{self.database.name}-wal")

    def backup(self, schema: int) -> Path:
        """A copy from before a migration that loses something."""
        return self._beside(f".bak-{schema}")

    def has_log(self) -> bool:
        """Whether there are writes in the log alone: the last user to close the database leaves none."""
        try:
            return self.wal.stat().st_size > 0
        except OSError:
            return False

    def still(self) -> tuple[int, int] | None:
        """Size and time of a database that has no log: unchanged as long as nothing was written to it."""
        try:
            status = self.database.stat()
        except OSError:
            return None
        return None if self.has_log() else (status.st_size, status.st_mtime_ns)

    def identity(self) -> tuple[int, int] | None:
        """Which file has the database's name now, where an empty one is none; None when it cannot be told.

        A link that took the name leads to a file with a name, a lock and a log of its own.
        """
        try:
            status = self.database.lstat()
        except FileNotFoundError:
            return NO_FILE
        except OSError:
            return None
        return (status.st_dev, status.st_ino) if status.st_size else NO_FILE

    def log_identity(self) -> tuple[int, int] | None:
        """Which file the log is; None where there is none."""
        try:
            status = self.wal.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def is_empty(self) -> bool:
        """Whether there is no database, or nothing in it."""
        return self.identity() == NO_FILE

    def make_folder(self) -> None:
        """Make sure of the folder, where one that we create is for its owner only, and that a file can be in it.

        Whoever opens a pipe waits for its other end, perhaps for ever.
        """
        folder = self.database.parent
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            # A link is followed when the path is made; one that is left leads to itself.
            is_strange = self.database.is_symlink() or (self.database.exists() and not self.database.is_file())
        except OSError as error:
            raise self.unavailable(error) from error
        if is_strange:
            hint = "Move it away, or set DATA_DIR to another folder."
            raise StoreUnavailable(f"{self.database} is no file.", hint=hint)

    def make_private(self) -> bool:
        """Make sure of the database file, readable by its owner only, and tell whether it was there.

        SQLite gives its side files the same mode; those of one who could only read stay behind as they were made.

        A file that exists is never opened here: closing it would drop the locks that SQLite holds on it elsewhere
        in this process.
        """
        try:
            os.close(os.open(self.database, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            for path in (self.database, *self._of_engine()):
                with contextlib.suppress(FileNotFoundError):
                    if path.is_file():
                        path.chmod(0o600)
            return True
        return False

    def mark_in(self, folder: Path) -> Path:
        """Lies beside a damaged database as long as there may be something in it to take over."""
        return folder / f"{self.database.name}.unsaved"

    def unsaved(self) -> list[Path]:
        """The folders of damaged databases with such a mark, newest first."""
        marks = self.database.parent.glob(f"*/{glob.escape(self.database.name)}.unsaved")
        marks = [mark for mark in marks if (mark.parent / self.database.name).exists()]
        ages = {mark.parent: (mark.stat().st_mtime_ns, len(mark.parent.name), mark.parent.name) for mark in marks}
        return sorted(ages, key=lambda folder: ages[folder], reverse=True)

    def move_aside(self, kind: str, now: float, *, is_marked: bool = False) -> Path:
        """Move the database and its side files together into a new folder, and name it."""
        folder = self._new_folder(kind, now)
        if is_marked:
            self.mark_in(folder).touch(mode=0o600)
        _move((self.database, *self._of_engine()), folder)
        return folder

    def move_sides(self, kind: str, now: float) -> Path:
        """Move the side files alone into a new folder, and name it."""
        folder = self._new_folder(kind, now)
        _move(self._of_engine(), folder)
        return folder

    def _new_folder(self, kind: str, now: float) -> Path:
        base = self.database.with_name(f"{kind}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(now))}")
        folder = base
        for number in range(2, 1000):
            if not folder.exists():
                break
            folder = base.with_name(f"{base.name}-{number}")
        folder.mkdir(mode=0o700)
        return folder

    def unavailable(self, error: OSError) -> StoreUnavailable:
        """Say which file or folder cannot be used, and what to do about it."""
        return blamed(self.database, error)

    def hindrance(self) -> StoreUnavailable | None:
        """Say which of the files a writer needs may not be written; None where all of them may."""
        error = obstacle((self.database, *self._of_engine()))
        return self.unavailable(error) if error else None

    def limit(self, *, is_certain: bool = False) -> StoreUnavailable | None:
        """Say that one of the files has met the limit that this process has for them; None where none has."""
        return limited((self.database, *self._of_engine()), is_certain=is_certain)

    def _of_engine(self) -> list[Path]:
        return [self.database.with_name(f"{self.database.name}{suffix}") for suffix in self.sides]

    def _beside(self, suffix: str) -> Path:
        name = self.database.stem if self.database.suffix in _SUFFIXES else self.database.name
        return self.database.with_name(f"{name}{suffix}")


def _move(paths: Iterable[Path], folder: Path) -> None:
    for path in paths:
        if path.exists():
            path.rename(folder / path.name)
