"""Opening a database file: checked, migrated, or begun anew; and the schema versions that may use it."""

import contextlib
import logging
import sqlite3
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

from gossamer.errors import StoreDamaged, StoreUnavailable
from gossamer.filedb.files import Files
from gossamer.filedb.lock import FileLock
from gossamer.filedb.rescue import Salvage
from gossamer.filedb.sqlite.connections import Mode, Reader, connect, connect_looking, connect_reader, mode_of
from gossamer.filedb.sqlite.error_mapping import Foreign, damaged, is_damage, ours, reason
from gossamer.filedb.sqlite.file_identity import (
    META,
    belongs_to_another,
    is_noted_stale,
    is_of_another,
    mark_of,
    move_stale,
    refusal_of,
    refuse_duckdb,
    replaced,
)
from gossamer.ports import Clock

_LOG = logging.getLogger("gossamer")
_OWN_WAIT_S = 2.0
_LET_GO_S = 0.5
"""Others who found it emptied or replaced let go of it at about the same time."""
_DAY_S = 86_400.0
_DESTRUCTIVE = "-- destructive"
NEWER = "it was written by a newer Gossamer"
RESHAPED = "its tables are not as they were made"
NUMBERLESS = "its schema has no number"

Right = Literal["write", "read", "none"]
Prepare = Callable[[sqlite3.Connection], bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class Schema:
    """What a database must hold. Two schemas of different names can share a file."""

    name: str
    migrations: Sequence[str]
    """SQL scripts; the n-th makes schema n of schema n - 1. One that loses something begins with `-- destructive`, and
    the file is copied before."""
    prepare: Prepare = lambda _connection: False
    """Makes a portion of what is made of the rest, and tells whether more is left: each in a short transaction, the
    first at the end of every opening."""
    doubt: Callable[[sqlite3.Connection], object] = lambda _connection: None
    """Drops derived data, since damage was found."""
    salvage: Salvage[sqlite3.Connection] | None = None
    """How what can be read of a damaged database is taken over."""
    begin_lost: Callable[[sqlite3.Connection, float], object] = lambda _connection, _now: None
    """What a new database, and from when, must hold where the one before it was emptied."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Opened:
    """A connection for writing, and what was found on the way to it."""

    connection: sqlite3.Connection
    mode: Mode
    may_write: bool = True
    is_unprepared: bool = False
    """Whether more is to be prepared."""
    is_due: bool = False
    """Whether the whole file should be looked over, since its last user did not close it."""


class _Unusable(StoreUnavailable):
    """The file cannot be used as it is: `kind` names the folder it is moved to."""

    kind: str

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason, hint="Set DATA_DIR to another folder.")
        vars(self).update(kind=kind)


def open_reader(files: Files, schema: Schema, mode: Mode, *, is_alone: bool) -> tuple[Reader | None, Mode]:
    """A connection for reading, and the journal to go on with; none unless the file is as we make it, and not suspect.

    The journal that others use is good enough.
    """
    if files.is_empty() or files.suspect.exists() or files.stale.exists() or files.unsaved():
        return None, mode
    if belongs_to_another(files, was_ours=True):
        refuse_duckdb(files)
        return None, mode
    with contextlib.ExitStack() as undo, contextlib.suppress(*Foreign):
        reader = connect_looking(files, "wal")
        connection = undo.enter_context(contextlib.closing(reader.connection))
        meta = meta_of(connection)
        is_current = meta.get(f"{schema.name}.schema") == str(len(schema.migrations))
        is_ours = is_current and meta.get("shape") == shape_of(connection)
        # Read alone, a file does not tell; only one with a log is read so.
        present: Mode = "wal" if reader.still else mode_of(connection)
        if is_ours and (present == mode or not is_alone):
            _tell(files, present, mode)
            if present != "wal":
                return Reader(connect_reader(files, present)), present
            undo.pop_all()
            return reader, present
    return None, mode


def open_writer(
    files: Files,
    users: FileLock,
    schema: Schema,
    clock: Clock,
    mode: Mode,
    *,
    is_unclean: bool,
    may_move: bool,
) -> Opened:
    """Open, check and migrate, under the write lock that the caller holds.

    The journal is changed by who is alone: others would go on with the one they know, and each would miss what the
    other wrote.

    A damaged file, or one of a newer Gossamer that we could not even read, is moved aside with one warning and a new
    one begun, but only when nobody else has it open: replacing files under a living holder would ruin the new ones too.
    Where the caller itself reads from it (not `may_move`) it has to close everything before.
    """
    try:
        lost_at = clock.now() if users.is_marked and not files.unsaved() else None
        with _agreed(files, users, mode, clock, may_move=may_move) as agreed:
            opened = _open_checked(files, schema, agreed, lost_at, was_ours=users.is_marked)
        users.mark(mark_of(files))
        is_due = is_unclean and opened.may_write and _is_due(opened.connection, clock.now())
        return replace(opened, is_due=is_due)
    except _Unusable as trouble:
        why = trouble.message
        if not may_move:
            if trouble.kind == "corrupt":
                files.suspect.touch(mode=0o600)
            raise unfit(why) from trouble
        if not users.own(within_s=_OWN_WAIT_S):
            raise StoreUnavailable(
                f"{files.database} cannot be used ({why}), and another process has it open.",
                hint="It is moved aside once the others have used it again or closed it; nothing is kept until then.",
            ) from trouble
        folder = files.move_aside(trouble.kind, clock.now(), is_marked=schema.salvage is not None)
    files.suspect.unlink(missing_ok=True)
    users.share()
    opened = _open_checked(files, schema, mode)
    users.mark(mark_of(files))
    _LOG.warning("%s could not be used (%s): it was moved to %s, and a new one begun.", files.database, why, folder)
    return opened


@contextlib.contextmanager
def _agreed(files: Files, users: FileLock, mode: Mode, clock: Clock, *, may_move: bool) -> Generator[Mode]:
    """The journal to open a file with; while it may be changed no other process opens the file.

    One that was emptied has none: those who have it open must let go of it before it is begun anew. So must those who
    have a file open that this one took the place of, whose log is still there.
    """
    if not may_move or not files.database.is_file() or belongs_to_another(files, was_ours=users.is_marked):
        yield mode
        return
    is_emptied = users.is_marked and files.is_empty()
    is_stale = is_noted_stale(files)
    is_alone = users.own(within_s=_LET_GO_S if is_emptied or is_stale else 0)
    try:
        if is_alone:
            move_stale(files, clock.now())
        elif is_stale or is_of_another(files, users.text):
            raise replaced(files)
        if is_emptied and not is_alone:
            raise StoreUnavailable(
                f"{files.database} was emptied, and another process has it open.",
                hint="A new one is begun once the others have noticed that; pages are not kept until then.",
            )
        in_use = mode if is_alone or files.is_empty() else _mode_in_use(files, mode)
        _tell(files, in_use, mode)
        yield in_use
    finally:
        users.share()


def _tell(files: Files, in_use: Mode, asked: Mode) -> None:
    if in_use != asked:
        _LOG.warning("%s is in use with the journal `%s`, which is kept meanwhile.", files.database, in_use)


def _mode_in_use(files: Files, asked: Mode) -> Mode:
    try:
        with contextlib.closing(connect_reader(files, "wal")) as connection:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            return mode_of(connection)
    except Foreign:
        return asked


def _is_due(connection: sqlite3.Connection, now: float) -> bool:
    """Whether the file was not looked over for a day; from now on it was."""
    last = connection.execute("SELECT CAST(value AS REAL) FROM meta WHERE key = 'checked'").fetchone()
    if last and 0 <= now - last[0] < _DAY_S:
        return False
    with contextlib.suppress(sqlite3.OperationalError):  # a full disk is no reason not to look
        connection.execute("REPLACE INTO meta VALUES ('checked', ?)", (str(now),))
    return True


def _open_checked(
    files: Files, schema: Schema, mode: Mode, lost_at: float | None = None, *, was_ours: bool = True
) -> Opened:
    """Open, check and migrate; `lost_at` is the time where there was something in the file once."""
    if belongs_to_another(files, was_ours=was_ours):
        raise refusal_of(files)
    if not files.make_private():
        lost_at = None
        files.stale.unlink(missing_ok=True)  # SQLite lets go of any log that it finds beside a new file
    is_suspect = files.suspect.exists()
    connection = None

    def first(connection: sqlite3.Connection) -> bool:
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            if is_suspect:
                schema.doubt(connection)
            return schema.prepare(connection)

    try:
        connection = connect(files, mode)
        if is_suspect and (verdict := verdict_on(connection, is_close=True)):
            raise _Unusable("corrupt", verdict)
        may_write = _migrate(connection, files, schema, lost_at=lost_at)
        is_unprepared = may_write and first(connection)
    except BaseException as error:
        if connection is not None:
            connection.close()
        if isinstance(error, Foreign) and is_damage(error):
            raise _Unusable("corrupt", reason(error)) from error
        if isinstance(error, sqlite3.Error) and ours(error) is None:
            raise StoreUnavailable(
                f"{files.database} cannot be brought up to date ({error}).",
                hint="Move the file away, or set DATA_DIR to another folder.",
            ) from error
        raise
    if is_suspect:
        files.suspect.unlink(missing_ok=True)
    return Opened(connection=connection, mode=mode, may_write=may_write, is_unprepared=is_unprepared)


def verdict_on(connection: sqlite3.Connection, *, is_close: bool = False) -> str:
    """What is wrong with a database; empty when it is sound. A close look compares tables and indexes, too."""
    (verdict,) = connection.execute(f"PRAGMA {'integrity_check' if is_close else 'quick_check'}(1)").fetchone()
    return "" if verdict == "ok" else str(verdict).splitlines()[-1]


def _migrate(connection: sqlite3.Connection, files: Files, schema: Schema, *, lost_at: float | None) -> bool:
    """Apply what is missing, each script in one transaction with its number; tell whether we may write.

    A script that only adds something also sets `<name>.schema_min`, the oldest schema whose code may still use the
    file: an older Gossamer then goes on with it. One that changes how things are written, but not how they are read,
    sets `<name>.schema_read` in the same way, and an older Gossamer only reads. It keeps away from any other file.
    """
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    connection.execute(META)
    key, meta, known = f"{schema.name}.schema", meta_of(connection), len(schema.migrations)
    if is_reshaped(connection):
        raise _Unusable("corrupt", RESHAPED)
    try:
        at, right = int(meta.get(key, 0)), right_to(meta, key, known)
    except ValueError as error:
        raise _Unusable("corrupt", NUMBERLESS) from error
    if right == "none":
        raise _Unusable("newer", NEWER)
    if right == "read":
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
            connection.execute(
                "REPLACE INTO meta VALUES (?, ?), ('shape', ?)", (key, str(number), shape_of(connection))
            )
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


def right_to(meta: Mapping[str, str], key: str, known: int) -> Right:
    """What a Gossamer of schema `known` may do with a file; `ValueError` when its version numbers are invalid."""
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
    """Whether another program changed the tables, or removed the one that holds the schema version."""
    shape = shape_of(connection)
    try:
        return meta_of(connection).get("shape", shape) != shape
    except sqlite3.OperationalError:
        return True


def unfit(reason: str) -> StoreDamaged:
    """Say that the file cannot be used as it is now; every process that has it open must reopen it."""
    return damaged(f"The database file cannot be used any more ({reason}).")
