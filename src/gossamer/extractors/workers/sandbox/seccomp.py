"""seccomp: a filter in the kernel that lets through the system calls of a parser and refuses all others.

So there are no sockets, no programs, no other processes, and little of the kernel to attack. A refused call fails with
"not permitted"; a recent one "does not exist", so that C libraries take the older way that they have beside it.
"""

import ctypes
import errno
import os
import struct
import sys

from gossamer.extractors.workers.sandbox.kernel import syscall
from gossamer.extractors.workers.sandbox.system_calls import FIRST_RECENT, NUMBERS, Condition, conditions

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
