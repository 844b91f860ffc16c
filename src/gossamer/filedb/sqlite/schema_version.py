"""Schema version: whether this version may use a file, asked in every transaction, since a newer one may come."""

import sqlite3
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Literal, TypeVar

from gossamer.errors import StoreDamaged
from gossamer.filedb.files import Files
from gossamer.filedb.refusals import only_readable
from gossamer.filedb.sqlite.error_mapping import damaged

NEWER = "it was written by a newer Gossamer"
RESHAPED = "its tables are not as they were made"
NUMBERLESS = "its schema has no number"

Right = Literal["write", "read", "none"]
T = TypeVar("T")


def right_to(meta: Mapping[str, str], key: str, known: int) -> Right:
    """What a file lets those do with it who know schema `known`; a `ValueError` where its numbers are none."""
    at = int(meta.get(key, 0))
    oldest = int(meta.get(f"{key}_min", at))
    oldest_reader = int(meta.get(f"{key}_read", oldest))
    if at <= known or oldest <= known:
        return "write"
    return "read" if oldest_reader <= known else "none"


def meta_of(connection: sqlite3.Connection) -> dict[str, str]:
    """What a file says of itself."""
    return dict(connection.execute("SELECT key, value FROM meta").fetchall())


def shape_of(connection: sqlite3.Connection) -> str:
    """A hash of what all tables look like: SQLite keeps that as text, where damage would go unnoticed.

    The tables that `ANALYZE` makes may come and go.
    """
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_stat[0-9]' ORDER BY name, type"
    ).fetchall()
    return sha256(repr(rows).encode()).hexdigest()


def is_reshaped(connection: sqlite3.Connection) -> bool:
    """Whether somebody changed the tables since a Gossamer made them, or took away the one that tells."""
    shape = shape_of(connection)
    try:
        return meta_of(connection).get("shape", shape) != shape
    except sqlite3.OperationalError:
        return True


def unfit(reason: str) -> StoreDamaged:
    """Say that the file cannot be used as it is now; whoever has it open has to open it again."""
    return damaged(f"The database file cannot be used any more ({reason}).")


class Fitting:
    """The schema that a file had when it was last looked at, and what its number lets us do."""

    def __init__(self, files: Files, name: str, known: int) -> None:
        self._files = files
        self._key = f"{name}.schema"
        self._known = known
        # Several threads look; what belongs together is put in place together.
        self._found: tuple[tuple[str] | None, bool] = (None, True)

    def read(self, work: Callable[[sqlite3.Connection], T], connection: sqlite3.Connection) -> T:
        """Do `work` within a transaction, if the file may be read."""
        return self._do(work, connection, is_writing=False)

    def write(self, work: Callable[[sqlite3.Connection], T], connection: sqlite3.Connection) -> T:
        """Do `work` within a transaction, if the file may be written."""
        return self._do(work, connection, is_writing=True)

    def _do(self, work: Callable[[sqlite3.Connection], T], connection: sqlite3.Connection, *, is_writing: bool) -> T:
        try:
            if not self._may_write(connection) and is_writing:
                raise only_readable(self._files)
            return work(connection)
        except sqlite3.OperationalError as error:
            # What does not fit the tables we made is a mistake of ours, and told as it is.
            if error.sqlite_errorcode == sqlite3.SQLITE_ERROR and is_reshaped(connection):
                raise unfit(f"{RESHAPED}: {error}") from error
            raise

    def _may_write(self, connection: sqlite3.Connection) -> bool:
        """Tell whether we may; raise `StoreDamaged` where we may not even read.

        Every read comes this way, so the number alone is looked at until it is another one.
        """
        row = connection.execute("SELECT value FROM meta WHERE key = ?", (self._key,)).fetchone()
        seen, may_write = self._found
        if row == seen:
            return may_write
        try:
            right = right_to(meta_of(connection), self._key, self._known)
        except ValueError as error:
            raise unfit(NUMBERLESS) from error
        if right == "none":
            raise unfit(NEWER)
        self._found = row, right == "write"
        return right == "write"
