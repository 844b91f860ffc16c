"""Descriptor 1 belongs to the protocol. Standard library only: the first milliseconds use it too."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_changed: list[int] = []
"""Descriptors that waited before we changed them."""


def mode_of(descriptor: int) -> int:
    """What kind of file it is; nothing where it is closed."""
    try:
        return os.fstat(descriptor).st_mode
    except OSError:
        return 0


def guard_stdout() -> int:
    """Keep descriptor 1 for the protocol: return a private copy of it, and let every print go to stderr.

    `OSError` says that there is no standard output. Where stderr is closed, what would go there goes nowhere; its
    number is taken, so that the copy does not get it.
    """
    if not mode_of(2):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != 2:
            os.dup2(nowhere, 2)
            os.close(nowhere)
    private = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return private


def stop_waiting(descriptor: int) -> None:
    """Let writes that would wait fail instead, until `leave`: others may have the same file open."""
    if os.get_blocking(descriptor):
        os.set_blocking(descriptor, False)
        _changed.append(descriptor)


def leave(code: int = 0) -> "NoReturn":
    """End the process at once, whatever still runs, with descriptors as they were found."""
    try:
        for descriptor in _changed:
            os.set_blocking(descriptor, True)
    finally:
        os._exit(code)
