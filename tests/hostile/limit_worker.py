"""A server in miniature for the tests of limits: counts requests and runs some, until it is told to end or killed.

Usage: limit_worker.py STATE CAP DO. Prints `ready` and waits for a line. Then DO is
`admit N`: ask for N admissions at once in rounds of 16, and say `admitted` for each that was given;
`run N`: run N requests, 16 at once, and say `ran BEGIN END` for each by the clock that all processes share;
`hold N`: enter N times and say `held M`; then wait for the end of the input.
"""

import asyncio
import random
import sys
import time
from pathlib import Path

from gossamer.compose import SystemClock
from gossamer.limits.limiter import Entry, Limiter, Rate
from gossamer.states.sqlite import SqliteState

AT_ONCE = 16


def say(*words: object) -> None:
    print(*words, flush=True)


def one_line() -> str:
    return sys.stdin.readline()


async def admit(limits: Limiter, count: int) -> None:
    for _ in range(count // AT_ONCE):
        for wait in await asyncio.gather(*(limits.admit("ann") for _ in range(AT_ONCE))):
            if wait is None:
                say("admitted")


async def run(limits: Limiter, count: int) -> None:
    async def requests() -> None:
        dice = random.Random()
        for _ in range(count // AT_ONCE):
            entry = await limits.enter("ann")
            if isinstance(entry, Entry):
                begin = time.monotonic()
                await asyncio.sleep(dice.random() / 500)
                say("ran", begin, time.monotonic())
                entry.leave()
            else:
                await asyncio.sleep(dice.random() / 500)

    await asyncio.gather(*(requests() for _ in range(AT_ONCE)))


async def hold(limits: Limiter, count: int) -> None:
    entered = await asyncio.gather(*(limits.enter("ann") for _ in range(count)))
    say("held", sum(isinstance(one, Entry) for one in entered))
    await asyncio.to_thread(one_line)


async def main(path: Path, cap: int, work: str, count: int) -> None:
    clock = SystemClock()
    state = await SqliteState.open_file(path, clock=clock)
    limits = Limiter(
        state,
        clock=clock,
        key=bytes(32),
        requests=Rate(count=cap, seconds=999_999),
        tools={},
        in_flight=cap,
        in_flight_total=1_000,
        failed_logins=Rate(count=60, seconds=60),
        patience_s=20,
    )
    say("ready")
    await asyncio.to_thread(one_line)
    await {"admit": admit, "run": run, "hold": hold}[work](limits, count)
    await limits.close()
    await state.close()
    say("done", limits.is_degraded)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
