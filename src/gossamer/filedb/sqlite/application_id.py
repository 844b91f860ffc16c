"""Ownership check: whether a database file is Gossamer's, found out before anything of it is touched."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Literal

from gossamer.errors import StoreUnavailable
from gossamer.filedb.files import Files
from gossamer.filedb.refusals import refusal
from gossamer.filedb.sqlite.error_mapping import Foreign, is_damage

META = "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
"""Every database of ours has this table before any other."""

_COLUMNS = [("key",), ("value",)]
_DUCKDB, _DUCKDB_AT = b"DUCK", 8
_Found = Literal["ours", "another", "empty", "unreadable", "unknown"]


def belongs_to_another(files: Files, *, was_ours: bool) -> bool:
    """Whether the file is a sound database of another program, or anything else where none of ours was before.

    It is looked at as if nobody could change it: so SQLite takes no lock, makes no file beside it and brings no log
    into it. Only where all its tables may be in the log is that read too; the log of an empty file is never looked at,
    which SQLite would delete.
    """
    if files.is_empty():
        return False
    found = _look(files.database, "immutable=1")
    if found in {"empty", "unreadable"} and files.has_log():
        found = _look(files.database, "mode=ro")
    if found == "unreadable":
        # One of ours that was overwritten is moved aside; DuckDB's library leaves the same mark beside its file.
        return not was_ours or _is_of_duckdb(files.database)
    return found == "another"


def refusal_of(files: Files) -> StoreUnavailable:
    """What to say of a file that may be no SQLite database at all."""
    if _look(files.database, "immutable=1") != "unreadable":
        return refusal(files)
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


def _look(path: Path, rights: str) -> _Found:
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?{rights}", uri=True, timeout=1)) as connection:
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").fetchone()
            if not tables:
                return "empty"
            if connection.execute("SELECT name FROM pragma_table_info('meta') ORDER BY name").fetchall() != _COLUMNS:
                return "another"
            said = connection.execute("SELECT 1 FROM meta WHERE key GLOB '*.schema' LIMIT 1").fetchone()
            # Who was killed before its first step had made this table alone.
            return "ours" if said or tables == 1 else "another"
    except Foreign as error:
        return "unreadable" if is_damage(error) else "unknown"


def _is_of_duckdb(path: Path) -> bool:
    """Whether a file that SQLite cannot read, and so has no lock on, begins as DuckDB's do."""
    try:
        with path.open("rb") as file:
            return file.read(_DUCKDB_AT + len(_DUCKDB)).endswith(_DUCKDB)
    except OSError:
        return False
