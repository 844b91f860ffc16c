"""Errors of a file that cannot be used now, whatever its engine: busy, slow, closed, another program's."""

from gossamer.errors import StoreBusy, StoreUnavailable
from gossamer.filedb.files import Files


def busy(files: Files, waited_s: float, remark: str = "", *, is_queued: bool = True) -> StoreBusy:
    """Say that somebody else holds the lock; what was queued is done once it is free, if this process lives then."""
    return StoreBusy(
        f"{files.database.name} has been held by another process for {waited_s:.0f} s{remark}.",
        hint="It waits its turn, and is done once that process goes on, or has ended."
        if is_queued
        else "Ask again once that process goes on, or has ended.",
    )


def slow(files: Files, waited_s: float) -> StoreBusy:
    """Say that nobody else is in the way: this process, or the disk, takes so long itself."""
    return StoreBusy(
        f"{files.database.name} could not be used within {waited_s:.0f} s: there is much to do, or the disk is slow.",
        hint="It waits its turn, and is done once what comes before it is.",
    )


def unopened(files: Files, waited_s: float) -> StoreBusy:
    """Say that opening takes too long: mostly somebody else holds the lock which it needs."""
    return StoreBusy(
        f"{files.database.name} could not be opened within {waited_s:.0f} s: another process has it, or much is to do.",
        hint="Nothing is kept meanwhile; it is tried again every few seconds.",
    )


def crowded(files: Files) -> StoreBusy:
    """Say that too much waits to be written to take in more."""
    return StoreBusy(
        f"Too much waits to be kept in {files.database.name} already: this is not kept.",
        hint="Ask again in a moment; if it stays so, another process holds the file.",
    )


def unprepared(files: Files, waited_s: float) -> StoreBusy:
    """Say that what was to be written could not be made ready in time."""
    return StoreBusy(
        f"Preparing something for {files.database.name} took more than {waited_s:.0f} s: it is not kept.",
        hint="Ask again when the machine has less to do.",
    )


def only_readable(files: Files) -> StoreUnavailable:
    """Say that a newer version has made the file its own."""
    return StoreUnavailable(
        f"{files.database.name} was written by a newer Gossamer, which lets this one only read it.",
        hint="Update Gossamer.",
    )


def closed() -> StoreUnavailable:
    """Say that it is too late."""
    return StoreUnavailable("The store is closed.", hint="Open it again.")


def refusal(files: Files) -> StoreUnavailable:
    """What to say of such a file."""
    return StoreUnavailable(
        f"{files.database} is the database of another program, and is left as it is.",
        hint="Name a file of its own for Gossamer.",
    )
