"""The system calls that reading pages takes, by name, with their numbers on x86-64 and on 64-bit ARM."""

import os
from dataclasses import dataclass

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
