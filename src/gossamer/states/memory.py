"""Records in this process alone: the reference for the others, and enough for one server."""

from dataclasses import dataclass
from typing import Self

from gossamer.errors import InvalidArgument
from gossamer.ports import Clock

_SWEEP_S = 60.0


@dataclass(frozen=True, slots=True)
class _Record:
    value: str
    until: float


class MemoryState:
    """Every method runs without awaiting, so each is atomic."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._records: dict[str, _Record] = {}
        self._leases: dict[str, _Record] = {}
        self._swept = clock.now()

    @classmethod
    async def open(cls, _address: str, *, clock: Clock) -> Self:
        """An empty state."""
        return cls(clock)

    async def get(self, key: str) -> str | None:
        """The value, unless it has expired."""
        record = self._live(self._records, key)
        return record.value if record else None

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        """Set a value for `ttl_s` seconds."""
        self._set(self._records, key, value, ttl_s)

    async def add(self, key: str, amount: int = 1, *, ttl_s: float) -> int:
        """Add to a counter and return the sum; the first addition starts its `ttl_s` seconds."""
        record = self._live(self._records, key)
        if record is None:
            self._set(self._records, key, str(amount), ttl_s)
            return amount
        total = counted(record.value) + amount
        self._records[key] = _Record(str(total), record.until)
        return total

    async def swap(self, key: str, old: str | None, new: str | None, *, ttl_s: float) -> bool:
        """Set `new` (None removes) only if the value is `old` (None: absent); tell whether it was."""
        record = self._live(self._records, key)
        if (record.value if record else None) != old:
            return False
        if new is None:
            self._records.pop(key, None)
        else:
            self._set(self._records, key, new, ttl_s)
        return True

    async def lease(self, name: str, holder: str, *, ttl_s: float) -> bool:
        """Take or renew a lease; False while another holder has it."""
        record = self._live(self._leases, name)
        if record and record.value != holder:
            return False
        self._set(self._leases, name, holder, ttl_s)
        return True

    async def release(self, name: str, holder: str) -> None:
        """Give a lease back; nothing happens when another holds it."""
        record = self._live(self._leases, name)
        if record and record.value == holder:
            del self._leases[name]

    async def close(self) -> None:
        """Forget everything."""
        self._records.clear()
        self._leases.clear()

    def _live(self, records: dict[str, _Record], key: str) -> _Record | None:
        record = records.get(key)
        return record if record and self._clock.now() < record.until else None

    def _set(self, records: dict[str, _Record], key: str, value: str, ttl_s: float) -> None:
        now = self._clock.now()
        if now - self._swept >= _SWEEP_S:
            self._swept = now
            for kept in (self._records, self._leases):
                for name in [name for name, record in kept.items() if record.until <= now]:
                    del kept[name]
        records[key] = _Record(value, now + ttl_s)


def counted(value: str) -> int:
    """The number that a counter's record holds."""
    try:
        return int(value)
    except ValueError as error:
        raise InvalidArgument("This record is not a counter.", hint="Use another key.") from error
