"""Whether the file that is open is still the one that was opened, and what was written."""

import sqlite3

from gossamer.sqlite.files import Files
from gossamer.sqlite.opening import verdict_on
from gossamer.sqlite.trouble import damaged


class Soundness:
    """What a process knows of the file that it has open."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._identity: tuple[int, int] | None = None
        self._verdict = ""
        """What was found wrong when the whole file was looked over."""

    def begin(self) -> None:
        """Remember which file has the name now."""
        self._identity = self._files.identity()

    def look_over(self, connection: sqlite3.Connection) -> None:
        """Read the whole file; who opens it next is told of what is wrong."""
        self._verdict = verdict_on(connection)
        if self._verdict:
            self._files.suspect.touch(mode=0o600)

    def must_hold(self) -> None:
        """A file that was moved or removed under us takes all that we write with it, and nobody would ever tell."""
        if self._verdict:
            raise damaged(f"The database file is damaged ({self._verdict}).")
        if (found := self._files.identity()) is not None and found != self._identity:
            raise damaged("The database file was moved or removed.")
