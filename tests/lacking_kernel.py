"""A kernel that lacks something: `python -m tests.lacking_kernel [landlock] [seccomp] -- COMMAND`.

To the command and all that it starts, the calls that are named do not exist.
"""

import ctypes
import errno
import os
import struct
import sys

CALLS = {"landlock": (444, 444), "seccomp": (317, 277)}
"""Their numbers on x86-64 and on 64-bit ARM."""
_NO_NEW_PRIVS, _SECCOMP, _FILTER = 38, 22, 2
_FAIL, _ALLOW = 0x00050000, 0x7FFF0000


def take_away(names: list[str]) -> None:
    column = ("x86_64", "aarch64").index(os.uname().machine)
    program = [struct.pack("=HBBI", 0x20, 0, 0, 0)]
    for name in names:
        program.append(struct.pack("=HBBI", 0x15, 0, 1, CALLS[name][column]))
        program.append(struct.pack("=HBBI", 0x06, 0, 0, _FAIL | errno.ENOSYS))
    program.append(struct.pack("=HBBI", 0x06, 0, 0, _ALLOW))
    instructions = ctypes.create_string_buffer(b"".join(program))
    descriptor = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(instructions)))
    libc = ctypes.CDLL(None, use_errno=True)
    nothing = ctypes.c_ulong(0)
    if libc.prctl(_NO_NEW_PRIVS, ctypes.c_ulong(1), nothing, nothing, nothing) or libc.prctl(
        _SECCOMP, ctypes.c_ulong(_FILTER), descriptor
    ):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    border = sys.argv.index("--")
    take_away(sys.argv[1:border])
    os.execv(sys.argv[border + 1], sys.argv[border + 1 :])
