"""Records in this process alone: the reference for the others, and enough for one server."""

import math
from typing import Self

from gossamer.model.records import WindowCount
from gossamer.ports import Clock
from gossamer.ports.addresses import Addressed
from gossamer.states.records import SWEEP_S, Record, alive, as_window, counted, next_grant, window_end


class MemoryState(Addressed):
    """Every method runs without awaiting, so each is atomic."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._records: dict[str, Record] = {}
        self._leases: dict[str, Record] = {}
        self._last_grant = 0
        self._changed = -math.inf
        self._swept = clock.now()

    @classmethod
    async def open(cls, _address: str, *, clock: Clock) -> Self:
        """An empty state."""
        return cls(clock)

    async def get(self, key: str) -> str | None:
        """The value, unless it has expired."""
        record = alive(self._records.get(key), self._clock.now())
        return record.value if record else None

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        """Set a value for `ttl_s` seconds."""
        now = self._begin_change()
        self._records[key] = Record(value=value, since=now, until=now + ttl_s)

    async def add(self, key: str, amount: int = 1, *, ttl_s: float) -> int:
        """Add to a counter and return the sum; the first addition starts its `ttl_s` seconds."""
        now = self._begin_change()
        counter, _ = self._count(key, amount, cap=None, now=now, until=now + ttl_s)
        return int(counter.value)

    async def window(self, key: str, amount: int = 1, *, cap: int, window_s: float, keep_s: float = 0.0) -> WindowCount:
        """Count at most `cap` in each fixed window; windows begin at multiples of their length, for every key."""
        now = self._begin_change()
        counter, is_within = self._count(key, amount, cap=cap, now=now, until=window_end(now, window_s) + keep_s)
        return as_window(counter, is_within, now, keep_s)

    async def swap(self, key: str, old: str | None, new: str | None, *, ttl_s: float) -> bool:
        """Set `new` (None removes) only if the value is `old` (None: absent); tell whether it was."""
        now = self._begin_change()
        record = alive(self._records.get(key), now)
        if (record.value if record else None) != old:
            return False
        if new is None:
            self._records.pop(key, None)
        else:
            self._records[key] = Record(value=new, since=now, until=now + ttl_s)
        return True

    async def lease(self, name: str, holder: str, *, ttl_s: float) -> int:
        """Take or renew a lease: the number of the grant, or 0 while another holder has it."""
        now = self._begin_change()
        held = alive(self._leases.get(name), now)
        if held and held.value != holder:
            return 0
        if held is None:
            self._last_grant = next_grant(self._last_grant, now)
        grant = held.grant if held else self._last_grant
        self._leases[name] = Record(value=holder, since=now, until=now + ttl_s, grant=grant)
        return grant

    async def put_under(self, name: str, grant: int, key: str, value: str, *, ttl_s: float) -> bool:
        """Set a value only while this grant of the lease `name` holds; tell whether it was set."""
        now = self._begin_change()
        held = alive(self._leases.get(name), now)
        if held is None or held.grant != grant:
            return False
        self._records[key] = Record(value=value, since=now, until=now + ttl_s)
        return True

    async def release(self, name: str, holder: str) -> None:
        """Give a lease back; nothing happens when another holds it."""
        held = alive(self._leases.get(name), self._begin_change())
        if held and held.value == holder:
            del self._leases[name]

    async def close(self) -> None:
        """Forget everything."""
        self._records.clear()
        self._leases.clear()

    def _count(self, key: str, amount: int, *, cap: int | None, now: float, until: float) -> tuple[Record, bool]:
        record = alive(self._records.get(key), now)
        counter, is_within = counted(record, amount, cap=cap, now=now, until=until)
        if is_within:
            self._records[key] = counter
        return counter, is_within

    def _begin_change(self) -> float:
        """The time; once in a while what has expired goes, and after the clock was set back all is dated anew."""
        now = self._clock.now()
        if now < self._changed or now - self._swept >= SWEEP_S:
            self._swept = now
            self._records, self._leases = _swept(self._records, now), _swept(self._leases, now)
        self._changed = now
        return now


def _swept(records: dict[str, Record], now: float) -> dict[str, Record]:
    return {name: record for name, old in records.items() if (record := alive(old, now))}
