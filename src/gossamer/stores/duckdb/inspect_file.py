"""What a DuckDB file is, found out before anything of it is changed: ours and of which schema, or another's."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import duckdb

from gossamer.errors import StoreUnavailable
from gossamer.filedb.file_errors import not_ours
from gossamer.filedb.files import Files
from gossamer.stores.duckdb.create_file import Connection

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

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason, hint="Set DATA_DIR to another folder.")
        self.kind = kind


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
