"""What can still be read of a damaged DuckDB store, page by page, for the new one."""

import zlib
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TypeVar

import duckdb

from gossamer.model.kept import Kept, Spending
from gossamer.stores.carrying import Prepared, prepare
from gossamer.stores.duckdb import carrying, earlier, packed, spending, tables
from gossamer.stores.duckdb.opening import Connection, open_moved
from gossamer.stores.ledger import lost_day
from gossamer.stores.rows import DamagedRow

T = TypeVar("T")
_Broken = (duckdb.Error, DamagedRow, zlib.error, ValueError, TypeError, LookupError, ArithmeticError, RecursionError)


def salvage(path: Path, now: float, done: int | None) -> Generator[tuple[int, Callable[[Connection], object]]]:
    """Changes to the new store, each to be made in a transaction of its own: first the ledger, then the pages."""
    old = _tried(lambda: open_moved(path))
    if old is None:
        if done is None:
            yield 0, lambda new: begin_lost(new, now)
        return
    try:
        if done is None:
            ledger = _ledger(old, now)
            yield 0, lambda new: [spending.restore(new, entry) for entry in ledger]
        asked = [done or 0]
        ids = _tried(lambda: old.execute("SELECT id FROM documents WHERE id > ? ORDER BY id", asked).fetchall()) or []
        for (document,) in ids:
            if prepared := _tried(lambda document=document: _prepared(old, document)):
                yield document, lambda new, prepared=prepared: carrying.restore(new, prepared)
    finally:
        old.close()


def begin_lost(new: Connection, now: float) -> None:
    """Where the ledger is gone, today counts as spent."""
    spending.restore(new, lost_day(now))


def _prepared(old: Connection, document: int) -> Prepared | None:
    found = _kept(old, document)
    return prepare(found) if found else None


def _ledger(old: Connection, now: float) -> tuple[Spending, ...]:
    """The ledger's entries; where they cannot be read, today counts as spent."""
    entries = _tried(lambda: spending.entries(old))
    return (lost_day(now),) if entries is None else entries


def _kept(old: Connection, document: int) -> Kept | None:
    found = tables.load_document(old, document)
    if found is None:
        return None
    page = found.page
    models = _tried(lambda: packed.models_of(old, document)) or ()
    vectors = (_tried(lambda model=model: packed.load(old, page, model)) for model in models)
    return Kept(
        page=page,
        chunks=found.chunks,
        chunk_count=found.chunk_count,
        vectors=tuple(it for it in vectors if it),
        former=_tried(lambda: earlier.texts(old, document, page)) or (),
        used_at=found.used_at,
    )


def _tried(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except _Broken:
        return None
