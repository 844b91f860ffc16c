"""The tables of the SQLite state."""

import math
from sqlite3 import Connection

from gossamer.filedb.sqlite import Schema
from gossamer.states.records import Record, alive, counted

SCHEMA = Schema(
    name="state",
    migrations=(
        """
        CREATE TABLE records (key TEXT PRIMARY KEY, value TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
        CREATE TABLE leases (key TEXT PRIMARY KEY, value TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
        CREATE INDEX records_until ON records (until);
        CREATE INDEX leases_until ON leases (until);
        """,
        # Processes that know schema 1 alone may have the file open, so their tables stay as they are. Times stand
        # before what may be long, and the index over both is read alone when the clock was set back.
        """
        CREATE TABLE entries (
            key TEXT PRIMARY KEY, since REAL NOT NULL, until REAL NOT NULL, value TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE grants (
            key TEXT PRIMARY KEY, since REAL NOT NULL, until REAL NOT NULL, value TEXT NOT NULL, number INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX entries_times ON entries (until, since);
        CREATE INDEX grants_times ON grants (until, since);
        INSERT INTO entries SELECT key, 0, until, value FROM records;
        INSERT INTO grants SELECT key, 0, until, value, 1 FROM leases;
        REPLACE INTO meta VALUES ('state.schema_min', '1');
        """,
    ),
)
SWEEP_ROWS = 500
"""Rows of a table that one change removes at most, so that nobody waits long for it."""

_SWEEP = tuple(
    f"DELETE FROM {table} WHERE key IN (SELECT key FROM {table} WHERE until <= ? LIMIT ?)"  # noqa: S608  our own names
    for table in ("entries", "grants", "records", "leases")
)
_DATE_ANEW = tuple(
    f"UPDATE {table} SET until = :now + (until - since), since = :now"  # noqa: S608  our own names
    f" WHERE key IN (SELECT key FROM {table} INDEXED BY {table}_times WHERE since > :now)"
    for table in ("entries", "grants")
)


def record(connection: Connection, key: str) -> Record | None:
    """The record of a key, expired or not."""
    row = connection.execute("SELECT since, until, value FROM entries WHERE key = ?", (key,)).fetchone()
    return Record(since=row[0], until=row[1], value=row[2]) if row else None


def put_record(connection: Connection, key: str, it: Record) -> None:
    """Set the record of a key."""
    connection.execute(
        "REPLACE INTO entries (key, since, until, value) VALUES (?, ?, ?, ?)", (key, it.since, it.until, it.value)
    )


def drop_record(connection: Connection, key: str) -> None:
    """Forget the record of a key."""
    connection.execute("DELETE FROM entries WHERE key = ?", (key,))


def count(
    connection: Connection, key: str, amount: int, *, cap: int | None, now: float, until: float
) -> tuple[Record, bool]:
    """Add to a counter unless the cap forbids it: the counter as it is then, and whether it was added to."""
    it, is_within = counted(alive(record(connection, key), now), amount, cap=cap, now=now, until=until)
    if is_within:
        put_record(connection, key, it)
    return it, is_within


def lease(connection: Connection, name: str) -> Record | None:
    """The last grant of a lease, expired or not."""
    row = connection.execute("SELECT since, until, value, number FROM grants WHERE key = ?", (name,)).fetchone()
    return Record(since=row[0], until=row[1], value=row[2], grant=row[3]) if row else None


def put_lease(connection: Connection, name: str, it: Record, *, is_new: bool) -> None:
    """Set the grant of a lease; the number of a new one is remembered for as long as the file lives."""
    connection.execute(
        "REPLACE INTO grants (key, since, until, value, number) VALUES (?, ?, ?, ?, ?)",
        (name, it.since, it.until, it.value, it.grant),
    )
    if is_new:
        connection.execute("REPLACE INTO meta VALUES ('state.grant', ?)", (str(it.grant),))


def drop_lease(connection: Connection, name: str) -> None:
    """Forget the grant of a lease."""
    connection.execute("DELETE FROM grants WHERE key = ?", (name,))


def last_grant(connection: Connection) -> int:
    """The largest number that any lease was granted with."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'state.grant'").fetchone()
    return int(row[0]) if row and row[0].isdecimal() else 0


def last_change(connection: Connection) -> float:
    """When anybody last changed something; later than every time where that is not known."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'state.changed'").fetchone()
    try:
        return float(row[0]) if row else math.inf
    except ValueError:
        return math.inf


def note_change(connection: Connection, now: float) -> None:
    """Remember for all who share the file that something was changed."""
    connection.execute("REPLACE INTO meta VALUES ('state.changed', ?)", (repr(now),))


def sweep(connection: Connection, now: float) -> bool:
    """Remove what has expired, a bounded number of rows; False when there is more."""
    counts = [connection.execute(sql, (now, SWEEP_ROWS)).rowcount for sql in _SWEEP]
    return max(counts) < SWEEP_ROWS


def date_anew(connection: Connection, now: float) -> None:
    """Let what was written before the clock was set back begin now."""
    for sql in _DATE_ANEW:
        connection.execute(sql, {"now": now})
