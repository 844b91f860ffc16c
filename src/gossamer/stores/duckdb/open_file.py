"""From a path to a connection that can be trusted: checked, migrated, or begun anew."""

import contextlib
import logging
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from gossamer.errors import StoreUnavailable
from gossamer.filedb.files import Files
from gossamer.filedb.recovery import Salvage
from gossamer.stores.duckdb.create_file import CONFIG, Connection, copy_files, make_anew, make_empty
from gossamer.stores.duckdb.error_mapping import is_damage, is_held, is_newer, ours
from gossamer.stores.duckdb.inspect_file import Unusable, is_there, look_at, table_names

_LOG = logging.getLogger("gossamer")
_SIDES = (".wal", ".wal.checkpoint", ".wal.recovery")
_DESTRUCTIVE = "-- destructive"
_HELD_S = 5.0
"""How long another process may take to let go of the file after it has given up the lease."""
_POLL_S = 0.005


@dataclass(frozen=True, kw_only=True, slots=True)
class Schema:
    """What the file must hold."""

    migrations: Sequence[str]
    """SQL scripts; the n-th makes schema n of schema n - 1. One that loses something begins with `-- destructive`, and
    the file is copied before."""
    tables: frozenset[str]
    """What there must be once all of them were applied."""
    is_ready: Callable[[Connection], bool]
    """Asked at the end of every opening."""
    make_ready: Callable[[Connection], None]
    """Runs in a transaction where it was not ready."""
    salvage: Salvage[Connection]
    """How what can be read of a damaged file is taken over."""
    begin_lost: Callable[[Connection, float], object]
    """What a new file, and from when, must hold where the one before it was emptied."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Opened:
    """A connection, and whether a newer Gossamer lets us write with it."""

    connection: Connection
    may_write: bool


def files_of(path: Path) -> Files:
    """The database file and what DuckDB puts beside it."""
    return Files(path, sides=_SIDES)


def move_aside(files: Files, trouble: Unusable, now: float) -> None:
    """Put a file away that cannot be used, and say so; no connection to it may be open."""
    folder = files.move_aside(trouble.kind, now, is_marked=True)
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


def _make_spill_private(files: Files) -> None:
    """Make sure of the folder for what does not fit into memory: DuckDB would make one that anybody may look into."""
    folder = _spill(files)
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)


def clear_spill(files: Files) -> None:
    """Take that folder away once nothing is open."""
    with contextlib.suppress(OSError):
        _spill(files).rmdir()


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


def _spill(files: Files) -> Path:
    return files.database.with_name(f"{files.database.name}.tmp")


def open_checked(files: Files, schema: Schema, *, lost_at: float | None = None, is_known: bool = False) -> Opened:
    """Open, check and migrate; the caller holds the lease, so nobody else has the file open.

    `lost_at` is the time where there was something in the file once. A file that is not known to be ours is first
    looked at without the right to change it: even closing it would bring its log into it.
    Raises `Unusable` for a damaged file, and for one of a newer Gossamer or DuckDB.
    """
    try:
        return _open_checked(files, schema, lost_at, is_known)
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        if is_newer(error):
            raise Unusable("newer", "it was written by a newer DuckDB") from error
        if is_damage(error):
            raise Unusable("corrupt", reason) from error
        if ours(error) is not None:
            raise
        raise StoreUnavailable(
            f"{files.database} cannot be opened ({reason}).", hint="Name a file of its own for Gossamer."
        ) from error


def _open_checked(files: Files, schema: Schema, lost_at: float | None, is_known: bool) -> Opened:
    path, known = files.database, len(schema.migrations)
    if not is_there(path):
        lost_at = lost_at if path.exists() else None
        make_empty(path)
    with contextlib.ExitStack() as undo:
        connection = undo.enter_context(_connect(path, read_only=not is_known))
        found = look_at(connection, files, known)
        if found.schema == known and not schema.tables <= table_names(connection):
            raise Unusable("corrupt", "a table of it is missing")
        if not is_known or not found.may_write or found.schema < known:
            connection.close()
            _make_private(files)
            _keep_copy(files, schema, found.schema)
            connection = undo.enter_context(_connect(path, read_only=not found.may_write))
        _make_spill_private(files)
        if found.may_write:
            _migrate(files, connection, schema, found.schema, lost_at)
        undo.pop_all()
    return Opened(connection=connection, may_write=found.may_write)


def _make_private(files: Files) -> None:
    for path in (files.database, _log(files)):
        if path.exists():
            path.chmod(0o600)


def _keep_copy(files: Files, schema: Schema, at: int) -> None:
    """Copy a file before a step that loses something."""
    for number in range(at + 1, len(schema.migrations) + 1):
        if at and schema.migrations[number - 1].startswith(_DESTRUCTIVE):
            copy_files(files.database, files.backup(at), files.sides)
            return


def _connect(path: Path, *, read_only: bool) -> Connection:
    until = time.monotonic() + _HELD_S
    while True:
        try:
            return duckdb.connect(path, read_only=read_only, config=CONFIG)
        except duckdb.IOException as error:
            if not is_held(error) or time.monotonic() >= until:
                raise
        time.sleep(_POLL_S)


def _migrate(files: Files, connection: Connection, schema: Schema, at: int, lost_at: float | None) -> None:
    """Apply what is missing, each script in one transaction with its number."""
    known = len(schema.migrations)
    for number in range(at + 1, known + 1):
        make_log_private(files)
        connection.begin()
        connection.execute("CREATE TABLE IF NOT EXISTS meta (key VARCHAR NOT NULL, value VARCHAR NOT NULL)")
        connection.execute(schema.migrations[number - 1])
        put_meta(connection, "store.schema", str(number))
        if number == known and lost_at is not None and not at:
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
