"""What can still be read of a damaged SQLite store, page by page, for the new one."""

import contextlib
import sqlite3
from collections.abc import Generator
from pathlib import Path
from sqlite3 import Connection

from gossamer.model.kept import Spending
from gossamer.sqlite import Work
from gossamer.sqlite.connecting import open_moved
from gossamer.sqlite.rescuing import is_gone
from gossamer.stores import carrying, packed, spending, tables
from gossamer.stores.ledger import lost_day
from gossamer.stores.salvaging import Salvaging
from gossamer.stores.scripts import scripts

_MOST = 1_000_000
"""Documents that are looked for; each takes a look of its own, since damage may lie anywhere."""
_LEDGER_SINCE = 3
"""The schema that brought the ledger."""

_SALVAGING = Salvaging(sqlite3.Error)
_tried = _SALVAGING.tried


def salvage(path: Path, now: float, done: int | None) -> Generator[tuple[int, Work[object] | None]]:
    """Changes to the new store, each to be made in a transaction of its own: first the ledger, then the pages.

    Of a file that a newer Gossamer keeps to itself it is the ledger alone.
    """
    old = _tried(lambda: open_moved(path))
    if old is None:
        if done is None:
            yield 0, lambda new: begin_lost(new, now)
        return
    with contextlib.closing(old):
        if done is None:
            ledger = _ledger(old, now)
            yield 0, lambda new: [spending.restore(new, entry) for entry in ledger]
        last = 0 if _is_newer(old) else min(_last(old), _MOST)
        documents = range((done or 0) + 1, last + 1)
        yield from _SALVAGING.changes(documents, lambda document: _prepared(old, document), _restore)


def begin_lost(new: Connection, now: float) -> None:
    """Where the ledger is gone, today counts as spent."""
    spending.restore(new, lost_day(now))


def _restore(new: Connection, prepared: carrying.Prepared) -> None:
    page = prepared.record.page
    if not is_gone(new, page.url, page.view):
        carrying.restore(new, prepared)


def _is_newer(old: Connection) -> bool:
    """Whether a newer Gossamer has made pages in a way that we would misread."""
    said = _tried(lambda: dict(old.execute("SELECT key, value FROM meta").fetchall())) or {}
    at = said.get("store.schema", "0")
    oldest = said.get("store.schema_read", said.get("store.schema_min", at))
    return (_tried(lambda: min(int(at), int(oldest))) or 0) > len(scripts())


def _prepared(old: Connection, document: int) -> carrying.Prepared | None:
    # A page whose chunks cannot be read is cut again when it is read.
    found = _tried(lambda: tables.load_document(old, document)) or tables.load_text(old, document)
    if found is None:
        return None
    kept = _SALVAGING.kept(
        found,
        models=lambda: packed.models_of(old, document),
        vectors=lambda model: packed.load(old, found.page, model),
        former=lambda: carrying.former(old, document, found.page),
        used_at=lambda: carrying.used_at(old, document),
    )
    return carrying.prepare(kept)


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
