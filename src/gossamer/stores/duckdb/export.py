"""Pages of the DuckDB store with all that is kept beside them, out of it and into it."""

from dataclasses import replace

from gossamer.model.kept import Kept
from gossamer.stores.duckdb import pages, versions
from gossamer.stores.duckdb.open_file import Connection
from gossamer.stores.duckdb.vectors import rows as vector_rows
from gossamer.stores.shared.export import Prepared
from gossamer.stores.shared.page_rows import DamagedRow


def next_kept(connection: Connection, after: int) -> tuple[int, Kept | None] | None:
    """The document after this one, with its number; None when it is damaged, and none at all at the end."""
    (document,) = connection.execute("SELECT min(id) FROM documents WHERE id > ?", [after]).fetchone() or (None,)
    if document is None:
        return None
    try:
        return document, _kept(connection, document)
    except DamagedRow:
        return document, None


def _kept(connection: Connection, document: int) -> Kept | None:
    found = pages.load_document(connection, document)
    if found is None:
        return None
    vectors = [vector_rows.load(connection, found.page, model) for model in vector_rows.models_of(connection, document)]
    return Kept(
        page=found.page,
        chunks=found.chunks,
        chunk_count=found.chunk_count,
        vectors=tuple(it for it in vectors if it),
        former=versions.texts(connection, document, found.page),
        used_at=found.used_at,
    )


def restore(connection: Connection, it: Prepared) -> bool:
    """Put a record in the place of an older one."""
    page, used_at = it.record.page, it.record.used_at
    rows = replace(it.rows, chunk_count=0 if page.view else it.record.chunk_count)
    kept = pages.sound(connection, page.url, page.view)
    if kept and kept.page.fetched_at >= page.fetched_at:
        return False
    if kept:
        pages.renew(connection, kept, rows, used_at)
        document = kept.document
    else:
        document = pages.add(connection, rows, used_at)
    versions.replace_all(connection, document, it.former)
    connection.execute("DELETE FROM vectors WHERE document = ?", [document])
    for vectors, bytes8 in zip(it.record.vectors, it.bytes8, strict=True):
        vector_rows.put(connection, page, vectors, bytes8)
    return True
