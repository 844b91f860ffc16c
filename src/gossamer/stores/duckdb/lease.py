"""Whose turn it is: one file that belongs to one process at a time, handed on in the order of asking."""

from pathlib import Path

from gossamer.sqlite.lock import FileLock


class Lease:
    """Two locks of the operating system: one is held by who works, the other by who comes next.

    There is no server and no protocol, and kill -9 frees both. Only one thread may use a lease.
    """

    def __init__(self, holder: Path, want: Path) -> None:
        self._holder = FileLock(holder)
        try:
            self._want = FileLock(want)
        except BaseException:
            self._holder.close()
            raise
        self.is_held = False

    @property
    def is_marked(self) -> bool:
        """Whether there was a file to hold once."""
        return self._holder.is_marked

    def mark(self) -> None:
        """Note that there is one."""
        self._holder.mark()

    def take(self) -> None:
        """Wait for our turn as long as it takes; whoever has it sees that it is wanted."""
        with self._want:
            self._holder.__enter__()
        self.is_held = True

    def is_wanted(self) -> bool:
        """Whether somebody waits for it."""
        if self._want.try_take():
            self._want.free()
            return False
        return True

    def give_up(self) -> None:
        """Let the next one have it."""
        if self.is_held:
            self.is_held = False
            self._holder.free()

    def close(self) -> None:
        """Let go of both files."""
        self._holder.close()
        self._want.close()
