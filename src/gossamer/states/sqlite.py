"""Records in a file, shared by every process on one machine."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Self, TypeVar

from gossamer.ports import Clock
from gossamer.sqlite import Database, Schema, path_of
from gossamer.states.memory import counted

_SCHEMA = Schema(
    name="state",
    migrations=(
        """
        CREATE TABLE records (key TEXT PRIMARY KEY, value TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
        CREATE TABLE leases (key TEXT PRIMARY KEY, value TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
        CREATE INDEX records_until ON records (until);
        CREATE INDEX leases_until ON leases (until);
        """,
    ),
)
_SWEEP_S = 60.0
_SWEEP_ROWS = 1_000

T = TypeVar("T")
_Table = Literal["records", "leases"]
_GET = {
    "records": "SELECT value, until FROM records WHERE key = ?",
    "leases": "SELECT value, until FROM leases WHERE key = ?",
}
_SET = {"records": "REPLACE INTO records VALUES (?, ?, ?)", "leases": "REPLACE INTO leases VALUES (?, ?, ?)"}
_DROP = {"records": "DELETE FROM records WHERE key = ?", "leases": "DELETE FROM leases WHERE key = ?"}
_SWEEP = (
    "DELETE FROM records WHERE key IN (SELECT key FROM records WHERE until <= ? LIMIT ?)",
    "DELETE FROM leases WHERE key IN (SELECT key FROM leases WHERE until <= ? LIMIT ?)",
)


class SqliteState:
    """Each change is one transaction under the write lock, so it is atomic across processes; reads wait for nobody."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._swept = clock.now()

    @classmethod
    async def open(cls, address: str, *, clock: Clock) -> Self:
        """Open or create the file that `sqlite:///path` names."""
        return await cls.open_file(path_of(address), clock=clock)

    @classmethod
    async def open_file(cls, path: Path, *, clock: Clock, patience_s: float = 10.0) -> Self:
        """Open or create a file; callers wait at most `patience_s` for other processes."""
        return cls(await Database.open(path, _SCHEMA, clock=clock, patience_s=patience_s), clock)

    async def get(self, key: str) -> str | None:
        """The value, unless it has expired."""
        record = await self._database.read(lambda connection: self._live(connection, "records", key))
        return record[0] if record else None

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        """Set a value for `ttl_s` seconds."""
        await self._write(lambda connection: self._set(connection, "records", key, value, ttl_s))

    async def add(self, key: str, amount: int = 1, *, ttl_s: float) -> int:
        """Add to a counter and return the sum; the first addition starts its `ttl_s` seconds."""

        def work(connection: sqlite3.Connection) -> int:
            record = self._live(connection, "records", key)
            if record is None:
                self._set(connection, "records", key, str(amount), ttl_s)
                return amount
            total = counted(record[0]) + amount
            connection.execute(_SET["records"], (key, str(total), record[1]))
            return total

        return await self._write(work)

    async def swap(self, key: str, old: str | None, new: str | None, *, ttl_s: float) -> bool:
        """Set `new` (None removes) only if the value is `old` (None: absent); tell whether it was."""

        def work(connection: sqlite3.Connection) -> bool:
            record = self._live(connection, "records", key)
            if (record[0] if record else None) != old:
                return False
            if new is None:
                connection.execute(_DROP["records"], (key,))
            else:
                self._set(connection, "records", key, new, ttl_s)
            return True

        return await self._write(work)

    async def lease(self, name: str, holder: str, *, ttl_s: float) -> bool:
        """Take or renew a lease; False while another holder has it."""

        def work(connection: sqlite3.Connection) -> bool:
            record = self._live(connection, "leases", name)
            if record and record[0] != holder:
                return False
            self._set(connection, "leases", name, holder, ttl_s)
            return True

        return await self._write(work)

    async def release(self, name: str, holder: str) -> None:
        """Give a lease back; nothing happens when another holds it."""

        def work(connection: sqlite3.Connection) -> None:
            record = self._live(connection, "leases", name)
            if record and record[0] == holder:
                connection.execute(_DROP["leases"], (name,))

        await self._write(work)

    async def close(self) -> None:
        """Finish what is queued and let go of the file."""
        await self._database.close()

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        now = self._clock.now()
        if now - self._swept < _SWEEP_S:
            return await self._database.write(work)
        self._swept = now

        def sweep_and_work(connection: sqlite3.Connection) -> T:
            for sweep in _SWEEP:
                connection.execute(sweep, (now, _SWEEP_ROWS))
            return work(connection)

        return await self._database.write(sweep_and_work)

    def _live(self, connection: sqlite3.Connection, table: _Table, key: str) -> tuple[str, float] | None:
        record: tuple[str, float] | None = connection.execute(_GET[table], (key,)).fetchone()
        return record if record and self._clock.now() < record[1] else None

    def _set(self, connection: sqlite3.Connection, table: _Table, key: str, value: str, ttl_s: float) -> None:
        connection.execute(_SET[table], (key, value, self._clock.now() + ttl_s))
