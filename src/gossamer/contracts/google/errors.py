"""Errors of `google`: a timeout names the setting that decides on it."""

from gossamer.contracts.google.policy import TIME_SETTING
from gossamer.errors import Busy, TimedOut


def late(tool: str, timeout_ms: int, error: TimeoutError | TimedOut | Busy) -> TimedOut:
    """The same timeout with the setting that decides on it; a service's own words on it stay."""
    message = f"{tool} did not finish in time." if isinstance(error, TimeoutError) else error.message
    return TimedOut(
        f"{message} ({TIME_SETTING} is {timeout_ms}.)",
        hint=f"Try again; the operator can raise {TIME_SETTING}.",
    ).but(raw="" if isinstance(error, TimeoutError) else error.raw)
