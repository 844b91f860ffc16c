"""seccomp: a filter in the kernel that lets through the system calls of a parser and refuses all others.

So there are no sockets, no programs, no other processes, and little of the kernel to attack. A refused call fails with
"not permitted"; a recent one "does not exist", so that C libraries take the older way that they have beside it.
"""

import ctypes
import errno
import os
import struct
import sys
from dataclasses import dataclass

from gossamer.extractors.workers.sandbox.kernel import syscall

NUMBERS = {
    # Files and pipes that are open already.
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "lseek": (8, 62),
    "close": (3, 57),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "fadvise64": (221, 223),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    # Files: Landlock says which.
    "open": (2, None),
    "openat": (257, 56),
    "stat": (4, None),
    "lstat": (6, None),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    # Memory.
    "brk": (12, 214),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "membarrier": (324, 283),
    # Threads and signals of this process.
    "clone": (56, 220),
    "futex": (202, 98),
    "set_robust_list": (273, 99),
    "get_robust_list": (274, 100),
    "set_tid_address": (218, 96),
    "rseq": (334, 293),
    "arch_prctl": (158, None),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "getcpu": (309, 168),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "tgkill": (234, 131),
    "restart_syscall": (219, 128),
    "exit": (60, 93),
    "exit_group": (231, 94),
    # The clock, limits, and who we are.
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "prlimit64": (302, 261),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrandom": (318, 278),
}

FIRST_RECENT = 424
"""From here on numbers are the same everywhere, and a C library that knows such a call can do without it."""

_CLONE_THREAD = 0x10000
_TO_WRITE = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC
_DUPLICATE, _GET_FD, _SET_FD, _GET_FLAGS, _SET_FLAGS, _DUPLICATE_CLOSED = 0, 1, 2, 3, 4, 1030
_IS_TERMINAL, _CLOSE_ON_EXEC, _KEEP_ON_EXEC = 0x5401, 0x5451, 0x5450


@dataclass(frozen=True, kw_only=True, slots=True)
class Condition:
    """A call is allowed where these bits of an argument have one of these values."""

    argument: int
    bits: int = 0xFFFFFFFF
    values: tuple[int, ...]


def conditions(pid: int) -> dict[str, Condition]:
    """What the arguments of some calls must be, for the process `pid`: the rest is allowed as it is."""
    return {
        "open": Condition(argument=1, bits=_TO_WRITE, values=(os.O_RDONLY,)),
        "openat": Condition(argument=2, bits=_TO_WRITE, values=(os.O_RDONLY,)),
        "fcntl": Condition(
            argument=1, values=(_DUPLICATE, _GET_FD, _SET_FD, _GET_FLAGS, _SET_FLAGS, _DUPLICATE_CLOSED)
        ),
        "ioctl": Condition(argument=1, values=(_IS_TERMINAL, _CLOSE_ON_EXEC, _KEEP_ON_EXEC)),
        "clone": Condition(argument=0, bits=_CLONE_THREAD, values=(_CLONE_THREAD,)),
        "tgkill": Condition(argument=0, values=(pid,)),
        "prlimit64": Condition(argument=0, values=(0,)),
    }


_ARCHITECTURES = {"x86_64": (0, 0xC000003E, 317), "aarch64": (1, 0xC00000B7, 277)}
"""Which column of numbers, what the kernel calls it, and the number of `seccomp` itself."""
_SET_MODE_FILTER, _ALL_THREADS = 1, 1
_KILL_PROCESS, _FAIL, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_IF_EQUAL, _IF_AT_LEAST = 0x15, 0x35
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT, _ARGUMENT_BYTES = 0, 4, 16, 8
"""Where the filter finds a call; of an argument, its lower half comes first."""
_INSTRUCTION = struct.Struct("=HBBI")
_MOST_32_BIT = 2**32


def apply() -> dict[str, str]:
    """Have the kernel filter the calls of this process, in all its threads."""
    machine = os.uname().machine
    if machine not in _ARCHITECTURES or sys.maxsize < _MOST_32_BIT:
        return {"seccomp": f"there is no filter for this machine ({machine})"}
    program = filter_program(machine, os.getpid())
    instructions = ctypes.create_string_buffer(program, len(program))
    count = len(program) // _INSTRUCTION.size
    descriptor = ctypes.create_string_buffer(struct.pack("@HP", count, ctypes.addressof(instructions)))
    unwilling = syscall(_ARCHITECTURES[machine][2], _SET_MODE_FILTER, _ALL_THREADS, descriptor)
    return {"seccomp": "a thread has a filter of its own"} if unwilling else {}


def filter_program(machine: str, pid: int) -> bytes:
    """The filter as the kernel reads it; calls made by the rules of another architecture end the process."""
    column, architecture, _ = _ARCHITECTURES[machine]
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_IF_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    restricted = conditions(pid)
    for name, numbers in NUMBERS.items():
        number = numbers[column]
        if number is not None:
            body = _allowing(restricted.get(name))
            program += [(_IF_EQUAL, 0, len(body), number), *body]
    program += [
        (_IF_AT_LEAST, 0, 1, FIRST_RECENT),
        (_RETURN, 0, 0, _FAIL | errno.ENOSYS),
        (_RETURN, 0, 0, _FAIL | errno.EPERM),
    ]
    return b"".join(_INSTRUCTION.pack(*each) for each in program)


def _allowing(condition: Condition | None) -> list[tuple[int, int, int, int]]:
    """The end of the way of a call whose number fits."""
    if condition is None:
        return [(_RETURN, 0, 0, _ALLOW)]
    values = condition.values
    return [
        (_LOAD, 0, 0, _ARGUMENTS_AT + _ARGUMENT_BYTES * condition.argument),
        (_AND, 0, 0, condition.bits),
        *((_IF_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)),
        (_RETURN, 0, 0, _FAIL | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
