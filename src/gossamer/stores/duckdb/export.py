"""Pages of the DuckDB store with all that is kept beside them, out of it and into it."""

from dataclasses import replace

from gossamer.stores.duckdb import pages, vector_rows
from gossamer.stores.duckdb.open_file import Connection
from gossamer.stores.shared.page_rows import StoredPage
from gossamer.stores.shared.record_rows import Prepared


def used_at(_connection: Connection, stored: StoredPage) -> float:
    """When a page was last used."""
    return stored.used_at


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
        connection.execute("DELETE FROM replies WHERE document = ?", [document])
    else:
        document = pages.add(connection, rows, used_at)
    pages.replace_snapshots(connection, document, prepared.former)
    connection.execute("DELETE FROM vectors WHERE document = ?", [document])
    for vectors, bytes8 in zip(prepared.record.vectors, prepared.bytes8, strict=True):
        vector_rows.put(connection, page, vectors, bytes8)
    return True
