"""What can still be read of a damaged SQLite store, page by page, for the new one."""

import contextlib
import sqlite3
import zlib
from collections.abc import Callable, Generator
from pathlib import Path
from sqlite3 import Connection
from typing import TypeVar

from gossamer.model.kept import Kept, Spending
from gossamer.sqlite import Work
from gossamer.sqlite.opening import open_moved
from gossamer.stores import carrying, packed, spending, tables
from gossamer.stores.ledger import lost_day
from gossamer.stores.rows import DamagedRow

_MOST = 1_000_000
"""Documents that are looked for; each takes a look of its own, since damage may lie anywhere."""
_LEDGER_SINCE = 3
"""The schema that brought the ledger."""

T = TypeVar("T")
_Broken = (sqlite3.Error, DamagedRow, zlib.error, ValueError, TypeError, LookupError, ArithmeticError, RecursionError)


def salvage(path: Path, now: float, done: int | None) -> Generator[tuple[int, Work[object]]]:
    """Changes to the new store, each to be made in a transaction of its own: first the ledger, then the pages."""
    old = _tried(lambda: open_moved(path))
    if old is None:
        if done is None:
            yield 0, lambda new: begin_lost(new, now)
        return
    with contextlib.closing(old):
        if done is None:
            ledger = _ledger(old, now)
            yield 0, lambda new: [spending.restore(new, entry) for entry in ledger]
        for document in range((done or 0) + 1, min(_last(old), _MOST) + 1):
            if prepared := _tried(lambda document=document: _prepared(old, document)):
                yield document, lambda new, prepared=prepared: carrying.restore(new, prepared)


def begin_lost(new: Connection, now: float) -> None:
    """Where the ledger is gone, today counts as spent."""
    spending.restore(new, lost_day(now))


def _prepared(old: Connection, document: int) -> carrying.Prepared | None:
    found = _kept(old, document)
    return carrying.prepare(found) if found else None


def _ledger(old: Connection, now: float) -> tuple[Spending, ...]:
    """The ledger's entries; where they cannot be read, today counts as spent."""
    at = _tried(lambda: int(old.execute("SELECT value FROM meta WHERE key = 'store.schema'").fetchone()[0]))
    if at is not None and at < _LEDGER_SINCE:
        return ()
    entries = _tried(lambda: spending.entries(old))
    return (lost_day(now),) if entries is None else entries


def _last(old: Connection) -> int:
    counts = (
        _tried(lambda: int(old.execute("SELECT seq FROM sqlite_sequence WHERE name = 'documents'").fetchone()[0])),
        _tried(lambda: int(old.execute("SELECT max(id) FROM documents").fetchone()[0])),
    )
    return max((count for count in counts if count is not None), default=0)


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
        former=_tried(lambda: carrying.former(old, document, page)) or (),
        used_at=_tried(lambda: carrying.used_at(old, document)) or page.fetched_at,
    )


def _tried(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except _Broken:
        return None
