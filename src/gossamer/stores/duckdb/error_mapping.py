"""DuckDB's errors as ours. It tells most of them apart by their words alone."""

import duckdb

from gossamer.errors import StoreBusy, StoreError, StoreUnavailable
from gossamer.filedb.file_errors import FREE_SPACE

_DAMAGE = (
    "is not a valid DuckDB database file",
    "Corrupt database file",
    "Corrupt WAL file",
    "Could not read enough bytes",
    "Failure while replaying WAL file",
    "Failed to delete all rows from index",
    "Serialization Error",
)
_HELD = "Could not set lock on file"
_NEWER = "created with a newer version of DuckDB"
_REFUSED = ("Permission denied", "Read-only file system")
_LIMITED = "File too large"
_UNAVAILABLE = {
    "No space left on device": ("The disk is full, so nothing can be kept.", FREE_SPACE),
    "Disk quota exceeded": ("The disk quota is used up, so nothing can be kept.", FREE_SPACE),
    "Read-only file system": ("The database cannot be written.", "Set DATA_DIR, or the store's address."),
    "Permission denied": ("The database may not be opened.", "Check the rights of its folder, or set DATA_DIR."),
    "Out of Memory Error": ("There is too little memory for the database.", "End other programs, and try again."),
    "Input/output error": ("The disk failed while the database was used.", "Check the disk, or set DATA_DIR."),
    "INTERRUPT": ("The store was closed meanwhile.", "Ask again."),
}


def is_damage(error: duckdb.Error) -> bool:
    """Whether the file is not what DuckDB wrote."""
    return any(words in str(error) for words in _DAMAGE)


def is_newer(error: duckdb.Error) -> bool:
    """Whether a newer DuckDB made the file."""
    return _NEWER in str(error)


def is_held(error: duckdb.Error) -> bool:
    """Whether another process has the file open: one that is just letting go of it, or one that knows no lease."""
    return _HELD in str(error)


def is_refused(error: duckdb.Error) -> bool:
    """Whether the system would not let us: which file it was is better looked up than read out of the words."""
    return any(words in str(error) for words in _REFUSED)


def is_limited(error: duckdb.Error) -> bool:
    """Whether a file met the size that this process may give one."""
    return _LIMITED in str(error)


def ours(error: duckdb.Error) -> StoreError | None:
    """The error a caller understands; None for a mistake in our own SQL."""
    text = str(error)
    for words, (message, hint) in _UNAVAILABLE.items():
        if words in text:
            return StoreUnavailable(message, hint=hint)
    if is_damage(error):
        return StoreUnavailable("The database file is damaged.", hint="It is moved aside, and a new one begun.")
    if is_held(error):
        return StoreBusy("Another program has the database open.", hint="Close it, and try again.")
    if isinstance(error, duckdb.IOException | duckdb.FatalException | duckdb.InternalException):
        return StoreUnavailable(
            f"The database cannot be used ({text.splitlines()[0]}).", hint="Check its folder, or set DATA_DIR."
        )
    return None
