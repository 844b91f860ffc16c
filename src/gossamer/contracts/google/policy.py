"""The time of the `google` contract's calls: as REQUEST_TIMEOUT_MS says, and told so when it ran out."""

from gossamer.errors import Busy, TimedOut
from gossamer.ports import Call

TIME_SETTING = "REQUEST_TIMEOUT_MS"
_SHARE, _MOST_SHARE = 0.02, 0.1
_ENOUGH_S = 0.1
"""Of a call's time: what is kept back says that the rest ran out, and by which setting."""


def most_of(call: Call) -> Call:
    """The same call with nearly all of its time."""
    left_s = call.remaining_s
    kept_back = max(_SHARE, min(_MOST_SHARE, _ENOUGH_S / left_s)) if left_s else 0.0
    return call.within(left_s * (1 - kept_back))


def late(tool: str, timeout_ms: int, error: TimeoutError | TimedOut | Busy) -> TimedOut:
    """The same timeout with the setting that decides on it; a service's own words on it stay."""
    said = f"{tool} did not finish in time." if isinstance(error, TimeoutError) else error.message
    return TimedOut(
        f"{said} ({TIME_SETTING} is {timeout_ms}.)",
        hint=f"Try again; the operator can raise {TIME_SETTING}.",
    ).but(raw="" if isinstance(error, TimeoutError) else error.raw)
