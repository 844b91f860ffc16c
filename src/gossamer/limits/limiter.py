"""What one user may ask for: requests and calls in fixed windows, failed logins, requests in flight."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gossamer.limits.counting import Shared
from gossamer.limits.slots import GENERATION_S, Slots
from gossamer.limits.window import Rate, Windows
from gossamer.ports import Clock, State

_SWEEP_FROM = 1_024
_GRACE_S = 0.1
"""So long a user waits for a slot of their own: one that has just been answered is about to give it back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Refused:
    """Too many requests are running: of this user, or of all."""

    whose: Literal["user", "all"]
    retry_after_s: float = 1.0
    """Requests are short, and nobody knows better."""


class Entry:
    """A request that runs. `leave` must be called when it ends; once more does nothing."""

    __slots__ = ("_slots",)

    def __init__(self, *slots: Slots) -> None:
        self._slots = slots

    def leave(self) -> None:
        """Make room for the next; waits for nothing."""
        slots, self._slots = self._slots, ()
        for slot in slots:
            slot.leave()


class Limiter:
    """Counts what every process admits, through the state, and never admits more than all together may.

    A request waits `patience_s` at most for the state: then limits hold in each process by itself, until the state
    answers again, which is tried every `retry_s`. Rejected requests do not count. Names stand in the state hashed
    with `key`, the same in every process. `is_away` says that the state is known not to answer now. It belongs to the
    caller, who closes it after this.
    """

    def __init__(
        self,
        state: State,
        *,
        clock: Clock,
        key: bytes,
        requests: Rate | None,
        tools: Mapping[str, Rate],
        in_flight: int,
        in_flight_total: int,
        failed_logins: Rate,
        patience_s: float = 0.25,
        retry_s: float = 1.0,
        renew_s: float = GENERATION_S / 2,
        is_away: bool = False,
    ) -> None:
        shared = Shared(state, key=key, on_well=self.renew, patience_s=patience_s, retry_s=retry_s, is_degraded=is_away)
        self._shared = shared
        self._clock = clock
        self._requests = Windows(shared, clock, rule="requests", rate=requests) if requests else None
        self._tools = {t: Windows(shared, clock, rule=f"tool:{t}", rate=rate) for t, rate in tools.items()}
        self._logins = Windows(shared, clock, rule="logins", rate=failed_logins)
        self._in_flight = in_flight
        self._users: dict[str, Slots] = {}
        self._sweep_at = _SWEEP_FROM
        self._all = Slots(shared, clock, key="limit:running", cap=in_flight_total)
        self._renew_s = renew_s
        self._renewal: asyncio.TimerHandle | None = None

    @property
    def is_degraded(self) -> bool:
        """Whether the state does not answer, so that limits hold in each process by itself."""
        return self._shared.is_degraded

    async def admit(self, user: str) -> float | None:
        """Count a request of a user: None to go on, else the seconds until the window ends."""
        return await self._requests.take(user) if self._requests else None

    async def admit_call(self, user: str, tool: str) -> float | None:
        """Count a call of a tool: None to go on, else the seconds until the window ends."""
        windows = self._tools.get(tool)
        return await windows.take(user) if windows else None

    async def failed_login(self, household: str) -> float | None:
        """Count a failed login: None to answer it as usual, else the seconds until the household's window ends."""
        return await self._logins.take(household)

    async def enter(self, user: str) -> Entry | Refused:
        """Take a slot for a request, one of the user's own and one of all; on refusal nothing is held."""
        mine = self._users.get(user) or self._slots_of(user)
        entry = await self._claim(mine)
        loop = asyncio.get_running_loop()
        latest = loop.time() + _GRACE_S
        while isinstance(entry, Refused) and entry.whose == "user" and (rest_s := latest - loop.time()) > 0:
            await mine.wait_for_one(rest_s)
            entry = await self._claim(mine)
        return entry

    async def _claim(self, mine: Slots) -> Entry | Refused:
        if not mine.has_room:
            return Refused(whose="user")
        if not self._all.has_room:
            return Refused(whose="all")
        if self._renewal is None:
            self._renew_later()
        both = (mine, self._all)
        answers = [slots.take() for slots in both]
        allowed = [False]
        try:
            allowed = [answer is None or await answer for answer in answers]
        finally:
            if not all(allowed):
                for slots, answer in zip(both, answers, strict=True):
                    slots.withdraw(answer)
        if all(allowed):
            return Entry(*both)
        return Refused(whose="all" if allowed[0] else "user")

    def renew(self) -> None:
        """Bring the state in line with what is running: done by itself every `renew_s`, while anything runs."""
        for slots in (self._all, *self._users.values()):
            slots.tell()

    async def close(self) -> None:
        """Give every slot back and finish with the state, within a second or two if it does not answer."""
        if self._renewal:
            self._renewal.cancel()
        for slots in (self._all, *self._users.values()):
            slots.close()
        await self._shared.close()

    def _slots_of(self, user: str) -> Slots:
        if len(self._users) >= self._sweep_at:
            self._users = {name: slots for name, slots in self._users.items() if not slots.is_empty}
            self._sweep_at = max(_SWEEP_FROM, 2 * len(self._users))
        slots = Slots(self._shared, self._clock, key=f"limit:running:{self._shared.hashed(user)}", cap=self._in_flight)
        self._users[user] = slots
        return slots

    def _renew_later(self) -> None:
        self._renewal = asyncio.get_running_loop().call_later(self._renew_s, self._renew_again)

    def _renew_again(self) -> None:
        self._renewal = None
        self.renew()
        if not self._all.is_empty:
            self._renew_later()
