"""File identity: whose a database file is, and whether the log beside it is its own.

A file is found to be Gossamer's before anything of it is touched. A file that another one took the place of, as
restoring a copy does, leaves its log beside the new one; SQLite would bring that log into the new file, and ruin it.
Whoever lets go of a file that lost its name notes which log it left; and the users' lock names the file they have
open, for who comes before they notice.
"""

import contextlib
import logging
import sqlite3
from pathlib import Path
from typing import Literal

from gossamer.errors import StoreUnavailable
from gossamer.filedb.file_errors import not_ours
from gossamer.filedb.files import NO_FILE, Files
from gossamer.filedb.sqlite.error_mapping import Foreign, is_damage

_LOG = logging.getLogger("gossamer")

META = "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
"""Every database of ours has this table before any other."""

_COLUMNS = [("key",), ("value",)]
_DUCKDB, _DUCKDB_AT = b"DUCK", 8
_Content = Literal["ours", "another", "empty", "unreadable", "unknown"]


def belongs_to_another(files: Files, *, was_ours: bool) -> bool:
    """Whether the file is a sound database of another program, or anything else where none of ours was before.

    It is looked at as if nobody could change it: so SQLite takes no lock, makes no file beside it and brings no log
    into it. Only where all its tables may be in the log is that read too; the log of an empty file is never looked at,
    which SQLite would delete.
    """
    if files.is_empty():
        return False
    content = _look(files.database, "immutable=1")
    if content in {"empty", "unreadable"} and files.has_log():
        content = _look(files.database, "mode=ro")
    if content == "unreadable":
        # One of ours that was overwritten is moved aside; DuckDB's library leaves the same mark beside its file.
        return not was_ours or _is_of_duckdb(files.database)
    return content == "another"


def refusal_of(files: Files) -> StoreUnavailable:
    """What to say of a file that may be no SQLite database at all."""
    if _look(files.database, "immutable=1") != "unreadable":
        return not_ours(files)
    if _is_of_duckdb(files.database):
        return StoreUnavailable(
            f"{files.database} is a DuckDB file, and is left as it is.",
            hint=f"Name it by duckdb://{files.database}, or give SQLite a file of its own.",
        )
    return StoreUnavailable(
        f"{files.database} is no SQLite database, nor was there one of Gossamer's: it is left as it is.",
        hint="Name a file of its own for Gossamer, or move this one away.",
    )


def refuse_duckdb(files: Files) -> None:
    """Refuse a file of DuckDB, even while its library is in use and holds the lock."""
    if _look(files.database, "immutable=1") == "unreadable" and _is_of_duckdb(files.database):
        raise refusal_of(files)


def _look(path: Path, rights: str) -> _Content:
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?{rights}", uri=True, timeout=1)) as connection:
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").fetchone()
            if not tables:
                return "empty"
            if connection.execute("SELECT name FROM pragma_table_info('meta') ORDER BY name").fetchall() != _COLUMNS:
                return "another"
            schema = connection.execute("SELECT 1 FROM meta WHERE key GLOB '*.schema' LIMIT 1").fetchone()
            # Who was killed before its first step had made this table alone.
            return "ours" if schema or tables == 1 else "another"
    except Foreign as error:
        return "unreadable" if is_damage(error) else "unknown"


def _is_of_duckdb(path: Path) -> bool:
    """Whether a file that SQLite cannot read, and so has no lock on, begins as DuckDB's do."""
    try:
        with path.open("rb") as file:
            return file.read(_DUCKDB_AT + len(_DUCKDB)).endswith(_DUCKDB)
    except OSError:
        return False


def mark_of(files: Files) -> str:
    """What the users' lock holds about the file that has the name now."""
    return _name(files.identity()) or "1"


def note_stale(files: Files) -> None:
    """Note that the log which is there now is that of a file that lost its name; where a note can be made."""
    with contextlib.suppress(OSError):
        files.stale.touch(mode=0o600)
        files.stale.write_text(_name(files.log_identity()), "ascii")


def is_noted_stale(files: Files) -> bool:
    """Whether the log is the one that was noted, and no later one."""
    try:
        noted = files.stale.read_text("ascii", "replace")
    except OSError:
        return False
    log = files.log_identity()
    return log is not None and noted == _name(log)


def is_of_another(files: Files, mark: str) -> bool:
    """Whether the log belongs to another file than the one that has the name now, by the mark of its users."""
    present = mark_of(files)
    return " " in mark and " " in present and mark != present and files.log_identity() is not None


def move_stale(files: Files, now: float) -> None:
    """Move the log away that was noted; no process may have either file open."""
    if is_noted_stale(files):
        folder = files.move_sides("replaced", now)
        _LOG.warning("%s was replaced by another file: the log of the one before is in %s.", files.database, folder)
    files.stale.unlink(missing_ok=True)


def replaced(files: Files) -> StoreUnavailable:
    """The new file has to wait until no process uses the one before."""
    return StoreUnavailable(
        f"{files.database} was replaced by another file, and another process has the one before open.",
        hint="The new one is used once the others have noticed that, or ended; pages are not kept until then.",
    )


def _name(identity: tuple[int, int] | None) -> str:
    return "" if identity is None or identity == NO_FILE else "{} {}".format(*identity)
