"""Records in a file, shared by every process on one machine."""

import math
from collections.abc import Callable
from pathlib import Path
from sqlite3 import Connection
from typing import Self, TypeVar

from gossamer.filedb.address import FileAddress, path_of
from gossamer.filedb.sqlite import Database, Journal, journal_of
from gossamer.model.window import Window
from gossamer.ports import Clock
from gossamer.states import tables
from gossamer.states.records import SWEEP_S, Record, alive, as_window, next_grant, window_end

_PATIENCE_S = 1.5
"""An answer may wait for the store as well, and comes within ten seconds; without a state it only costs more."""

T = TypeVar("T")


class SqliteState(FileAddress):
    """Each change is one transaction under the write lock, so it is atomic across processes; reads wait for nobody."""

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
        database = await Database.open(path, tables.SCHEMA, clock=clock, patience_s=patience_s, journal=journal)
        return cls(database, clock)

    async def get(self, key: str) -> str | None:
        """The value, unless it has expired."""
        record = await self._database.read(lambda it: alive(tables.record(it, key), self._clock.now()))
        return record.value if record else None

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        """Set a value for `ttl_s` seconds."""
        await self._change(
            lambda it, now: tables.put_record(it, key, Record(value=value, since=now, until=now + ttl_s))
        )

    async def add(self, key: str, amount: int = 1, *, ttl_s: float) -> int:
        """Add to a counter and return the sum; the first addition starts its `ttl_s` seconds."""
        counter, _ = await self._change(
            lambda it, now: tables.count(it, key, amount, cap=None, now=now, until=now + ttl_s)
        )
        return int(counter.value)

    async def take(self, key: str, amount: int = 1, *, cap: int, ttl_s: float) -> int | None:
        """Add to a counter only if the sum stays within `cap`: the sum, or None and nothing is added."""
        counter, is_within = await self._change(
            lambda it, now: tables.count(it, key, amount, cap=cap, now=now, until=now + ttl_s)
        )
        return int(counter.value) if is_within else None

    async def window(self, key: str, amount: int = 1, *, cap: int, window_s: float) -> Window:
        """Count at most `cap` in each fixed window; windows begin at multiples of their length, for every key."""

        def work(connection: Connection, now: float) -> Window:
            until = window_end(now, window_s)
            return as_window(*tables.count(connection, key, amount, cap=cap, now=now, until=until), now)

        return await self._change(work)

    async def swap(self, key: str, old: str | None, new: str | None, *, ttl_s: float) -> bool:
        """Set `new` (None removes) only if the value is `old` (None: absent); tell whether it was."""

        def work(connection: Connection, now: float) -> bool:
            record = alive(tables.record(connection, key), now)
            if (record.value if record else None) != old:
                return False
            if new is None:
                tables.drop_record(connection, key)
            else:
                tables.put_record(connection, key, Record(value=new, since=now, until=now + ttl_s))
            return True

        return await self._change(work)

    async def lease(self, name: str, holder: str, *, ttl_s: float) -> int:
        """Take or renew a lease: the number of the grant, or 0 while another holder has it."""

        def work(connection: Connection, now: float) -> int:
            held = alive(tables.lease(connection, name), now)
            if held and held.value != holder:
                return 0
            grant = held.grant if held else next_grant(tables.last_grant(connection), now)
            record = Record(value=holder, since=now, until=now + ttl_s, grant=grant)
            tables.put_lease(connection, name, record, is_new=held is None)
            return grant

        return await self._change(work)

    async def put_under(self, name: str, grant: int, key: str, value: str, *, ttl_s: float) -> bool:
        """Set a value only while this grant of the lease `name` holds; tell whether it was set."""

        def work(connection: Connection, now: float) -> bool:
            held = alive(tables.lease(connection, name), now)
            if held is None or held.grant != grant:
                return False
            tables.put_record(connection, key, Record(value=value, since=now, until=now + ttl_s))
            return True

        return await self._change(work)

    async def release(self, name: str, holder: str) -> None:
        """Give a lease back; nothing happens when another holds it."""

        def work(connection: Connection, now: float) -> None:
            held = alive(tables.lease(connection, name), now)
            if held and held.value == holder:
                tables.drop_lease(connection, name)

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
            changed, rows = tables.last_change(connection), connection.total_changes
            if not max(changed, self._tried) <= now < self._swept + SWEEP_S:
                tables.date_anew(connection, now)
                self._swept = now if tables.sweep(connection, now) else -math.inf
            self._tried = now
            done = work(connection, now)
            # Who is refused writes nothing, so that a full disk keeps nobody from being refused.
            if changed > now or connection.total_changes != rows:
                tables.note_change(connection, now)
            return done

        return await self._database.write(change)
