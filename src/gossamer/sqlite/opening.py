"""From a path to a connection that can be trusted: checked, migrated, or begun anew."""

import logging
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from gossamer.errors import StoreUnavailable
from gossamer.ports import Clock
from gossamer.sqlite.files import Files
from gossamer.sqlite.lock import FileLock
from gossamer.sqlite.trouble import Foreign, is_damage, ours

_LOG = logging.getLogger("gossamer")
_OWN_WAIT_S = 2.0
_CREATING = ("page_size = 8192", "auto_vacuum = INCREMENTAL", "journal_mode = WAL")
_ALWAYS = (
    "synchronous = NORMAL",
    "wal_autocheckpoint = 0",
    "journal_size_limit = 4194304",
    "mmap_size = 0",
    "foreign_keys = ON",
    "trusted_schema = OFF",
)

Ready = Callable[[sqlite3.Connection, bool], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Schema:
    """What a database must hold. Two schemas of different names can share a file."""

    name: str
    migrations: Sequence[str]
    """SQL scripts; the n-th makes schema n of schema n - 1."""
    ready: Ready = lambda _connection, _is_suspect: None
    """Runs in the transaction that ends every opening; is told whether somebody met damage before."""


class _Unusable(StoreUnavailable):
    """The file cannot be used as it is: `kind` names the folder it is moved to."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason, hint="Set DATA_DIR to another folder.")
        self.kind = kind


def connect(files: Files, *, may_write: bool) -> sqlite3.Connection:
    """Open a connection with our pragmas; the file must exist."""
    connection = sqlite3.connect(
        f"{files.database.as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=30, check_same_thread=False
    )
    connection.text_factory = _text
    try:
        for pragma in (*_CREATING, *_ALWAYS) if may_write else (*_ALWAYS, "query_only = ON"):
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def _text(data: bytes) -> str:
    """Read text; bytes that are none are damage for the reader to find, not an error of the driver."""
    return data.decode("utf-8", "replace")


def open_writer(files: Files, users: FileLock, schema: Schema, clock: Clock) -> sqlite3.Connection:
    """Open, check and migrate, under the write lock that the caller holds.

    A damaged file, or one of a newer Gossamer, is moved aside with one warning and a new one begun, but only when
    nobody else has it open: replacing files under a living holder would ruin the new ones too.
    """
    users.share()
    try:
        return _open_checked(files, schema)
    except _Unusable as trouble:
        reason = trouble.message
        if not users.own(within_s=_OWN_WAIT_S):
            raise StoreUnavailable(
                f"{files.database} cannot be used ({reason}), and another process has it open.",
                hint="Close the other Gossamer processes and start again; the file is then moved aside.",
            ) from trouble
        folder = files.move_aside(trouble.kind, clock.now())
    files.suspect.unlink(missing_ok=True)
    users.share()
    connection = _open_checked(files, schema)
    _LOG.warning("%s could not be used (%s): it was moved to %s, and a new one begun.", files.database, reason, folder)
    return connection


def _open_checked(files: Files, schema: Schema) -> sqlite3.Connection:
    files.make_private()
    is_suspect = files.suspect.exists()
    connection = None
    try:
        connection = connect(files, may_write=True)
        if is_suspect:
            _check(connection)
        _migrate(connection, schema, is_suspect=is_suspect)
    except BaseException as error:
        if connection is not None:
            connection.close()
        if isinstance(error, Foreign) and is_damage(error):
            raise _Unusable("corrupt", str(error)) from error
        if isinstance(error, sqlite3.Error) and ours(error) is None:
            raise StoreUnavailable(
                f"{files.database} cannot be brought up to date ({error}).",
                hint="Move the file away, or set DATA_DIR to another folder.",
            ) from error
        raise
    if is_suspect:
        files.suspect.unlink(missing_ok=True)
    return connection


def _check(connection: sqlite3.Connection) -> None:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise _Unusable("corrupt", verdict.splitlines()[0])


def _migrate(connection: sqlite3.Connection, schema: Schema, *, is_suspect: bool) -> None:
    """Apply what is missing, each script in one transaction with its number.

    A script that only adds something also sets `<name>.schema_min`, the oldest schema whose code may still use the
    file: an older Gossamer then goes on with it, and keeps away from a file that it would misread.
    """
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    (ours,) = connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'").fetchone()
    if tables and not ours:
        raise StoreUnavailable("The database belongs to another program.", hint="Name a file of its own for Gossamer.")
    connection.execute("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
    key, meta = f"{schema.name}.schema", dict(connection.execute("SELECT key, value FROM meta").fetchall())
    if meta.get("shape", _shape(connection)) != _shape(connection):
        raise _Unusable("corrupt", "its tables are not as they were made")
    try:
        at, known = int(meta.get(key, 0)), len(schema.migrations)
        oldest = int(meta.get(f"{key}_min", at))
    except ValueError as error:
        raise _Unusable("corrupt", "its schema has no number") from error
    if at > known and oldest > known:
        raise _Unusable("newer", "it was written by a newer Gossamer")
    try:
        for number in range(at + 1, known + 1):
            connection.executescript(f"BEGIN IMMEDIATE;\n{schema.migrations[number - 1]}")
            connection.execute("REPLACE INTO meta VALUES (?, ?), ('shape', ?)", (key, str(number), _shape(connection)))
            connection.execute("COMMIT")
        connection.execute("BEGIN IMMEDIATE")
        schema.ready(connection, is_suspect)
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def _shape(connection: sqlite3.Connection) -> str:
    """A hash of what all tables look like: SQLite keeps that as text, where damage would go unnoticed."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name, type").fetchall()
    return sha256(repr(rows).encode()).hexdigest()
