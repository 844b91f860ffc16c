"""One process: how it guards its output, hears signals and leaves. Standard library only: the front starts with it.

Every face leaves at once (`leave`), whatever threads still run: what was acknowledged is on disk. The first SIGTERM or
SIGINT ends a server in its own time, an import at once.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from asyncio import AbstractEventLoop
    from collections.abc import Callable
    from typing import NoReturn
else:
    import _signal as signal  # what is inside of it, without the enums around, which take longer than all else here

EXIT_INTERRUPTED = 130
_ENDS = (signal.SIGTERM, signal.SIGINT)

_changed: list[int] = []
"""Descriptors that waited before we changed them."""


def mode_of(descriptor: int) -> int:
    """What kind of file it is; nothing where it is closed."""
    try:
        return os.fstat(descriptor).st_mode
    except OSError:
        return 0


def has_stdio() -> bool:
    """Whether there is a standard input and output: without them a server has no client."""
    return bool(mode_of(0) and mode_of(1))


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


def leave_at_signals() -> None:
    """Leave at SIGTERM and SIGINT, as long as nothing is open that could be lost: while a server is imported."""
    for number in _ENDS:
        signal.signal(number, lambda _number, _frame: leave())


def hear_signals(loop: "AbstractEventLoop", stop: "Callable[[], object]") -> None:
    """Call `stop` in the event loop at every SIGTERM and SIGINT."""
    for number in _ENDS:
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # loops on Windows
            signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(stop))


def leave_within(seconds: float) -> None:
    """Let the system end the process after so long, whoever holds the interpreter then."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def leave(code: int = 0) -> "NoReturn":
    """End the process at once, whatever still runs, with descriptors as they were found."""
    try:
        for descriptor in _changed:
            os.set_blocking(descriptor, True)
    finally:
        os._exit(code)


def leave_flushed(code: "str | int | None") -> None:
    """End the process with what was printed, without taking apart what threads still hold: that makes a noise.

    Where nothing can be printed any more, the interpreter tells so as it ends.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    leave(code if isinstance(code, int) else int(code is not None))


def leave_interrupted(message: str = "Interrupted.") -> "NoReturn":
    """End a command that its user interrupted."""
    sys.stderr.write(f"{message}\n")
    sys.exit(EXIT_INTERRUPTED)
