"""Descriptor 1 belongs to the protocol. Standard library only: the first milliseconds use it too."""

import os
import sys


def guard_stdout() -> int:
    """Keep descriptor 1 for the protocol: return a private copy of it, and let every print go to stderr.

    `OSError` says that there is no standard output.
    """
    private = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:  # stderr is closed: what would go there goes nowhere
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
    sys.stdout = sys.stderr
    return private
