"""From a path to a connection that can be trusted: checked, migrated, or begun anew."""

import logging
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from gossamer.errors import StoreUnavailable
from gossamer.sqlite.files import Files
from gossamer.sqlite.rescuing import Salvage
from gossamer.stores.duckdb.making import CONFIG, Connection, make_anew, make_empty
from gossamer.stores.duckdb.trouble import is_damage, is_held, is_newer

_LOG = logging.getLogger("gossamer")
_SIDES = (".wal", ".wal.checkpoint", ".wal.recovery")
_SQLITE = b"SQLite format 3\0"
_HELD_S = 5.0
"""How long another process may take to let go of the file after it has given up the lease."""
_POLL_S = 0.005


@dataclass(frozen=True, kw_only=True, slots=True)
class Schema:
    """What the file must hold."""

    migrations: Sequence[str]
    """SQL scripts; the n-th makes schema n of schema n - 1."""
    is_ready: Callable[[Connection], bool]
    """Asked at the end of every opening."""
    make_ready: Callable[[Connection], None]
    """Runs in a transaction where it was not ready."""
    salvage: Salvage[Connection]
    """How what can be read of a damaged file is taken over."""
    begin_lost: Callable[[Connection, float], object]
    """What a new file, and from when, must hold where the one before it was emptied."""


class Unusable(StoreUnavailable):
    """The file cannot be used as it is: `kind` names the folder it is moved to."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason, hint="Set DATA_DIR to another folder.")
        self.kind = kind


def files_of(path: Path) -> Files:
    """The database file and what DuckDB puts beside it."""
    return Files(path, sides=_SIDES)


def move_aside(files: Files, trouble: Unusable, now: float) -> None:
    """Put a file away that cannot be used, and say so; no connection to it may be open."""
    folder = files.move_aside(trouble.kind, now, is_marked=trouble.kind == "corrupt")
    _LOG.warning(
        "%s could not be used (%s): it was moved to %s, and a new one begun.", files.database, trouble.message, folder
    )


def open_moved(path: Path) -> Connection:
    """Open a database that was moved aside, to see what can still be read of it."""
    return duckdb.connect(path, read_only=True, config=CONFIG)


def make_log_private(files: Files) -> None:
    """Make sure of the log before it is written: DuckDB would make one that anybody may read."""
    if not _log(files).exists():
        os.close(os.open(_log(files), os.O_RDWR | os.O_CREAT, 0o600))


def compact(files: Files) -> None:
    """Give the free space inside a file back to the disk; no connection to it may be open.

    Where a log is left, closing could not bring it into the file; it would not fit another one.
    """
    log = _log(files)
    if not log.exists() or log.stat().st_size == 0:
        log.unlink(missing_ok=True)
        make_anew(files.database)


def _log(files: Files) -> Path:
    return files.database.with_name(f"{files.database.name}{_SIDES[0]}")


def open_checked(files: Files, schema: Schema, lost_at: float | None = None) -> Connection:
    """Open, check and migrate; the caller holds the lease, so nobody else has the file open.

    `lost_at` is the time where there was something in the file once.
    Raises `Unusable` for a damaged file, and for one of a newer Gossamer or DuckDB.
    """
    connection = None
    try:
        if not _make_private(files):
            lost_at = None
        connection = _connect(files.database)
        _migrate(files, connection, schema, lost_at)
    except duckdb.Error as error:
        _close(connection)
        if is_newer(error):
            raise Unusable("newer", "it was written by a newer DuckDB") from error
        if is_damage(error):
            raise Unusable("corrupt", str(error).splitlines()[0]) from error
        raise
    except BaseException:
        _close(connection)
        raise
    return connection


def _close(connection: Connection | None) -> None:
    if connection is not None:
        connection.close()


def _make_private(files: Files) -> bool:
    """Make sure of a file that its owner alone may read, and tell whether it was there; one of nothing is made anew."""
    path = files.database
    was_there = path.exists()
    if was_there:
        path.chmod(0o600)
        with path.open("rb") as file:
            begins = file.read(len(_SQLITE))
        if begins == _SQLITE:
            raise StoreUnavailable(
                f"{path} is a SQLite file.", hint=f"Name it by sqlite://{path}, or give DuckDB a file of its own."
            )
        if begins:
            return True
    make_empty(path)
    return was_there


def _connect(path: Path) -> Connection:
    until = time.monotonic() + _HELD_S
    while True:
        try:
            return duckdb.connect(path, config=CONFIG)
        except duckdb.IOException as error:
            if not is_held(error) or time.monotonic() >= until:
                raise
        time.sleep(_POLL_S)


def _migrate(files: Files, connection: Connection, schema: Schema, lost_at: float | None) -> None:
    """Apply what is missing, each script in one transaction with its number.

    A script that only adds something also sets `store.schema_min`, the oldest schema whose code may still use the
    file: an older Gossamer then goes on with it, and keeps away from a file that it would misread.
    """
    names = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if names and "meta" not in names:
        raise StoreUnavailable("The database belongs to another program.", hint="Name a file of its own for Gossamer.")
    meta = dict(connection.execute("SELECT key, value FROM meta").fetchall()) if names else {}
    try:
        at, known = int(meta.get("store.schema", 0)), len(schema.migrations)
        oldest = int(meta.get("store.schema_min", at))
    except ValueError as error:
        raise Unusable("corrupt", "its schema has no number") from error
    if at > known and oldest > known:
        raise Unusable("newer", "it was written by a newer Gossamer")
    for number in range(at + 1, known + 1):
        make_log_private(files)
        connection.begin()
        connection.execute("CREATE TABLE IF NOT EXISTS meta (key VARCHAR NOT NULL, value VARCHAR NOT NULL)")
        connection.execute(schema.migrations[number - 1])
        put_meta(connection, "store.schema", str(number))
        if number == known and lost_at is not None and not names:
            _LOG.warning("%s was emptied, so a new one is begun.", files.database)
            schema.begin_lost(connection, lost_at)
        connection.commit()
    if not schema.is_ready(connection):
        make_log_private(files)
        connection.begin()
        schema.make_ready(connection)
        connection.commit()


def put_meta(connection: Connection, key: str, value: str) -> None:
    """Set one value about the file."""
    connection.execute("DELETE FROM meta WHERE key = ?", [key])
    connection.execute("INSERT INTO meta VALUES (?, ?)", [key, value])
