"""From a path to a connection that can be trusted: checked, migrated, or begun anew."""

import contextlib
import logging
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from gossamer.errors import StoreUnavailable
from gossamer.ports import Clock
from gossamer.sqlite.files import Files, Journal
from gossamer.sqlite.lock import FileLock
from gossamer.sqlite.rescuing import Salvage
from gossamer.sqlite.trouble import Foreign, damaged, is_damage, ours

_LOG = logging.getLogger("gossamer")
_OWN_WAIT_S = 2.0
_DAY_S = 86_400.0
_DESTRUCTIVE = "-- destructive"
_CREATING = ("page_size = 8192", "auto_vacuum = INCREMENTAL")
_JOURNALS = {
    "wal": ("journal_mode = WAL", "synchronous = NORMAL"),
    "truncate": ("journal_mode = TRUNCATE", "synchronous = FULL"),
}
_ALWAYS = (
    "wal_autocheckpoint = 0",
    "journal_size_limit = 4194304",
    "mmap_size = 0",
    "foreign_keys = ON",
    "trusted_schema = OFF",
)

T = TypeVar("T")
Ready = Callable[[sqlite3.Connection, bool], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Schema:
    """What a database must hold. Two schemas of different names can share a file."""

    name: str
    migrations: Sequence[str]
    """SQL scripts; the n-th makes schema n of schema n - 1. One that loses something begins with `-- destructive`, and
    the file is copied before."""
    ready: Ready = lambda _connection, _is_suspect: None
    """Runs in the transaction that ends every opening; is told whether somebody met damage before."""
    salvage: Salvage[sqlite3.Connection] | None = None
    """How what can be read of a damaged database is taken over."""
    begin_lost: Callable[[sqlite3.Connection, float], object] = lambda _connection, _now: None
    """What a new database, and from when, must hold where the one before it was emptied."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Opened:
    """A connection for writing, and what was found on the way to it."""

    connection: sqlite3.Connection
    may_write: bool = True
    is_due: bool = False
    """Whether the whole file should be looked over, since its last user did not close it."""


class _Unusable(StoreUnavailable):
    """The file cannot be used as it is: `kind` names the folder it is moved to."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason, hint="Set DATA_DIR to another folder.")
        self.kind = kind


def connect(files: Files, *, journal: Journal | None = None) -> sqlite3.Connection:
    """Open a connection with our pragmas, for writing with `journal`, else for reading; the file must exist."""
    connection = sqlite3.connect(
        f"{files.database.as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=30, check_same_thread=False
    )
    connection.text_factory = _text
    pragmas = (*_CREATING, *_JOURNALS[journal], *_ALWAYS) if journal else (*_ALWAYS, "query_only = ON")
    try:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def transact(connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    """Do `work` in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise
    return result


def open_moved(path: Path) -> sqlite3.Connection:
    """Open a database that was moved aside, to see what can still be read of it."""
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None, check_same_thread=False)
    connection.text_factory = _text
    return connection


def _text(data: bytes) -> str:
    """Read text; bytes that are none are damage for the reader to find, not an error of the driver."""
    return data.decode("utf-8", "replace")


def open_reader(files: Files, schema: Schema, journal: Journal) -> tuple[sqlite3.Connection | None, bool]:
    """A connection for reading, and whether it can be used: the file is as we make it, and not suspect.

    One that cannot is to be closed under the write lock.
    """
    if not files.database.is_file() or files.suspect.exists() or files.unsaved():
        return None, False
    connection = None
    try:
        connection = connect(files)
        meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        is_current = meta.get(f"{schema.name}.schema") == str(len(schema.migrations))
        has_log = connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        is_ours = meta.get("shape") == _shape(connection) and has_log == (journal == "wal")
        return connection, is_current and is_ours
    except Foreign:
        return connection, False


def open_writer(
    files: Files,
    users: FileLock,
    schema: Schema,
    clock: Clock,
    journal: Journal,
    *,
    is_unclean: bool,
    may_move: bool,
) -> Opened:
    """Open, check and migrate, under the write lock that the caller holds.

    A damaged file, or one of a newer Gossamer that we could not even read, is moved aside with one warning and a new
    one begun, but only when nobody else has it open: replacing files under a living holder would ruin the new ones too.
    Where the caller itself reads from it (not `may_move`) it has to close everything before.
    """
    try:
        lost_at = clock.now() if users.is_marked and not files.unsaved() else None
        connection, may_write = _open_checked(files, schema, journal, lost_at)
        users.mark()
        is_due = is_unclean and may_write and _is_due(connection, clock.now())
        return Opened(connection=connection, may_write=may_write, is_due=is_due)
    except _Unusable as trouble:
        reason, is_marked = trouble.message, trouble.kind == "corrupt" and schema.salvage is not None
        if not may_move:
            files.suspect.touch(mode=0o600)
            raise damaged(f"The database file is damaged ({reason}).") from trouble
        if not users.own(within_s=_OWN_WAIT_S):
            raise StoreUnavailable(
                f"{files.database} cannot be used ({reason}), and another process has it open.",
                hint="It is moved aside once the others have closed it; pages are not kept until then.",
            ) from trouble
        folder = files.move_aside(trouble.kind, clock.now(), is_marked=is_marked)
    files.suspect.unlink(missing_ok=True)
    users.share()
    connection, _ = _open_checked(files, schema, journal)
    users.mark()
    _LOG.warning("%s could not be used (%s): it was moved to %s, and a new one begun.", files.database, reason, folder)
    return Opened(connection=connection)


def _is_due(connection: sqlite3.Connection, now: float) -> bool:
    """Whether the file was not looked over for a day; from now on it was."""
    last = connection.execute("SELECT CAST(value AS REAL) FROM meta WHERE key = 'checked'").fetchone()
    if last and 0 <= now - last[0] < _DAY_S:
        return False
    with contextlib.suppress(sqlite3.OperationalError):  # a full disk is no reason not to look
        connection.execute("REPLACE INTO meta VALUES ('checked', ?)", (str(now),))
    return True


def _open_checked(
    files: Files, schema: Schema, journal: Journal, lost_at: float | None = None
) -> tuple[sqlite3.Connection, bool]:
    """Open, check and migrate; `lost_at` is the time where there was something in the file once."""
    if not files.make_private():
        lost_at = None
    is_suspect = files.suspect.exists()
    connection = None
    try:
        connection = connect(files, journal=journal)
        if is_suspect and (verdict := verdict_on(connection)):
            raise _Unusable("corrupt", verdict)
        may_write = _migrate(connection, files, schema, is_suspect=is_suspect, lost_at=lost_at)
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
    return connection, may_write


def verdict_on(connection: sqlite3.Connection) -> str:
    """What is wrong with a database; empty when it is sound."""
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    return "" if verdict == "ok" else str(verdict).splitlines()[-1]


def _migrate(
    connection: sqlite3.Connection, files: Files, schema: Schema, *, is_suspect: bool, lost_at: float | None
) -> bool:
    """Apply what is missing, each script in one transaction with its number; tell whether we may write.

    A script that only adds something also sets `<name>.schema_min`, the oldest schema whose code may still use the
    file: an older Gossamer then goes on with it. One that changes how things are written, but not how they are read,
    sets `<name>.schema_read` in the same way, and an older Gossamer only reads. It keeps away from any other file.
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
        oldest_reader = int(meta.get(f"{key}_read", oldest))
    except ValueError as error:
        raise _Unusable("corrupt", "its schema has no number") from error
    if at > known and oldest > known:
        if oldest_reader > known:
            raise _Unusable("newer", "it was written by a newer Gossamer")
        connection.execute("PRAGMA query_only = ON")
        return False
    try:
        for number in range(at + 1, known + 1):
            script = schema.migrations[number - 1]
            if script.startswith(_DESTRUCTIVE) and at:
                _copy(connection, files.backup(number - 1))
            connection.executescript(f"BEGIN IMMEDIATE;\n{script}")
            if number == known and lost_at is not None and not tables:
                _LOG.warning("%s was emptied, so a new one is begun.", files.database)
                schema.begin_lost(connection, lost_at)
            connection.execute("REPLACE INTO meta VALUES (?, ?), ('shape', ?)", (key, str(number), _shape(connection)))
            connection.execute("COMMIT")
        connection.execute("BEGIN IMMEDIATE")
        schema.ready(connection, is_suspect)
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise
    return True


def _copy(connection: sqlite3.Connection, path: Path) -> None:
    """Copy the database as it is now; one that an interrupted migration left is made again."""
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    connection.execute("VACUUM INTO ?", (str(path),))


def _shape(connection: sqlite3.Connection) -> str:
    """A hash of what all tables look like: SQLite keeps that as text, where damage would go unnoticed.

    The tables that `ANALYZE` makes may come and go.
    """
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_stat[0-9]' ORDER BY name, type"
    ).fetchall()
    return sha256(repr(rows).encode()).hexdigest()
