"""What can still be read of a damaged SQLite store, page by page, for the new one."""

import contextlib
import sqlite3
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from sqlite3 import Connection

from gossamer.filedb.rescue import Changes
from gossamer.filedb.sqlite.connections import open_moved
from gossamer.model.records import Spending
from gossamer.stores import scripts
from gossamer.stores.shared import ledger_rows as ledger
from gossamer.stores.shared.chunk_rows import DamagedRow
from gossamer.stores.shared.salvage import Salvaging, begin_lost
from gossamer.stores.shared.spend_ledger import lost_day
from gossamer.stores.sqlite import export, pages, vector_rows

_MOST = 1_000_000
"""Documents that are looked for; each takes a look of its own, since damage may lie anywhere."""
_LISTS = (
    ("INDEXED BY sqlite_autoindex_documents_1", "url {0}, view {0}"),
    ("INDEXED BY documents_newest", "view {0}, fetched_at {0}, chunk_count {0}"),
    ("NOT INDEXED", "id {0}"),
)
"""Where documents are listed, each with its order: both indexes are read without the documents themselves."""
_LEDGER_SINCE = 3
"""The schema that brought the ledger."""

_SALVAGING: Salvaging[Connection] = Salvaging(sqlite3.Error, pages, vector_rows, export.restore)
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
        if _is_newer(old):
            return True
        listed, is_certain = _listed(old)
        documents = _documents(listed, 0 if is_certain else _last(old), (done or 0) + 1)
        yield from _SALVAGING.changes(old, documents, export.used_at, listed=listed)
        return is_certain


def _is_newer(old: Connection) -> bool:
    """Whether a newer Gossamer has made pages in a way that we would misread."""
    meta = _tried(lambda: dict(old.execute("SELECT key, value FROM meta").fetchall())) or {}
    at = meta.get("store.schema", "0")
    oldest = meta.get("store.schema_read", meta.get("store.schema_min", at))
    return (_tried(lambda: min(int(at), int(oldest))) or 0) > len(scripts())


def _ledger(old: Connection, now: float) -> tuple[Spending, ...]:
    """The ledger's entries; where they cannot be read, today counts as spent."""
    at = _tried(lambda: int(old.execute("SELECT value FROM meta WHERE key = 'store.schema'").fetchone()[0]))
    if at is not None and at < _LEDGER_SINCE:
        return ()
    entries = _tried(lambda: tuple(map(_sound, ledger.entries(old))))
    return (lost_day(now),) if entries is None else entries


def _sound(entry: Spending) -> Spending:
    match (entry.op, entry.provider, entry.day, entry.amount, entry.until):
        case (str(), str(), str(), int(), float() | None):
            return entry
        case _:
            raise DamagedRow


def _listed(old: Connection) -> tuple[set[int], bool]:
    """The documents that are named anywhere, and whether these are all: where all lists name the very same."""
    named = [_named(old, *index) for index in _LISTS]
    all_named = {document for documents, _ in named for document in documents}
    return all_named, all(is_whole and documents == all_named for documents, is_whole in named)


def _named(old: Connection, index: str, order: str) -> tuple[set[int], bool]:
    """What a list names, from both ends as far as it can be read, and whether that is all of it."""
    documents: set[int] = set()
    for direction in ("ASC", "DESC"):
        question = f"SELECT id FROM documents {index} ORDER BY {order.format(direction)}"  # noqa: S608 - constant
        try:
            documents.update(document for (document,) in islice(old.execute(question), _MOST))
        except sqlite3.Error:
            continue
        return documents, direction == "ASC" and len(documents) < _MOST
    return documents, False


def _documents(listed: set[int], last: int, first: int) -> Iterable[int]:
    """All that may be there, in order: up to the last, and what is named beyond it."""
    last = min(last, _MOST)
    return chain(range(first, last + 1), sorted(document for document in listed if document >= max(first, last + 1)))


def _last(old: Connection) -> int:
    counts = (
        _tried(lambda: int(old.execute("SELECT seq FROM sqlite_sequence WHERE name = 'documents'").fetchone()[0])),
        _tried(lambda: int(old.execute("SELECT max(id) FROM documents").fetchone()[0])),
    )
    return max((count for count in counts if count is not None), default=0)
