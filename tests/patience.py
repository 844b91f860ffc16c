"""How long tests wait. Machines are slow, shared and stand still: only what never comes or never ends is a failure."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

LONG_S = 60.0
"""What comes at all has come by then, on any machine."""


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
