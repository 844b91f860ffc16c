"""Fixed windows: at most so many of a kind for each user in each window, counted over all processes."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from gossamer.limits.counting import Away, Shared
from gossamer.ports import Clock

_SWEEP_FROM = 1_024
_LEAST_WAIT_S = 0.001


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """At most `count` in each window of `seconds`; windows begin at multiples of their length, in every process."""

    count: int
    seconds: int

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read `120/60`; `0` is no limit."""
        if text == "0":
            return None
        count, _, seconds = text.partition("/")
        return cls(count=int(count), seconds=int(seconds))

    @classmethod
    def by_tool(cls, entries: Iterable[str]) -> dict[str, Self | None]:
        """Read entries such as `web_search=20/600`; of two for one tool the last holds, and `0` is no limit."""
        return {tool: cls.parse(text) for tool, _, text in (entry.partition("=") for entry in entries)}


class Windows:
    """The windows of one rule, one for each user who was seen lately."""

    def __init__(self, shared: Shared, clock: Clock, *, rule: str, rate: Rate) -> None:
        self._shared = shared
        self._clock = clock
        self._rule = rule
        self._rate = rate
        self._by_user: dict[str, Window] = {}
        self._sweep_at = _SWEEP_FROM

    async def take(self, user: str) -> float | None:
        """Count one: None when it is allowed, else the seconds until the window ends."""
        number = self._number()
        window = self._by_user.get(user)
        if window is None or window.number != number:
            window = self._open(user, number)
        return None if await window.take() else self._rest_s(number)

    def _number(self) -> int:
        return int(self._clock.now() // self._rate.seconds)

    def _rest_s(self, number: int) -> float:
        rest_s = (number + 1) * self._rate.seconds - self._clock.now()
        return min(max(rest_s, _LEAST_WAIT_S), float(self._rate.seconds))

    def _open(self, user: str, number: int) -> "Window":
        if len(self._by_user) >= self._sweep_at:
            self._by_user = {name: kept for name, kept in self._by_user.items() if kept.number == number}
            self._sweep_at = max(_SWEEP_FROM, 2 * len(self._by_user))
        key = f"limit:{self._rule}:{self._shared.hashed(user)}:{self._rate.seconds}:{number}"
        window = self._by_user[user] = Window(self._shared, key=key, number=number, rate=self._rate)
        return window


class Window:
    """One window of one user.

    Takers that come while the state is being asked go together. Those above the cap are refused; once the window is
    full, nobody asks the state about it any more.
    """

    def __init__(self, shared: Shared, *, key: str, number: int, rate: Rate) -> None:
        self._shared = shared
        self._key = key
        self._rate = rate
        self.number = number
        self.is_full = False
        self._own = 0
        self._untold = 0
        """Taken while the state was away, and not yet in its count."""
        self._waiting: list[asyncio.Future[bool]] = []
        self._is_asking = False

    async def take(self) -> bool:
        """Take one; False when the window is full."""
        if self.is_full:
            return False
        if self._shared.is_degraded:
            return self._take_alone()
        waiter: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        if not self._is_asking:
            self._is_asking = True
            self._shared.spawn(self._ask())
        return await waiter

    async def _ask(self) -> None:
        try:
            while batch := [waiter for waiter in self._waiting if not waiter.done()]:
                self._waiting = []
                try:
                    await self._tell(batch)
                finally:
                    self._go_on_alone(batch)
        finally:
            self._is_asking = False
            self._go_on_alone(self._waiting)

    async def _tell(self, batch: Sequence[asyncio.Future[bool]]) -> None:
        """Count a batch and let in as many of it as there is room for; what cannot be told now is told next time."""
        if self._shared.is_degraded:
            return
        untold, self._untold = self._untold, 0
        try:
            counted = await self._count(untold + len(batch), lambda: self._go_on_alone([*batch, *self._waiting]))
        except Away:
            self._untold += untold
            return
        # Late, but counted: those of the batch who went on alone need not be told again.
        self._untold -= sum(waiter.done() and not waiter.cancelled() and waiter.result() for waiter in batch)
        for place, waiter in enumerate(batch, untold + 1):
            if not waiter.done():
                self._own += place <= counted
                waiter.set_result(place <= counted)

    async def _count(self, amount: int, on_slow: Callable[[], None]) -> int:
        """How many of so many are within the cap of all processes; the state counts those, and no more."""
        rate = self._rate
        while amount > 0:
            seen = await self._shared.window(
                self._key, amount, cap=rate.count, window_s=rate.seconds, keep_s=2.0 * rate.seconds, on_slow=on_slow
            )
            self.is_full = seen.count >= rate.count
            if seen.is_within:
                return amount
            amount = rate.count - seen.count
        return 0

    def _go_on_alone(self, waiters: Sequence[asyncio.Future[bool]]) -> None:
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(self._take_alone())

    def _take_alone(self) -> bool:
        if self._own >= self._rate.count:
            return False
        self._own += 1
        self._untold += 1
        return True
