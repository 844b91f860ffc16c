"""The connections of the threads that read."""

import sqlite3
import threading
from collections.abc import Callable
from typing import TypeVar

from gossamer.filedb.files import Files
from gossamer.filedb.sqlite.connections import Reader, connect_looking, connect_reader
from gossamer.filedb.sqlite.error_mapping import Foreign
from gossamer.filedb.sqlite.journal import Mode

_STEPS = 10_000
"""Instructions of a query between two looks at whether it is over."""

T = TypeVar("T")


class Readers:
    """One connection for each thread, opened at its first look; a query ends early once it `is_over`."""

    def __init__(self, files: Files, *, is_over: Callable[[], bool]) -> None:
        self._files = files
        self._is_over = is_over
        self._own = threading.local()
        self._all: list[sqlite3.Connection] = []

    def adopt(self, reader: Reader) -> None:
        """Take a connection over as that of this thread."""
        reader.connection.set_progress_handler(self._is_over, _STEPS)
        self._own.reader = reader
        self._all.append(reader.connection)

    def read(self, work: Callable[[sqlite3.Connection], T], mode: Mode) -> T:
        """Run `work` in one read transaction; once more where the file it was to read alone was written meanwhile."""
        reader = self._reader(mode)
        if reader.still is None:
            return _read(reader.connection, work)
        try:
            result = _read(reader.connection, work)
        except Foreign:
            if self._is_as_it_was(reader):
                raise
        else:
            if self._is_as_it_was(reader):
                return result
        return _read(self._reader(mode).connection, work)

    def _reader(self, mode: Mode) -> Reader:
        reader: Reader | None = getattr(self._own, "reader", None)
        if reader is None or not self._is_as_it_was(reader):
            self.adopt(
                connect_looking(self._files, mode) if mode == "wal" else Reader(connect_reader(self._files, mode))
            )
        return self._own.reader

    def _is_as_it_was(self, reader: Reader) -> bool:
        return reader.still is None or reader.still == self._files.still()

    def close(self) -> None:
        """Close all of them, once their threads have ended; that needs no lock."""
        while self._all:
            self._all.pop().close()


def _read(connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    connection.execute("BEGIN")
    try:
        return work(connection)
    finally:
        connection.rollback()
