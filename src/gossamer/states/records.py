"""Records with a time to live, and what a change of the clock makes of them: the rules that all states share."""

import math
from dataclasses import dataclass, replace

from gossamer.errors import InvalidArgument
from gossamer.model.records import WindowCount

SWEEP_S = 60.0
"""So often what has expired is removed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """A value and the span it was given; of a lease, the holder and the number of the grant."""

    value: str
    since: float
    until: float
    grant: int = 0


def alive(record: Record | None, now: float) -> Record | None:
    """The record unless it has expired; one from the future, before the clock was set back, begins now."""
    if record is None or record.until <= now:
        return None
    if record.since > now:
        return replace(record, since=now, until=now + (record.until - record.since))
    return record


def counted(record: Record | None, amount: int, *, cap: int | None, now: float, until: float) -> tuple[Record, bool]:
    """A counter after adding to it, begun now if there is none; and whether the cap admitted that."""
    if record is None:
        record = Record(value="0", since=now, until=until)
    try:
        total = int(record.value) + amount
    except ValueError as error:
        raise InvalidArgument("This record is not a counter.", hint="Use another key.") from error
    if cap is not None and amount > 0 and total > cap:
        return record, False
    return replace(record, value=str(total)), True


def window_end(now: float, window_s: float) -> float:
    """When the window ends in which `now` lies; always later than `now`, however numbers are rounded."""
    return max((math.floor(now / window_s) + 1) * window_s, math.nextafter(now, math.inf))


def as_window(counter: Record, is_within: bool, now: float, keep_s: float) -> WindowCount:
    """The result of counting in a window; a count may be kept longer than its window lasts."""
    return WindowCount(is_within=is_within, count=int(counter.value), rest_s=max(0.0, counter.until - keep_s - now))


def next_grant(last: int, now: float) -> int:
    """A larger number than the last; by the time, so that it grows even where the last one was lost."""
    return max(last + 1, int(now * 1000))
