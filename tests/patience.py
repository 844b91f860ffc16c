"""How long tests wait. Machines are slow, shared and stand still: only what never comes or never ends is a failure."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TypeVar

import pytest
from hypothesis import settings

from gossamer.errors import StoreBusy, StoreUnavailable

T = TypeVar("T")
LONG_S = 60.0
"""What comes at all has come by then, on any machine."""
MOST_STRETCH = 4.0
"""Where a second of work takes longer than this, a deadline that was missed says nothing of who missed it."""
USUAL_EXAMPLES = 100
"""How often a property is tried in `make test` where it says nothing of it."""
_SPIN = "import time\nt = time.monotonic()\nwhile time.process_time() < 1: pass\nprint(time.monotonic() - t)"


def tried(times: int) -> settings:
    """A property that is tried so often in `make test`, and where a profile asks for fewer examples, so many fewer."""
    return settings(max_examples=max(1, times * settings().max_examples // USUAL_EXAMPLES))


@contextmanager
def in_proportion() -> Iterator[None]:
    """Fail where work takes a minute of the processor, which it does only when it outgrows what it works on."""
    started = time.process_time()
    yield
    assert time.process_time() - started < LONG_S


def share(values: Sequence[float], part: float) -> float:
    """What so large a part of the values stays within: the machine stands still now and then, and the rest tells."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def least_s(work: Callable[[], object], *, rounds: int = 5) -> float:
    """The processor time that work takes at least: what a machine does beside it only adds."""

    def took_s() -> float:
        started = time.process_time()
        work()
        return time.process_time() - started

    return min(took_s() for _ in range(rounds))


async def once_free(work: Callable[[], Awaitable[T]]) -> T:
    """What a store gives as soon as nothing is in its way; a busy machine may take longer than the store waits."""
    async with asyncio.timeout(LONG_S):
        while True:
            with suppress(StoreBusy, StoreUnavailable):
                return await work()


def stretch() -> float:
    """How many times longer all our cores take for a second of work, since others use them too."""
    command = [sys.executable, "-S", "-c", _SPIN]
    spins = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(os.cpu_count() or 1)]
    return max(1.0, *(float(spin.communicate()[0]) for spin in spins))


@contextmanager
def unless_starved() -> Iterator[None]:
    """Skip instead of failing where what a deadline was to allow did not happen, and others use the machine."""
    try:
        yield
    except AssertionError:
        skip_where_starved()
        raise


def skip_where_starved(times: float | None = None) -> None:
    """Skip, and say why, where others take so much of the machine that nobody could keep a deadline."""
    times = stretch() if times is None else times
    if times > MOST_STRETCH:
        pytest.skip(f"others use this machine: a second of work takes {times:.0f} s, so no deadline is judged")
