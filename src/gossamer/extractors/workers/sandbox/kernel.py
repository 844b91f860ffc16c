"""Linux system calls that Python has no name for: prctl, capset and others."""

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38
_CAPABILITIES_VERSION = 0x20080522
_CAP_DAC_READ_SEARCH = 1 << 2


def syscall(number: int, *arguments: int | ctypes.Array[ctypes.c_char] | None) -> int:
    """The result of a system call; -1 of it raises `OSError`."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    given = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return _check(libc.syscall(ctypes.c_long(number), *given))


def forbid_new_privileges() -> dict[str, str]:
    """No program that is started from now on gains rights; Landlock and seccomp ask for this."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    return {}


def drop_capabilities() -> dict[str, str]:
    """Keep none of the superuser's rights, among them that of lifting limits.

    One stays where we have it: reading our own code, which may lie in a folder that is closed to others.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()
    _check(libc.capget(header, sets))
    remaining = sets[1] & _CAP_DAC_READ_SEARCH
    _check(libc.capset(header, (ctypes.c_uint32 * 6)(remaining, remaining)))
    return {}


def forbid_dumping() -> None:
    """Make our memory and our environment readable to the superuser alone, as the kernel sees it."""
    _prctl(_PR_SET_DUMPABLE, 0)


def die_with_parent() -> None:
    """End this process when the one that started it ends."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    nothing = ctypes.c_ulong(0)
    _check(ctypes.CDLL(None, use_errno=True).prctl(option, ctypes.c_ulong(value), nothing, nothing, nothing))


def _check(result: int) -> int:
    """The result of a call; -1 raises what the kernel says."""
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
