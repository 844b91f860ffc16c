"""Records in a file, shared by every process on one machine."""

import math
from collections.abc import Callable
from pathlib import Path
from sqlite3 import Connection
from typing import Self, TypeVar

from gossamer.filedb.address import FileAddress, path_of
from gossamer.filedb.sqlite import Database, Journal, Schema, journal_of
from gossamer.model.records import WindowCount
from gossamer.ports import Clock
from gossamer.states.records import SWEEP_S, Record, alive, as_window, counted, next_grant, window_end

_PATIENCE_S = 1.5
"""An answer may wait for the store as well, and comes within ten seconds; without a state it only costs more."""
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
"""Rows of a table that one change removes at most, so that no caller waits long for it."""

_SWEEP = tuple(
    f"DELETE FROM {table} WHERE key IN (SELECT key FROM {table} WHERE until <= ? LIMIT ?)"  # noqa: S608  our own names
    for table in ("entries", "grants", "records", "leases")
)
_DATE_ANEW = tuple(
    f"UPDATE {table} SET until = :now + (until - since), since = :now"  # noqa: S608  our own names
    f" WHERE key IN (SELECT key FROM {table} INDEXED BY {table}_times WHERE since > :now)"
    for table in ("entries", "grants")
)

T = TypeVar("T")


class SqliteState(FileAddress):
    """Each change is one transaction under the write lock, so it is atomic across processes; reads never wait."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        # Both belong to the thread that writes.
        self._tried = -math.inf
        self._swept = clock.now()

    @classmethod
    async def open(cls, address: str, *, clock: Clock) -> Self:
        """Open or create the file that `sqlite:///path` names."""
        return await cls.open_file(path_of(address), clock=clock, journal=journal_of(address))

    @classmethod
    async def open_file(
        cls, path: Path, *, clock: Clock, patience_s: float = _PATIENCE_S, journal: Journal = "auto"
    ) -> Self:
        """Open or create a file; callers wait at most `patience_s` for other processes."""
        database = await Database.open(path, SCHEMA, clock=clock, patience_s=patience_s, journal=journal)
        return cls(database, clock)

    async def get(self, key: str) -> str | None:
        """The value, unless it has expired."""
        record = await self._database.read(lambda it: alive(_record(it, key), self._clock.now()))
        return record.value if record else None

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        """Set a value for `ttl_s` seconds."""
        await self._change(lambda it, now: _put_record(it, key, Record(value=value, since=now, until=now + ttl_s)))

    async def add(self, key: str, amount: int = 1, *, ttl_s: float) -> int:
        """Add to a counter and return the sum; the first addition starts its `ttl_s` seconds."""
        counter, _ = await self._change(lambda it, now: _count(it, key, amount, cap=None, now=now, until=now + ttl_s))
        return int(counter.value)

    async def window(self, key: str, amount: int = 1, *, cap: int, window_s: float, keep_s: float = 0.0) -> WindowCount:
        """Count at most `cap` in each fixed window; windows begin at multiples of their length, for every key."""

        def work(connection: Connection, now: float) -> WindowCount:
            until = window_end(now, window_s) + keep_s
            return as_window(*_count(connection, key, amount, cap=cap, now=now, until=until), now, keep_s)

        return await self._change(work)

    async def swap(self, key: str, old: str | None, new: str | None, *, ttl_s: float) -> bool:
        """Set `new` (None removes) only if the value is `old` (None: absent); tell whether it was."""

        def work(connection: Connection, now: float) -> bool:
            record = alive(_record(connection, key), now)
            if (record.value if record else None) != old:
                return False
            if new is None:
                _drop_record(connection, key)
            else:
                _put_record(connection, key, Record(value=new, since=now, until=now + ttl_s))
            return True

        return await self._change(work)

    async def lease(self, name: str, holder: str, *, ttl_s: float) -> int:
        """Take or renew a lease: the number of the grant, or 0 while another holder has it."""

        def work(connection: Connection, now: float) -> int:
            held = alive(_lease(connection, name), now)
            if held and held.value != holder:
                return 0
            grant = held.grant if held else next_grant(_last_grant(connection), now)
            record = Record(value=holder, since=now, until=now + ttl_s, grant=grant)
            _put_lease(connection, name, record, is_new=held is None)
            return grant

        return await self._change(work)

    async def put_under(self, name: str, grant: int, key: str, value: str, *, ttl_s: float) -> bool:
        """Set a value only while this grant of the lease `name` holds; tell whether it was set."""

        def work(connection: Connection, now: float) -> bool:
            held = alive(_lease(connection, name), now)
            if held is None or held.grant != grant:
                return False
            _put_record(connection, key, Record(value=value, since=now, until=now + ttl_s))
            return True

        return await self._change(work)

    async def release(self, name: str, holder: str) -> None:
        """Give a lease back; nothing happens when another holds it."""

        def work(connection: Connection, now: float) -> None:
            held = alive(_lease(connection, name), now)
            if held and held.value == holder:
                _drop_lease(connection, name)

        await self._change(work)

    async def close(self) -> None:
        """Finish what is queued and let go of the file."""
        await self._database.close()

    async def _change(self, work: Callable[[Connection, float], T]) -> T:
        """Do the work at the time at which the lock was got.

        Once in a while what has expired goes, and after the clock was set back all is dated anew: by the first who
        tries to change something, whoever made the last change. What is too much to remove at once is left for the
        next change.
        """

        def change(connection: Connection) -> T:
            now = self._clock.now()
            changed, rows = _last_change(connection), connection.total_changes
            if not max(changed, self._tried) <= now < self._swept + SWEEP_S:
                _date_anew(connection, now)
                self._swept = now if _sweep(connection, now) else -math.inf
            self._tried = now
            done = work(connection, now)
            # Who is refused writes nothing, so that a full disk keeps nobody from being refused.
            if changed > now or connection.total_changes != rows:
                _note_change(connection, now)
            return done

        return await self._database.write(change)


def _record(connection: Connection, key: str) -> Record | None:
    """The record of a key, expired or not."""
    row = connection.execute("SELECT since, until, value FROM entries WHERE key = ?", (key,)).fetchone()
    return Record(since=row[0], until=row[1], value=row[2]) if row else None


def _put_record(connection: Connection, key: str, it: Record) -> None:
    """Set the record of a key."""
    connection.execute(
        "REPLACE INTO entries (key, since, until, value) VALUES (?, ?, ?, ?)", (key, it.since, it.until, it.value)
    )


def _drop_record(connection: Connection, key: str) -> None:
    """Forget the record of a key."""
    connection.execute("DELETE FROM entries WHERE key = ?", (key,))


def _count(
    connection: Connection, key: str, amount: int, *, cap: int | None, now: float, until: float
) -> tuple[Record, bool]:
    """Add to a counter unless the cap forbids it: the counter as it is then, and whether it was added to."""
    it, is_within = counted(alive(_record(connection, key), now), amount, cap=cap, now=now, until=until)
    if is_within:
        _put_record(connection, key, it)
    return it, is_within


def _lease(connection: Connection, name: str) -> Record | None:
    """The last grant of a lease, expired or not."""
    row = connection.execute("SELECT since, until, value, number FROM grants WHERE key = ?", (name,)).fetchone()
    return Record(since=row[0], until=row[1], value=row[2], grant=row[3]) if row else None


def _put_lease(connection: Connection, name: str, it: Record, *, is_new: bool) -> None:
    """Set the grant of a lease; the number of a new one is remembered for as long as the file lives."""
    connection.execute(
        "REPLACE INTO grants (key, since, until, value, number) VALUES (?, ?, ?, ?, ?)",
        (name, it.since, it.until, it.value, it.grant),
    )
    if is_new:
        connection.execute("REPLACE INTO meta VALUES ('state.grant', ?)", (str(it.grant),))


def _drop_lease(connection: Connection, name: str) -> None:
    """Forget the grant of a lease."""
    connection.execute("DELETE FROM grants WHERE key = ?", (name,))


def _last_grant(connection: Connection) -> int:
    """The largest number that any lease was granted with."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'state.grant'").fetchone()
    return int(row[0]) if row and row[0].isdecimal() else 0


def _last_change(connection: Connection) -> float:
    """When anybody last changed something; later than every time where that is not known."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'state.changed'").fetchone()
    try:
        return float(row[0]) if row else math.inf
    except ValueError:
        return math.inf


def _note_change(connection: Connection, now: float) -> None:
    """Note a change for all processes that share the file."""
    connection.execute("REPLACE INTO meta VALUES ('state.changed', ?)", (repr(now),))


def _sweep(connection: Connection, now: float) -> bool:
    """Remove what has expired, a bounded number of rows; False when there is more."""
    counts = [connection.execute(sql, (now, SWEEP_ROWS)).rowcount for sql in _SWEEP]
    return max(counts) < SWEEP_ROWS


def _date_anew(connection: Connection, now: float) -> None:
    """Let what was written before the clock was set back begin now."""
    for sql in _DATE_ANEW:
        connection.execute(sql, {"now": now})
