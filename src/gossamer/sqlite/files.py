"""The files of a database: where they lie, who may read them, and how they are moved aside."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from gossamer.errors import BadSettings, StoreUnavailable

_SUFFIXES = {".sqlite", ".sqlite3", ".db"}


def path_of(address: str) -> Path:
    """The file that an address such as `sqlite:///home/me/store.sqlite` names."""
    _, found, rest = address.partition("://")
    name = rest.lstrip("/")
    if not found or not rest.startswith("/") or not name or "\0" in name:
        raise BadSettings(
            "A sqlite address needs the full path of a file.",
            hint="Write it with three slashes: sqlite:///home/me/store.sqlite.",
        )
    has_drive = name[1:2] == ":" and name[0].isalpha()
    return Path(name if has_drive and os.name == "nt" else f"/{name}")


@dataclass(frozen=True, slots=True)
class Files:
    """A database file and what lies beside it."""

    database: Path

    @property
    def lock(self) -> Path:
        """Held by whoever writes."""
        return self._beside(".lock")

    @property
    def users(self) -> Path:
        """Shared by all who have the database open."""
        return self._beside(".users")

    @property
    def suspect(self) -> Path:
        """Exists when somebody met damage, so that the next one to open the database looks closely."""
        return self._beside(".suspect")

    @property
    def wal(self) -> Path:
        """SQLite's log of writes that are not yet in the database file."""
        return self.database.with_name(f"{self.database.name}-wal")

    def make_folder(self) -> None:
        """Make sure of the folder; one that we create is for its owner only."""
        folder = self.database.parent
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise self.unavailable(error) from error

    def make_private(self) -> None:
        """Make sure of the database file, readable by its owner only. SQLite gives its side files the same mode.

        A file that exists is never opened here: closing it would drop the locks that SQLite holds on it elsewhere
        in this process.
        """
        try:
            os.close(os.open(self.database, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            if self.database.is_file():
                self.database.chmod(0o600)

    def move_aside(self, kind: str, now: float) -> Path:
        """Move the database and its side files together into a new folder, and name it."""
        base = self.database.with_name(f"{kind}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(now))}")
        folder = base
        for number in range(2, 1000):
            if not folder.exists():
                break
            folder = base.with_name(f"{base.name}-{number}")
        folder.mkdir(mode=0o700)
        for name in (self.database.name, f"{self.database.name}-wal", f"{self.database.name}-shm"):
            path = self.database.with_name(name)
            if path.exists():
                path.rename(folder / name)
        return folder

    def unavailable(self, error: OSError) -> StoreUnavailable:
        """Say that the folder cannot be used, and how to choose another."""
        reason = error.strerror or type(error).__name__
        return StoreUnavailable(
            f"The data folder {self.database.parent} cannot be written: {reason}.",
            hint="Set DATA_DIR to a folder that you can write to.",
        )

    def _beside(self, suffix: str) -> Path:
        name = self.database.stem if self.database.suffix in _SUFFIXES else self.database.name
        return self.database.with_name(f"{name}{suffix}")
