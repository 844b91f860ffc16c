"""How many requests run at once: counted here exactly, and over all processes through the state.

The state holds one counter per generation of half a minute, and what counts is the sum of this generation's and the
last one's. Whoever runs something moves its share on to the new generation; the share of a process that was killed
stays behind and is forgotten with its generation.
"""

import asyncio
import zlib
from collections.abc import Callable, Sequence

from gossamer.limits.counting import Away, Shared
from gossamer.ports import Clock

GENERATION_S = 30
_SETTLED_S = 1.0
"""So far into a generation nobody adds to the last one any more."""
_KEEP_S = 0.05
"""For this long a slot is kept for the next request, which then needs not ask the state."""
_FEW = 8
"""While all processes use no more than this part of the cap, one slot is kept for as long as it counts."""


class Slots:
    """The slots of one user, or of all.

    `take` claims a slot here and now; whether all processes together have one free is told a moment later. Claims
    that come while the state is being asked go together. What the state was told is brought in line with what is in
    use, whatever happened in between, so that an outage leaves nothing wrong behind.
    """

    def __init__(self, shared: Shared, clock: Clock, *, key: str, cap: int) -> None:
        self._shared = shared
        self._clock = clock
        self._key = key
        self._cap = cap
        # Users begin their generations at different times, the same in every process, to spread the work.
        self._phase_s = zlib.crc32(key.encode()) % GENERATION_S
        self._in_use = 0
        self._unproven = 0
        """How many of those in use are claims that were not granted: not yet, or not at all."""
        self._told = 0
        """Our share in the state, in `_generation`."""
        self._granted = 0
        """How many of ours were seen to be within the cap of all; some of them may be free by now."""
        self._generation = 0
        self._settled = -1
        """The generation before which nobody has a share any more."""
        self._is_scarce = False
        self._is_plenty = False
        self._waiting: list[asyncio.Future[bool]] = []
        self._is_due = False
        self._is_telling = False
        self._is_closed = False
        self._timer: asyncio.TimerHandle | None = None
        self._left: asyncio.Future[None] | None = None
        """Done when a slot is given back; made when somebody waits for that."""

    @property
    def has_room(self) -> bool:
        """Whether this process by itself is below the cap."""
        return self._in_use < self._cap

    @property
    def is_empty(self) -> bool:
        """Whether nothing runs, and the state knows."""
        return not (self._in_use or self._told or self._is_telling)

    def take(self) -> asyncio.Future[bool] | None:
        """Claim a slot. The answer is None when it may be used at once, else a future that tells whether it may."""
        self._forget()
        self._in_use += 1
        if self._shared.is_degraded or (self._in_use <= self._granted and self._counts()):
            return None
        waiter: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        self._unproven += 1
        self.tell()
        return waiter

    def withdraw(self, answer: asyncio.Future[bool] | None) -> None:
        """Give up a claim, whatever was answered to it or will be."""
        is_granted = answer is None or (answer.done() and not answer.cancelled() and answer.result())
        self._unproven -= not is_granted
        self.leave()

    def leave(self) -> None:
        """Give a slot back; the state hears of it at once when slots are scarce, else a moment later."""
        if self._is_closed:
            return
        self._in_use -= 1
        if self._left is not None:
            self._left.set_result(None)
            self._left = None
        if self._is_scarce:
            self.tell()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_KEEP_S, self.tell)

    async def wait_for_one(self, timeout_s: float) -> None:
        """Wait until a slot is given back here, for so long at most."""
        if self._left is None:
            self._left = asyncio.get_running_loop().create_future()
        await asyncio.wait([self._left], timeout=timeout_s)

    def tell(self) -> None:
        """See to it that the state is brought in line; while it is away that waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._is_due = True
        self._forget()
        if not self._is_telling and not self._shared.is_degraded and (self._waiting or not self._is_in_line()):
            self._is_telling = True
            self._shared.spawn(self._bring_in_line())

    def close(self) -> None:
        """Give back all slots, because this process ends."""
        self._is_closed = True
        self._in_use = 0
        self.tell()

    def _now(self) -> int:
        return int((self._clock.now() + self._phase_s) // GENERATION_S)

    def _counts(self) -> bool:
        """Whether others see our share: that of this generation, or of the last."""
        return 0 <= self._now() - self._generation <= 1

    def _forget(self) -> None:
        """Let go of a slot that was kept until it counted no more; the state forgets it by itself."""
        if self._told and not (self._in_use or self._is_telling or self._counts()):
            self._told = self._granted = 0

    def _wanted(self) -> int:
        """What the state should hold of ours: what is in use, or one for who comes now and then."""
        keeps_one = self._is_plenty and self._told and not self._is_closed
        return self._in_use or int(bool(keeps_one))

    def _is_in_line(self) -> bool:
        return self._told == self._wanted() and (self._in_use == 0 or self._generation == self._now())

    async def _bring_in_line(self) -> None:
        try:
            while not self._shared.is_degraded and (self._waiting or self._is_due):
                self._is_due = False
                batch = [waiter for waiter in self._waiting if not waiter.done()]
                self._waiting = []
                try:
                    await self._settle(batch)
                finally:
                    self._let_in(batch)
        finally:
            self._is_telling = False
            self._let_in(self._waiting)

    async def _settle(self, batch: list[asyncio.Future[bool]]) -> None:
        """Tell the state, and refuse those of the batch who came last when there are too many."""
        if not batch and self._is_in_line():
            return
        wanted = self._wanted()
        proven = wanted - self._unproven
        # What is free from here on is not told any more, so nobody may have it unasked.
        self._granted = min(self._granted, proven)
        try:
            seen = await self._register(wanted, bool(batch), lambda: self._let_in([*batch, *self._waiting]))
        except Away:
            return
        if not batch:
            self._granted = proven
            return
        over = min(max(0, seen - self._cap), len(batch))
        self._granted = proven + len(batch) - over
        self._is_scarce, self._is_plenty = 2 * seen > self._cap, _FEW * seen <= self._cap
        self._let_in(batch[: len(batch) - over])
        for waiter in batch:
            if not waiter.done():
                waiter.set_result(False)

    def _let_in(self, waiters: Sequence[asyncio.Future[bool]]) -> None:
        for waiter in waiters:
            if not waiter.done():
                self._unproven -= 1
                waiter.set_result(True)

    async def _register(self, wanted: int, is_asked: bool, on_slow: Callable[[], None]) -> int:
        """Make `wanted` our share in the state, in this generation, and return how many all have, if that is asked."""

        async def count(generation: int) -> int:
            return await self._shared.count(f"{self._key}:{generation}", on_slow=on_slow)

        async def add(generation: int, amount: int) -> int:
            key = f"{self._key}:{generation}"
            return await self._shared.add(key, amount, ttl_s=2.0 * GENERATION_S, on_slow=on_slow)

        current, former = self._now(), self._generation
        moved = self._told if former != current else 0
        change = wanted - self._told + moved
        is_settled = self._settled == current or not is_asked
        last = 0 if is_settled else await count(current - 1) - (moved if former == current - 1 else 0)
        total = await add(current, change) if change or is_asked else 0
        self._generation, self._told = current, wanted
        if moved:
            await add(former, -moved)
        if not is_settled:
            # Looked at twice: whoever moved on between one look and our addition is in neither.
            last = max(last, await count(current - 1))
            if last == 0 and (self._clock.now() + self._phase_s) % GENERATION_S >= _SETTLED_S:
                self._settled = current
        late = await count(current + 1) if is_asked and self._now() > current else 0
        return max(0, total) + last + late
