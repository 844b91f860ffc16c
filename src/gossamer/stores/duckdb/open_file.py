"""From a path to a connection that can be trusted: checked, migrated, or begun anew."""

import contextlib
import logging
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from gossamer.errors import StoreUnavailable
from gossamer.filedb.file_errors import not_ours
from gossamer.filedb.files import Files
from gossamer.filedb.rescue import Salvage
from gossamer.stores.duckdb.error_mapping import is_damage, is_held, is_newer, ours

Connection = duckdb.DuckDBPyConnection

CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "memory_limit": "512MB",
    # Otherwise a function that DuckDB does not know makes it ask its download server.
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "enable_external_access": "false",
}


def make_empty(path: Path) -> None:
    """Make a file without tables."""
    _make(path, lambda _: None, CONFIG)


def copy_files(path: Path, copy: Path, sides: Sequence[str]) -> None:
    """Copy a file and its log as they are; no process may have it open."""
    for side in ("", *sides):
        source, target = (it.with_name(f"{it.name}{side}") for it in (path, copy))
        target.unlink(missing_ok=True)
        if source.exists():
            target.touch(mode=0o600)
            shutil.copyfile(source, target)


def make_anew(path: Path) -> None:
    """Put a copy without free space in a file's place, atomically; no process may have it open or open it."""

    def copy(connection: Connection) -> None:
        # Names of files cannot be parameters.
        old = str(path).replace("'", "''")
        connection.execute(f"ATTACH '{old}' AS old (READ_ONLY)")
        (new,) = connection.execute("SELECT current_database()").fetchone() or ("",)
        connection.execute(f'COPY FROM DATABASE old TO "{new}"')

    # Attaching is external access to DuckDB.
    _make(path, copy, CONFIG | {"enable_external_access": "true"})


def _make(
    path: Path, fill: Callable[[Connection], None], config: dict[str, str | bool | int | float | list[str]]
) -> None:
    """DuckDB takes no empty file and makes none that is private, so each is made in a folder that is."""
    folder = path.with_name(f"{path.name}.new")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        made = folder / "store.duckdb"
        with duckdb.connect(made, config=config) as connection:
            fill(connection)
        made.chmod(0o600)
        made.replace(path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


_SQLITE = b"SQLite format 3\0"
_NOT_TABLES = (
    "duckdb_views() WHERE NOT internal",
    "duckdb_sequences()",
    "duckdb_schemas() WHERE NOT internal AND schema_name <> 'main'",
    "duckdb_types() WHERE NOT internal",
    "duckdb_functions() WHERE NOT internal",
)
_NO_SUCH_TABLE = (duckdb.BinderException, duckdb.CatalogException, duckdb.ConversionException)


class Unusable(StoreUnavailable):
    """The file cannot be used as it is: `kind` names the folder it is moved to."""

    kind: str

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason, hint="Set DATA_DIR to another folder.")
        vars(self).update(kind=kind)


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A file that we can use."""

    schema: int
    """The number of its schema; 0 when there is nothing in it yet."""
    may_write: bool


def is_there(path: Path) -> bool:
    """Whether there is a file with anything in it. One of SQLite is refused by its name."""
    if not path.exists():
        return False
    begins = _begin(path)
    if begins.startswith(_SQLITE):
        raise StoreUnavailable(
            f"{path} is a SQLite file.", hint=f"Name it by sqlite://{path}, or give DuckDB a file of its own."
        )
    return bool(begins)


def is_own(path: Path) -> bool:
    """Whether a file is this user's; everything is root's."""
    return sys.platform == "win32" or os.geteuid() in {0, path.stat().st_uid}


def look_at(connection: Connection, files: Files, known: int) -> Found:
    """Tell what a file holds; `known` is the newest schema that we know.

    A schema that only added something has also set `store.schema_min`, the oldest schema whose code may still use the
    file: an older Gossamer then goes on with it. One that changed how things are written, but not how they are read,
    has set `store.schema_read` in the same way, and an older Gossamer only reads. It keeps away from any other file.
    """
    found = schema_of(connection, known)
    if found is None and not _is_empty(connection):
        raise not_ours(files)
    return found or Found(schema=0, may_write=True)


def schema_of(connection: Connection, known: int) -> Found | None:
    """What a file says of itself; None where it says nothing."""
    meta = _meta(connection)
    if "store.schema" not in meta:
        return None
    try:
        at = int(meta["store.schema"])
        oldest = int(meta.get("store.schema_min", at))
        oldest_reader = int(meta.get("store.schema_read", oldest))
    except ValueError as error:
        raise Unusable("corrupt", "its schema has no number") from error
    if at > known and min(oldest, oldest_reader) > known:
        raise Unusable("newer", "it was written by a newer Gossamer")
    return Found(schema=at, may_write=at <= known or oldest <= known)


def table_names(connection: Connection) -> set[str]:
    """The tables of a file."""
    return {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}


def _begin(path: Path) -> bytes:
    """The first bytes of a file that this process does not have open: closing one would drop DuckDB's lock on it."""
    with path.open("rb") as file:
        return file.read(len(_SQLITE))


def _meta(connection: Connection) -> dict[str, str]:
    """What the file says of itself; nothing where its table of this name is another program's."""
    key, value = "CAST(key AS VARCHAR)", "CAST(value AS VARCHAR)"
    try:
        rows = connection.execute(f"SELECT {key}, {value} FROM main.meta WHERE starts_with({key}, 'store.')")  # noqa: S608 - constants
        return dict(rows.fetchall())
    except _NO_SUCH_TABLE:
        return {}


def _is_empty(connection: Connection) -> bool:
    kinds = ("duckdb_tables()", *_NOT_TABLES)
    return not any(connection.execute(f"SELECT 1 FROM {kind} LIMIT 1").fetchone() for kind in kinds)  # noqa: S608 - constants


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
    """Create the log, private to its owner, before DuckDB does: DuckDB's own is readable by every user."""
    if not _log(files).exists():
        os.close(os.open(_log(files), os.O_RDWR | os.O_CREAT, 0o600))


def _make_spill_private(files: Files) -> None:
    """Create the temporary folder, private to its owner: DuckDB's own is readable by every user."""
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
    """Open, check and migrate; the caller holds the lease, so no other process has the file open.

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
