"""File identity: whether the file that is open is still the one that was opened, and its log whole."""

import contextlib
import sqlite3

from gossamer.filedb.files import NO_FILE, Files
from gossamer.filedb.sqlite.connections import LOG_LIMIT_BYTES
from gossamer.filedb.sqlite.error_mapping import damaged
from gossamer.filedb.sqlite.open_file import verdict_on
from gossamer.filedb.sqlite.stale_log import note_stale


class Soundness:
    """What a process knows of the file that it has open."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._identity: tuple[int, int] | None = None
        self._verdict = ""
        """What was found wrong when the whole file was looked over."""
        self._log: tuple[int, int] | None = None
        self._log_bytes: int | None = None
        self.is_log_whole = True
        """Where it is not, nothing of it may come into the file: there would be gaps in what was written."""

    def begin(self, *, is_writing: bool = False) -> bool:
        """Remember which file has the name now, and tell whether there is one.

        Who has it open for writing keeps its log from being deleted.
        """
        self._identity = self._files.identity()
        self._log_bytes = 0 if is_writing else None
        if is_writing:
            self.note_log()
        return self._identity != NO_FILE

    def note_log(self) -> None:
        """Remember which log the file has, now that it is open: as long as it is, it has no other."""
        self._log = self._files.log_identity()

    def leave(self) -> None:
        """Once the file is closed, see to it that its log is not taken for that of another which took its name."""
        found = self._files.identity()
        is_replaced = found not in (None, NO_FILE, self._identity)
        if is_replaced and self._log is not None and self._log == self._files.log_identity():
            note_stale(self._files)

    def look_over(self, connection: sqlite3.Connection) -> None:
        """Read the whole file; who opens it next is told of what is wrong."""
        self._verdict = verdict_on(connection)
        if self._verdict:
            self._files.suspect.touch(mode=0o600)

    def must_hold(self) -> None:
        """What we write is lost with a file that was moved, removed or emptied under us, and nobody would ever tell.

        A log that was cut under us has a gap where the next write leaves off, which would ruin the file. And what
        somebody else found damaged can be moved aside only once we let go of it.
        """
        if self._verdict:
            raise damaged(f"The database file is damaged ({self._verdict}).")
        if (found := self._files.identity()) is not None and found != self._identity:
            raise damaged("The database file was moved, removed or emptied.")
        if not self._has_whole_log():
            with contextlib.suppress(OSError):
                self._files.suspect.touch(mode=0o600)
            raise damaged("The log of the database was cut.")
        if self._files.suspect.exists():
            raise damaged("The database file was found damaged.")

    def _has_whole_log(self) -> bool:
        # What was seen is read first: others go on writing, and a log in use only shrinks to its limit.
        seen, found = self._log_bytes, self._files.log_bytes()
        if seen is not None:
            self.is_log_whole = self.is_log_whole and found >= min(seen, LOG_LIMIT_BYTES)
            self._log_bytes = found
        return self.is_log_whole
