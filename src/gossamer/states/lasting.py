"""A state that gets over a bad day."""

from collections.abc import Awaitable, Callable

from gossamer.model.window import Window
from gossamer.ports import Clock, State
from gossamer.sqlite.lasting import Lasting


class LastingState:
    """Any state, opened at its first use and again when it has to be."""

    def __init__(self, open_state: Callable[[], Awaitable[State]], *, clock: Clock) -> None:
        self._lasting = Lasting(open_state, clock=clock)

    async def get(self, key: str) -> str | None:
        """The value, unless it has expired."""
        return await self._lasting.use(lambda it: it.get(key))

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        """Set a value for `ttl_s` seconds."""
        await self._lasting.use(lambda it: it.put(key, value, ttl_s=ttl_s))

    async def add(self, key: str, amount: int = 1, *, ttl_s: float) -> int:
        """Add to a counter and return the sum."""
        return await self._lasting.use(lambda it: it.add(key, amount, ttl_s=ttl_s))

    async def take(self, key: str, amount: int = 1, *, cap: int, ttl_s: float) -> int | None:
        """Add to a counter if the sum stays within `cap`."""
        return await self._lasting.use(lambda it: it.take(key, amount, cap=cap, ttl_s=ttl_s))

    async def window(self, key: str, amount: int = 1, *, cap: int, window_s: float) -> Window:
        """Take within the present window."""
        return await self._lasting.use(lambda it: it.window(key, amount, cap=cap, window_s=window_s))

    async def swap(self, key: str, old: str | None, new: str | None, *, ttl_s: float) -> bool:
        """Set `new` only if the value is `old`."""
        return await self._lasting.use(lambda it: it.swap(key, old, new, ttl_s=ttl_s))

    async def lease(self, name: str, holder: str, *, ttl_s: float) -> int:
        """Take or renew a lease."""
        return await self._lasting.use(lambda it: it.lease(name, holder, ttl_s=ttl_s))

    async def put_under(self, name: str, grant: int, key: str, value: str, *, ttl_s: float) -> bool:
        """Set a value while a lease is held."""
        return await self._lasting.use(lambda it: it.put_under(name, grant, key, value, ttl_s=ttl_s))

    async def release(self, name: str, holder: str) -> None:
        """Give a lease back."""
        await self._lasting.use(lambda it: it.release(name, holder))

    async def close(self) -> None:
        """Let go of files and connections."""
        await self._lasting.close()
