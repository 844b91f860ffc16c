"""What can still be read of a damaged DuckDB store, page by page, for the new one."""

import contextlib
from pathlib import Path

import duckdb

from gossamer.filedb.rescue import Changes
from gossamer.model.records import Spending
from gossamer.stores import scripts
from gossamer.stores.duckdb import export, pages, vector_rows
from gossamer.stores.duckdb.open_file import Connection, Unusable, open_moved, schema_of
from gossamer.stores.shared import ledger_rows as ledger
from gossamer.stores.shared.salvage import Salvaging, begin_lost
from gossamer.stores.shared.spend_ledger import lost_day

_SALVAGING: Salvaging[Connection] = Salvaging(duckdb.Error, pages, vector_rows, export.restore)
_tried = _SALVAGING.tried


def salvage(path: Path, now: float, done: int | None) -> Changes[Connection]:
    """Changes to the new store, each to be made in a transaction of its own: first the ledger, then the pages.

    Of a file that a newer Gossamer keeps to itself it is the ledger alone.
    """
    old = _tried(lambda: open_moved(path))
    if old is None:
        if done is None:
            yield 0, lambda new: begin_lost(new, now)
        return False
    with contextlib.closing(old):
        if done is None:
            entries = _ledger(old, now)
            yield 0, lambda new: [ledger.restore(new, entry) for entry in entries]
        documents = _documents(old, done or 0)
        listed = documents or ()
        yield from _SALVAGING.changes(old, listed, export.used_at, listed=listed)
        return documents is not None


def _documents(old: Connection, done: int) -> list[int] | None:
    """The documents after this one; None when they cannot be listed."""
    try:
        schema_of(old, len(scripts("gossamer.stores.duckdb")))
    except Unusable as trouble:
        if trouble.kind == "newer":
            return []
    except duckdb.Error:
        pass
    rows = _tried(lambda: old.execute("SELECT id FROM documents WHERE id > ? ORDER BY id", [done]).fetchall())
    return None if rows is None else [document for (document,) in rows]


def _ledger(old: Connection, now: float) -> tuple[Spending, ...]:
    """The ledger's entries; where they cannot be read, today counts as spent."""
    entries = _tried(lambda: ledger.entries(old))
    return (lost_day(now),) if entries is None else entries
