"""Giving space back to the disk."""

import contextlib
import sqlite3
from pathlib import Path

from gossamer.stores.sqlite.eviction import FREE_BYTES, give_back, size


def test_free_space_goes_back_many_pages_at_a_time(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "some.sqlite", isolation_level=None)) as connection:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("BEGIN")
        connection.execute("CREATE TABLE things (data BLOB)")
        connection.executemany("INSERT INTO things VALUES (zeroblob(4000))", [()] * 1_800)
        connection.execute("DELETE FROM things")
        _, free = size(connection)
        assert free > 1_500 * 4_096
        is_more = give_back(connection)
        _, left = size(connection)
        assert free - left == 1_000 * 4_096
        assert is_more == (left > FREE_BYTES)
        while give_back(connection):
            pass
        assert size(connection)[1] <= FREE_BYTES
        connection.execute("COMMIT")
