"""One database file, one lock, one writer thread: for stores and states."""

from gossamer.sqlite.database import Database
from gossamer.sqlite.files import path_of
from gossamer.sqlite.opening import Schema

__all__ = ["Database", "Schema", "path_of"]
