"""Sandbox of the worker process: what is left to a page that takes the parser over.

Each part is asked of the kernel on its own. One that cannot be had is named with the reason, and the parser goes on
without it: `gossamer doctor` tells what is in force by what a parser said of itself.
"""

import contextlib
import sys
from collections.abc import Callable
from typing import cast

Missing = dict[str, str]
"""The parts that are not in force, each with the reason."""

PARTS = {
    "limits": "use more memory, processor time or files than a page needs",
    "no_new_privs": "gain rights from a program that runs as somebody else",
    "capabilities": "use rights of the superuser, if the server runs as one",
    "landlock": "read what this user can read, and unless seccomp is in force write it and run programs",
    "landlock_network": "make TCP connections, unless seccomp is in force",
    "landlock_scopes": "signal other processes of this user, unless seccomp is in force",
    "seccomp": "open connections, but no TCP where Landlock has rules for it, and reach more of the kernel",
}
"""What each part keeps a parser from that a page has taken over."""
_MAX_REASON = 200


def confine(*, memory_mb: int, life_s: int) -> Missing:
    """Give up for good what reading pages does not need; returns what could not be given up."""
    from gossamer.extractors.workers.sandbox import rlimits

    missing = rlimits.apply(memory_mb=memory_mb, life_s=life_s)
    others = [name for name in PARTS if name != "limits"]
    if sys.platform != "linux":
        return missing | dict.fromkeys(others, "only Linux has it")
    try:
        from gossamer.extractors.workers.sandbox import kernel, landlock, seccomp
    except ImportError:
        return missing | dict.fromkeys(others, "this Python has no ctypes")
    steps: dict[str, Callable[[], Missing]] = {
        "no_new_privs": kernel.forbid_new_privileges,
        "capabilities": kernel.drop_capabilities,
        "landlock": landlock.apply,
        "seccomp": seccomp.apply,
    }
    for name, step in steps.items():
        try:
            missing |= step()
        except (OSError, AttributeError) as error:  # a C library without the call
            missing[name] = f"the kernel answers: {getattr(error, 'strerror', None) or error}"
    return missing


def forbid_dumping() -> None:
    """Keep the memory and the environment of the process that starts parsers from them, and from this user's others."""
    if sys.platform == "linux":
        with contextlib.suppress(ImportError, OSError):
            from gossamer.extractors.workers.sandbox import kernel

            kernel.forbid_dumping()


def missing_of(parts: object) -> Missing:
    """What a worker says it lacks, as far as these are words of ours."""
    rows = cast("dict[str, object]", parts) if isinstance(parts, dict) else {}
    return {name: str(rows[name])[:_MAX_REASON] for name in PARTS if name in rows}
