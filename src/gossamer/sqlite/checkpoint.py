"""Moving what the log holds into the database file."""

import contextlib
import sqlite3

from gossamer.sqlite.files import Files

_LONG_BYTES = 8 * 2**20
_VERY_LONG_BYTES = 64 * 2**20


def checkpoint(connection: sqlite3.Connection, files: Files, *, is_due: bool = False) -> None:
    """Move the log into the file once it is long, or due; readers that are in the way make it wait for the next time.

    The write before it is committed whatever becomes of this; a full disk shows at the next one.
    """
    with contextlib.suppress(sqlite3.OperationalError, OSError):
        size = files.wal.stat().st_size
        if size > _VERY_LONG_BYTES:
            connection.execute("PRAGMA busy_timeout = 100")
            try:
                connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
            finally:
                connection.execute("PRAGMA busy_timeout = 30000")
        elif is_due or size > _LONG_BYTES:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
