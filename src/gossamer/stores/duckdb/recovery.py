"""What can still be read of a damaged DuckDB store, page by page, for the new one."""

import contextlib
from pathlib import Path

import duckdb

from gossamer.filedb.rescue import Changes, is_gone
from gossamer.model.records import Spending
from gossamer.stores import scripts
from gossamer.stores.duckdb import export, pages, vector_rows
from gossamer.stores.duckdb.open_file import Connection, Unusable, open_moved, schema_of
from gossamer.stores.shared import ledger_rows as ledger
from gossamer.stores.shared.page_rows import Prepared, earlier_texts, prepare
from gossamer.stores.shared.salvage import Salvaging
from gossamer.stores.shared.spend_ledger import lost_day

_SALVAGING = Salvaging(duckdb.Error)
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
        yield from _SALVAGING.changes(listed, lambda document: _prepared(old, document), _restore, listed=listed)
        return documents is not None


def begin_lost(new: Connection, now: float) -> None:
    """Where the ledger is gone, today counts as spent."""
    ledger.restore(new, lost_day(now))


def _restore(new: Connection, prepared: Prepared) -> None:
    page = prepared.record.page
    if not is_gone(new, page.url, page.view):
        export.restore(new, prepared)


def _documents(old: Connection, done: int) -> list[int] | None:
    """Those that come after this one; None where it cannot be told."""
    try:
        schema_of(old, len(scripts("gossamer.stores.duckdb")))
    except Unusable as trouble:
        if trouble.kind == "newer":
            return []
    except duckdb.Error:
        pass
    rows = _tried(lambda: old.execute("SELECT id FROM documents WHERE id > ? ORDER BY id", [done]).fetchall())
    return None if rows is None else [document for (document,) in rows]


def _prepared(old: Connection, document: int) -> Prepared | None:
    # A page whose chunks cannot be read is cut again when it is read.
    whole = _tried(lambda: pages.load_document(old, document)) or pages.load_text(old, document)
    if whole is None:
        return None
    record = _SALVAGING.record(
        whole,
        models=lambda: vector_rows.models_of(old, document),
        vectors=lambda model: vector_rows.load(old, whole.page, model),
        former=lambda: earlier_texts(old, document, whole.page),
        used_at=lambda: whole.used_at,
    )
    return prepare(record)


def _ledger(old: Connection, now: float) -> tuple[Spending, ...]:
    """The ledger's entries; where they cannot be read, today counts as spent."""
    entries = _tried(lambda: ledger.entries(old))
    return (lost_day(now),) if entries is None else entries
