"""A command without the superuser's rights, whoever runs the tests: `python -m tests.unprivileged COMMAND`."""

import ctypes
import os
import sys

_DROP_FROM_BOUNDING_SET = 24
_MOST = 64


def drop() -> None:
    """Leave no right to what is started next; who has none to begin with may not even say so."""
    libc = ctypes.CDLL(None)
    for capability in range(_MOST):
        libc.prctl(_DROP_FROM_BOUNDING_SET, ctypes.c_ulong(capability), ctypes.c_ulong(0), ctypes.c_ulong(0))


if __name__ == "__main__":
    drop()
    os.execv(sys.argv[1], sys.argv[1:])
