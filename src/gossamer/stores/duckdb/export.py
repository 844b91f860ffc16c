"""Pages of the DuckDB store with all that is kept beside them, out of it and into it."""

from dataclasses import replace

from gossamer.model.kept import Kept
from gossamer.stores.duckdb import pages
from gossamer.stores.duckdb.open_file import Connection
from gossamer.stores.duckdb.vectors import rows as vector_rows
from gossamer.stores.shared.export import Prepared
from gossamer.stores.shared.page_rows import DamagedRow, earlier_texts


def next_record(connection: Connection, after: int) -> tuple[int, Kept | None] | None:
    """The document after this one, with its number; None when it is damaged, and none at all at the end."""
    (document,) = connection.execute("SELECT min(id) FROM documents WHERE id > ?", [after]).fetchone() or (None,)
    if document is None:
        return None
    try:
        return document, _record(connection, document)
    except DamagedRow:
        return document, None


def _record(connection: Connection, document: int) -> Kept | None:
    whole = pages.load_document(connection, document)
    if whole is None:
        return None
    vectors = [vector_rows.load(connection, whole.page, model) for model in vector_rows.models_of(connection, document)]
    return Kept(
        page=whole.page,
        chunks=whole.chunks,
        chunk_count=whole.chunk_count,
        vectors=tuple(filter(None, vectors)),
        former=earlier_texts(connection, document, whole.page),
        used_at=whole.used_at,
    )


def restore(connection: Connection, prepared: Prepared) -> bool:
    """Put a record in the place of an older one."""
    page, used_at = prepared.record.page, prepared.record.used_at
    rows = replace(prepared.rows, chunk_count=0 if page.view else prepared.record.chunk_count)
    present = pages.sound(connection, page.url, page.view)
    if present and present.page.fetched_at >= page.fetched_at:
        return False
    if present:
        pages.renew(connection, present, rows, used_at)
        document = present.document
    else:
        document = pages.add(connection, rows, used_at)
    pages.replace_snapshots(connection, document, prepared.former)
    connection.execute("DELETE FROM vectors WHERE document = ?", [document])
    for vectors, bytes8 in zip(prepared.record.vectors, prepared.bytes8, strict=True):
        vector_rows.put(connection, page, vectors, bytes8)
    return True
